"""Changes to a recorded run, and what a grader says of it when it was sealed again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import msgspec

from specquiz.labs.evidence import ArmRun, Evidence, RequestRun, WorkloadRun, sealed
from specquiz.labs.grading import NotGradable, grade
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab
from specquiz.labs.recorded import recorded_run

replace = msgspec.structs.replace

OfRun = Callable[[WorkloadRun], WorkloadRun]
OfRequest = Callable[[RequestRun], RequestRun]


@cache
def shipped_lab(name: str) -> Lab:
    return find_lab(load_labs(), name)


@cache
def recorded(lab: str) -> Evidence:
    return recorded_run(shipped_lab(lab), "cpu")


def reasons(lab: Lab, evidence: Evidence) -> list[tuple[str, str]]:
    """Name and reason of everything that keeps the evidence from being graded."""
    found = grade(lab, sealed(evidence))
    assert isinstance(found, NotGradable), "it was graded"
    return [(each.invariant, each.reason) for each in found.broken]


def with_arm(evidence: Evidence, name: str, change: Callable[[ArmRun], ArmRun]) -> Evidence:
    return replace(evidence, arms={**evidence.arms, name: change(evidence.arms[name])})


def with_run(evidence: Evidence, arm: str, workload: str, change: OfRun) -> Evidence:
    """The first run of a workload, changed."""

    def changed(found: ArmRun) -> ArmRun:
        return replace(found, workloads={**found.workloads, workload: change(found.workloads[workload])})

    return with_arm(evidence, arm, changed)


def with_every_run(evidence: Evidence, change: OfRun) -> Evidence:
    """All arms changed alike, so that they agree with one another."""

    def changed(found: ArmRun) -> ArmRun:
        return replace(
            found,
            workloads={name: change(run) for name, run in found.workloads.items()},
            repeats={name: tuple(map(change, runs)) for name, runs in found.repeats.items()},
        )

    return replace(evidence, arms={name: changed(arm) for name, arm in evidence.arms.items()})


def with_request(run: WorkloadRun, change: OfRequest) -> WorkloadRun:
    """The first request, changed."""
    return replace(run, requests=(change(run.requests[0]), *run.requests[1:]))


def with_every_request(run: WorkloadRun, change: OfRequest) -> WorkloadRun:
    return replace(run, requests=tuple(map(change, run.requests)))


def with_more(run: WorkloadRun, counter: str, by: float) -> WorkloadRun:
    """A counter that rose by so much more."""
    value = run.after[counter]
    assert isinstance(value, int | float)
    return replace(run, after={**run.after, counter: value + by})
