"""A prediction and an observation on one scale, in characters that every terminal has."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from specquiz.labs.grading import Graded, Observation
from specquiz.labs.quantities import MEANINGS

CELLS = 41

LEGEND = "o observed, = its 95 % interval, + predicted or its ends, X both"


def comparison_on_scales(graded: Graded) -> Iterator[str]:
    """What was predicted beside what was observed, each on a scale of its own; nothing where no number was said."""
    compared = [each for each in graded.quantities if each.value is not None and _predicted(each)]
    if not compared:
        return
    yield f"prediction and observation ({LEGEND})"
    for each in compared:
        yield f"  {MEANINGS[each.quantity].name} of {each.arm} on {each.workload}"
        yield f"    {_scale(each)}"


def _predicted(each: Observation) -> tuple[float, ...]:
    """The number that was predicted, or the two ends of an interval."""
    return each.interval or (() if each.predicted is None else (each.predicted,))


def _scale(each: Observation) -> str:
    """`0 |-----+---==o==--| 1`"""
    assert each.value is not None
    low, high = _ends(each)
    cells = ["-"] * CELLS

    def cell(value: float) -> int:
        return round((min(high, max(low, value)) - low) / (high - low) * (CELLS - 1))

    if each.low is not None and each.high is not None:
        for place in range(cell(each.low), cell(each.high) + 1):
            cells[place] = "="
    said = [cell(value) for value in _predicted(each)]
    for place in said:
        cells[place] = "+"
    cells[cell(each.value)] = "X" if cell(each.value) in said else "o"
    return f"{low:g} |{''.join(cells)}| {high:g}"


def _ends(each: Observation) -> tuple[float, float]:
    """The ends of the scale: 0 to 1 for a share, else from 0 or 1 to a whole number above all there is."""
    kind = MEANINGS[each.quantity].kind
    if kind == "share":
        return 0.0, 1.0
    numbers = [number for number in (each.value, each.high, *_predicted(each)) if number is not None]
    least = 1.0 if kind == "length" else 0.0
    return least, max(least + 1.0, float(ceil(max(numbers))))
