"""Measure what a lab asks for, and decide its rules on it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

import numpy as np

from specquiz.labs.evidence import Evidence, RequestRun
from specquiz.labs.expressions import (
    Absolute,
    Arithmetic,
    Bound,
    Check,
    Comparison,
    Literally,
    Measured,
    Negative,
    Number,
    OutputsEqual,
    Predicted,
    Within,
    leaves,
    parse,
)
from specquiz.labs.grading import Observation, Positions, RuleVerdict
from specquiz.labs.metrics import Estimate, Floats, estimate, tally
from specquiz.labs.model import Lab, Quantity, Rule
from specquiz.labs.predictions import read_predictions
from specquiz.labs.quantities import draft_tokens

_SHOWN: tuple[Quantity, ...] = (
    "draft_acceptance_rate",
    "draft_coverage",
    "tokens_per_pass",
    "mean_acceptance_length",
    "alpha",
    "model_acceptance_length",
)
"""Every quantity of an arm that speculates, the graded acceptance first."""

_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class NoData(ValueError):
    """A number has no value on this evidence; the text says why."""


def observe(lab: Lab, evidence: Evidence) -> tuple[Observation, ...]:
    """Every quantity of every arm that speculates, with the predictions beside those that were predicted."""
    predicted = read_predictions(lab, evidence.predictions)
    beside = {(each.of, each.quantity): predicted[each.id] for each in lab.predict}
    return tuple(
        _observation(evidence, arm, workload, quantity, beside.get((f"{arm}/{workload}", quantity)))
        for arm in lab.arms
        if lab.arms[arm].speculative_config
        for workload in lab.workloads
        for quantity in _SHOWN
    )


def _observation(
    evidence: Evidence, arm: str, workload: str, quantity: Quantity, predicted: float | None
) -> Observation:
    found = estimate(evidence.arms[arm], workload, quantity)
    low, high = found.interval() or (None, None)
    return Observation(
        arm=arm,
        workload=workload,
        quantity=quantity,
        value=found.value,
        low=low,
        high=high,
        predicted=predicted,
        note=found.note,
    )


def observe_positions(lab: Lab, evidence: Evidence) -> tuple[Positions, ...]:
    """Acceptance by draft position, for every workload of every arm that speculates."""
    found = []
    for arm in lab.arms:
        if k := draft_tokens(lab, arm):
            for workload in lab.workloads:
                counted = tally(evidence.arms[arm].workloads[workload], k)
                found.append(Positions(arm, workload, counted.unconditional_rates(), counted.conditional_rates()))
    return tuple(found)


def verdict(lab: Lab, evidence: Evidence, rule: Rule) -> RuleVerdict:
    """Decide one rule."""
    check = parse(rule.check)
    try:
        holds, observed = _decide(check, lab, evidence)
    except NoData as missing:
        return RuleVerdict(rule.id, rule.check, "no_data", f"{missing}.", rule.why)
    return RuleVerdict(rule.id, rule.check, "passed" if holds else "failed", observed, rule.why)


def _decide(check: Check, lab: Lab, evidence: Evidence) -> tuple[bool, str]:
    match check:
        case OutputsEqual(first, second):
            return _outputs_equal(evidence, first, second)
        case Within(left, right, tolerance):
            one, other = _value(left, lab, evidence), _value(right, lab, evidence)
            distance = abs(one.number - other.number)
            # Six digits of slack below any figure shown: 0.85 - 0.75 is 0.09999… in binary, or a hair above 0.1.
            holds = distance <= tolerance + 1e-9
            return holds, f"{one.text} against {other.text}: apart by {distance:.3f}, allowed {tolerance:g}."
        case Comparison(left, sign, right):
            one, other = _value(left, lab, evidence), _value(right, lab, evidence)
            holds = _COMPARISONS[sign](one.number, other.number)
            details = "; ".join(_details(check, evidence))
            claim = f"{one.text}; wanted is {sign} {other.text}"
            return holds, f"{claim} ({details})." if details else f"{claim}."


def _outputs_equal(evidence: Evidence, first: str, second: str) -> tuple[bool, str]:
    tokens = requests = 0
    for workload, run in evidence.arms[first].workloads.items():
        others = evidence.arms[second].workloads[workload].requests
        for index, (one, other) in enumerate(zip(run.requests, others, strict=True)):
            if one.output != other.output:
                return False, _first_difference(workload, index, first, one, second, other)
            tokens, requests = tokens + len(one.output), requests + 1
    return True, f"All {tokens} tokens of {requests} requests are the same."


def _first_difference(workload: str, index: int, first: str, one: RequestRun, second: str, other: RequestRun) -> str:
    same = next(
        (at for at, (here, there) in enumerate(zip(one.output, other.output, strict=False)) if here != there),
        min(len(one.output), len(other.output)),
    )
    shown = [str(each.output[same]) if same < len(each.output) else "the end" for each in (one, other)]
    return (
        f"{workload}, request {index + 1}: the outputs part at token {same + 1} "
        f"({first}: {shown[0]}, {second}: {shown[1]})."
    )


class _Value:
    """A number that a rule compares, and how to say it."""

    def __init__(self, number: float, text: str) -> None:
        self.number = number
        self.text = text


def _value(tree: Number, lab: Lab, evidence: Evidence) -> _Value:
    found = evaluate(tree, lab, evidence)
    if found.value is None:
        raise NoData(found.note)
    match tree:
        case Literally(value):
            return _Value(value, f"{value:g}")
        case Predicted():
            return _Value(found.value, f"predicted {found.value:.3f}")
        case Bound(end):
            return _Value(found.value, f"{end} end of the 95 % interval {found.value:.3f}")
    return _Value(found.value, f"observed {found.value:.3f}")


def _details(check: Check, evidence: Evidence) -> Iterator[str]:
    """The measured quantities of a rule with their intervals."""
    for leaf in leaves(check):
        if isinstance(leaf, Measured):
            found = estimate(evidence.arms[leaf.arm], leaf.workload, leaf.quantity)
            interval = found.interval()
            figures = "no data" if found.value is None else f"{found.value:.3f}"
            between = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
            yield f"{leaf.arm}.{leaf.workload}.{leaf.quantity} {figures}{between}"


def evaluate(tree: Number, lab: Lab, evidence: Evidence) -> Estimate:
    """The value of a number in a rule, with its resamples carried through the arithmetic."""
    match tree:
        case Literally(value):
            return Estimate(value)
        case Measured(arm, workload, quantity):
            return estimate(evidence.arms[arm], workload, quantity)
        case Predicted(name):
            return Estimate(read_predictions(lab, evidence.predictions)[name])
        case Negative(of):
            return _combined("-", Estimate(0.0), evaluate(of, lab, evidence))
        case Absolute(of):
            inner = evaluate(of, lab, evidence)
            if inner.value is None:
                return inner
            return Estimate(abs(inner.value), None if inner.draws is None else np.abs(inner.draws), inner.note)
        case Arithmetic(sign, left, right):
            return _combined(sign, evaluate(left, lab, evidence), evaluate(right, lab, evidence))
        case Bound(end, of):
            inner = evaluate(of, lab, evidence)
            interval = inner.interval()
            if interval is None:
                return Estimate(None, note=inner.note or "no interval: too few requests have data")
            return Estimate(interval[0] if end == "lower" else interval[1])


def _combined(sign: str, left: Estimate, right: Estimate) -> Estimate:
    for side in (left, right):
        if side.value is None:
            return side
    assert left.value is not None
    assert right.value is not None
    if sign == "/" and right.value == 0:
        return Estimate(None, note="no data: the rule divides by zero")
    value = _OPERATORS[sign](left.value, right.value)
    note = left.note or right.note
    if note or (left.draws is None and right.draws is None):
        return Estimate(value, note=note)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = _OPERATORS[sign](_draws(left), _draws(right))  # type: ignore[arg-type]
    return Estimate(value, np.where(np.isfinite(draws), draws, np.nan))


def _draws(side: Estimate) -> Floats:
    """The resamples of an estimate; an exact number is the same in each."""
    return np.asarray(side.value, dtype=np.float64) if side.draws is None else side.draws
