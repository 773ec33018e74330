"""What is told between two arms: everything but what is asked, with the counters that it follows from."""

from __future__ import annotations

import msgspec
import pytest
from forging import with_run

from specquiz.labs.evidence import Evidence, WorkloadRun
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.metrics import estimate
from specquiz.labs.model import Lab
from specquiz.labs.recorded import recorded_run
from specquiz.labs.tailoring import tailored
from specquiz.labs.telling_asked import asking_lines

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def lab() -> Lab:
    return tailored(find_lab(load_labs(), "fit-and-predict"), "cpu")


@pytest.fixture(scope="module")
def after_k3(lab: Lab) -> Evidence:
    """A real run as it stood when K = 3 had finished."""
    whole = recorded_run(lab, "cpu")
    return replace(whole, arms={"k3": whole.arms["k3"]}, predictions={}, predicted_after={})


def test_a_quantity_that_is_asked_for_is_not_told_and_neither_is_what_gives_it_away(
    lab: Lab, after_k3: Evidence
) -> None:
    told = "\n".join(asking_lines(lab, "k3", after_k3))

    assert "draft acceptance rate" in told
    assert "α per position" not in told
    assert "acceptance length by α" not in told


def test_the_counters_told_give_the_quantity_and_its_interval(lab: Lab, after_k3: Evidence) -> None:
    told = " ".join(asking_lines(lab, "k3", after_k3))
    alpha = estimate(after_k3.arms["k3"], "novel", "alpha")
    interval = alpha.interval()
    assert alpha.value is not None
    assert interval is not None

    numbers = told.split("counted for alpha3: ")[1]
    drafts, accepted = int(numbers.split(" drafts")[0]), int(numbers.split("tokens,")[1].split(" accepted")[0])
    to_the_end = int(numbers.split("(")[1].split(" by position")[0].split(", ")[-1])
    effect = float(numbers.split("design effect of the requests ")[1].split(":")[0])
    judged = accepted + drafts - to_the_end

    assert accepted / judged == pytest.approx(alpha.value)
    half = 1.96 * (effect * alpha.value * (1 - alpha.value) / judged) ** 0.5
    assert alpha.value - half == pytest.approx(interval[0], abs=0.003)
    assert alpha.value + half == pytest.approx(interval[1], abs=0.003)


def test_an_arm_that_is_asked_about_later_hides_nothing_now(after_k3: Evidence, lab: Lab) -> None:
    later = replace(lab, predict=tuple(each for each in lab.predict if each.id != "alpha3"))

    assert "α per position" in "\n".join(asking_lines(later, "k3", after_k3))


def test_a_counter_that_is_missing_is_told_and_ends_nothing(lab: Lab, after_k3: Evidence) -> None:
    def bare(run: WorkloadRun) -> WorkloadRun:
        return replace(run, after={name: each for name, each in run.after.items() if "generation_tokens" not in name})

    told = list(asking_lines(lab, "k3", with_run(after_k3, "k3", "novel", bare)))

    assert "  counted for alpha3: no data, vLLM reported no number for the counter generation_tokens" in told
    assert told[-1] == "Your next predictions, stored before the next arm starts:"
