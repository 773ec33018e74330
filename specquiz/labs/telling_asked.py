"""Between two arms: what the finished ones gave, for whoever predicts the next. What is asked now is not told."""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.labs.counting import NoCounter, tally
from specquiz.labs.evidence import Evidence, WorkloadRun
from specquiz.labs.judging import observe, observe_positions
from specquiz.labs.model import Lab, Prediction, Quantity
from specquiz.labs.quantities import draft_tokens
from specquiz.labs.telling import table_lines
from specquiz.theory.intervals import design_effect

_FOLLOWS: dict[Quantity, Quantity] = {"alpha": "model_acceptance_length"}
"""Quantity to another that gives it away."""


def asking_lines(lab: Lab, arm: str, evidence: Evidence) -> Iterator[str]:
    """What there is to see after `arm` has finished. `lab` is tailored to the profile.

    A quantity of an arm that has run, and that is to be predicted now, is left out; its counters stand in its place.
    """
    asked = [each for each in lab.predict if each.after == arm and each.quantity and each.arm in evidence.arms]
    hidden = {
        (each.arm, each.workload, quantity)
        for each in asked
        for quantity in (each.quantity, _FOLLOWS.get(each.quantity) if each.quantity else None)
    }
    told = [each for each in observe(lab, evidence) if (each.arm, each.workload, each.quantity) not in hidden]
    yield f"{arm} has finished; observed so far, with the 95 % interval over requests"
    yield from table_lines(told, observe_positions(lab, evidence))
    for each in asked:
        yield from _counted(lab, each, evidence)
    yield "Your next predictions, stored before the next arm starts:"


def _counted(lab: Lab, prediction: Prediction, evidence: Evidence) -> Iterator[str]:
    """The counters that a quantity follows from."""
    run = evidence.arms[prediction.arm].workloads[prediction.workload]
    try:
        counted = tally(run, draft_tokens(lab, prediction.arm))
    except NoCounter as missing:
        yield f"  counted for {prediction.id}: no data, {missing}"
        return
    by_position = ", ".join(map(str, counted.per_position))
    yield f"  counted for {prediction.id}: {counted.drafts} drafts, {counted.drafted} drafted tokens,"
    yield f"    {counted.accepted} accepted ({by_position} by position), {counted.requests} requests"
    effect = _design_effect(run)
    if effect is not None:
        yield f"    design effect of the requests {effect:.2f}: variance of α ÷ that of independent tokens"


def _design_effect(run: WorkloadRun) -> float | None:
    """None where this vLLM does not tell the steps, or where nothing varies."""
    steps = [list(zip(each.accepted or (), each.drafted or (), strict=True)) for each in run.requests]
    accepted = [sum(got for got, _ in each) for each in steps]
    judged = [sum(min(got + 1, offered) for got, offered in each) for each in steps]
    try:
        return design_effect(accepted, judged)
    except ValueError:
        return None
