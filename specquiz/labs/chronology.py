"""That a run's arms came one after another in the order told, and that no time lies where none can."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from specquiz.labs.broken import Broken
from specquiz.labs.evidence import ArmRun, Evidence, WorkloadRun
from specquiz.labs.model import Lab
from specquiz.labs.tailoring import schedule

CLOCK_SLACK = 1.0
"""Seconds by which the wall clock and the one that durations are taken with may drift apart in a run, and that a
machine may stand still between two of our own lines."""
ROUNDED = 0.001
"""Seconds by which a stage may be rounded."""


def of_the_order(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    """The arms are those of the order told, and began in it; a run that was resumed may have run some later."""
    if set(evidence.order) != set(evidence.arms):
        yield Broken("order", "the order of the arms names others than those that ran")
        return
    if Counter(evidence.order) != Counter(leg.arm for leg in schedule(lab)):
        yield Broken("order", "the arms were started more or less often than the lab has it")
    first = list(dict.fromkeys(evidence.order))
    begun = [evidence.arms[name].started for name in first]
    if not evidence.resumed_at and any(late < early for early, late in pairwise(begun)):
        yield Broken("order", f"the arms did not begin in the order told, {', '.join(first)}")


def of_the_clock(evidence: Evidence) -> Iterator[Broken]:
    """One arm and one workload ran at a time, each within what it is a part of."""
    runs = [
        (run, name, f"{name}/{workload}")
        for name, arm in evidence.arms.items()
        for workload in arm.workloads
        for run in arm.runs(workload)
    ]
    for run, name, where in runs:
        if not (0 < run.seconds < math.inf):
            yield Broken("times", f"{where}: a workload cannot take {run.seconds:g} s")
        elif run.started < evidence.arms[name].started - CLOCK_SLACK:
            yield Broken("times", f"{where} began before its arm")
        elif run.started + run.seconds > evidence.finished_at + CLOCK_SLACK:
            yield Broken("times", f"{where} ended after the run's end")
        yield from _of_the_tokens(where, run)
        yield from _of_the_processor(where, run, evidence.machine.get("cores"))
    runs.sort(key=lambda each: each[0].started)
    for (early, _, one), (late, _, other) in pairwise(runs):
        if early.started + early.seconds > late.started + CLOCK_SLACK:
            yield Broken("times", f"{other} began before {one} had ended, and one runs at a time")
    yield from _of_the_arms(evidence)


def _of_the_arms(evidence: Evidence) -> Iterator[Broken]:
    """Each arm's stages hold its workloads, and end before the next arm starts (or the run ends)."""
    arms = sorted(evidence.arms.items(), key=lambda each: each[1].started)
    compared = sum(evidence.reference.stages.values()) if evidence.reference is not None else 0.0
    if arms and arms[0][1].started < evidence.started_at - CLOCK_SLACK:
        yield Broken("times", f"{arms[0][0]} began before the run")
    for at, (name, arm) in enumerate(arms):
        yield from _of_the_stages(name, arm)
        # An arm that takes turns with others has the stages of all its turns in one.
        once = evidence.order.count(name) == 1 and at + 1 < len(arms)
        end = arms[at + 1][1].started if once else evidence.finished_at - compared
        if arm.started + sum(arm.stages.values()) > end + CLOCK_SLACK:
            yield Broken("times", f"the stages of {name} take longer than there was time for it")


def _of_the_stages(name: str, arm: ArmRun) -> Iterator[Broken]:
    for stage, seconds in arm.stages.items():
        if not 0 <= seconds < math.inf:
            yield Broken("times", f"{name}: the stage {stage} cannot take {seconds:g} s")
    for workload in arm.workloads:
        runs = arm.runs(workload)
        if sum(run.seconds for run in runs) > arm.stages.get(workload, 0.0) + ROUNDED * len(runs):
            yield Broken("times", f"{name}/{workload} took longer than the stage that it ran in")


def _of_the_tokens(where: str, run: WorkloadRun) -> Iterator[Broken]:
    """All of a run's times come from one clock, so they need no slack among each other."""
    for index, each in enumerate(run.requests, start=1):
        times = [each.arrived, each.first, each.last]
        told = [0.0, *(time for time in times if time is not None), run.seconds]
        if (each.first is None) != (each.last is None) or any(late < early for early, late in pairwise(told)):
            yield Broken("times", f"{where}: request {index} has tokens at times outside the workload")
    ended = max((each.last for each in run.requests if each.last is not None), default=math.inf)
    if run.seconds > 2 * ended + CLOCK_SLACK:
        yield Broken("times", f"{where} went on for {run.seconds - ended:.3f} s after its last token")


def _of_the_processor(where: str, run: WorkloadRun, cores: object) -> Iterator[Broken]:
    most = cores * (run.seconds + CLOCK_SLACK) if isinstance(cores, int) and cores else math.inf
    if not 0 <= run.processor_seconds <= most:
        yield Broken("times", f"{where}: {run.processor_seconds:g} s of processor time in {run.seconds:g} s")
