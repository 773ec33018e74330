"""Every lab with a CPU profile, once, with a real vLLM: it is predicted as in the recorded run, and passes again."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from specquiz.labs.environment import Environment
from specquiz.labs.evidence import Evidence
from specquiz.labs.grading import Graded, Observation, grade
from specquiz.labs.loading import load_labs
from specquiz.labs.model import Lab, Prediction
from specquiz.labs.plan import other_inputs
from specquiz.labs.recorded import recorded_run
from specquiz.labs.running import run_lab
from specquiz.labs.tailoring import sampling_of, tailored
from specquiz.sessions.events import AnyEvent, LabFinished, LabPredicted

pytestmark = pytest.mark.vllm

# L02 has tests of its own beside this file, which run it in every way.
LABS = [lab for lab in load_labs() if "cpu" in lab.profiles and lab.number != "L02"]
TIMES = {"tpot", "itl", "ttft", "processor_time", "peak_memory", "kv_tokens", "reference_z"}
"""What no second run has to give again."""
ON_TIME = {"harmed", "no_five_times"}
"""Rules on time: another machine, or this one while it is busy, may fail them and be honest."""


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: f"{lab.number}-{lab.id}")
def test_a_lab_runs_and_says_again_what_its_recorded_run_said(lab: Lab, vllm: Environment) -> None:
    recorded = recorded_run(lab, "cpu")
    here = tailored(lab, "cpu", recorded.written)
    later = {prediction.id for prediction in here.predict if prediction.after}
    asked: list[str] = []
    events: list[AnyEvent] = []

    def ask(arm: str, due: tuple[Prediction, ...], evidence: Evidence) -> Mapping[str, str]:
        assert arm in evidence.arms
        asked.extend(prediction.id for prediction in due)
        return {prediction.id: recorded.predictions[prediction.id] for prediction in due}

    done = run_lab(
        lab,
        "cpu",
        {name: text for name, text in recorded.predictions.items() if name not in later},
        environment=vllm,
        record=events.append,
        ask=ask,
        written=recorded.written,
    )

    assert isinstance(done.grade, Graded), (done.reason, done.grade)
    missed = {rule.id: rule.observed for rule in done.grade.rules if rule.outcome != "passed"}
    assert missed.keys() <= ON_TIME, missed
    assert set(asked) == later
    assert [type(event) for event in events] == [LabPredicted] * (1 + len({*done.record.predicted_after})) + [
        LabFinished
    ]
    assert done.record.predictions == recorded.predictions
    assert other_inputs(lab, done.record) == ()

    before = grade(lab, recorded)
    assert isinstance(before, Graded)
    for now, then in zip(done.grade.quantities, before.quantities, strict=True):
        assert (now.arm, now.workload, now.quantity) == (then.arm, then.workload, then.quantity)
        if now.quantity not in TIMES:
            assert_alike(now, then, sampled=sampling_of(here, now.arm, now.workload).temperature > 0)


def assert_alike(now: Observation, then: Observation, *, sampled: bool) -> None:
    """At temperature 0 only rounding on another processor can differ; above it, chance within the intervals."""
    assert now.value is not None
    assert then.value is not None
    if not sampled:
        assert now.value == pytest.approx(then.value, rel=0.15), now
        return
    assert now.low is not None
    assert now.high is not None
    assert then.low is not None
    assert then.high is not None
    # Four of the combined half-widths of two 95 % intervals: chance alone does not put two honest runs so far apart.
    assert abs(now.value - then.value) <= 2 * math.hypot(now.high - now.low, then.high - then.low), (now, then)
