"""Evidence that was changed and sealed again with a fitting digest: what contradicts itself is refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from forging import reasons, recorded, replace, shipped_lab, with_more, with_request, with_run

from specquiz.labs.evidence import Evidence, Judged, RequestRun, WorkloadRun, sealed
from specquiz.labs.grading import Graded, grade
from specquiz.labs.model import Lab
from specquiz.labs.plan import other_inputs

POSITIONS = "vllm:spec_decode_num_accepted_tokens_per_pos"


def moved_up(run: WorkloadRun) -> WorkloadRun:
    """The accepted tokens counted at other positions than the requests tell."""
    first, *middle, last = run.after[POSITIONS]  # type: ignore[misc]
    return replace(run, after={**run.after, POSITIONS: (first + 1, *middle, last - 1)})


def longest_first(request: RequestRun) -> RequestRun:
    first, *others = request.steps
    return replace(request, steps=(first, *sorted(others, reverse=True)))


def with_a_long_step(request: RequestRun) -> RequestRun:
    first, *others = request.steps
    return replace(request, steps=(first, *[1] * (len(others) - 1), sum(others) - len(others) + 1))


def with_a_long_draft(run: WorkloadRun) -> WorkloadRun:
    """One token of a draft that was not accepted whole is told as one of another draft."""
    requests = list(run.requests)
    index, short = next(
        (index, place)
        for index, each in enumerate(requests)
        for place, (got, offered) in enumerate(zip(each.accepted or (), each.drafted or (), strict=True))
        if got < offered and len(each.drafted or ()) > 1
    )
    drafted = list(requests[index].drafted or ())
    long = max((place for place in range(len(drafted)) if place != short), key=drafted.__getitem__)
    drafted[short], drafted[long] = drafted[short] - 1, drafted[long] + 1
    requests[index] = replace(requests[index], drafted=tuple(drafted))
    return replace(run, requests=tuple(requests))


LENGTH = 'vllm:request_success{finished_reason="length"}'
STOP = 'vllm:request_success{finished_reason="stop"}'
TPOT = "vllm:request_time_per_output_token_seconds#sum"
ITL = "vllm:inter_token_latency_seconds#sum"


def with_token(run: WorkloadRun, token: int) -> WorkloadRun:
    """The last token of a request whose last pass accepted nothing, so that no draft hangs on it."""
    index = next(index for index, each in enumerate(run.requests) if each.steps[-1] == 1)
    changed = replace(run.requests[index], output=(*run.requests[index].output[:-1], token))
    return replace(run, requests=(*run.requests[:index], changed, *run.requests[index + 1 :]))


def ended_early(run: WorkloadRun) -> WorkloadRun:
    """A request that ended by an end token, counted as one."""
    ended = with_request(run, lambda each: replace(each, finish="stop"))
    return with_more(with_more(ended, STOP, 1), LENGTH, -1)


def in_no_time(run: WorkloadRun) -> WorkloadRun:
    """Nothing was observed to take time, wherever it was counted."""
    stopped = {name: run.before[name] for name in run.after if name.endswith("_seconds#sum")}
    return replace(run, after={**run.after, **stopped})


def copied_from_nowhere(run: WorkloadRun) -> WorkloadRun:
    """All passes that had no draft, and those after them, taken for one that accepted four tokens."""
    first, *others = run.requests
    steps = (1, *[5] * 19, 4)
    changed = replace(first, steps=steps, accepted=(4,) * 20, drafted=(4,) * 20)
    return replace(run, requests=(changed, *others))


FORGERIES: list[tuple[Callable[[WorkloadRun], WorkloadRun], str, str]] = [
    (moved_up, "detail", "drafts accepted up to each position"),
    (lambda run: with_more(run, 'vllm:request_success{finished_reason="length"}', 100), "detail", "finished requests"),
    (lambda run: with_more(run, "vllm:prompt_tokens", 100), "detail", "prompt tokens"),
    (lambda run: with_more(run, "vllm:generation_tokens", 0.5), "counters", "no whole number"),
    (lambda run: with_request(run, longest_first), "detail", "the steps of request 1"),
    (lambda run: with_request(run, with_a_long_step), "detail", "the steps of request 1"),
    (with_a_long_draft, "detail", "more than K = 4"),
    (lambda run: with_request(run, lambda each: replace(each, margins=(0.5,))), "detail", "margins"),
    (lambda run: replace(run, seconds=0.0), "times", "cannot take 0 s"),
    (lambda run: replace(run, seconds=-1.0), "times", "cannot take -1 s"),
    (lambda run: replace(run, seconds=1e9), "times", "after the run's end"),
    (lambda run: with_request(run, lambda each: replace(each, first=0.2, last=0.1)), "times", "outside the workload"),
    (lambda run: with_request(run, lambda each: replace(each, first=0.1, last=1e6)), "times", "outside the workload"),
    (lambda run: with_request(run, lambda each: replace(each, first=0.1, last=None)), "detail", "does not tell when"),
    (lambda run: with_request(run, lambda each: replace(each, finish="abort")), "detail", "request 1 ended by abort"),
    (lambda run: with_request(run, lambda each: replace(each, finish="")), "detail", "request 1 ended by nothing"),
    (ended_early, "detail", "request 1 ended by stop after 100 tokens"),
    (lambda run: with_more(run, STOP, 1), "detail", "1 requests that ended by stop, the requests 0"),
    (in_no_time, "times", "add up to 0 s"),
    (lambda run: replace(run, processor_seconds=1e6), "times", "of processor time"),
    (lambda run: replace(run, processor_seconds=-1.0), "times", "of processor time"),
    (lambda run: with_more(run, LENGTH, -30), "counters", 'finished_reason="length"} fell'),
    (lambda run: with_more(run, "vllm:num_preemptions", -1), "counters", "num_preemptions fell from 0 to -1"),
    (copied_from_nowhere, "lookup", "stood nowhere in its context"),
]


@pytest.mark.parametrize(("forge", "invariant", "words"), FORGERIES)
def test_figures_that_contradict_each_other_are_refused(
    lab: Lab, evidence: Evidence, forge: Callable[[WorkloadRun], WorkloadRun], invariant: str, words: str
) -> None:
    found = reasons(lab, with_run(evidence, "ngram", "echo", forge))

    assert any(name == invariant and words in reason for name, reason in found), found


def test_no_workload_begins_before_its_arm(lab: Lab, evidence: Evidence) -> None:
    begun = evidence.arms["ngram"].started - 2
    early = with_run(evidence, "ngram", "echo", lambda run: replace(run, started=begun))

    assert ("times", "ngram/echo began before its arm") in reasons(lab, early)


def test_workloads_run_one_at_a_time(lab: Lab, evidence: Evidence) -> None:
    plain = evidence.arms["vanilla"].workloads["echo"]
    long = with_run(evidence, "vanilla", "echo", lambda run: replace(run, seconds=run.seconds + 3))

    found = reasons(lab, replace(long, finished_at=plain.started + 3600))

    assert any("one runs at a time" in reason for _, reason in found)


@pytest.mark.parametrize("order", [(), ("ngram", "vanilla"), ("vanilla",), ("vanilla", "ngram", "third")])
def test_the_order_is_that_of_the_arms_as_they_began(lab: Lab, evidence: Evidence, order: tuple[str, ...]) -> None:
    assert reasons(lab, replace(evidence, order=order))[0][0] == "order"


def test_an_arm_that_was_run_again_later_may_stand_before_others(lab: Lab, evidence: Evidence) -> None:
    resumed = replace(evidence, order=("ngram", "vanilla"), resumed_at=(evidence.started_at + 1,))

    assert isinstance(grade(lab, sealed(resumed)), Graded)


def test_an_arm_or_a_workload_that_the_lab_does_not_have_is_named(lab: Lab, evidence: Evidence) -> None:
    more = replace(evidence, arms={**evidence.arms, "third": evidence.arms["ngram"]})
    arm = evidence.arms["ngram"]
    longer = replace(arm, workloads={**arm.workloads, "more": arm.workloads["echo"]})

    assert ("arms", "the lab has no arm third") in reasons(lab, more)
    assert reasons(lab, replace(evidence, arms={**evidence.arms, "ngram": longer})) == [
        ("arms", "the arm ngram has no workload more in this lab")
    ]


def test_another_model_than_the_labs_is_no_input_of_the_lab(lab: Lab, evidence: Evidence) -> None:
    assert other_inputs(lab, evidence) == ()
    assert other_inputs(lab, replace(evidence, model="other")) == (
        "the model is other; the lab asks for tiny/target on cpu",
    )


THEORIES: list[Callable[[Judged], Judged]] = [
    lambda told: replace(told, at=tuple(at + 10**6 for at in told.at)),
    lambda told: replace(told, at=tuple(at + 1 for at in told.at)),
    lambda told: replace(told, depth=(0,) * len(told.depth)),
    lambda told: replace(told, accepted=tuple(sorted(told.accepted))),
    lambda told: replace(told, predicted=(2.0, *told.predicted[1:])),
]


@pytest.mark.parametrize("forge", THEORIES)
def test_theory_is_of_the_drafts_that_were_judged(forge: Callable[[Judged], Judged]) -> None:
    lab, evidence = shipped_lab("sampling-acceptance"), recorded("sampling-acceptance")
    arm, workload = next(
        (name, workload)
        for name, arm in evidence.arms.items()
        for workload, run in arm.workloads.items()
        if run.theory is not None
    )

    def forged(run: WorkloadRun) -> WorkloadRun:
        assert run.theory is not None
        first, *others = run.theory.requests
        return replace(run, theory=replace(run.theory, requests=(forge(first), *others)))

    found = reasons(lab, with_run(evidence, arm, workload, forged))

    assert found == [("theory", f"{arm}/{workload}: theory does not fit the drafted tokens of request 1")]
