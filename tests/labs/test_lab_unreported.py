"""A vLLM before 0.29 reports no drafts by request; the tokens and the counters of a run tell them all the same."""

from __future__ import annotations

from msgspec.structs import replace

from specquiz.labs.counting import Tally, tally
from specquiz.labs.evidence import ArmRun, Evidence, WorkloadRun
from specquiz.labs.metrics import estimate
from specquiz.labs.model import Lab
from specquiz.labs.quantities import draft_tokens
from specquiz.labs.unreported import worked_out


def without_detail(arm: ArmRun) -> ArmRun:
    """A real run as an older vLLM would have told it."""

    def plain(run: WorkloadRun) -> WorkloadRun:
        return replace(run, requests=tuple(replace(each, accepted=None, drafted=None) for each in run.requests))

    return replace(arm, workloads={name: plain(run) for name, run in arm.workloads.items()})


def test_the_drafts_worked_out_are_those_that_were_reported(lab: Lab, evidence: Evidence) -> None:
    arm = evidence.arms["ngram"]
    for name, run in arm.workloads.items():
        old = without_detail(arm)
        told = worked_out(old, old.workloads[name], tally(run, draft_tokens(lab, "ngram")))
        assert told is not None
        for found, request in zip(told, run.requests, strict=True):
            assert [drafted for _, drafted in found] == list(request.drafted or ())
            accepted = [(here, there) for (here, _), there in zip(found, request.accepted or (), strict=True)]
            assert all(here == there for here, there in accepted[:-1])
            assert all(here <= there for here, there in accepted[-1:])


def test_intervals_are_about_those_of_a_vllm_that_reports_drafts(evidence: Evidence) -> None:
    arm = evidence.arms["ngram"]
    for quantity in ("tokens_per_pass", "draft_coverage", "draft_acceptance_rate", "mean_acceptance_length", "alpha"):
        for name in arm.workloads:
            new, old = (estimate(each, name, quantity) for each in (arm, without_detail(arm)))
            if old.value is None:  # drafts shorter than K, of which counters alone give no α
                assert quantity == "alpha"
                continue
            assert new.value == old.value
            there, here = new.interval(), old.interval()
            assert there is not None
            assert here is not None
            assert here[0] < old.value < here[1]
            assert abs((here[1] - here[0]) / (there[1] - there[0]) - 1) < 0.4


def test_where_the_counters_say_otherwise_nothing_is_worked_out(lab: Lab, evidence: Evidence) -> None:
    arm = without_detail(evidence.arms["ngram"])
    run = arm.workloads["novel"]
    counted = tally(run, draft_tokens(lab, "ngram"))

    def changed(**fields: int) -> Tally:
        from dataclasses import replace as changing

        return changing(counted, **fields)  # type: ignore[arg-type]  # whole numbers, all of them

    assert worked_out(arm, run, changed(drafts=counted.drafts + 1)) is None
    assert worked_out(arm, run, changed(drafted=counted.drafted - 1)) is None
    assert worked_out(arm, run, changed(accepted=0)) is None
    other = replace(arm, config={**arm.config, "speculative": {**arm.config["speculative"], "method": "eagle"}})
    assert worked_out(other, run, counted) is None
