"""Check an answer: read it, decide it exactly, say what is wrong with it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import chain

from specquiz.answers import forms, measures, slips
from specquiz.answers.arithmetic import Meter, TooBig, Value, absolute, as_fraction, less, multiply
from specquiz.answers.comparison import Graph, value_at
from specquiz.answers.domain import plain_points
from specquiz.answers.expression import Name, Negative, Node, Number, Operation, Sum, children, names, parts
from specquiz.answers.numerals import LARGEST_EXPONENT
from specquiz.answers.question import Question
from specquiz.answers.subject import Subject, subject_of
from specquiz.answers.understanding import Answer, refusal_of, understand, value_of
from specquiz.answers.verdict import Correct, Invalid, Refusal, Verdict, Wrong
from specquiz.answers.writing import rounded, terminating

_LARGEST = Fraction(10) ** LARGEST_EXPONENT
_EXPLANATION_WORK = 5_000
"""What finding out how an answer is wrong may cost, of the work that deciding it left."""
_DIGITS = 10
"""Significant digits of a verdict's value."""


def check(question: Question, text: str) -> Verdict:
    """Judge `text` as an answer to `question`.

    A numeric question takes the number, the formula with the numbers put in, or the formula in the question's own
    variables. Such a formula is judged as a formula: it must equal the reference on the whole domain of the variables
    that it uses, those it does not use being fixed at the question's values. A formula that gives the right number
    only by an accident of these values is wrong, and the verdict says so. One that mixes a variable with its own
    number, such as (1-α^5)/0.3 where α is 0.7, is judged by its value.

    Args:
        question: what is asked; its `unit` is the unit of the verdict's `value`.
        text: what was typed, at most 400 characters.

    Raises:
        ValueError: the question itself is broken (`reference_problem` says how).
    """
    subject = subject_of(question)
    try:
        answer = understand(subject, text)
        return _judged_formula(subject, answer) if question.kind == "symbolic" else _judged_number(subject, answer)
    except Refusal as refusal:
        return Invalid(refusal.message, at=refusal.at)


def _check_constants(tree: Node, subject: Subject) -> bool:
    """Refuse a part without names that has no value, such as the exponent of a^(1/0): no point would give it one.

    Returns whether the tree uses a name.
    """
    if isinstance(tree, Name | Sum):
        return bool(names(tree))
    below = children(tree)
    named = [_check_constants(child, subject) for child in below]
    if any(named):
        for child, is_named in zip(below, named, strict=True):
            if not is_named:
                value_of(child, subject)
    return any(named)


def _judged_formula(subject: Subject, answer: Answer) -> Verdict:
    if not _check_constants(answer.tree, subject):
        value_of(answer.tree, subject)
    reference = subject.graph()
    graph = Graph(answer.tree, reference.points, Meter())
    try:
        if graph.agrees(reference):
            return _right(subject, answer, "")
        return _wrong_formula(subject, answer, graph, frozenset(), "")
    except TooBig as fault:
        raise refusal_of(fault) from fault


def _judged_number(subject: Subject, answer: Answer) -> Verdict:
    reference = subject.value()
    value = multiply(value_of(answer.tree, subject), answer.factor, Meter())
    if less(_LARGEST, absolute(value)):
        raise Refusal("That number is too big to check.", 0)
    if names(answer.tree):
        return _judged_formula_at_values(subject, answer, value, reference)
    bare_share = subject.question.unit == measures.PERCENT and not answer.unit
    candidates = [value, multiply(value, Fraction(100), Meter())] if bare_share else [value]
    for candidate in candidates:
        if subject.tolerance.accepts(candidate, reference):
            return _right(subject, answer, rounded(candidate, _DIGITS))
    return _wrong_number(subject, answer, candidates, reference)


def _judged_formula_at_values(subject: Subject, answer: Answer, value: Value, reference: Value) -> Verdict:
    """A formula in the question's variables, for a question that asks for a number."""
    accepts, shown = subject.tolerance.accepts, rounded(value, _DIGITS)
    declared = {variable.name for variable in subject.variables}
    fixed = frozenset(subject.values) - (names(answer.tree) & declared)
    graph = subject.graph(fixed)
    scaled = Graph(_scaled(answer), graph.points, Meter())
    try:
        if scaled.agrees(graph):
            return _right(subject, answer, shown)
        if accepts(value, reference) and (_mixes(answer.tree, subject) or _within(scaled, graph, subject)):
            return _right(subject, answer, shown)
        wrong = _wrong_formula(subject, answer, scaled, fixed, shown)
    except TooBig as fault:
        raise refusal_of(fault) from fault
    if accepts(value, reference):
        return wrong._replace(message=f"The number is right only by accident of these values. {wrong.message}")
    return wrong


def _mixes(tree: Node, subject: Subject) -> bool:
    """Whether a formula holds a variable and also the number of that variable, or what that number lacks to 1."""
    put_in = [subject.values[name] for name in names(tree) if subject.values[name].denominator > 1]
    numbers = {part.number for part in parts(tree) if isinstance(part, Number)}
    return any(number in numbers or 1 - number in numbers for number in put_in)


def _within(answer: Graph, reference: Graph, subject: Subject) -> bool:
    """Whether a formula with rounded constants stays within the tolerance on the domain."""
    pairs = list(zip(answer, reference, strict=True))
    return all(one is not None and two is not None and subject.tolerance.accepts(one, two) for one, two in pairs)


def _scaled(answer: Answer) -> Node:
    return answer.tree if answer.factor == 1 else Operation("*", answer.tree, Number(answer.factor))


def _wrong_formula(subject: Subject, answer: Answer, graph: Graph, fixed: frozenset[str], value: str) -> Wrong:
    """Why a formula is wrong: a known misconception, a slip, or a point where it differs."""
    reference = subject.graph(fixed)
    for index, misconception in enumerate(subject.question.misconceptions):
        if graph.agrees(subject.misconception_graph(index, fixed)):
            return Wrong(_joined(misconception.say, answer.notes), answer.read_as, value, index)
    graph.meter.left = min(graph.meter.left, _EXPLANATION_WORK)
    try:
        message = _slip_or_example(subject, graph, reference)
    except TooBig:
        # The values that showed the difference are known, so that this takes no more work.
        known = zip(reference.points, graph, reference, strict=True)
        said = (slips.difference(point, got, right) for point, got, right in known if right is not None)
        message = next(filter(None, said), None)
    return Wrong(_joined(message or "That is not equal to what is asked.", answer.notes), answer.read_as, value)


def _slip_or_example(subject: Subject, graph: Graph, reference: Graph) -> str | None:
    first = reference.points[0]
    moving = tuple(v for v in subject.variables if any(point[v.name] != first[v.name] for point in reference.points))
    plain = ({**first, **point} for point in plain_points(moving))
    # The right value at the question's own numbers is what is asked.
    points = (point for point in chain(plain, reference.points) if point != subject.values)
    return slips.formula_slip(graph, reference, moving, subject) or slips.counterexample(graph, subject.tree, points)


def _wrong_number(subject: Subject, answer: Answer, candidates: list[Value], reference: Value) -> Wrong:
    """Why a number is wrong: a known misconception, too few digits, or a slip."""
    value = candidates[0]
    shown = rounded(value, _DIGITS)
    for index, tree in enumerate(subject.misconceptions):
        wrong = value_at(tree, subject.values, Meter())
        if wrong is not None and any(subject.tolerance.accepts(candidate, wrong) for candidate in candidates):
            say = subject.question.misconceptions[index].say
            return Wrong(_joined(say, answer.notes), answer.read_as, shown, index)
    message = (
        slips.value_slip(value, reference, subject)
        or _rounding(subject, answer, value, reference)
        or "That is not the value asked for."
    )
    return Wrong(_joined(message, answer.notes), answer.read_as, shown)


def _rounding(subject: Subject, answer: Answer, value: Value, reference: Value) -> str | None:
    """The hint for a decimal number that is right as far as it goes, or nearly."""
    typed = answer.tree.operand if isinstance(answer.tree, Negative) else answer.tree
    digits = terminating(typed.number) if isinstance(typed, Number) and typed.number else None
    if digits is None:
        return None
    last_place = Fraction(1, 10 ** len(digits.partition(".")[2])) * answer.factor
    exact = as_fraction(reference)
    off = abs(as_fraction(value) - exact)
    tolerance = subject.tolerance
    if tolerance.rule == "exact":
        is_rounded = off < last_place and (isinstance(reference, Decimal) or terminating(reference) is None)
        return "That is rounded. Give the exact value, as a fraction or as a formula." if is_rounded else None
    is_rounded = off * 2 <= last_place or (off < last_place and abs(as_fraction(value)) < abs(exact))
    if not (is_rounded or off <= abs(exact) / 100) or off * 4 > abs(exact):
        return None
    if is_rounded and tolerance.rule in ("places", "sig") and last_place > 2 * tolerance.band(exact):
        return f"That is rounded too far. Give {tolerance.say()}."
    return f"That is close, but outside what is accepted: {tolerance.say()}."


def _right(subject: Subject, answer: Answer, value: str) -> Verdict:
    form = subject.question.form
    if form and (fault := forms.fault(answer.tree, form)):
        return Invalid(f"Right value, but {fault}", answer.read_as, value)
    return Correct(_joined("Right.", answer.notes), answer.read_as, value)


def _joined(message: str, notes: tuple[str, ...]) -> str:
    return " ".join((message, *notes))
