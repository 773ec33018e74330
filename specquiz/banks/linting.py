"""Everything wrong with banks that a machine can see: what the loader refuses, then rules about content.

Codes are explained in docs/bank-codes.md. A warning is silenced on its own line or the line above it with
`# specquiz: ignore[SQ314] reason`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import assert_never

from specquiz.answers.config_reading import Written
from specquiz.answers.config_taking import known_keys, take
from specquiz.answers.configuration import flat, shows
from specquiz.banks.formula_rules import check_formulas
from specquiz.banks.library import CONCEPTS
from specquiz.banks.loading import Reading, load_concepts, read_bank
from specquiz.banks.model import (
    AnyQuestion,
    Choice,
    ConfigQuestion,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.banks.parsing import MappingNode, Report, node_at
from specquiz.banks.problems import Problem, Severity, closest, in_order, suggestion
from specquiz.banks.scalars import UNCERTAIN_WIDTH
from specquiz.banks.short_keys import LEVELS_OF_FOLLOW_UPS, depth_under
from specquiz.banks.variants import PLACEHOLDER

_IGNORE = re.compile(r"#\s*specquiz:\s*ignore\[([A-Z0-9, ]+)\]")
_ABOVE = re.compile(r"\b(?:all|none|both|neither|any) of (?:the )?(?:above|these|those|others?)\b", re.IGNORECASE)

MUCH_LONGER = 1.5
"""A right option this many times as long as the longest wrong one gives itself away."""
FAIR_SHARE = 0.35
"""The right option may be the longest in this share of a bank's single-choice questions."""
_ENOUGH = 8


def lint(paths: Sequence[Path], concepts: Collection[str], strict: Collection[Path] = ()) -> tuple[Problem, ...]:
    """All problems of these files, as a reader meets them.

    Args:
        paths: banks, and files of concepts by the name `concepts.yaml`.
        concepts: slugs that every bank may use.
        strict: the files in which an unknown concept is an error; elsewhere it is a warning.
    """
    problems: list[Problem] = []
    known = set(concepts)
    banks = []
    for path in paths:
        if path.name == CONCEPTS:
            listed, found = load_concepts(path)
            problems += found
            known.update(concept.slug for concept in (listed.concepts if listed else ()))
        else:
            banks.append((path, read_bank(path)))
    for path, reading in banks:
        problems += _lint_bank(path, reading, known, path in strict)
    problems += _twice_in_different_files(banks, strict)
    return in_order(problems)


def _lint_bank(path: Path, reading: Reading, concepts: Collection[str], strict: bool) -> list[Problem]:
    report = Report(path)
    report.text = reading.text
    own = reading.bank.concepts if reading.bank else {}
    for question, node in reading.questions:
        _check_concepts(question, node, {*concepts, *own}, strict, report)
        _check_placeholders(question, node, report)
        _check_answer(question, node, report)
    _check_lengths(reading, report)
    for found in UNCERTAIN_WIDTH.finditer(reading.text):
        message = f"U+{ord(found[0]):04X} has no certain width in a terminal; say it in words"
        report.warning_at(*report.place(found.start()), "SQ313", message)
    lines = reading.text.split("\n")
    return [*reading.problems, *(problem for problem in report.problems if not _ignored(problem, lines))]


def _check_answer(question: AnyQuestion, node: MappingNode, report: Report) -> None:
    """What each type's answer must hold to."""
    match question:
        case SingleQuestion() | MultiQuestion():
            _check_choices(question, node, report)
        case TraceQuestion():
            _check_mistakes(question, node, "tokens", report)
        case OrderQuestion():
            _check_mistakes(question, node, "order", report)
        case NumericQuestion() | SymbolicQuestion():
            check_formulas(question, node, report)
        case ConfigQuestion():
            _check_configuration(question, node, report)
        case ShortQuestion():
            _check_follow_ups(question, node, report)
        case _:
            assert_never(question)


def _ignored(problem: Problem, lines: Sequence[str]) -> bool:
    around = "\n".join(lines[max(0, problem.line - 2) : problem.line])
    codes = [code.strip() for found in _IGNORE.findall(around) for code in found.split(",")]
    return problem.severity == "warning" and problem.code in codes


def _twice_in_different_files(banks: Sequence[tuple[Path, Reading]], strict: Collection[Path]) -> Iterator[Problem]:
    """A question id that another file of the same bank has too, or another bank."""
    first: dict[tuple[str, str], tuple[Path, str]] = {}
    in_any_bank: dict[str, tuple[str, Path, str]] = {}
    for path, reading in banks:
        if reading.bank is None:
            continue
        bank = reading.bank.id
        for question, node in reading.questions:
            mark = node_at(node, "id").start
            line, column = mark.line + 1, mark.column + 1
            place = f"{path}:{line}:{column}"
            other, where = first.setdefault((bank, question.id), (path, place))
            if other != path:
                message = f"the question {question.id!r} of bank {bank!r} is already in {where}"
                yield Problem(path, line, column, "SQ208", "error", message)
            owner, file, where = in_any_bank.setdefault(question.id, (bank, path, place))
            if owner != bank:
                message = f"the bank {owner!r} has a question {question.id!r} too, in {where}"
                severity: Severity = "error" if path in strict and file in strict else "warning"
                problem = Problem(path, line, column, "SQ319", severity, message)
                if not _ignored(problem, reading.text.split("\n")):
                    yield problem


def _check_concepts(
    question: AnyQuestion, node: MappingNode, known: Collection[str], strict: bool, report: Report
) -> None:
    for place, slug in enumerate(question.concepts):
        if slug not in known:
            note = report.error if strict else report.warning
            message = f"the concept {slug!r} is not among the known ones{suggestion(slug, known)}"
            note(node_at(node, "concepts", place), "SQ312", message)


def _texts(question: AnyQuestion) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Everything in a question that a learner reads, with the way to it."""
    yield ("prompt",), question.prompt
    yield ("explanation",), question.explanation
    for place, hint in enumerate(question.hints):
        yield ("hints", place), hint
    if isinstance(question, SingleQuestion | MultiQuestion):
        for place, choice in enumerate(question.choices):
            yield ("choices", place, "text"), choice.text
            yield ("choices", place, "say"), choice.say
    elif isinstance(question, ShortQuestion):
        for place, point in enumerate(question.rubric):
            yield ("rubric", place, "point"), point.point
    else:
        for place, say in enumerate([misconception.say for misconception in question.misconceptions]):
            yield ("misconceptions", place, "say"), say


def _check_placeholders(question: AnyQuestion, node: MappingNode, report: Report) -> None:
    """`{name}` stands for a variable's number; other braces are text, which may not be what was meant."""
    if not isinstance(question, NumericQuestion | SymbolicQuestion) or not question.vars:
        return
    for way, text in _texts(question):
        for name in dict.fromkeys(PLACEHOLDER.findall(text)):
            at = node_at(node, *way)
            if isinstance(question, SymbolicQuestion):
                if name in question.vars:
                    message = f"a symbolic question has no numbers to put in for {{{name}}}; write {name} or its letter"
                    report.error(at, "SQ304", message)
            elif name not in question.vars:
                close = closest(name, question.vars)
                note = report.error if close else report.warning
                hint = f" (did you mean {{{close}}}?)" if close else "; it will be shown as it is"
                note(at, "SQ304", f"{{{name}}} is no variable of the question{hint}")


def _check_choices(question: SingleQuestion | MultiQuestion, node: MappingNode, report: Report) -> None:
    for place, choice in enumerate(question.choices):
        if choice.pin is None and _ABOVE.search(choice.text):
            message = "this choice speaks of the others and may be shown before them; give it 'pin: last'"
            report.warning(node_at(node, "choices", place), "SQ314", message)
    if isinstance(question, SingleQuestion):
        right, longest = _lengths(question.choices, question.answer)
        if right > MUCH_LONGER * longest and right - longest >= 20:
            message = f"the right choice gives itself away: {right} characters, the longest wrong one has {longest}"
            report.warning(node_at(node, "choices"), "SQ315", message)


def _lengths(choices: Sequence[Choice], answer: str) -> tuple[int, int]:
    """The length of the right choice and of the longest wrong one."""
    right = max(len(choice.text) for choice in choices if choice.id == answer)
    return right, max((len(choice.text) for choice in choices if choice.id != answer), default=right)


def _check_lengths(reading: Reading, report: Report) -> None:
    """Over a whole bank, the right choice must not be the longest too often."""
    singles = [question for question, _ in reading.questions if isinstance(question, SingleQuestion)]
    lengths = [_lengths(question.choices, question.answer) for question in singles]
    longest = sum(right > wrong for right, wrong in lengths)
    if len(singles) >= _ENOUGH and longest > FAIR_SHARE * len(singles) and reading.root is not None:
        message = f"the right choice is the longest in {longest} of {len(singles)} single-choice questions"
        report.warning(node_at(reading.root, "questions"), "SQ315", message)


def _check_mistakes(question: TraceQuestion | OrderQuestion, node: MappingNode, what: str, report: Report) -> None:
    """A wrong sequence must differ from the right one and from every other."""
    seen = {question.answer: "the answer"}
    for place, misconception in enumerate(question.misconceptions):
        sequence = tuple(misconception.answer.split())
        if sequence in seen:
            at = node_at(node, "misconceptions", place, "answer")
            report.error(at, "SQ310", f"this misconception has the same {what} as {seen[sequence]}")
        seen.setdefault(sequence, f"misconception {place + 1}")


def _check_configuration(question: ConfigQuestion, node: MappingNode, report: Report) -> None:
    """vLLM takes the answer, and a known mistake neither shows in it nor is told by an earlier one's sign."""
    answer = flat(question.answer)
    faults = take(question.of, question.given, Written(dict(question.answer), flags=False)).faults
    for fault in faults:
        way = fault.key if fault.key in question.answer else "answer"
        report.error(node_at(node, "answer", way), "SQ317", f"vLLM does not take this answer: {fault}")
    known = known_keys(question.of)
    for way, keys in (("accept", question.accept), ("optional", question.optional)):
        for key in keys:
            if key not in known:
                message = f"{way!r} names {key!r}, which is no key of {question.of}{suggestion(key, known)}"
                report.error(node_at(node, way), "SQ318", message)
    seen: list[Mapping[str, object]] = []
    for place, misconception in enumerate(question.misconceptions):
        at = node_at(node, "misconceptions", place, "where")
        if shows(misconception.where, answer):
            report.error(at, "SQ310", "this mistake shows in the answer itself")
        elif misconception.where in seen:
            report.error(at, "SQ310", "this mistake shows by the same keys as an earlier one")
        seen.append(misconception.where)


def _check_follow_ups(question: ShortQuestion, node: MappingNode, report: Report) -> None:
    """After a weak answer and after a strong one there is enough to go on with."""
    for grade in ("weak", "strong"):
        depth = depth_under(question.follow_ups, grade)
        if depth < LEVELS_OF_FOLLOW_UPS:
            message = f"after a {grade} answer the follow-ups go {depth} of {LEVELS_OF_FOLLOW_UPS} levels deep"
            report.warning(node_at(node, "follow_ups"), "SQ316", message)
