"""What two runs have in common, and when a broken one can be taken to its end. Real runs: tests/lab."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from specquiz.errors import SpecquizError
from specquiz.labs.comparison import compare
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import Evidence, sealed
from specquiz.labs.grading import Graded, Observation, grade
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab, Quantity
from specquiz.labs.recorded import recorded_run
from specquiz.labs.resuming import refuse_what_differs, settled

replace = msgspec.structs.replace


@pytest.fixture
def shipped() -> Lab:
    return find_lab(load_labs(), "ngram-echo")


@pytest.fixture
def evidence(shipped: Lab) -> Evidence:
    return recorded_run(shipped)


def here(vllm: str) -> Environment:
    return Environment(python=Path(sys.executable), vllm=vllm, source="given")


def seen(value: float | None, low: float | None, high: float | None, quantity: Quantity = "alpha") -> Graded:
    return Graded((Observation("ngram", "echo", quantity, value, low, high, None),), (), ())


@pytest.mark.parametrize(
    ("first", "second", "standing"),
    [
        (seen(0.90, 0.88, 0.92), seen(0.91, 0.89, 0.93), "agrees"),
        (seen(0.90, 0.88, 0.92), seen(0.95, 0.93, 0.97), "differs"),
        (seen(0.90, None, None), seen(0.90, None, None), "agrees"),
        (seen(0.90, None, None), seen(0.91, None, None), "differs"),
        (seen(0.90, None, None), seen(0.91, 0.89, 0.93), "agrees"),
        (seen(0.90, 0.88, 0.92), seen(None, None, None), "differs"),
        (seen(None, None, None), seen(None, None, None), "not judged"),
        (seen(10.0, 9.0, 11.0, "tpot"), seen(20.0, 19.0, 21.0, "tpot"), "not judged"),
    ],
)
def test_two_figures_agree_where_their_intervals_overlap(first: Graded, second: Graded, standing: str) -> None:
    assert [each.standing for each in compare(first, second)] == [standing]


def test_a_run_agrees_with_itself(shipped: Lab, evidence: Evidence) -> None:
    graded = grade(shipped, evidence)
    assert isinstance(graded, Graded)

    assert {each.standing for each in compare(graded, graded)} == {"agrees", "not judged"}


def test_an_arm_that_failed_runs_again(shipped: Lab, evidence: Evidence) -> None:
    arm = evidence.arms["ngram"]

    assert settled(shipped, "ngram", arm)
    assert not settled(shipped, "ngram", replace(arm, status="failed", reason="out of memory"))


def test_the_same_lab_inputs_and_vllm_may_go_on(shipped: Lab, evidence: Evidence) -> None:
    refuse_what_differs(shipped, evidence, here(evidence.arms["vanilla"].versions["vllm"]))


def test_what_is_not_as_it_was_is_named(shipped: Lab, evidence: Evidence) -> None:
    changed = replace(evidence, predictions={})
    other_lab = replace(shipped, grade=shipped.grade[:1])
    timed = replace(shipped, pairs=3)
    vllm = evidence.arms["vanilla"].versions["vllm"]

    for lab, found, environment, reason in (
        (shipped, changed, here(vllm), "changed after it was written"),
        (other_lab, evidence, here(vllm), "the lab's task has changed"),
        (timed, evidence, here(vllm), "timed in pairs"),
        (shipped, evidence, here("0.26.0"), "0.26.0 is here now"),
        (shipped, sealed(replace(evidence, prompts={})), here(vllm), "prompts"),
    ):
        with pytest.raises(SpecquizError, match="cannot be taken to its end") as refused:
            refuse_what_differs(lab, found, environment)
        assert reason in refused.value.what
        assert "specquiz lab run ngram-echo" in refused.value.remedy
