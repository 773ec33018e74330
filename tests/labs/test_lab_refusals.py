"""Evidence that no honest run gives is refused, and told by the name of what it breaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from forging import OfRequest, reasons, recorded, replace, shipped_lab, with_arm, with_request, with_run

from specquiz.labs.evidence import ArmRun, Counters, Evidence, RequestRun, WorkloadRun, sealed
from specquiz.labs.grading import NotGradable, grade
from specquiz.labs.model import fingerprint

Change = Callable[[Evidence], Evidence]


def refused(lab: str, evidence: Evidence) -> dict[str, str]:
    """What a grader says of changed evidence that was sealed again."""
    told: dict[str, str] = {}
    for name, reason in reasons(shipped_lab(lab), evidence):
        told[name] = f"{told[name]}; {reason}" if name in told else reason
    return told


def with_counters(evidence: Evidence, arm: str, workload: str, **after: object) -> Evidence:
    """`after` holds counters without `vllm:`; `__` stands for `#`."""

    def changed(run: WorkloadRun) -> WorkloadRun:
        named: Counters = {f"vllm:{name.replace('__', '#')}": value for name, value in after.items()}  # type: ignore[misc]
        return replace(run, after=run.after | named)

    return with_run(evidence, arm, workload, changed)


def after(evidence: Evidence, arm: str, workload: str, name: str) -> float:
    found = evidence.arms[arm].workloads[workload].after[f"vllm:{name}"]
    assert isinstance(found, int | float)
    return found


def with_output(evidence: Evidence, arm: str, workload: str, change: OfRequest) -> Evidence:
    return with_run(evidence, arm, workload, lambda run: with_request(run, change))


def looping(run: WorkloadRun) -> WorkloadRun:
    return replace(
        run, requests=tuple(replace(each, output=(7, 8, 9, 5) * (len(each.output) // 4)) for each in run.requests)
    )


def slipped(request: RequestRun) -> RequestRun:
    return replace(request, output=(*request.output[:41], 7, *request.output[42:]))


def configured(key: str, value: str) -> Change:
    def change(evidence: Evidence) -> Evidence:
        def changed(arm: ArmRun) -> ArmRun:
            section = {**arm.config["speculative"], key: value}
            return replace(arm, config={**arm.config, "speculative": section})

        return with_arm(evidence, "w25", changed)

    return change


# The window lab is the one to break: four arms of lookup, and no rule of its own about equal outputs.
LOOKUP = "lookup-window"
BREAKS: dict[str, tuple[str, Change, str]] = {
    "I1": (
        LOOKUP,
        lambda e: with_counters(e, "w25", "echo", spec_decode_num_draft_tokens=10_000_000),
        "out of order",
    ),
    "I2": (
        LOOKUP,
        lambda e: with_counters(e, "w25", "echo", spec_decode_num_accepted_tokens_per_pos=(500.0, 490.0, 495.0, 480.0)),
        "accepted by position",
    ),
    "I3": (
        LOOKUP,
        lambda e: with_counters(e, "w25", "echo", spec_decode_num_drafts=100),
        "mean acceptance length",
    ),
    "I4": (
        LOOKUP,
        lambda e: with_counters(
            e, "w25", "echo", generation_tokens=after(e, "w25", "echo", "generation_tokens") + 10_000
        ),
        "cannot give",
    ),
    "I5": (
        LOOKUP,
        lambda e: with_counters(
            e,
            "w25",
            "echo",
            inter_token_latency_seconds__sum=3 * after(e, "w25", "echo", "inter_token_latency_seconds#sum"),
        ),
        "ITL over TPOT",
    ),
    "I6": (
        LOOKUP,
        lambda e: with_counters(
            e,
            "w25",
            "echo",
            request_time_per_output_token_seconds__sum=3
            * after(e, "w25", "echo", "request_time_per_output_token_seconds#sum"),
        ),
        "tokens per second",
    ),
    "I8": (LOOKUP, configured("rejection_sample_method", "synthetic"), "only standard acceptance"),
    "I9": (LOOKUP, lambda e: with_run(e, "w25", "echo", looping), "repeat themselves"),
    "I10": (LOOKUP, lambda e: with_output(e, "w25", "echo", slipped), "parts from w13 at token 42"),
    "I11": (LOOKUP, lambda e: with_counters(e, "w25", "echo", num_preemptions=3), "3 pre-emptions"),
    "arms": (
        LOOKUP,
        lambda e: replace(e, arms={name: arm for name, arm in e.arms.items() if name != "w55"}),
        "the arm w55 was not run",
    ),
    "lab": (LOOKUP, lambda e: replace(e, lab=replace(e.lab, fingerprint="0" * 64)), "task has changed"),
    "prompts": (
        LOOKUP,
        lambda e: with_output(e, "w25", "echo", lambda each: replace(each, prompt=each.prompt[1:])),
        "other prompts",
    ),
    "detail": (
        LOOKUP,
        lambda e: with_output(e, "w25", "echo", lambda each: replace(each, steps=(*each.steps[:-1], 99))),
        "its steps do not give",
    ),
    "prediction": (LOOKUP, lambda e: replace(e, predicted_at=e.finished_at), "must be committed before"),
    "times": (LOOKUP, lambda e: replace(e, finished_at=e.started_at + 1), "after the run's end"),
    "counters": (
        LOOKUP,
        lambda e: with_counters(e, "w25", "echo", generation_tokens=0),
        "the engine restarted",
    ),
    "pairs": (
        "calibrate-harness",
        lambda e: with_arm(e, "self", lambda arm: replace(arm, repeats={})),
        "the lab asks for 4",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_what_breaks_an_invariant_is_refused_by_its_name(name: str) -> None:
    lab, change, says = BREAKS[name]

    found = refused(lab, change(recorded(lab)))

    assert name in found, found
    assert says in found[name]


def test_evidence_changed_after_it_was_sealed_is_refused() -> None:
    evidence = recorded(LOOKUP)
    found = grade(shipped_lab(LOOKUP), replace(evidence, predictions={**evidence.predictions, "moves": "-"}))

    assert isinstance(found, NotGradable)
    assert [each.invariant for each in found.broken] == ["digest"]


def test_a_prediction_made_after_the_next_arm_began_is_refused() -> None:
    evidence = recorded("k-sweep")
    late = replace(evidence, predicted_after={"k4": evidence.arms["k1"].started + 1})

    assert "later than the next arm's start" in refused("k-sweep", late)["prediction"]


def test_an_arm_that_fails_otherwise_than_the_lab_wants_is_no_evidence() -> None:
    def other_cause(arm: ArmRun) -> ArmRun:
        return replace(arm, reason="vLLM stopped: CUDA out of memory.", log_tail="")

    assert (
        "the arm wrong failed"
        in refused("wrong-draft", with_arm(recorded("wrong-draft"), "wrong", other_cause))["arms"]
    )


def test_a_lossy_acceptance_of_the_learners_own_is_refused_in_a_challenge() -> None:
    evidence = recorded("tune-to-target")
    lossy = {**evidence.written["yours"], "rejection_sample_method": "synthetic"}

    def resolved(arm: ArmRun) -> ArmRun:
        section = {**arm.config["speculative"], "rejection_sample_method": "synthetic"}
        return replace(arm, config={**arm.config, "speculative": section})

    found = refused("tune-to-target", with_arm(replace(evidence, written={"yours": lossy}), "yours", resolved))
    assert "only standard acceptance" in found["I8"]


def test_a_configuration_of_ones_own_counts_only_where_the_lab_asks_for_one() -> None:
    evidence = replace(recorded(LOOKUP), written={"w25": {"method": "ngram", "num_speculative_tokens": 8}})

    assert "an arm that the lab fixes" in refused(LOOKUP, evidence)["lab"]


def test_perfect_acceptance_is_let_pass_only_where_the_lab_waives_it() -> None:
    lab = shipped_lab("calibrate-harness")
    evidence = recorded("calibrate-harness")

    strict = replace(lab, waive=())
    again = sealed(replace(evidence, lab=replace(evidence.lab, fingerprint=fingerprint(strict))))
    found = grade(strict, again)

    assert isinstance(found, NotGradable)
    assert {each.invariant for each in found.broken} == {"I7"}
