"""Rules for questions whose answer is a formula: it can be read, is defined, is judged right, and its known mistakes
cannot be taken for it or for each other, whichever numbers are drawn."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from specquiz.answers import Correct, check, reference_problem
from specquiz.answers.arithmetic import Meter, TooBig, Value, equal
from specquiz.answers.comparison import value_at
from specquiz.answers.domain import Variable, read_domain
from specquiz.answers.expression import Node as Formula
from specquiz.answers.reading import read
from specquiz.answers.tolerance import read_tolerance
from specquiz.answers.verdict import Refusal
from specquiz.answers.vocabulary import Vocabulary
from specquiz.banks.model import NumericQuestion, SymbolicQuestion
from specquiz.banks.parsing import MappingNode, Node, Report, ScalarNode, node_at
from specquiz.banks.problems import suggestion
from specquiz.banks.variants import PLACEHOLDER, answer_question

ALL_VARIANTS = 200
"""Up to this many variants of a question are all checked."""
SOME_VARIANTS = 50
"""Of more, this many drawn at random."""

_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+|/[1-9][0-9]*)?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_WORK = 400_000

Values = Mapping[str, str]


class Formulas(NamedTuple):
    """What a question's formulas are read as."""

    answer: Formula
    forms: tuple[Formula, ...]
    """Other forms of the answer, then the steps of its derivation."""
    wrong: tuple[Formula, ...]


def check_formulas(question: NumericQuestion | SymbolicQuestion, node: MappingNode, report: Report) -> None:
    """Report what is wrong with the question's variables and formulas. Later rules need the earlier ones to hold."""
    before = len(report.problems)
    formulas = read_formulas(question, node, report)
    _check_use(question, node, report)
    if formulas is None or _errors_since(before, report):
        return
    variants = choose_variants(question)
    if isinstance(question, NumericQuestion):
        _check_variants(question, formulas, variants, node, report)
    if not _errors_since(before, report):
        _check_judgement(question, variants, node, report)


def read_formulas(question: NumericQuestion | SymbolicQuestion, node: MappingNode, report: Report) -> Formulas | None:
    """The question's formulas, or None after reporting what keeps its answers from being judged at all.

    Quick enough for every reading of a bank; what takes evaluation is left to `check_formulas`.
    """
    before = len(report.problems)
    domain = [_variable(name, text.domain, node, report) for name, text in question.vars.items()]
    variables = {variable.name: variable for variable in domain if variable is not None}
    _check_numbers(question, variables, node, report)
    if isinstance(question, NumericQuestion):
        _check_tolerance(question, node, report)
    return None if _errors_since(before, report) else _typed_formulas(question, node, report)


def _check_tolerance(question: NumericQuestion, node: MappingNode, report: Report) -> None:
    try:
        read_tolerance(question.tolerance)
    except ValueError as error:
        report.error(node_at(node, "tolerance"), "SQ311", str(error))


def choose_variants(question: NumericQuestion | SymbolicQuestion) -> list[dict[str, str]]:
    """All variants of a question if they are few, else some, the same each time."""
    if isinstance(question, SymbolicQuestion):
        return [{}]
    lists = [variable.values for variable in question.vars.values()]
    count = 1
    for values in lists:
        count *= len(values)
    if count <= ALL_VARIANTS:
        drawn: Iterable[tuple[str, ...]] = itertools.product(*lists)
    else:
        rng = random.Random(question.id)
        drawn = [tuple(rng.choice(values) for values in lists) for _ in range(SOME_VARIANTS)]
    return [dict(zip(question.vars, values, strict=True)) for values in drawn]


def _errors_since(before: int, report: Report) -> bool:
    return any(problem.severity == "error" for problem in report.problems[before:])


def _variable(name: str, domain: str, node: MappingNode, report: Report) -> Variable | None:
    at = node_at(node, "vars", name, "domain")
    if not _NAME.fullmatch(name):
        message = (
            f"the variable {name!r} needs a name of plain letters, such as alpha; a learner may still type its letter"
        )
        report.error(at, "SQ301", message)
        return None
    try:
        declared = read_domain(domain)
    except ValueError as error:
        report.error(at, "SQ301", str(error))
        return None
    if [variable.name for variable in declared] != [name]:
        report.error(at, "SQ301", f"the domain of {name} speaks of {name} alone, such as '0 < {name} < 1'")
        return None
    return declared[0]


def _check_numbers(
    question: NumericQuestion | SymbolicQuestion, domain: Mapping[str, Variable], node: MappingNode, report: Report
) -> None:
    for name, variable in question.vars.items():
        if isinstance(question, SymbolicQuestion):
            if variable.values:
                at = node_at(node, "vars", name, "in")
                report.error(at, "SQ303", "a symbolic question draws no numbers; take 'in' out")
            continue
        if not variable.values:
            report.error(node_at(node, "vars", name), "SQ303", f"{name} has no numbers to draw from: give 'in'")
        seen: set[Fraction] = set()
        for place, written in enumerate(variable.values):
            at = node_at(node, "vars", name, "in", place)
            if not _NUMBER.fullmatch(written):
                report.error(at, "SQ302", f"{written!r} is not a number, such as 4, 0.6, 1e-3 or 2/3")
                continue
            number = Fraction(written)
            if number in seen:
                report.error(at, "SQ302", f"{written} comes twice among the numbers of {name}")
            seen.add(number)
            if name in domain and not domain[name].holds(number):
                report.error(at, "SQ302", f"{written} lies outside the domain of {name}: {variable.domain}")


def _check_use(question: NumericQuestion | SymbolicQuestion, node: MappingNode, report: Report) -> None:
    """A learner must be told every number, and a number that the answer does not need should be there on purpose."""
    if not isinstance(question, NumericQuestion):
        return
    told = PLACEHOLDER.findall(question.prompt)
    needed = re.findall(r"\w+", question.answer)
    for name in question.vars:
        at = node_at(node, "vars", name)
        if name not in told:
            report.error(at, "SQ305", f"the prompt does not tell {name}: write {{{name}}} where its number belongs")
        elif name not in needed:
            report.warning(at, "SQ305", f"the answer does not use {name}{suggestion(name, needed)}")


def _typed_formulas(question: NumericQuestion | SymbolicQuestion, node: MappingNode, report: Report) -> Formulas | None:
    try:
        spellings = {alias: name for name, variable in question.vars.items() for alias in variable.aliases}
        vocabulary = Vocabulary(tuple(question.vars), spellings)
    except ValueError as error:
        report.error(node_at(node, "vars"), "SQ301", str(error))
        return None

    def formula(text: str, *way: str | int) -> Formula | None:
        try:
            return read(text, vocabulary).tree
        except Refusal as refusal:
            _report_refusal(refusal, text, node_at(node, *way), report)
            return None

    answer = formula(question.answer, "answer")
    forms = [formula(text, *way) for text, way in _forms(question)]
    wrong = [formula(m.answer, "misconceptions", place, "answer") for place, m in enumerate(question.misconceptions)]
    if answer is None or None in forms or None in wrong:
        return None
    return Formulas(answer, tuple(f for f in forms if f is not None), tuple(f for f in wrong if f is not None))


def _forms(question: NumericQuestion | SymbolicQuestion) -> list[tuple[str, tuple[str | int, ...]]]:
    """What has to equal the answer, each with its place in the question."""
    also = [(text, ("also", place)) for place, text in enumerate(question.also)]
    return [*also, *((step.form, ("derivation", place, "form")) for place, step in enumerate(question.derivation))]


def _report_refusal(refusal: Refusal, text: str, at: Node, report: Report) -> None:
    """Point into the formula where it stands in the file as it is read."""
    line, column = at.start.line + 1, at.start.column + 1
    if isinstance(at, ScalarNode) and refusal.at is not None:
        quote = 1 if at.style in ("'", '"') else 0
        if report.text.startswith(text, at.start.index + quote):
            column += quote + refusal.at
    report.error_at(line, column, "SQ306", f"this is not a formula a learner could type: {refusal.message}")


def _check_variants(
    question: NumericQuestion, formulas: Formulas, variants: Sequence[Values], node: MappingNode, report: Report
) -> None:
    """The answer has a value for every variant, other forms the same one, and every known mistake one well apart."""
    tolerance = read_tolerance(question.tolerance)
    right = [_value(formulas.answer, values) for values in variants]
    for values, value in zip(variants, right, strict=True):
        if value is None:
            report.error(node_at(node, "answer"), "SQ307", f"the answer has no value{_where(values)}")
            return
    reference = [value for value in right if value is not None]
    for form, (_, way) in zip(formulas.forms, _forms(question), strict=True):
        differs = _first(variants, (not _same(_value(form, v), r) for v, r in zip(variants, reference, strict=True)))
        if differs is not None:
            report.error(node_at(node, *way), "SQ308", f"this form differs from the answer{_where(differs)}")
    wrong = [[_value(form, values) for values in variants] for form in formulas.wrong]
    for place, values_of in enumerate(wrong):
        at = node_at(node, "misconceptions", place, "answer")
        near = _first(
            variants, (v is not None and tolerance.near(v, r) for v, r in zip(values_of, reference, strict=True))
        )
        if near is not None:
            message = f"this mistake comes within twice the tolerance of the answer{_where(near)}"
            report.error(at, "SQ309", message)
        if all(value is None for value in values_of):
            report.error(at, "SQ307", "this mistake has no value for any variant")
    _check_apart(wrong, node, report)


def _check_apart(wrong: Sequence[Sequence[Value | None]], node: MappingNode, report: Report) -> None:
    """A mistake with the values of an earlier one would never be named."""
    for place, values in enumerate(wrong):
        for earlier, others in enumerate(wrong[:place]):
            same = [_same(one, other) for one, other in zip(values, others, strict=True)]
            if any(same):
                how = "always" if all(same) else f"in {sum(same)} of {len(same)} variants"
                note = report.error if all(same) else report.warning
                at = node_at(node, "misconceptions", place, "answer")
                note(at, "SQ310", f"this mistake has the value of mistake {earlier + 1} {how}")


def _check_judgement(
    question: NumericQuestion | SymbolicQuestion, variants: Sequence[Values], node: MappingNode, report: Report
) -> None:
    """The checker finds nothing wrong with the question and judges its own answer correct, variant by variant."""
    for values in variants:
        asked = answer_question(question, values)
        problem = reference_problem(asked) if values is variants[0] else None
        if problem is not None:
            report.error(node_at(node, "answer"), "SQ311", problem)
            return
        verdict = check(asked, question.answer)
        if not isinstance(verdict, Correct):
            message = f"the answer itself is judged {verdict.outcome}{_where(values)}: {verdict.message}"
            report.error(node_at(node, "answer"), "SQ308", message)
            return


def _value(formula: Formula, values: Values) -> Value | None:
    try:
        return value_at(formula, {name: Fraction(text) for name, text in values.items()}, Meter(_WORK))
    except TooBig:
        return None


def _same(one: Value | None, other: Value | None) -> bool:
    return one is not None and other is not None and equal(one, other)


def _first(variants: Sequence[Values], holds: Iterable[bool]) -> Values | None:
    return next((values for values, true in zip(variants, holds, strict=True) if true), None)


def _where(values: Values) -> str:
    """` at alpha = 0.5, K = 2`"""
    return f" at {', '.join(f'{name} = {value}' for name, value in values.items())}" if values else ""
