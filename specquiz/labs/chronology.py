"""That a run's arms came one after another in the order told, and that no time lies where none can."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from specquiz.labs.broken import Broken
from specquiz.labs.evidence import Evidence, WorkloadRun

CLOCK_SLACK = 1.0
"""Seconds by which the wall clock and the one that durations are taken with may drift apart in a run."""


def of_the_order(evidence: Evidence) -> Iterator[Broken]:
    """The arms are those of the order told, and they began in it; a run that was resumed may have run some later."""
    if set(evidence.order) != set(evidence.arms):
        yield Broken("order", "the order of the arms names others than those that ran")
        return
    first = list(dict.fromkeys(evidence.order))
    begun = [evidence.arms[name].started for name in first]
    if not evidence.resumed_at and any(late < early for early, late in pairwise(begun)):
        yield Broken("order", f"the arms did not begin in the order told, {', '.join(first)}")


def of_the_clock(evidence: Evidence) -> Iterator[Broken]:
    """One workload ran at a time, within its arm and within the run."""
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
    runs.sort(key=lambda each: each[0].started)
    for (early, _, one), (late, _, other) in pairwise(runs):
        if early.started + early.seconds > late.started + CLOCK_SLACK:
            yield Broken("times", f"{other} began before {one} had ended, and one runs at a time")


def _of_the_tokens(where: str, run: WorkloadRun) -> Iterator[Broken]:
    for index, each in enumerate(run.requests):
        if each.first is None and each.last is None:
            continue
        if each.first is None or each.last is None or not 0 <= each.first <= each.last <= run.seconds + CLOCK_SLACK:
            yield Broken("times", f"{where}: request {index} has tokens at times outside the workload")
