"""The numbers of a rule, worked out on evidence with their intervals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np

from specquiz.labs.estimates import Estimate, Floats
from specquiz.labs.evidence import Evidence, RequestRun
from specquiz.labs.metrics import estimate, expected_length
from specquiz.labs.model import Lab
from specquiz.labs.predictions import Committed, read_prediction
from specquiz.labs.rules import (
    Absolute,
    Arithmetic,
    Bound,
    CommittedEnd,
    ExpectedLength,
    Literally,
    Measured,
    MoreOften,
    Negative,
    Number,
    Parted,
    Place,
    Predicted,
    Speedup,
)
from specquiz.labs.timing import speedup

OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two outputs of one prompt part."""

    request: int
    """The index of the request."""
    token: int
    """The index of the first token that differs."""
    margin: float | None
    """By how much the first output's best token lay above its second there, in nats; None if not recorded."""


def evaluate(tree: Number, lab: Lab, evidence: Evidence) -> Estimate:
    """The value of a number in a rule, with its resamples carried through the arithmetic."""
    match tree:
        case Literally(value):
            return Estimate(value)
        case Measured(arm, workload, quantity, _, position):
            return estimate(evidence.arms[arm], workload, quantity, position)
        case Predicted(name):
            return Estimate(committed_number(name, lab, evidence))
        case CommittedEnd(end, prediction):
            low, high = committed_interval(prediction.id, lab, evidence)
            return Estimate(low if end == "low" else high)
        case Negative(of):
            return _combined("-", Estimate(0.0), evaluate(of, lab, evidence))
        case Absolute(of):
            return evaluate(of, lab, evidence).mapped(np.abs)
        case Arithmetic(sign, left, right):
            return _combined(sign, evaluate(left, lab, evidence), evaluate(right, lab, evidence))
        case Bound(end, of):
            inner = evaluate(of, lab, evidence)
            interval = inner.interval()
            if interval is None:
                return Estimate(None, note=inner.note or "no interval: too few requests have data")
            return Estimate(interval[0] if end == "lower" else interval[1])
        case ExpectedLength(alpha, k):
            return expected_length(evaluate(alpha, lab, evidence), k)
        case Speedup(base, fast, clock):
            return speedup(evidence.arms[base.arm], evidence.arms[fast.arm], fast.workload, clock)
        case Parted():
            return _parted(tree, evidence)
        case MoreOften(control, test):
            return _more_often(control, test, evidence)


def committed(name: str, lab: Lab, evidence: Evidence) -> Committed:
    """What was predicted under this name."""
    prediction = next(each for each in lab.predict if each.id == name)
    return read_prediction(lab, prediction, evidence.predictions[name])


def committed_number(name: str, lab: Lab, evidence: Evidence) -> float:
    """The number that was predicted under this name."""
    found = committed(name, lab, evidence)
    assert isinstance(found, float)
    return found


def committed_interval(name: str, lab: Lab, evidence: Evidence) -> tuple[float, float]:
    """The ends of the interval that was predicted under this name."""
    found = committed(name, lab, evidence)
    assert isinstance(found, tuple)
    return float(found[0]), float(found[1])


def _combined(sign: str, left: Estimate, right: Estimate) -> Estimate:
    for side in (left, right):
        if side.value is None:
            return side
    assert left.value is not None
    assert right.value is not None
    if sign == "/" and right.value == 0:
        return Estimate(None, note="no data: the rule divides by zero")
    value = OPERATORS[sign](left.value, right.value)
    note = left.note or right.note
    if note or (left.draws is None and right.draws is None):
        return Estimate(value, note=note)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = OPERATORS[sign](_draws(left), _draws(right))  # type: ignore[arg-type]
    return Estimate(value, np.where(np.isfinite(draws), draws, np.nan))


def _draws(side: Estimate) -> Floats:
    """The resamples of an estimate; an exact number is the same in each."""
    return np.asarray(side.value, dtype=np.float64) if side.draws is None else side.draws


def partings(first: Place, second: Place, evidence: Evidence) -> tuple[Parting, ...] | None:
    """Where the outputs of two places part, request by request; None if a place was not run or had other prompts."""
    sides = [evidence.arms[each.arm].workloads.get(each.workload) for each in (first, second)]
    if sides[0] is None or sides[1] is None:
        return None
    found = []
    pairs = zip(sides[0].requests, sides[1].requests, strict=False)
    for index, (one, other) in enumerate(pairs):
        if one.prompt != other.prompt:
            return None
        if one.output != other.output:
            at = first_difference(one, other)
            known = one.margins is not None and at < len(one.margins)
            found.append(Parting(index, at, one.margins[at] if known and one.margins else None))
    return tuple(found)


def first_difference(one: RequestRun, other: RequestRun) -> int:
    """The index of the first token that differs; the shorter one's length if none does."""
    pairs = enumerate(zip(one.output, other.output, strict=False))
    return next((at for at, (here, there) in pairs if here != there), min(len(one.output), len(other.output)))


def _parted(tree: Parted, evidence: Evidence) -> Estimate:
    found = partings(tree.first, tree.second, evidence)
    if found is None:
        return Estimate(None, note="no data: the two places had other prompts, or one was not run")
    if tree.gap is None:
        return Estimate(float(len(found)))
    if any(each.margin is None for each in found):
        return Estimate(None, note=f"no data: {tree.first.arm} recorded no margins to explain where outputs part")
    return Estimate(float(sum((each.margin or 0.0) > tree.gap for each in found)))


def _more_often(control: Parted, test: Parted, evidence: Evidence) -> Estimate:
    """Fisher's exact test, one-sided: how likely so many of the parted requests fall to `test` by chance."""
    counts = []
    for each in (control, test):
        parted = _parted(each, evidence)
        if parted.value is None:
            return parted
        counts.append((int(parted.value), len(evidence.arms[each.first.arm].workloads[each.first.workload].requests)))
    (a, n), (b, m) = counts
    parted_in_all = a + b
    ways = comb(n + m, parted_in_all)
    tail = sum(comb(m, i) * comb(n, parted_in_all - i) for i in range(b, min(m, parted_in_all) + 1))
    return Estimate(tail / ways)
