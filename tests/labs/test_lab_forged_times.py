"""Times that contradict vLLM's clock, the requests' or the run's, and figures that were taken out or never came."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from forging import (
    OfRequest,
    OfRun,
    reasons,
    recorded,
    replace,
    shipped_lab,
    with_arm,
    with_every_request,
    with_every_run,
    with_request,
    with_run,
)

from specquiz.labs.evidence import ArmRun, Evidence, RequestRun, WorkloadRun, sealed
from specquiz.labs.grading import Graded, grade
from specquiz.labs.latencies import of_the_latencies

TIMED = "lookup-window"
LAB = shipped_lab(TIMED)
HISTOGRAMS = (
    "time_to_first_token_seconds",
    "request_time_per_output_token_seconds",
    "inter_token_latency_seconds",
    "request_decode_time_seconds",
)


def on_a_slow_machine() -> WorkloadRun:
    """A recorded run as it would be where everything takes fifty times as long: seconds for each request."""

    def slowed(request: RequestRun) -> RequestRun:
        assert request.first is not None
        assert request.last is not None
        assert request.arrived is not None
        return replace(request, arrived=50 * request.arrived, first=50 * request.first, last=50 * request.last)

    run = recorded(TIMED).arms["w25"].workloads["echo"]
    return with_every_request(as_long_for_vllm(replace(run, seconds=50 * run.seconds), 50), slowed)


def as_long_for_vllm(run: WorkloadRun, factor: float) -> WorkloadRun:
    """vLLM's own histograms tell so many times the seconds of decoding."""
    names = [f"vllm:{name}#sum" for name in HISTOGRAMS]
    told = {name: run.before[name] + factor * (run.after[name] - run.before[name]) for name in names}  # type: ignore[operator]
    return replace(run, after={**run.after, **told})


@pytest.mark.parametrize("factor", [0.1, 0.4, 2.5, 10.0])
def test_vllms_clock_agrees_with_the_times_of_the_tokens(factor: float) -> None:
    found = of_the_latencies("w25/echo", as_long_for_vllm(on_a_slow_machine(), factor), attached=False)

    assert any("for the further tokens" in each.reason for each in found)


def test_vllms_time_to_first_token_is_that_of_the_requests() -> None:
    run, name = on_a_slow_machine(), "vllm:time_to_first_token_seconds#sum"
    late = replace(run, after={**run.after, name: run.after[name] + 24 * 60})  # type: ignore[operator]

    (found,) = of_the_latencies("w25/echo", late, attached=False)

    assert "for the first tokens" in found.reason


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.4])
def test_a_machine_that_stood_still_between_the_clocks_is_no_forger(factor: float) -> None:
    assert list(of_the_latencies("w25/echo", as_long_for_vllm(on_a_slow_machine(), factor), attached=False)) == []


def test_a_network_may_hold_tokens_back_and_hand_them_over_at_once() -> None:
    late = with_every_request(on_a_slow_machine(), lambda each: replace(each, first=each.last))

    assert list(of_the_latencies("w25/echo", late, attached=True)) == []
    assert list(of_the_latencies("w25/echo", late, attached=False)) != []


def test_each_request_is_observed_once() -> None:
    def twice(run: WorkloadRun) -> WorkloadRun:
        name = "vllm:time_to_first_token_seconds#count"
        return replace(run, after={**run.after, name: run.after[name] + 24})  # type: ignore[operator]

    found = reasons(LAB, with_run(recorded(TIMED), "w25", "echo", twice))

    assert found == [("times", "w25/echo: 48 requests have a time_to_first_token_seconds, of 24")]


REQUESTS: list[OfRequest] = [
    lambda each: replace(each, arrived=-0.1),
    lambda each: replace(each, arrived=each.last),
    lambda each: replace(each, first=0.0),
    lambda each: replace(each, last=0.0),
    lambda each: replace(each, last=(each.last or 0) + 0.9),
]


@pytest.mark.parametrize("change", REQUESTS)
def test_tokens_come_while_their_workload_runs(change: OfRequest) -> None:
    forged = with_run(recorded(TIMED), "w25", "echo", lambda run: with_request(run, change))

    assert ("times", "w25/echo: request 1 has tokens at times outside the workload") in reasons(LAB, forged)


def test_a_workload_ends_with_its_last_token() -> None:
    def long(run: WorkloadRun) -> WorkloadRun:
        return replace(run, seconds=run.seconds + 20)

    def longer(arm: ArmRun) -> ArmRun:
        return replace(arm, stages={**arm.stages, "echo": arm.stages["echo"] + 20})

    evidence = with_arm(with_run(recorded(TIMED), "w55", "echo", long), "w55", longer)

    found = reasons(LAB, replace(evidence, finished_at=evidence.finished_at + 20))

    assert len(found) == 1
    assert found[0][1].startswith("w55/echo went on for 20.")


ARMS: list[tuple[Callable[[ArmRun], ArmRun], str]] = [
    (lambda arm: replace(arm, stages={**arm.stages, "start": arm.stages["start"] + 2}), "take longer than there was"),
    (lambda arm: replace(arm, stages={**arm.stages, "start": -1.0}), "the stage start cannot take -1 s"),
    (lambda arm: replace(arm, stages={**arm.stages, "echo": 0.1}), "took longer than the stage that it ran in"),
    (lambda arm: replace(arm, stages={}), "took longer than the stage that it ran in"),
]


@pytest.mark.parametrize(("change", "words"), ARMS)
@pytest.mark.parametrize("name", ["w13", "w55"])
def test_stages_hold_their_workloads_and_end_before_the_next_arm(
    name: str, change: Callable[[ArmRun], ArmRun], words: str
) -> None:
    found = reasons(LAB, with_arm(recorded(TIMED), name, change))

    assert [words in reason for invariant, reason in found if invariant == "times"] == [True]


def test_no_arm_begins_before_the_run() -> None:
    evidence = recorded(TIMED)
    early = with_arm(evidence, "w13", lambda arm: replace(arm, started=evidence.started_at - 2))

    assert ("times", "w13 began before the run") in reasons(LAB, replace(early, predicted_at=evidence.started_at - 3))


def test_arms_that_take_turns_have_the_stages_of_all_turns_in_one() -> None:
    lab, evidence = shipped_lab("calibrate-harness"), recorded("calibrate-harness")
    arm = evidence.arms["vanilla"]

    assert arm.started + sum(arm.stages.values()) > evidence.arms["self"].started
    assert isinstance(grade(lab, evidence), Graded)


def test_an_arm_is_started_as_often_as_the_lab_has_it() -> None:
    more = replace(recorded(TIMED), order=(*recorded(TIMED).order, "w55"))
    assert ("order", "the arms were started more or less often than the lab has it") in reasons(LAB, more)


def test_a_workload_is_run_once_where_arms_take_no_turns() -> None:
    def again(arm: ArmRun) -> ArmRun:
        run = arm.workloads["echo"]
        later = replace(run, started=run.started + run.seconds)
        return replace(arm, repeats={"echo": (later,)}, stages={**arm.stages, "echo": 2 * arm.stages["echo"]})

    found = reasons(LAB, with_arm(recorded(TIMED), "w25", again))

    assert ("pairs", "w25/echo was run 2 times; the lab asks for 1") in found


def without_counter(name: str, *, before: bool) -> OfRun:
    def change(run: WorkloadRun) -> WorkloadRun:
        kept = {told: value for told, value in run.after.items() if told != f"vllm:{name}"}
        first = {told: value for told, value in run.before.items() if told != f"vllm:{name}"}
        return replace(run, after=kept, before=first if before else run.before)

    return change


def test_a_counter_does_not_vanish() -> None:
    hidden = with_run(recorded(TIMED), "w25", "echo", without_counter("num_preemptions", before=False))
    assert ("counters", "w25: the counter num_preemptions was reported and then no more") in reasons(LAB, hidden)


def test_counters_go_on_from_one_workload_to_the_next() -> None:
    lab, evidence = shipped_lab("draft-vs-ngram"), recorded("draft-vs-ngram")

    def from_zero(run: WorkloadRun) -> WorkloadRun:
        name = "vllm:generation_tokens"
        tokens = run.after[name] - run.before[name]  # type: ignore[operator]
        return replace(run, before={**run.before, name: 0.0}, after={**run.after, name: tokens})

    found = reasons(lab, with_run(evidence, "ngram", "echo", from_zero))

    assert [name for name, _ in found] == ["counters"]
    assert found[0][1].startswith("ngram: the counter generation_tokens fell from")


def configured(section: str, key: str, value: object) -> Callable[[ArmRun], ArmRun]:
    def change(arm: ArmRun) -> ArmRun:
        told = {name: known for name, known in arm.config[section].items() if name != key}
        return replace(arm, config={**arm.config, section: told if value is None else {**told, key: value}})

    return change


@pytest.mark.parametrize(
    ("section", "key", "value", "reason"),
    [
        ("model", "model", "tiny/draft", "w25 ran with model = tiny/draft; the lab asks for tiny/target"),
        ("model", "dtype", "torch.bfloat16", "w25 ran with dtype = torch.bfloat16; the lab asks for torch.float32"),
        ("model", "max_model_len", 64, "w25 ran with max_model_len = 64; the lab asks for 1024"),
        ("model", "max_model_len", "much", "w25 ran with max_model_len = much; the lab asks for 1024"),
        ("scheduler", "max_num_seqs", 256, "w25 ran with max_num_seqs = 256; the lab asks for 32"),
        ("scheduler", "max_num_seqs", None, "w25 does not tell max_num_seqs"),
        ("cache", "enable_prefix_caching", True, "w25 ran with enable_prefix_caching = True; the lab asks for False"),
        ("speculative", "rejection_sample_method", None, "w25 does not tell how drafted tokens were accepted"),
    ],
)
def test_an_engine_ran_with_what_the_lab_asks_for(section: str, key: str, value: object, reason: str) -> None:
    assert ("config", reason) in reasons(LAB, with_arm(recorded(TIMED), "w25", configured(section, key, value)))


DETAIL: list[tuple[OfRequest, str]] = [
    (lambda each: replace(each, steps=()), "w25 does not tell the passes of every request"),
    (lambda each: replace(each, first=None, last=None), "w25 does not tell when every request arrived"),
    (lambda each: replace(each, arrived=None), "w25 does not tell when every request arrived"),
    (
        lambda each: replace(each, accepted=None, drafted=None),
        "w25 tells the drafts of some requests and not of others",
    ),
]


@pytest.mark.parametrize(("change", "reason"), DETAIL)
def test_an_engine_tells_all_requests_alike(change: OfRequest, reason: str) -> None:
    forged = with_run(recorded(TIMED), "w25", "echo", lambda run: with_request(run, change))
    assert any(name == "detail" and told.startswith(reason) for name, told in reasons(LAB, forged))


def test_an_engine_whose_vllm_knows_no_drafts_by_request_may_tell_none() -> None:
    def older(run: WorkloadRun) -> WorkloadRun:
        return with_every_request(run, lambda each: replace(each, accepted=None, drafted=None))

    assert isinstance(grade(LAB, sealed(with_every_run(recorded(TIMED), older))), Graded)


def test_a_server_does_not_tell_how_long_its_processor_was_busy() -> None:
    lab, evidence = shipped_lab("calibrate-harness"), recorded("calibrate-harness")

    def served(arm: ArmRun) -> ArmRun:
        config = {**arm.config, "server": {"attached": True, "unverified": ""}}
        return replace(arm, config=config, versions={"vllm": arm.versions["vllm"]})

    found: Evidence = with_arm(evidence, "self", served)

    assert any("claims a server that ran already" in reason for _, reason in reasons(lab, found))
