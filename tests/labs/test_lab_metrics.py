"""Quantities from raw figures, on a real run; and what raw figures cannot tell is never a number."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from specquiz.labs.counting import NoCounter, tally
from specquiz.labs.estimates import Estimate
from specquiz.labs.evidence import ArmRun, Counters, Evidence, RequestRun
from specquiz.labs.metrics import estimate
from specquiz.theory.closed_forms import tokens_per_pass

replace = msgspec.structs.replace
DRAFTS = "vllm:spec_decode_num_drafts"


@pytest.fixture
def arm(evidence: Evidence) -> ArmRun:
    return evidence.arms["ngram"]


def with_counters(arm: ArmRun, *, before: Counters | None = None, after: Counters | None = None) -> ArmRun:
    """`arm` with counters of its echo workload changed; None takes one out."""

    def changed(counters: Counters, by: Counters | None) -> Counters:
        mixed = counters | (by or {})
        return {name: value for name, value in mixed.items() if value != ()}

    run = arm.workloads["echo"]
    run = replace(run, before=changed(run.before, before), after=changed(run.after, after))
    return replace(arm, workloads={**arm.workloads, "echo": run})


def with_requests(arm: ArmRun, requests: tuple[RequestRun, ...]) -> ArmRun:
    run = replace(arm.workloads["echo"], requests=requests)
    return replace(arm, workloads={**arm.workloads, "echo": run})


def value(found: Estimate) -> float:
    assert found.value is not None, found.note
    return found.value


def test_the_quantities_are_the_quotients_of_their_counters(arm: ArmRun) -> None:
    counted = tally(arm.workloads["echo"], k=4)

    assert value(estimate(arm, "echo", "draft_acceptance_rate")) == counted.accepted / counted.drafted
    assert value(estimate(arm, "echo", "mean_acceptance_length")) == 1 + counted.accepted / counted.drafts
    assert value(estimate(arm, "echo", "draft_coverage")) == counted.drafts / counted.passes
    assert value(estimate(arm, "echo", "tokens_per_pass")) == (2400 - 24) / counted.passes


def test_alpha_counts_judged_tokens_and_gives_the_model_length(arm: ArmRun) -> None:
    accepted = judged = 0
    for request in arm.workloads["echo"].requests:
        for got, offered in zip(request.accepted or (), request.drafted or (), strict=True):
            accepted, judged = accepted + got, judged + min(got + 1, offered)

    alpha = value(estimate(arm, "echo", "alpha"))

    assert alpha == pytest.approx(accepted / judged)
    assert value(estimate(arm, "echo", "model_acceptance_length")) == pytest.approx(tokens_per_pass(alpha, 4))


def test_an_interval_holds_its_value_and_is_the_same_each_time(arm: ArmRun) -> None:
    for quantity in ("draft_acceptance_rate", "tokens_per_pass", "alpha", "model_acceptance_length"):
        found = estimate(arm, "novel", quantity)
        interval = found.interval()
        assert interval is not None
        assert interval[0] < value(found) < interval[1]
        assert estimate(arm, "novel", quantity).interval() == interval


def test_plain_decoding_gives_one_token_a_pass_and_no_acceptance_at_all(evidence: Evidence) -> None:
    vanilla = evidence.arms["vanilla"]

    assert value(estimate(vanilla, "novel", "tokens_per_pass")) == 1.0
    assert estimate(vanilla, "novel", "draft_coverage").value == 0.0
    nothing = estimate(vanilla, "novel", "draft_acceptance_rate")
    assert nothing.value is None
    assert nothing.note == "no data: there was no drafted token"
    assert estimate(vanilla, "novel", "alpha").value is None


def test_counters_named_as_metrics_pages_name_them_give_the_same(arm: ArmRun) -> None:
    run = arm.workloads["echo"]

    def paged(counters: Counters) -> Counters:
        return {name if "#" in name else f"{name}_total": value for name, value in counters.items()}

    page = replace(run, before=paged(run.before), after=paged(run.after))
    assert tally(page, k=4) == tally(run, k=4)


def test_a_counter_that_fell_is_a_restart_and_no_number(arm: ArmRun) -> None:
    found = estimate(with_counters(arm, after={DRAFTS: 0}), "echo", "draft_coverage")

    assert found.value is None
    assert "the engine restarted in mid-run" in found.note


@pytest.mark.parametrize("figure", [None, ()])
def test_a_counter_that_is_missing_or_no_number_is_named_and_not_zero(arm: ArmRun, figure: tuple[()] | None) -> None:
    found = estimate(with_counters(arm, after={DRAFTS: figure}), "echo", "mean_acceptance_length")

    assert found.value is None
    assert found.note == "vLLM reported no number for the counter spec_decode_num_drafts"


def test_positions_that_are_missing_are_refused(arm: ArmRun) -> None:
    name = "vllm:spec_decode_num_accepted_tokens_per_pos"
    with pytest.raises(NoCounter, match="for each position"):
        tally(with_counters(arm, after={name: (1.0,)}).workloads["echo"], k=4)


def test_without_detail_by_step_the_value_stays_and_the_interval_goes(arm: ArmRun) -> None:
    bare = tuple(replace(each, accepted=None, drafted=None, steps=()) for each in arm.workloads["echo"].requests)
    old = with_requests(arm, bare)

    rate = estimate(old, "echo", "draft_acceptance_rate")
    assert value(rate) == estimate(arm, "echo", "draft_acceptance_rate").value
    assert rate.interval() is None
    assert "did not report on each request" in rate.note


def test_alpha_from_counters_alone_is_that_of_the_steps_while_all_drafts_are_full(arm: ArmRun) -> None:
    bare = tuple(replace(each, accepted=None, drafted=None) for each in arm.workloads["echo"].requests)

    assert value(estimate(with_requests(arm, bare), "echo", "alpha")) == value(estimate(arm, "echo", "alpha"))


def test_alpha_is_refused_where_short_drafts_leave_it_open(arm: ArmRun) -> None:
    bare = tuple(replace(each, accepted=None, drafted=None) for each in arm.workloads["echo"].requests)
    drafted = "vllm:spec_decode_num_draft_tokens"
    full = arm.workloads["echo"].after[drafted]
    assert isinstance(full, int | float)

    found = estimate(with_counters(with_requests(arm, bare), after={drafted: full - 3}), "echo", "alpha")

    assert found.value is None
    assert "shorter than K" in found.note


def test_position_rates_are_told_apart(arm: ArmRun) -> None:
    unconditional = [estimate(arm, "echo", "unconditional_rate", position).value for position in (1, 2, 3, 4)]
    conditional = [estimate(arm, "echo", "conditional_rate", position).value for position in (1, 2, 3, 4)]

    assert unconditional[0] == conditional[0]
    assert unconditional[3] == pytest.approx(float(np.prod([rate or 0.0 for rate in conditional])))


def test_quantities_of_as_many_requests_are_resampled_alike(arm: ArmRun) -> None:
    echo, novel = estimate(arm, "echo", "tokens_per_pass"), estimate(arm, "novel", "tokens_per_pass")
    rate = estimate(arm, "echo", "mean_acceptance_length")
    assert echo.draws is not None
    assert novel.draws is not None
    assert rate.draws is not None
    # Both follow from which prompts were drawn, so they rise and fall together; draws apart would not.
    assert np.corrcoef(echo.draws, rate.draws)[0, 1] > 0.5
