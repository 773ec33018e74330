"""What must hold of any honest evidence, whatever was measured. A broken one means "not gradable", with the reason.

I1 to I4, I7 and I8 are numbered as in the lab handbook; the others have names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from specquiz.errors import UsageError
from specquiz.labs.evidence import ArmRun, Evidence, WorkloadRun, digest
from specquiz.labs.metrics import NoCounter, Tally, tally
from specquiz.labs.model import Lab, fingerprint
from specquiz.labs.predictions import read_predictions
from specquiz.labs.quantities import draft_tokens

PERFECT = 0.999
"""A conditional acceptance above this, on text that is not a copy, means a loop, synthetic acceptance or a bug."""
ENOUGH_DRAFTS = 100
"""Fewer drafts reaching a position can be accepted without exception by luck."""


@dataclass(frozen=True, slots=True)
class Broken:
    """An invariant that the evidence breaks, and how."""

    invariant: str
    reason: str


def broken_invariants(lab: Lab, evidence: Evidence) -> tuple[Broken, ...]:
    """Everything that keeps `evidence` from being graded by `lab`."""
    found = tuple(_of_the_run(lab, evidence))
    if found:
        return found
    return tuple(broken for arm in lab.arms for broken in _of_an_arm(lab, arm, evidence))


def _of_the_run(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    if digest(msgspec.to_builtins(evidence)) != evidence.digest:
        yield Broken("digest", "the evidence does not match its digest: it was changed after it was written")
    if evidence.lab.id != lab.id:
        yield Broken("lab", f"the evidence is of the lab {evidence.lab.id}, not of {lab.id}")
    elif evidence.lab.fingerprint != fingerprint(lab):
        yield Broken("lab", "the lab's task has changed since this run; run it again to be graded by the new one")
    if evidence.profile not in lab.profiles:
        yield Broken("lab", f"the lab has no profile {evidence.profile}")
    yield from _of_the_prediction(lab, evidence)
    for arm in lab.arms:
        if arm not in evidence.arms:
            yield Broken("arms", f"the arm {arm} was not run")
        elif evidence.arms[arm].status != "finished":
            yield Broken("arms", f"the arm {arm} failed: {evidence.arms[arm].reason}")


def _of_the_prediction(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    try:
        read_predictions(lab, evidence.predictions)
    except UsageError as error:
        yield Broken("prediction", f"the committed predictions cannot be read: {error.what}")
    begun = [evidence.started_at, *(arm.started for arm in evidence.arms.values())]
    begun += [run.started for arm in evidence.arms.values() for run in arm.workloads.values()]
    if evidence.predicted_at > min(begun):
        yield Broken("prediction", "the prediction is later than the run's start; it must be committed before")
    if max(begun) > evidence.finished_at:
        yield Broken("times", "a part of the run began after the run's end")


def _of_an_arm(lab: Lab, name: str, evidence: Evidence) -> Iterator[Broken]:
    arm = evidence.arms[name]
    yield from _of_the_configuration(lab, name, arm)
    for workload in lab.workloads:
        if workload not in arm.workloads:
            yield Broken("arms", f"the arm {name} has no figures for {workload}")
            continue
        run = arm.workloads[workload]
        where = f"{name}/{workload}"
        first = evidence.arms[next(iter(lab.arms))].workloads.get(workload)
        if first and [each.prompt for each in first.requests] != [each.prompt for each in run.requests]:
            yield Broken("prompts", f"{where} had other prompts than the first arm")
        try:
            counted = tally(run, draft_tokens(lab, name))
        except NoCounter as missing:
            yield Broken("counters", f"{where}: {missing}")
            continue
        yield from _of_the_counters(where, counted, draft_tokens(lab, name))
        yield from _of_the_requests(where, counted, run, lab.sampling.max_tokens)
        if not any(waiver.invariant == "I7" and waiver.of == where for waiver in lab.waive):
            yield from too_perfect(where, counted)


def _of_the_configuration(lab: Lab, name: str, arm: ArmRun) -> Iterator[Broken]:
    wanted, found = lab.arms[name].speculative_config, arm.config.get("speculative", {})
    method = found.get("rejection_sample_method", "standard")
    if method != "standard" and "rejection_sample_method" not in wanted:
        yield Broken("I8", f"{name} ran with rejection_sample_method {method}; only standard acceptance is graded")
    if not wanted and found:
        yield Broken("I8", f"{name} is to decode plainly, but vLLM speculated ({found.get('method')})")
    for key, value in wanted.items():
        if found.get(key) != value:
            yield Broken("I8", f"{name} ran with {key} = {found.get(key)}; the lab asks for {value}")


def _of_the_counters(where: str, counted: Tally, k: int) -> Iterator[Broken]:
    drafts, drafted, accepted = counted.drafts, counted.drafted, counted.accepted
    if not accepted <= drafted <= k * drafts:
        yield Broken("I1", f"{where}: accepted {accepted}, drafted {drafted}, K × drafts {k * drafts} are out of order")
    positions = (drafts, *counted.per_position)
    if sum(counted.per_position) != accepted or any(late > early for early, late in pairwise(positions)):
        yield Broken("I2", f"{where}: accepted by position {counted.per_position} does not fit {accepted} accepted")
    if drafts and 1 + accepted / drafts > k + 1:
        yield Broken("I3", f"{where}: mean acceptance length {1 + accepted / drafts:.3f} is above K + 1 = {k + 1}")
    if drafts > counted.passes:
        yield Broken("I4", f"{where}: {drafts} drafts in only {counted.passes} decode passes")
    cut = counted.passes + accepted - (counted.generated - counted.requests)
    if not 0 <= cut <= k * counted.requests:
        yield Broken(
            "I4",
            f"{where}: {counted.passes} decode passes and {accepted} accepted tokens cannot give "
            f"{counted.generated - counted.requests} tokens",
        )


def _of_the_requests(where: str, counted: Tally, run: WorkloadRun, max_tokens: int) -> Iterator[Broken]:
    """The counters and the requests' own detail tell the same story."""
    told = {
        "generated tokens": (counted.generated, sum(len(each.output) for each in run.requests)),
        "decode passes": (counted.passes, sum(len(each.steps) - 1 for each in run.requests)),
    }
    if all(each.accepted is not None and each.drafted is not None for each in run.requests):
        told |= {
            "drafts": (counted.drafts, sum(len(each.drafted or ()) for each in run.requests)),
            "drafted tokens": (counted.drafted, sum(sum(each.drafted or ()) for each in run.requests)),
            "accepted tokens": (counted.accepted, sum(sum(each.accepted or ()) for each in run.requests)),
        }
    for what, (by_counter, by_request) in told.items():
        if by_counter != by_request:
            yield Broken("detail", f"{where}: the counters say {by_counter} {what}, the requests {by_request}")
    for index, each in enumerate(run.requests):
        if sum(each.steps) != len(each.output) or not 0 < len(each.output) <= max_tokens:
            yield Broken("detail", f"{where}: request {index} has {len(each.output)} tokens that its steps do not give")
        offered, got = each.drafted or (), each.accepted or ()
        if len(offered) != len(got) or any(not 0 <= a <= d for a, d in zip(got, offered, strict=False)):
            yield Broken("detail", f"{where}: request {index} accepted more than it was offered")


def too_perfect(where: str, counted: Tally) -> Iterator[Broken]:
    """I7: the positions whose drafts were accepted (all but) without exception."""
    reached = (counted.drafts, *counted.per_position)
    for position, rate in enumerate(counted.conditional_rates()):
        if rate is not None and rate >= PERFECT and reached[position] >= ENOUGH_DRAFTS:
            yield Broken(
                "I7",
                f"{where}: position {position + 1} accepted {rate:.1%} of {reached[position]} drafts; natural text "
                "never does: look for a repetition loop, synthetic acceptance or a broken kernel",
            )
