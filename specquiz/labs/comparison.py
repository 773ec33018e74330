"""Two runs of one lab, quantity by quantity: does the second say what the first said?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from specquiz.labs.grading import Graded, Observation
from specquiz.labs.model import Quantity
from specquiz.labs.quantities import MEANINGS


@dataclass(frozen=True, slots=True)
class Compared:
    """One quantity of two runs."""

    arm: str
    workload: str
    quantity: Quantity
    first: Observation
    second: Observation
    standing: Literal["agrees", "differs", "not judged"]
    """`not judged`: a time or an amount of memory, which is the machine's, or no data in both."""


def compare(first: Graded, second: Graded) -> tuple[Compared, ...]:
    """Compare the quantities of two graded runs of one lab.

    Two figures agree where their 95 % intervals overlap; where one has no interval, where the figures are equal. Of
    two honest runs of the same thing about one pair in two hundred does not overlap.
    """
    again = {(each.arm, each.workload, each.quantity): each for each in second.quantities}
    return tuple(
        Compared(each.arm, each.workload, each.quantity, each, other, _standing(each, other))
        for each in first.quantities
        if (other := again.get((each.arm, each.workload, each.quantity))) is not None
    )


def _standing(one: Observation, other: Observation) -> Literal["agrees", "differs", "not judged"]:
    if MEANINGS[one.quantity].kind in ("milliseconds", "gibibytes", "tokens") or (
        one.value is None and other.value is None
    ):
        return "not judged"
    if one.value is None or other.value is None:
        return "differs"
    low, high = max(_low(one), _low(other)), min(_high(one), _high(other))
    return "agrees" if low <= high + 1e-12 else "differs"


def _low(each: Observation) -> float:
    assert each.value is not None
    return each.value if each.low is None else each.low


def _high(each: Observation) -> float:
    assert each.value is not None
    return each.value if each.high is None else each.high
