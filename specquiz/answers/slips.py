"""Common slips, told from a wrong value or a wrong formula: a power of ten, a reciprocal, a sign, bits for bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from specquiz.answers.arithmetic import ONE, Meter, Value, add, divide, equal, negative
from specquiz.answers.comparison import Graph, value_at
from specquiz.answers.domain import Point, Variable
from specquiz.answers.expression import Call, Negative, Node, Number, Operation, Sum
from specquiz.answers.subject import Scale, Subject
from specquiz.answers.vocabulary import shown
from specquiz.answers.writing import rounded

_WORK = 20_000
_TENS = [power for size in range(1, 13) for power in (size, -size)]
_BINARY = {
    Fraction(1024**n, 1000**n): name
    for n, name in enumerate(("kB and KiB", "MB and MiB", "GB and GiB", "TB and TiB"), 1)
}

SIGN = "The sign is the wrong way round."
RECIPROCAL = "This is the reciprocal of what is asked: it is upside down."
ONE_LESS = (
    "This is exactly one less than what is asked: it counts the accepted drafts, and the target always adds a token of "
    "its own."
)
ONE_MORE = "This is exactly one more than what is asked: the token that the target adds by itself is no accepted draft."


def factor_slip(ratio: Value, scale: Scale) -> str | None:
    """The slip behind an answer that is `ratio` times the right value."""
    if equal(ratio, -ONE):
        return SIGN
    if scale.percent and equal(ratio, Fraction(100)):
        return "This is 100 times too large: a percentage needs its % sign."
    if scale.percent and equal(ratio, Fraction(1, 100)):
        return "This is 100 times too small: the percent sign divides by 100 once more."
    for power in _TENS:
        if equal(ratio, Fraction(10) ** power):
            return _power_of_ten(power)
    if scale.bytes:
        if equal(ratio, Fraction(8)) or equal(ratio, Fraction(1, 8)):
            return "This is off by a factor of 8: bits (b) and bytes (B) are mixed up."
        for binary, units in _BINARY.items():
            if equal(ratio, binary) or equal(ratio, 1 / binary):
                return f"The powers of 1000 and of 1024 are mixed up: {units} differ."
    return None


def _power_of_ten(power: int) -> str:
    size = f"{10 ** abs(power):,}" if abs(power) < 7 else f"10^{abs(power)}"
    way = "large" if power > 0 else "small"
    return f"The digits are right, but it is {size} times too {way}: check the prefix or the decimal point."


def value_slip(value: Value, reference: Value, subject: Subject) -> str | None:
    """The slip behind a wrong number: undo each slip and see whether the result is accepted.

    Args:
        value: the answer, in the question's unit.
        reference: the right value.
        subject: the question.
    """
    meter = Meter(_WORK)

    def accepts(candidate: Value) -> bool:
        return subject.tolerance.accepts(candidate, reference)

    for variable in (v for v in subject.variables if v.integer and v.name in subject.values):
        for step in (1, -1):
            moved = {**subject.values, variable.name: subject.values[variable.name] + step}
            other = value_at(subject.tree, moved, meter)
            if other is not None and subject.tolerance.accepts(value, other):
                return off_by_one(variable, step)
    for factor in _factors(subject.scale):
        if accepts(divide(value, factor, meter)):
            return factor_slip(factor, subject.scale)
    if value and accepts(divide(ONE, value, meter)):
        return RECIPROCAL
    if subject.counts_drafts and accepts(add(value, ONE, meter)):
        return ONE_LESS
    if subject.counts_drafts and accepts(add(value, -ONE, meter)):
        return ONE_MORE
    return None


def _factors(scale: Scale) -> Iterator[Fraction]:
    yield -ONE
    if scale.percent:
        yield Fraction(100)
        yield Fraction(1, 100)
    if scale.bytes:
        for factor in (Fraction(8), *_BINARY):
            yield factor
            yield 1 / factor
    for power in _TENS:
        yield Fraction(10) ** power


def formula_slip(
    answer: Graph, reference: Graph, variables: tuple[Variable, ...], scale: Scale, drafts: bool
) -> str | None:
    """The slip behind a wrong formula, if it explains the answer at every point."""
    meter = Meter(_WORK)
    pairs = list(zip(answer, reference, strict=True))
    if (slip := _missing_brackets(answer, reference)) is not None:
        return slip
    if (slip := _shifted(answer, reference, variables)) is not None:
        return slip
    if any(one is None or two is None for one, two in pairs):
        return None
    known = [(one, two) for one, two in pairs if one is not None and two is not None]
    if all(two for _, two in known):
        ratios = [divide(one, two, meter) for one, two in known]
        if all(equal(ratio, ratios[0]) for ratio in ratios) and (slip := factor_slip(ratios[0], scale)):
            return slip
    if all(equal(divide(ONE, one, meter), two) if one else False for one, two in known):
        return RECIPROCAL
    if drafts:
        differences = [add(one, negative(two), meter) for one, two in known]
        if all(equal(difference, -ONE) for difference in differences):
            return ONE_LESS
        if all(equal(difference, ONE) for difference in differences):
            return ONE_MORE
    return None


def shifted_points(points: tuple[Point, ...], variable: Variable, step: int) -> tuple[Point, ...]:
    """The points with an integer variable moved by `step`."""
    return tuple({**point, variable.name: point[variable.name] + step} for point in points)


def _shifted(answer: Graph, reference: Graph, variables: tuple[Variable, ...]) -> str | None:
    for variable, step in product((v for v in variables if v.integer), (1, -1)):
        points = shifted_points(reference.points, variable, step)
        if answer.agrees(Graph(reference.tree, points, Meter(_WORK))):
            return off_by_one(variable, step)
    return None


def off_by_one(variable: Variable, step: int) -> str:
    """The sentence for an answer that belongs to another value of an integer variable."""
    name = shown(variable.name)
    return f"Off by one: this is the answer for {name} {'+' if step > 0 else '−'} 1 in place of {name}."


def _missing_brackets(answer: Graph, reference: Graph) -> str | None:
    """Whether the answer is right once an exponent, or a numerator and denominator, is put in brackets."""
    for regrouped, message in _regroupings(answer.tree):
        if Graph(regrouped, reference.points, Meter(_WORK)).agrees(reference):
            return message
    return None


def _regroupings(tree: Node) -> Iterator[tuple[Node, str]]:
    exponent = _with_long_exponents(tree)
    if exponent != tree:
        yield exponent, "Brackets are missing: a^K+1 is read as (a^K) + 1. Write a^(K+1)."
    quotient = _as_one_quotient(tree)
    if quotient is not None:
        yield quotient, "Brackets are missing: a-b/c-d is read as a − (b/c) − d. Write (a-b)/(c-d)."
        if exponent != tree and (both := _as_one_quotient(exponent)) is not None:
            yield both, "Brackets are missing around the exponent and around numerator and denominator."
    denominator = _with_wide_denominators(tree)
    if denominator != tree:
        yield denominator, "Brackets are missing: x/y*z is read as (x/y)·z. Write x/(y*z) to divide by both."


def _with_long_exponents(tree: Node) -> Node:
    """`b^e + n` as `b^(e + n)` wherever a number follows a power."""
    match tree:
        case Operation("+" | "-" as sign, left, Number() as number):
            left = _with_long_exponents(left)
            match left:
                case Operation("^", base, exponent):
                    return Operation("^", base, Operation(sign, exponent, number))
                case Operation(outer, first, Operation("^", base, exponent)) if outer in "+-*":
                    return Operation(outer, first, Operation("^", base, Operation(sign, exponent, number)))
            return Operation(sign, left, number)
        case _:
            return _rebuilt(tree, _with_long_exponents)


def _as_one_quotient(tree: Node) -> Node | None:
    """`a ± b/c ± d` as `(a ± b)/(c ± d)`, for a sum with exactly one quotient in it."""
    terms = list(_terms(tree))
    quotients = [place for place, (_, term) in enumerate(terms) if isinstance(term, Operation) and term.sign == "/"]
    if len(terms) < 2 or len(quotients) != 1:
        return None
    place = quotients[0]
    sign, quotient = terms[place]
    assert isinstance(quotient, Operation)
    over = _joined([*terms[:place], (sign, quotient.left)])
    return Operation("/", over, _joined([("+", quotient.right), *terms[place + 1 :]]))


def _terms(tree: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(tree, Operation) and tree.sign in "+-":
        yield from _terms(tree.left)
        yield tree.sign, tree.right
    else:
        yield "+", tree


def _joined(terms: list[tuple[str, Node]]) -> Node:
    sign, joined = terms[0]
    joined = Negative(joined) if sign == "-" else joined
    for sign, term in terms[1:]:
        joined = Operation(sign, joined, term)
    return joined


def _with_wide_denominators(tree: Node) -> Node:
    """`x/y*z` as `x/(y*z)`."""
    match tree:
        case Operation("*", Operation("/", over, under), factor):
            return _rebuilt(Operation("/", over, Operation("*", under, factor)), _with_wide_denominators)
        case _:
            return _rebuilt(tree, _with_wide_denominators)


def _rebuilt(tree: Node, change: Callable[[Node], Node]) -> Node:
    match tree:
        case Negative(operand):
            return Negative(change(operand))
        case Operation(sign, left, right):
            return Operation(sign, change(left), change(right))
        case Call(function, arguments):
            return Call(function, tuple(change(argument) for argument in arguments))
        case Sum(term, index, low, high):
            return Sum(change(term), index, change(low), change(high))
        case _:
            return tree


def counterexample(answer: Node, reference: Node, points: Iterator[Point]) -> str | None:
    """The first point at which the two differ, with both values."""
    meter = Meter(_WORK)
    for point in points:
        right = value_at(reference, point, meter)
        if right is None:
            continue
        got = value_at(answer, point, meter)
        if got is None:
            return f"At {at_point(point)} yours is undefined; the right formula gives {rounded(right)}."
        if not equal(got, right):
            return f"At {at_point(point)} yours gives {rounded(got)}; the right formula gives {rounded(right)}."
    return None


def at_point(point: Point) -> str:
    """The point in words: `α = 0.5, K = 3`."""
    return ", ".join(f"{shown(name)} = {rounded(value)}" for name, value in point.items())
