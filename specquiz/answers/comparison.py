"""Whether two formulas are equal on a domain.

Both are evaluated exactly at twelve points. For fixed integers, formulas of this subject are rational in the other
variables, so agreement at a random 24-bit point is an accident with probability of about degree/2^24 (Schwartz 1980,
Zippel 1979). Along the first integer variable they are short sums of polynomials times powers, so agreement at twelve
consecutive values settles all. One point of difference disproves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice

from specquiz.answers.arithmetic import Meter, TooBig, Undefined, Value, equal
from specquiz.answers.domain import Point, Variable, random_points
from specquiz.answers.expression import Node

POINTS = 12
_TRIES = 60
REFERENCE_WORK = 400_000


class Graph:
    """The values of a formula at some points, each computed when first asked for.

    Args:
        tree: the formula.
        points: where it is evaluated.
        meter: pays for the evaluation.
        values: what is known already, from the first point on.
    """

    __slots__ = ("_values", "meter", "points", "tree")

    def __init__(self, tree: Node, points: tuple[Point, ...], meter: Meter, values: Iterable[Value] = ()) -> None:
        self.tree = tree
        self.points = points
        self.meter = meter
        self._values: list[Value | None] = list(values)

    def __iter__(self) -> Iterator[Value | None]:
        """The values in the order of the points; None where the formula is undefined."""
        for position, point in enumerate(self.points):
            if position == len(self._values):
                self._values.append(value_at(self.tree, point, self.meter))
            yield self._values[position]

    def agrees(self, other: Iterable[Value | None]) -> bool:
        """Whether both are the same at every point, undefined at the same ones, and defined somewhere."""
        defined = False
        for one, two in zip(self, other, strict=True):
            if one is None or two is None:
                if one is not two:
                    return False
            elif not equal(one, two):
                return False
            else:
                defined = True
        return defined


def value_at(tree: Node, point: Mapping[str, Value], meter: Meter) -> Value | None:
    """The value of a formula, None where it is undefined."""
    try:
        return tree.value(point, meter)
    except Undefined:
        return None


def reference_graph(tree: Node, variables: tuple[Variable, ...], fixed: Mapping[str, Fraction]) -> Graph:
    """The reference at twelve points of the domain where it is defined and not too big.

    Args:
        tree: the reference.
        variables: the variables to sample.
        fixed: the values of all others.

    Raises:
        ValueError: it is hardly ever defined on the domain.
    """
    meter = Meter(REFERENCE_WORK)
    points, values = [], []
    for drawn in islice(random_points(variables), _TRIES if variables else 1):
        point = {**fixed, **drawn}
        try:
            values.append(tree.value(point, meter))
        except (Undefined, TooBig):
            continue
        points.append(point)
        if len(points) == POINTS:
            break
    if len(points) < (POINTS if variables else 1):
        raise ValueError("the reference is undefined, or too big to evaluate, on most of its domain")
    return Graph(tree, tuple(points), meter, values)
