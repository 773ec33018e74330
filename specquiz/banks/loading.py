"""The one strict loader of banks, for the program, the linter and CI: YAML to checked records, all errors at once."""

from __future__ import annotations

import re
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple, TypeVar

import msgspec

from specquiz.banks.decoding import FAILED, After, Decode, Decoders, sequence, text, wrong_kind
from specquiz.banks.model import (
    AnyQuestion,
    Bank,
    Choice,
    Concept,
    ConceptList,
    Misconception,
    MultiQuestion,
    NumericQuestion,
    Question,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.banks.parsing import MappingNode, Node, Report, ScalarNode, SequenceNode, node_at, parse, read_text
from specquiz.banks.problems import Problem, in_order, suggestion

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
CHOICE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
LEVELS = range(1, 5)

T = TypeVar("T")


class Reading(NamedTuple):
    """A bank's file as read: what could be made of it, with the nodes that tell where everything stands."""

    bank: Bank | None
    """With the questions that are whole; None if the bank's own keys are wrong."""
    questions: tuple[tuple[AnyQuestion, MappingNode], ...]
    root: Node | None
    problems: tuple[Problem, ...]
    text: str


def load_bank(path: Path) -> tuple[Bank | None, tuple[Problem, ...]]:
    """The bank in a YAML file and everything that is wrong with the file. A bank with an error is None."""
    reading = read_bank(path)
    return (None if reading.problems else reading.bank), reading.problems


def load_concepts(path: Path) -> tuple[ConceptList | None, tuple[Problem, ...]]:
    """The concepts in a `concepts.yaml` and everything that is wrong with it. With an error there are none."""
    return load_record(path, ConceptList, Decoders(after={Concept: _check_concept, ConceptList: _check_list}))


def load_record(path: Path, kind: type[T], decoders: Decoders | None = None) -> tuple[T | None, tuple[Problem, ...]]:
    """A file that holds one record of type `kind`, read as strictly as a bank. With an error the record is None."""
    report = Report(path)
    source = read_text(report)
    root = parse(source, report) if source is not None else None
    record = (decoders or Decoders()).of(kind, "the file")(root, report) if root is not None else None
    return (None if report.problems else record), in_order(report.problems)


def read_bank(path: Path) -> Reading:
    """Read a bank's file as far as it can be read; the linter goes on from here."""
    report = _BankReport(path)
    source = read_text(report)
    root = parse(source, report) if source is not None else None
    bank = _decode_bank(root, report) if root is not None else None
    return Reading(
        bank=None if bank is FAILED else bank,
        questions=tuple(report.questions),
        root=root,
        problems=in_order(report.problems),
        text=source or "",
    )


class _BankReport(Report):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.questions: list[tuple[AnyQuestion, MappingNode]] = []


def _questions(node: Node, report: Report) -> Any:
    """The questions that are whole, each noted with its node; ids must differ."""
    if not isinstance(node, SequenceNode):
        return wrong_kind(node, report, "'questions'", "a list", '; each question begins with "- "')
    assert isinstance(report, _BankReport)
    lines: dict[str, int] = {}
    for item in node.items:
        id_node = node_at(item, "id")
        if isinstance(id_node, ScalarNode) and id_node is not item:
            if id_node.value in lines:
                message = f"the question id {id_node.value!r} comes twice; line {lines[id_node.value]} has it already"
                report.error(id_node, "SQ208", message)
            else:
                lines[id_node.value] = id_node.start.line + 1
        question = _decode_question(item, report)
        if question is not FAILED:
            report.questions.append((question, item))
    if not node.items:
        report.error(node, "SQ212", "'questions' must not be empty")
    return tuple(question for question, _ in report.questions)


def _token_list(node: Node, report: Report) -> Any:
    """Tokens as a list, or as one text with spaces between them."""
    if isinstance(node, ScalarNode):
        written = text("'answer'")(node, report)
        return FAILED if written is FAILED else tuple(re.split(r"[\s,]+", written.strip(" \n,")))
    return sequence(text("each token"), "'answer'")(node, report)


def _token_line(node: Node, report: Report) -> Any:
    tokens = _token_list(node, report)
    return FAILED if tokens is FAILED else " ".join(tokens)


def _one_or_more(what: str) -> Decode:
    """A list of texts that is not empty."""
    texts = sequence(text(f"each entry of {what}"), what)

    def decode(node: Node, report: Report) -> Any:
        values = texts(node, report)
        if values == ():
            report.error(node, "SQ212", f"{what} must not be empty")
            return FAILED
        return values

    return decode


def _slug(value: str, node: Node, report: Report, what: str) -> None:
    if not SLUG.fullmatch(value):
        form = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
        hint = f", such as {form!r}" if form else ""
        message = f"{what} {value!r} is not lower-case letters, digits and single hyphens{hint}"
        report.error(node, "SQ207", message)


def _check_question(question: Question, node: MappingNode, report: Report) -> None:
    _slug(question.id, node_at(node, "id"), report, "the id")
    for place, slug in enumerate(question.concepts):
        at = node_at(node, "concepts", place)
        _slug(slug, at, report, "the concept")
        if slug in question.concepts[:place]:
            report.error(at, "SQ213", f"the concept {slug!r} comes twice")
    if question.level not in LEVELS:
        report.error(node_at(node, "level"), "SQ206", f"'level' is 1 to 4, not {question.level}")
    if question.seconds < 1:
        report.error(node_at(node, "seconds"), "SQ206", f"'seconds' is at least 1, not {question.seconds}")


def _finish_plain(question: Any, node: MappingNode, report: Report) -> Any:
    _check_question(question, node, report)
    return question


def _finish_choice(question: SingleQuestion | MultiQuestion, node: MappingNode, report: Report) -> Any:
    """Give every choice its id and turn the answer, given as ids or texts, into ids."""
    _check_question(question, node, report)
    choices = _with_ids(question.choices, node, report)
    if isinstance(question, SingleQuestion):
        answer = _choice_named(question.answer, choices, node_at(node, "answer"), report)
        return FAILED if answer is None else msgspec.structs.replace(question, choices=choices, answer=answer)
    places = [node_at(node, "answer", place) for place in range(len(question.answer))]
    ids = [_choice_named(name, choices, place, report) for name, place in zip(question.answer, places, strict=True)]
    for number, id in enumerate(ids):
        if id is not None and id in ids[:number]:
            report.error(places[number], "SQ209", f"the answer names the choice {id!r} twice")
    return FAILED if None in ids else msgspec.structs.replace(question, choices=choices, answer=tuple(ids))


def _with_ids(choices: tuple[Choice, ...], node: MappingNode, report: Report) -> tuple[Choice, ...]:
    """The choices with `a`, `b`, … by place where the author gave no id; ids and texts must differ."""
    if not 2 <= len(choices) <= len(ascii_lowercase):
        message = f"a choice question has 2 to {len(ascii_lowercase)} choices, not {len(choices)}"
        report.error(node_at(node, "choices"), "SQ211", message)
    named = tuple(
        choice if choice.id else msgspec.structs.replace(choice, id=letter)
        for choice, letter in zip(choices, ascii_lowercase, strict=False)
    )
    for key in ("id", "text"):
        seen: dict[str, int] = {}
        for place, choice in enumerate(named):
            value = " ".join(getattr(choice, key).split())
            at = node_at(node, "choices", place, key)
            if value in seen:
                first = node_at(node, "choices", seen[value], key).start.line + 1
                report.error(at, "SQ209", f"two choices have the {key} {value!r}; the first is on line {first}")
            elif key == "id" and not CHOICE_ID.fullmatch(value):
                report.error(at, "SQ207", f"the id {value!r} of a choice is not letters, digits, - and _")
            seen.setdefault(value, place)
    return named


def _choice_named(name: str, choices: tuple[Choice, ...], at: Node, report: Report) -> str | None:
    """The id of the choice that has `name` as its id or as its exact text."""
    found = {choice.id for choice in choices if name in (choice.id, choice.text)}
    if len(found) == 1:
        return found.pop()
    if len(found) > 1 and len({choice.text for choice in choices}) < len(choices):
        return None  # Choices that say the same are reported already.
    if found:
        report.error(at, "SQ214", f"{name!r} is the id of one choice and the text of another; give the choices ids")
    else:
        known = [known for choice in choices for known in (choice.id, choice.text)]
        report.error(at, "SQ210", f"the answer {name!r} is not among the choices{suggestion(name, known)}")
    return None


def _check_bank(bank: Bank, node: MappingNode, report: Report) -> Any:
    _slug(bank.id, node_at(node, "bank"), report, "the bank's id")
    for slug in bank.concepts:
        _slug(slug, node_at(node, "concepts", slug), report, "the concept")
    return bank


def _check_concept(concept: Concept, node: MappingNode, report: Report) -> Any:
    _slug(concept.slug, node_at(node, "slug"), report, "the slug")
    return concept


def _check_list(listed: ConceptList, node: MappingNode, report: Report) -> Any:
    lines: dict[str, int] = {}
    for place, concept in enumerate(listed.concepts):
        at = node_at(node, "concepts", place, "slug")
        if concept.slug in lines:
            first = lines[concept.slug]
            report.error(at, "SQ213", f"the slug {concept.slug!r} comes twice; line {first} has it already")
        lines.setdefault(concept.slug, at.start.line + 1)
    return listed


_AFTER: dict[type, After] = {
    SingleQuestion: _finish_choice,
    MultiQuestion: _finish_choice,
    NumericQuestion: _finish_plain,
    SymbolicQuestion: _finish_plain,
    TraceQuestion: _finish_plain,
}
_token_misconception = Decoders(fields={(Misconception, "answer"): _token_line}).of(Misconception, "a misconception")
_question_types = (SingleQuestion, MultiQuestion, NumericQuestion, SymbolicQuestion, TraceQuestion)
_decode_question = Decoders(
    fields={
        (TraceQuestion, "answer"): _token_list,
        (TraceQuestion, "misconceptions"): sequence(_token_misconception, "'misconceptions'"),
        (MultiQuestion, "answer"): _one_or_more("'answer'"),
        **{(kind, "concepts"): _one_or_more("'concepts'") for kind in _question_types},
    },
    shorthand={Choice: "text"},
    after=_AFTER,
).of(AnyQuestion, "a question")
_decode_bank = Decoders(fields={(Bank, "questions"): _questions}, after={Bank: _check_bank}).of(Bank, "the file")
