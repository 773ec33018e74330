"""What evidence has to tell: a figure that was taken out must not count for one that is in order."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from specquiz.labs.evidence import ArmRun, Evidence, sealed
from specquiz.labs.grading import Graded, NotGradable, grade
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab
from specquiz.labs.recorded import proved, recorded_run

replace = msgspec.structs.replace


@pytest.fixture
def sampled() -> Lab:
    """A lab that samples with a draft, so that the CPU's sampler matters."""
    return find_lab(load_labs(), "sampling-acceptance")


def with_arms(evidence: Evidence, change: Callable[[ArmRun], ArmRun]) -> Evidence:
    return sealed(replace(evidence, arms={name: change(arm) for name, arm in evidence.arms.items()}))


def without(*path: str) -> Callable[[ArmRun], ArmRun]:
    """Takes a part, or a key of it, out of an arm's configuration."""

    def change(arm: ArmRun) -> ArmRun:
        section, *key = path
        kept = {name: part for name, part in arm.config.items() if name != section or key}
        if key:
            kept[section] = {name: value for name, value in kept[section].items() if name != key[0]}
        return replace(arm, config=kept)

    return change


def reasons(lab: Lab, evidence: Evidence) -> str:
    found = grade(lab, evidence)
    assert isinstance(found, NotGradable)
    return "; ".join(each.reason for each in found.broken)


def test_every_recorded_run_tells_all_there_is_to_tell() -> None:
    runs = [(lab, profile) for lab in load_labs() for profile in lab.profiles if proved(lab, profile)]

    assert len(runs) >= 10
    assert [lab.id for lab, profile in runs if not isinstance(grade(lab, recorded_run(lab, profile)), Graded)] == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without("model"), "does not tell the model part"),
        (without("model", "dtype"), "does not tell the model's dtype"),
        (without("scheduler"), "does not tell the scheduler part"),
        (without("cpu_sampler"), "does not tell whether the CPU's sampler was tested"),
        (lambda arm: replace(arm, versions={}), "does not tell the version of vLLM"),
        (
            lambda arm: replace(arm, config={**arm.config, "server": {"attached": True, "unverified": "method"}}),
            "claims a server that ran already",
        ),
    ],
)
def test_what_was_taken_out_is_named(sampled: Lab, change: Callable[[ArmRun], ArmRun], reason: str) -> None:
    assert reason in reasons(sampled, with_arms(recorded_run(sampled), change))


def test_a_machine_without_its_cores_could_have_been_busy_for_any_time(sampled: Lab) -> None:
    bare = sealed(replace(recorded_run(sampled), machine={}))

    assert "does not tell the machine's cores" in reasons(sampled, bare)


def test_a_server_that_sampled_tells_of_its_sampler_too(sampled: Lab) -> None:
    def attached(arm: ArmRun) -> ArmRun:
        config = {name: part for name, part in arm.config.items() if name != "cpu_sampler"}
        server = {"attached": True, "loopback": True, "unverified": ""}
        return replace(arm, config={**config, "server": server}, versions={"vllm": arm.versions["vllm"]})

    assert "does not tell whether the CPU's sampler was tested" in reasons(
        sampled, with_arms(recorded_run(sampled), attached)
    )


def test_arms_of_different_versions_are_no_comparison(sampled: Lab) -> None:
    evidence = recorded_run(sampled)
    name, arm = next(iter(evidence.arms.items()))
    other = replace(arm, versions={**arm.versions, "vllm": "0.27.1"})

    assert "different versions of vLLM" in reasons(
        sampled, sealed(replace(evidence, arms={**evidence.arms, name: other}))
    )


def test_a_run_is_taken_up_again_within_its_time(sampled: Lab) -> None:
    evidence = recorded_run(sampled)
    later = sealed(replace(evidence, resumed_at=(evidence.finished_at + 60,)))

    assert "taken up again at a time" in reasons(sampled, later)
