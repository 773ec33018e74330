"""The tree of a formula and its value at a point. Trees come from `reading`; nothing is ever evaluated as code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from specquiz.answers import arithmetic
from specquiz.answers.arithmetic import Meter, TooBig, Undefined, Value

MOST_TERMS = 200
"""A sum with more terms is refused."""


class Number(NamedTuple):
    """A rational, exactly as written."""

    number: Fraction

    def value(self, point: Mapping[str, Value], meter: Meter) -> Value:  # noqa: ARG002
        return self.number


class Name(NamedTuple):
    """A variable of the question, or the index of a sum."""

    name: str

    def value(self, point: Mapping[str, Value], meter: Meter) -> Value:  # noqa: ARG002
        return point[self.name]


class Negative(NamedTuple):
    """A minus sign before an operand."""

    operand: Node

    def value(self, point: Mapping[str, Value], meter: Meter) -> Value:
        return arithmetic.negative(self.operand.value(point, meter))


class Operation(NamedTuple):
    """Two operands joined by `+`, `-`, `*`, `/` or `^`."""

    sign: str
    left: Node
    right: Node
    at: int = 0
    """Column of the sign in the typed text."""

    def value(self, point: Mapping[str, Value], meter: Meter) -> Value:
        left, right = self.left.value(point, meter), self.right.value(point, meter)
        try:
            return _OPERATIONS[self.sign](left, right, meter)
        except (Undefined, TooBig) as fault:
            raise _placed(fault, self.at)  # noqa: B904


class Call(NamedTuple):
    """A function of the vocabulary applied to its arguments."""

    function: str
    arguments: tuple[Node, ...]
    at: int = 0

    def value(self, point: Mapping[str, Value], meter: Meter) -> Value:
        values = [argument.value(point, meter) for argument in self.arguments]
        meter.spend(1)
        try:
            return _apply(self.function, values, meter)
        except (Undefined, TooBig) as fault:
            raise _placed(fault, self.at)  # noqa: B904


class Sum(NamedTuple):
    """The sum of `term` for `counter` from `low` to `high`, both included; empty if `high` is below `low`."""

    term: Node
    counter: str
    low: Node
    high: Node
    at: int = 0

    def value(self, point: Mapping[str, Value], meter: Meter) -> Value:
        low, high = _whole(self.low.value(point, meter)), _whole(self.high.value(point, meter))
        if low is None or high is None:
            raise _placed(Undefined("A sum must run between whole numbers; here it does not"), self.at)
        if high - low >= MOST_TERMS:
            raise _placed(TooBig(f"That sum has more than {MOST_TERMS} terms, too many to check."), self.at)
        inner = dict(point)
        terms = []
        for index in range(low, high + 1):
            inner[self.counter] = Fraction(index)
            terms.append(self.term.value(inner, meter))
        try:
            return arithmetic.total(terms, meter)
        except TooBig as fault:
            raise _placed(fault, self.at) from None


Node = Number | Name | Negative | Operation | Call | Sum

_OPERATIONS = {
    "+": arithmetic.add,
    "-": lambda left, right, meter: arithmetic.add(left, arithmetic.negative(right), meter),
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
    "^": arithmetic.power,
}


def _apply(function: str, values: list[Value], meter: Meter) -> Value:
    first = values[0]
    match function:
        case "sqrt":
            return arithmetic.power(first, Fraction(1, 2), meter)
        case "exp":
            return arithmetic.exponential(first, meter)
        case "ln":
            return arithmetic.logarithm(first, None, meter)
        case "log2":
            return arithmetic.logarithm(first, 2, meter)
        case "log10":
            return arithmetic.logarithm(first, 10, meter)
        case "abs":
            return arithmetic.absolute(first)
        case "min" | "max":
            for value in values[1:]:
                if arithmetic.less(value, first) == (function == "min"):
                    first = value
            return first
        case "floor":
            return arithmetic.whole_part(first)
        case "ceil":
            return -arithmetic.whole_part(arithmetic.negative(first))
        case "round":
            half = arithmetic.add(arithmetic.absolute(first), Fraction(1, 2), meter)
            return arithmetic.whole_part(half) * (-1 if first < 0 else 1)
    raise AssertionError(function)


def _whole(value: Value) -> int | None:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else None


def _placed(fault: Undefined | TooBig, at: int) -> Undefined | TooBig:
    """The fault with the column of the innermost place where it happened."""
    if len(fault.args) < 2:
        fault.args = (*fault.args, at)
    return fault


def parts(node: Node) -> Iterator[Node]:
    """The node and every node below it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(children(part))


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Negative(operand):
            return (operand,)
        case Operation(_, left, right):
            return left, right
        case Call(_, arguments):
            return arguments
        case Sum(term, _, low, high):
            return term, low, high
        case _:
            return ()


def names(node: Node) -> frozenset[str]:
    """The variables that a formula uses, counters of its own sums apart."""
    found = set()
    waiting: list[tuple[Node, frozenset[str]]] = [(node, frozenset())]
    while waiting:
        part, bound = waiting.pop()
        match part:
            case Name(name):
                found |= {name} - bound
            case Sum(term, counter, low, high):
                waiting += [(term, bound | {counter}), (low, bound), (high, bound)]
            case _:
                waiting += [(child, bound) for child in children(part)]
    return frozenset(found)
