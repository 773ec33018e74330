"""Grades come from evidence alone: real runs pass and fail for their reasons, and impossible ones are refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from specquiz.labs.counting import Tally
from specquiz.labs.evidence import Evidence, RequestRun, WorkloadRun, sealed
from specquiz.labs.grading import Graded, NotGradable, grade
from specquiz.labs.model import Lab, fingerprint
from specquiz.labs.plausibility import too_perfect

replace = msgspec.structs.replace


def broken(lab: Lab, evidence: Evidence) -> list[tuple[str, str]]:
    found = grade(lab, sealed(evidence))
    assert isinstance(found, NotGradable), found
    return [(each.invariant, each.reason) for each in found.broken]


def with_arm(evidence: Evidence, name: str, **changes: object) -> Evidence:
    return replace(evidence, arms={**evidence.arms, name: replace(evidence.arms[name], **changes)})


def with_run(evidence: Evidence, arm: str, workload: str, **changes: object) -> Evidence:
    workloads = evidence.arms[arm].workloads
    return with_arm(evidence, arm, workloads={**workloads, workload: replace(workloads[workload], **changes)})


def with_counter(evidence: Evidence, name: str, change: Callable[[float], float]) -> Evidence:
    after = evidence.arms["ngram"].workloads["echo"].after
    found = after[f"vllm:{name}"]
    assert isinstance(found, int | float)
    return with_run(evidence, "ngram", "echo", after={**after, f"vllm:{name}": change(found)})


def with_requests(evidence: Evidence, change: Callable[[RequestRun], RequestRun]) -> Evidence:
    requests = evidence.arms["ngram"].workloads["echo"].requests
    return with_run(evidence, "ngram", "echo", requests=(change(requests[0]), *requests[1:]))


def on_a_server_without_detail(evidence: Evidence, arm: str) -> Evidence:
    """An arm as an attached server tells it that puts several passes into one chunk and knows no detail by request."""
    told = evidence.arms[arm]

    def bare(run: WorkloadRun) -> WorkloadRun:
        requests = tuple(replace(each, accepted=None, drafted=None, steps=()) for each in run.requests)
        return replace(run, requests=requests, processor_seconds=0.0, peak_memory=0)

    return with_arm(
        evidence,
        arm,
        config={**told.config, "server": {"attached": True, "unverified": ""}},
        versions={"vllm": told.versions["vllm"]},
        workloads={name: bare(run) for name, run in told.workloads.items()},
    )


def test_the_recorded_run_passes_every_rule_with_the_acceptance_first(lab: Lab, evidence: Evidence) -> None:
    found = grade(lab, evidence)

    assert isinstance(found, Graded)
    assert found.passed
    assert [rule.outcome for rule in found.rules] == ["passed"] * len(lab.grade)
    first = found.quantities[0]
    assert (first.arm, first.workload, first.quantity) == ("ngram", "echo", "draft_acceptance_rate")
    assert first.predicted == float(evidence.predictions["echo_rate"])


def test_far_predictions_fail_their_rules_and_no_other(lab: Lab, far_prediction: Evidence) -> None:
    found = grade(lab, far_prediction)

    assert isinstance(found, Graded)
    assert not found.passed
    failed = [rule for rule in found.rules if rule.outcome != "passed"]
    assert [rule.id for rule in failed] == ["prediction", "intervals"]
    assert failed[0].observed.startswith("predicted 0.550 against observed 0.968: apart by 0.418, allowed 0.1")
    assert "accepted / drafted" in failed[0].why


def test_a_different_token_fails_exactness_and_says_where(lab: Lab, evidence: Evidence) -> None:
    """The last token of a request whose last pass accepted nothing: no draft hangs on it."""
    requests = evidence.arms["ngram"].workloads["novel"].requests
    first, *others = requests
    slipped = replace(first, output=(*first.output[:-1], 7))

    found = grade(lab, sealed(with_run(evidence, "ngram", "novel", requests=(slipped, *others))))

    assert first.steps[-1] == 1

    assert isinstance(found, Graded)
    exact = next(rule for rule in found.rules if rule.id == "exact")
    assert exact.outcome == "failed"
    assert exact.observed.startswith("novel, request 1: the outputs part at token 100 (vanilla: ")


def test_a_rule_for_one_profile_does_not_judge_another(lab: Lab, evidence: Evidence) -> None:
    alike = {**lab.profiles, "rtx4090": lab.profiles["cpu"]}
    lab = replace(lab, profiles=alike)
    told = replace(evidence, profile="rtx4090", lab=replace(evidence.lab, fingerprint=fingerprint(lab)))

    found = grade(lab, sealed(told))

    assert isinstance(found, Graded)
    assert "exact" not in [rule.id for rule in found.rules]


def test_no_detail_means_no_data_and_not_passed(lab: Lab, evidence: Evidence) -> None:
    found = grade(lab, sealed(on_a_server_without_detail(evidence, "ngram")))

    assert isinstance(found, Graded)
    assert not found.passed
    first = found.rules[0]
    assert first.outcome == "no_data"
    assert "did not report on each request" in first.observed


def test_changed_evidence_is_refused(lab: Lab, evidence: Evidence) -> None:
    found = grade(lab, replace(evidence, predictions={**evidence.predictions, "echo_rate": "0.97"}))

    assert isinstance(found, NotGradable)
    assert [each.invariant for each in found.broken] == ["digest"]


def test_a_prediction_after_the_start_is_refused(lab: Lab, evidence: Evidence) -> None:
    late = replace(evidence, predicted_at=evidence.started_at + 1)
    assert [name for name, _ in broken(lab, late)] == ["prediction"]


def test_a_missing_prediction_is_refused(lab: Lab, evidence: Evidence) -> None:
    assert broken(lab, replace(evidence, predictions={}))[0][0] == "prediction"


def test_another_task_is_refused(lab: Lab, evidence: Evidence) -> None:
    assert "changed since this run" in broken(replace(lab, grade=lab.grade[:1]), evidence)[0][1]
    assert "not of other" in broken(replace(lab, id="other"), evidence)[0][1]


def test_a_failed_or_missing_arm_is_named_with_its_reason(lab: Lab, evidence: Evidence) -> None:
    failed = with_arm(evidence, "ngram", status="failed", reason="The engine hung.")
    assert broken(lab, failed) == [("arms", "the arm ngram failed: The engine hung.")]
    assert broken(lab, replace(evidence, arms={"vanilla": evidence.arms["vanilla"]}))[0][1] == (
        "the arm ngram was not run"
    )


@pytest.mark.parametrize(
    ("counter", "change", "invariant"),
    [
        ("spec_decode_num_draft_tokens", lambda n: n - 500, "I1"),
        ("spec_decode_num_draft_tokens", lambda n: n + 5000, "I1"),
        ("spec_decode_num_accepted_tokens", lambda n: n - 1, "I2"),
        ("spec_decode_num_drafts", lambda n: n + 5000, "I4"),
        ("generation_tokens", lambda n: n + 1000, "I4"),
        ("inter_token_latency_seconds#count", lambda n: n + 1000, "I4"),
        ("spec_decode_num_drafts", lambda _: 0, "counters"),
        ("generation_tokens", lambda n: n + 1, "detail"),
    ],
)
def test_counters_that_contradict_each_other_are_refused_by_name(
    lab: Lab, evidence: Evidence, counter: str, change: Callable[[float], float], invariant: str
) -> None:
    assert invariant in [name for name, _ in broken(lab, with_counter(evidence, counter, change))]


def test_requests_that_accepted_more_than_was_drafted_are_refused(lab: Lab, evidence: Evidence) -> None:
    found = broken(lab, with_requests(evidence, lambda each: replace(each, accepted=(9,) * len(each.accepted or ()))))
    assert ("detail", "ngram/echo: request 1 accepted more than it was offered") in found


def test_other_prompts_in_one_arm_are_refused(lab: Lab, evidence: Evidence) -> None:
    found = broken(lab, with_requests(evidence, lambda each: replace(each, prompt=each.prompt[1:])))
    assert found[0] == ("prompts", "ngram/echo had other prompts than the first arm")


@pytest.mark.parametrize(
    ("key", "value"),
    [("rejection_sample_method", "synthetic"), ("num_speculative_tokens", 5), ("method", "draft_model")],
)
def test_another_configuration_than_the_labs_is_refused(
    lab: Lab, evidence: Evidence, key: str, value: str | int
) -> None:
    config = evidence.arms["ngram"].config
    changed = with_arm(evidence, "ngram", config={**config, "speculative": {**config["speculative"], key: value}})
    assert "I8" in [name for name, _ in broken(lab, changed)]


def test_a_vanilla_arm_that_speculated_is_refused(lab: Lab, evidence: Evidence) -> None:
    speculative = evidence.arms["ngram"].config["speculative"]
    config = {**evidence.arms["vanilla"].config, "speculative": speculative}
    assert broken(lab, with_arm(evidence, "vanilla", config=config))[0] == (
        "I8",
        "vanilla is to decode plainly, but vLLM speculated (ngram)",
    )


def perfect(drafts: int) -> Tally:
    return Tally(
        requests=24,
        generated=2400,
        passes=drafts,
        drafts=drafts,
        drafted=4 * drafts,
        accepted=4 * drafts,
        per_position=(drafts,) * 4,
    )


def test_perfect_acceptance_of_many_drafts_raises_the_alarm_at_every_position() -> None:
    found = list(too_perfect("ngram/novel", perfect(drafts=400)))

    assert [each.invariant for each in found] == ["I7"] * 4
    assert "synthetic acceptance" in found[0].reason


def test_a_few_drafts_may_all_be_accepted_by_luck() -> None:
    assert list(too_perfect("ngram/novel", perfect(drafts=40))) == []


def test_grading_loads_no_vllm_no_sympy_and_no_screen(evidence_file: Path) -> None:
    script = (
        "import sys; from specquiz.cli import main; main(['lab', 'grade', sys.argv[1], '--json']); "
        "print([name for name in ('vllm', 'torch', 'sympy', 'textual') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(evidence_file)], capture_output=True, text=True)

    assert done.stderr.strip() == "[]"
