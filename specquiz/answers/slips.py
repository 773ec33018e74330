"""Common slips, told from a wrong value or a wrong formula: a power of ten, a reciprocal, a sign, bits for bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from specquiz.answers.arithmetic import ONE, Meter, Value, add, as_fraction, divide, equal, negative
from specquiz.answers.comparison import Graph, value_at
from specquiz.answers.domain import Point, Variable
from specquiz.answers.expression import Node
from specquiz.answers.measures import PERCENT
from specquiz.answers.regrouping import regroupings
from specquiz.answers.subject import Subject
from specquiz.answers.tolerance import Tolerance
from specquiz.answers.vocabulary import shown
from specquiz.answers.writing import rounded, told_apart

_LEAST, _MOST = Fraction(20, 21), Fraction(21, 20)
"""An undone slip must come this near, so that a tolerance that is wide for a small reference finds none."""

_NEARLY = Tolerance("rel", Fraction(1, 20))
"""Where an order of magnitude is asked for, a number that is merely accepted for another one is no slip."""

RECIPROCAL = "This is the reciprocal of what is asked: it is upside down."
ONE_LESS = "This is exactly one less than what is asked. The target adds a token of its own to the accepted drafts."
ONE_MORE = "This is exactly one more than what is asked. The token that the target adds is not an accepted draft."


class Factor(NamedTuple):
    """A factor that a slip brings in, and the sentence that names the slip."""

    ratio: Fraction
    say: str


def _tens() -> Iterator[Factor]:
    for power in range(1, 13):
        size = f"{10**power:,}" if power < 7 else f"10^{power}"
        for ratio, way in ((Fraction(10**power), "large"), (Fraction(1, 10**power), "small")):
            yield Factor(ratio, f"The digits are right, but this is {size} times too {way}: check the powers of ten.")


def _binary_powers() -> Iterator[Factor]:
    for power, units in enumerate(("kB and KiB", "MB and MiB", "GB and GiB", "TB and TiB"), start=1):
        ratio = Fraction(1024**power, 1000**power)
        for factor in (ratio, 1 / ratio):
            yield Factor(factor, f"Powers of 1000 and of 1024 are mixed up: {units} differ.")


_SIGN = (Factor(-ONE, "The sign is the wrong way round."),)
_PERCENT = (
    Factor(Fraction(100), "This is 100 times too large. A percentage needs its % sign."),
    Factor(Fraction(1, 100), "This is 100 times too small. A percent sign divides by 100."),
)
_BITS = "This is off by a factor of 8: bits (b) and bytes (B) are mixed up."
_BYTES = (Factor(Fraction(8), _BITS), Factor(Fraction(1, 8), _BITS), *_binary_powers())
_TENS = tuple(_tens())


def _factors(subject: Subject, is_share: bool) -> tuple[Factor, ...]:
    """The factors that can be a slip, the special ones first."""
    return (*_SIGN, *(_PERCENT if is_share else ()), *(_BYTES if subject.counts_bytes else ()), *_TENS)


def value_slip(value: Value, reference: Value, subject: Subject) -> str | None:
    """The slip behind a wrong number: undo each slip and see whether the result is accepted.

    Args:
        value: the answer, in the question's unit.
        reference: the right value.
        subject: the question.
    """
    if not reference or not value:
        return None
    meter, exact, number = Meter(), as_fraction(reference), as_fraction(value)
    accepts = (_NEARLY if subject.tolerance.rule == "decades" else subject.tolerance).accepts
    for variable in (v for v in subject.variables if v.integer and v.name in subject.values):
        for step in (1, -1):
            moved = {**subject.values, variable.name: subject.values[variable.name] + step}
            other = value_at(subject.tree, moved, meter)
            if other is not None and accepts(value, other):
                return off_by_one(variable, step)
    is_share = subject.question.unit == PERCENT or (not subject.question.unit and abs(exact) <= 1)
    for factor, say in _factors(subject, is_share):
        if _LEAST <= number / (exact * factor) <= _MOST and accepts(divide(value, factor, meter), reference):
            return say
    if _LEAST <= number * exact <= _MOST and accepts(divide(ONE, value, meter), reference):
        return RECIPROCAL
    if subject.counts_drafts and accepts(add(value, ONE, meter), reference):
        return ONE_LESS
    if subject.counts_drafts and accepts(add(value, -ONE, meter), reference):
        return ONE_MORE
    return None


def formula_slip(answer: Graph, reference: Graph, variables: tuple[Variable, ...], subject: Subject) -> str | None:
    """The slip behind a wrong formula: one that explains the answer at every point.

    Args:
        answer: the answer, at the reference's points.
        reference: the reference.
        variables: those that differ between the points.
        subject: the question.

    Raises:
        TooBig: the search takes more work than the answer's meter has left.
    """
    for regrouped, say in regroupings(answer.tree):
        if Graph(regrouped, reference.points, answer.meter).agrees(reference):
            return say
    if shifted := _off_by_one(answer, reference, variables):
        return shifted
    pairs = [(one, two) for one, two in zip(answer, reference, strict=True) if one is not None and two is not None]
    return _constant_slip(pairs, subject, answer.meter) if len(pairs) == len(reference.points) else None


def _constant_slip(pairs: list[tuple[Value, Value]], subject: Subject, meter: Meter) -> str | None:
    """A factor, a reciprocal or a difference of one that is the same for every pair of answer and reference."""
    if all(two for _, two in pairs):
        is_share = all(abs(as_fraction(two)) <= 1 for _, two in pairs)
        ratios = [divide(one, two, meter) for one, two in pairs]
        for factor, say in _factors(subject, is_share):
            if all(equal(ratio, factor) for ratio in ratios):
                return say
    if all(one and equal(divide(ONE, one, meter), two) for one, two in pairs):
        return RECIPROCAL
    if subject.counts_drafts:
        differences = [add(one, negative(two), meter) for one, two in pairs]
        if all(equal(difference, -ONE) for difference in differences):
            return ONE_LESS
        if all(equal(difference, ONE) for difference in differences):
            return ONE_MORE
    return None


def _off_by_one(answer: Graph, reference: Graph, variables: tuple[Variable, ...]) -> str | None:
    for variable, step in product((v for v in variables if v.integer), (1, -1)):
        points = tuple({**point, variable.name: point[variable.name] + step} for point in reference.points)
        if answer.agrees(Graph(reference.tree, points, answer.meter)):
            return off_by_one(variable, step)
    return None


def off_by_one(variable: Variable, step: int) -> str:
    """The sentence for an answer that belongs to another value of an integer variable."""
    name = shown(variable.name)
    return f"Off by one: this is the answer for {name} {'+' if step > 0 else '−'} 1 in place of {name}."


def counterexample(answer: Graph, reference: Node, points: Iterable[Point]) -> str | None:
    """The first of some points at which the two differ, with both values.

    Raises:
        TooBig: the search takes more work than the answer's meter has left.
    """
    for point in points:
        right = value_at(reference, point, answer.meter)
        if right is not None and (say := difference(point, value_at(answer.tree, point, answer.meter), right)):
            return say
    return None


def difference(point: Point, value: Value | None, right: Value) -> str | None:
    """What to say of a point at which an answer has `value`, None if that is right."""
    if value is None:
        return f"At {_at(point)} yours is undefined; the right formula gives {rounded(right)}."
    if equal(value, right):
        return None
    yours, theirs = told_apart(value, right)
    return f"At {_at(point)} yours gives {yours}; the right formula gives {theirs}."


def _at(point: Point) -> str:
    """The point in words: `α = 0.5, K = 3`."""
    return ", ".join(f"{shown(name)} = {rounded(value)}" for name, value in point.items())
