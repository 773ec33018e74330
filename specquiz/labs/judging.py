"""Measure what a lab asks for, and decide its rules on it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from specquiz.labs.evaluating import committed, committed_interval, evaluate, first_difference
from specquiz.labs.evidence import ArmRun, Evidence, RequestRun
from specquiz.labs.expressions import parse
from specquiz.labs.grading import Observation, Positions, Rate, RuleVerdict
from specquiz.labs.metrics import estimate
from specquiz.labs.model import Lab, Prediction, Quantity, Rule
from specquiz.labs.predictions import read_prediction
from specquiz.labs.quantities import POSITIONAL, draft_tokens
from specquiz.labs.rules import (
    Absolute,
    Arithmetic,
    AtLeast,
    Bound,
    Check,
    Committed,
    CommittedEnd,
    Comparison,
    Covers,
    Fails,
    Falling,
    Literally,
    Measured,
    NearBest,
    Negative,
    Number,
    Ordered,
    OutputsEqual,
    Predicted,
    Says,
    Speedup,
    Within,
    leaves,
)
from specquiz.labs.tailoring import failed_as_expected, workloads_of
from specquiz.labs.timing import speedup, total_seconds

_SHOWN: tuple[Quantity, ...] = (
    "draft_acceptance_rate",
    "draft_coverage",
    "tokens_per_pass",
    "mean_acceptance_length",
    "alpha",
    "model_acceptance_length",
)
"""Every quantity of an arm that speculates, the graded acceptance first."""
_BY_THEORY: tuple[Quantity, ...] = ("reference_acceptance", "reference_z")
"""What was computed apart from vLLM, where it was."""
_TIMES: tuple[Quantity, ...] = ("tpot", "itl", "ttft")
"""What any arm takes, speculating or not."""

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

# Six digits of slack below any figure shown: 0.85 - 0.75 is 0.09999… in binary, or a hair above 0.1.
_SLACK = 1e-9


class NoData(ValueError):
    """A number has no value on this evidence; the text says why."""


class _Decision(NamedTuple):
    holds: bool
    observed: str
    side: str = ""
    """`above` or `below`: on which side of the right number the left one lies."""


def observe(lab: Lab, evidence: Evidence) -> tuple[Observation, ...]:
    """The quantities of every arm that has run, those that speculate first, with the predictions beside them."""
    beside: dict[tuple[str, Quantity | None], list[Prediction]] = {}
    for each in lab.predict:
        if not each.position:
            beside.setdefault((each.of, each.quantity), []).append(each)
    asked = {
        (leaf.arm, leaf.workload, leaf.quantity)
        for rule in lab.grade
        for leaf in leaves(parse(rule.check))
        if isinstance(leaf, Measured) and not leaf.position
    } | {(each.arm, each.workload, each.quantity) for each in lab.predict if each.quantity and not each.position}
    found = []
    ran = [name for name in lab.arms if name in evidence.arms and evidence.arms[name].status == "finished"]
    for arm in sorted(ran, key=lambda name: not lab.arms[name].speculative_config):
        base = _SHOWN if lab.arms[arm].speculative_config else ()
        for workload in workloads_of(lab, arm):
            further = (quantity for name, where, quantity in asked if (name, where) == (arm, workload))
            theory = _BY_THEORY if evidence.arms[arm].workloads[workload].theory is not None else ()
            for quantity in dict.fromkeys((*base, *theory, *sorted(further), *_TIMES)):
                predictions = beside.get((f"{arm}/{workload}", quantity), [])
                found.append(_observation(lab, evidence, arm, workload, quantity, predictions))
    return tuple(found)


def _observation(
    lab: Lab, evidence: Evidence, arm: str, workload: str, quantity: Quantity, predictions: list[Prediction]
) -> Observation:
    found = estimate(evidence.arms[arm], workload, quantity)
    low, high = found.interval() or (None, None)
    made = [
        read_prediction(lab, each, evidence.predictions[each.id])
        for each in predictions
        if each.id in evidence.predictions
    ]
    numbers = [each for each in made if isinstance(each, float)]
    intervals = [each for each in made if isinstance(each, tuple)]
    return Observation(
        arm=arm,
        workload=workload,
        quantity=quantity,
        value=found.value,
        low=low,
        high=high,
        predicted=numbers[0] if numbers else None,
        note=found.note,
        interval=(float(intervals[0][0]), float(intervals[0][1])) if intervals else None,
    )


def observe_positions(lab: Lab, evidence: Evidence) -> tuple[Positions, ...]:
    """Acceptance by draft position, for every workload of every arm that speculates and has run."""
    found = []
    for name in lab.arms:
        arm, k = evidence.arms.get(name), draft_tokens(lab, name)
        if arm is None or arm.status != "finished" or not k:
            continue
        for workload in workloads_of(lab, name):
            rates = {
                quantity: tuple(_rate(arm, workload, quantity, position) for position in range(1, k + 1))
                for quantity in POSITIONAL
            }
            found.append(Positions(name, workload, rates["unconditional_rate"], rates["conditional_rate"]))
    return tuple(found)


def _rate(arm: ArmRun, workload: str, quantity: Quantity, position: int) -> Rate:
    found = estimate(arm, workload, quantity, position)
    low, high = found.interval() or (None, None)
    return Rate(found.value, low, high)


def verdict(lab: Lab, evidence: Evidence, rule: Rule) -> RuleVerdict:
    """Decide one rule."""
    try:
        decided = _decide(parse(rule.check), lab, evidence)
    except NoData as missing:
        return RuleVerdict(rule.id, rule.check, "no_data", f"{missing}.", rule.why)
    learn = "" if decided.holds else {"above": rule.above, "below": rule.below}.get(decided.side, "")
    outcome = "passed" if decided.holds else "failed"
    return RuleVerdict(rule.id, rule.check, outcome, decided.observed, rule.why, learn)  # type: ignore[arg-type]


def _decide(check: Check, lab: Lab, evidence: Evidence) -> _Decision:
    match check:
        case OutputsEqual(first, second):
            return _outputs_equal(evidence, first, second)
        case Within():
            one, other = _value(check.left, lab, evidence), _value(check.right, lab, evidence)
            distance = abs(one.number - other.number)
            observed = f"{one.text} against {other.text}: apart by {distance:.3f}, allowed {check.tolerance:g}."
            return _Decision(distance <= check.tolerance + _SLACK, observed, _side(one.number, other.number))
        case Comparison(left, sign, right):
            one, other = _value(left, lab, evidence), _value(right, lab, evidence)
            details = "; ".join(dict.fromkeys(_details(check, evidence)))
            claim = f"{one.text}; wanted is {sign} {other.text}"
            observed = f"{claim} ({details})." if details else f"{claim}."
            side = _side(one.number, other.number)
            if isinstance(left, Absolute):
                side = _side(_value(left.of, lab, evidence).number, 0)
            return _Decision(_COMPARISONS[sign](one.number, other.number), observed, side)
        case Falling(numbers):
            values = [_value(each, lab, evidence).number for each in numbers]
            falls = all(late < early for early, late in pairwise(values))
            return _Decision(falls, " > ".join(f"{value:.3f}" for value in values) + f" {_holds(falls)}.")
        case Fails(arm):
            expected = lab.arms[arm].expect
            said = expected.failure if expected else ""
            if failed_as_expected(lab, arm, evidence.arms[arm]):
                return _Decision(True, f"{arm} did not start: {said!r}.")
            return _Decision(False, f"{arm} started, though it was to fail with {said!r}.")
        case AtLeast(count, checks):
            decisions = [_decide(each, lab, evidence) for each in checks]
            holding = sum(each.holds for each in decisions)
            parts = "; ".join(f"{'yes' if each.holds else 'no'}: {each.observed.rstrip('.')}" for each in decisions)
            side = next((each.side for each in decisions if not each.holds and each.side), "")
            return _Decision(holding >= count, f"{holding} of {len(checks)} hold, {count} wanted ({parts}).", side)
        case Says() | Covers() | NearBest() | Ordered():
            return _decide_commitment(check, lab, evidence)


def _decide_commitment(check: Says | Covers | NearBest | Ordered, lab: Lab, evidence: Evidence) -> _Decision:
    match check:
        case Says(choice, answer):
            said = committed(choice.id, lab, evidence)
            return _Decision(said == answer, f"you said {said!r}; observed is {answer!r}.")
        case Covers(interval, of):
            low, high = committed_interval(interval.id, lab, evidence)
            value = _value(of, lab, evidence).number
            side = "below" if high < value else "above"
            return _Decision(
                low - _SLACK <= value <= high + _SLACK, f"your [{low:g}, {high:g}] against observed {value:.3f}.", side
            )
        case NearBest(choice, slack, options):
            said = committed(choice.id, lab, evidence)
            values = {name: _value(number, lab, evidence).number for name, number in options}
            best = max(values, key=lambda name: values[name])
            holds = values[str(said)] >= values[best] - slack * abs(values[best]) - _SLACK
            told = ", ".join(f"{name} {value:.3f}" for name, value in values.items())
            return _Decision(holds, f"you chose {said}; best is {best} ({told}).")
        case Ordered(order, slack, options):
            said = committed(order.id, lab, evidence)
            assert isinstance(said, tuple)
            values = {name: _value(number, lab, evidence).number for name, number in options}
            ranked = [values[str(name)] for name in said]
            holds = all(late <= early + slack * abs(early) + _SLACK for early, late in pairwise(ranked))
            told = ", ".join(f"{name} {value:.3f}" for name, value in values.items())
            return _Decision(holds, f"you ordered {' > '.join(map(str, said))}; observed {told}.")


def _side(left: float, right: float) -> str:
    return "above" if left > right else "below"


def _holds(holds: bool) -> str:
    return "as wanted" if holds else "does not fall everywhere"


def _outputs_equal(evidence: Evidence, first: str, second: str) -> _Decision:
    tokens = requests = 0
    for workload, run in evidence.arms[first].workloads.items():
        if workload not in evidence.arms[second].workloads:
            continue
        others = evidence.arms[second].workloads[workload].requests
        for index, (one, other) in enumerate(zip(run.requests, others, strict=True)):
            if one.output != other.output:
                return _Decision(False, _difference(workload, index, first, one, second, other))
            tokens, requests = tokens + len(one.output), requests + 1
    return _Decision(True, f"All {tokens} tokens of {requests} requests are the same.")


def _difference(workload: str, index: int, first: str, one: RequestRun, second: str, other: RequestRun) -> str:
    same = first_difference(one, other)
    shown = [str(each.output[same]) if same < len(each.output) else "the end" for each in (one, other)]
    return (
        f"{workload}, request {index + 1}: the outputs part at token {same + 1} "
        f"({first}: {shown[0]}, {second}: {shown[1]})."
    )


class _Value(NamedTuple):
    """A number that a rule compares, and how to say it."""

    number: float
    text: str


def _value(tree: Number, lab: Lab, evidence: Evidence) -> _Value:
    found = evaluate(tree, lab, evidence)
    if found.value is None:
        raise NoData(found.note)
    match tree:
        case Literally(value):
            return _Value(value, f"{value:g}")
        case Predicted():
            return _Value(found.value, f"predicted {found.value:.3f}")
        case CommittedEnd(end):
            return _Value(found.value, f"predicted {end} end {found.value:.3f}")
        case Bound(end):
            return _Value(found.value, f"{end} end of the 95 % interval {found.value:.3f}")
        case Measured():
            return _Value(found.value, f"observed {found.value:.3f}")
    return _Value(found.value, f"worked out {found.value:.3f}")


def _details(check: Check, evidence: Evidence) -> Iterator[str]:
    """The predictions and measured quantities of a rule, and both arms' total times where speed is graded."""
    for leaf in leaves(check):
        if isinstance(leaf, Predicted | Committed):
            yield f"predicted.{leaf.id} {evidence.predictions[leaf.id].strip()}"
        elif isinstance(leaf, Measured):
            found = estimate(evidence.arms[leaf.arm], leaf.workload, leaf.quantity, leaf.position)
            interval = found.interval()
            figures = "no data" if found.value is None else f"{found.value:.3f}"
            between = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
            at = f"[{leaf.position}]" if leaf.position else ""
            yield f"{leaf.arm}.{leaf.workload}.{leaf.quantity}{at} {figures}{between}"
    if isinstance(check, Comparison):
        for each in _speedups(check.left, check.right):
            yield _pairwise(each, evidence)
            yield _times(each, evidence)


def _speedups(*numbers: Number) -> Iterator[Speedup]:
    for number in numbers:
        match number:
            case Speedup():
                yield number
            case Bound(_, of) | Negative(of) | Absolute(of):
                yield from _speedups(of)
            case Arithmetic(_, left, right):
                yield from _speedups(left, right)


def _pairwise(pair: Speedup, evidence: Evidence) -> str:
    found = speedup(evidence.arms[pair.base.arm], evidence.arms[pair.fast.arm], pair.fast.workload, pair.clock)
    interval = found.interval()
    figure = "no data" if found.value is None else f"{found.value:.3f}"
    return f"paired ratio {figure} [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else f"paired ratio {figure}"


def _times(pair: Speedup, evidence: Evidence) -> str:
    base, fast = (total_seconds(evidence.arms[each.arm], each.workload) for each in (pair.base, pair.fast))
    return f"total times {base:.2f} s and {fast:.2f} s, ratio {base / fast:.3f}"
