"""Numbers of rules on evidence: where outputs part, how likely by chance, how fast in pairs, how long by theory."""

from __future__ import annotations

from itertools import combinations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz.labs.estimates import Estimate
from specquiz.labs.evaluating import evaluate
from specquiz.labs.evidence import ArmRun, Counters, Evidence, RequestRun, WorkloadRun
from specquiz.labs.expressions import parse, parse_number
from specquiz.labs.judging import verdict
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.metrics import estimate, expected_length
from specquiz.labs.model import Lab, Prediction, Rule
from specquiz.labs.recorded import recorded_run
from specquiz.labs.timing import speedup, total_seconds
from specquiz.theory.closed_forms import tokens_per_pass

replace = msgspec.structs.replace
TPOT = "vllm:request_time_per_output_token_seconds"


def request(*output: int, margins: tuple[float, ...] | None = None) -> RequestRun:
    return RequestRun(prompt=(1,), output=output, steps=(1,) * len(output), finish="length", margins=margins)


def run_of(*requests: RequestRun, tpot: float = 0.0, seconds: float = 1.0) -> WorkloadRun:
    before: Counters = {f"{TPOT}#count": 0, f"{TPOT}#sum": 0.0}
    after: Counters = {f"{TPOT}#count": 10, f"{TPOT}#sum": 10 * tpot}
    return WorkloadRun(started=0.0, seconds=seconds, before=before, after=after, requests=requests)


def arm_of(*runs: WorkloadRun) -> ArmRun:
    return ArmRun(status="finished", started=0.0, workloads={"all": runs[0]}, repeats={"all": runs[1:]})


def with_arms(evidence: Evidence, **arms: ArmRun) -> Evidence:
    return replace(evidence, arms=arms)


def number(text: str, lab: Lab, evidence: Evidence) -> Estimate:
    return evaluate(parse_number(text), lab, evidence)


def test_requests_part_where_their_first_token_differs(lab: Lab, evidence: Evidence) -> None:
    plain = run_of(request(1, 2, 3), request(4, 5, 6), request(7, 8, 9))
    other = run_of(request(1, 2, 3), request(4, 0, 6), request(7, 8))
    found = with_arms(evidence, vanilla=arm_of(plain), draft=arm_of(other))

    assert number("parted(vanilla.all, draft.all)", lab, found).value == 2


def test_a_near_tie_explains_a_split_and_a_clear_lead_does_not(lab: Lab, evidence: Evidence) -> None:
    plain = run_of(request(1, 2, margins=(3.0, 0.0004)), request(4, 5, margins=(2.0, 1.5)))
    other = run_of(request(1, 9), request(4, 9))
    found = with_arms(evidence, vanilla=arm_of(plain), draft=arm_of(other))

    assert number("unexplained(vanilla.all, draft.all, 0.001)", lab, found).value == 1
    assert number("unexplained(vanilla.all, draft.all, 2)", lab, found).value == 0


def test_without_margins_a_split_cannot_be_explained_and_no_split_needs_none(lab: Lab, evidence: Evidence) -> None:
    same, other = arm_of(run_of(request(1, 2))), arm_of(run_of(request(1, 3)))

    missing = number("unexplained(vanilla.all, draft.all, 0.1)", lab, with_arms(evidence, vanilla=same, draft=other))
    assert missing.value is None
    assert "no margins" in missing.note
    equal = number("unexplained(vanilla.all, draft.all, 0.1)", lab, with_arms(evidence, vanilla=same, draft=same))
    assert equal.value == 0


@settings(deadline=None, max_examples=36)
@given(st.integers(0, 5), st.integers(0, 5))
def test_more_often_is_the_share_of_all_ways_to_deal_the_splits(few: int, many: int) -> None:
    """Against every way to deal the parted requests to two groups of five."""
    groups = [arm_of(run_of(*(request(1, 9 if index < parted else 2) for index in range(5)))) for parted in (few, many)]
    plain = arm_of(run_of(*(request(1, 2) for _ in range(5))))
    deals = [sum(index >= 5 for index in deal) for deal in combinations(range(10), few + many)]
    wanted = np.mean([count >= many for count in deals])

    lab = find_lab(load_labs(), "ngram-echo")
    dealt = with_arms(recorded_run(lab), vanilla=plain, control=groups[0], draft=groups[1])
    found = number("more_often(parted(vanilla.all, control.all), parted(vanilla.all, draft.all))", lab, dealt)
    assert found.value == pytest.approx(wanted)


def test_a_speed_up_is_the_geometric_mean_of_paired_ratios() -> None:
    base = arm_of(*(run_of(request(1), tpot=each, seconds=2.0) for each in (0.010, 0.020, 0.010, 0.020)))
    fast = arm_of(*(run_of(request(1), tpot=each, seconds=1.0) for each in (0.005, 0.010, 0.004, 0.0125)))

    found = speedup(base, fast, "all")

    assert found.value == pytest.approx((2 * 2 * 2.5 * 1.6) ** 0.25)
    interval = found.interval()
    assert interval is not None
    # Student's t with three degrees of freedom: the middle 95 % reach 3.18 standard errors.
    error = np.std(np.log([2, 2, 2.5, 1.6]), ddof=1) / 2
    assert np.log(interval[1] / interval[0]) == pytest.approx(2 * 3.182 * error, rel=0.15)
    assert total_seconds(base, "all") == 8.0


def test_one_pair_has_a_ratio_and_no_interval() -> None:
    found = speedup(arm_of(run_of(request(1), tpot=0.02)), arm_of(run_of(request(1), tpot=0.01)), "all")

    assert found.value == pytest.approx(2)
    assert found.interval() is None


@given(st.floats(0.0, 1.0), st.integers(1, 16))
def test_the_expected_length_is_the_closed_form(alpha: float, k: int) -> None:
    assert expected_length(Estimate(alpha), k).value == pytest.approx(float(tokens_per_pass(alpha, k)))


def test_rates_by_position_are_the_counters_and_have_intervals(evidence: Evidence) -> None:
    arm = evidence.arms["ngram"]
    first = estimate(arm, "echo", "unconditional_rate", 1)
    second = estimate(arm, "echo", "conditional_rate", 2)

    drafts = sum(len(each.drafted or ()) for each in arm.workloads["echo"].requests)
    hits = [sum(got >= at for each in arm.workloads["echo"].requests for got in each.accepted or ()) for at in (1, 2)]
    assert first.value == hits[0] / drafts
    assert second.value == hits[1] / hits[0]
    for found in (first, second):
        interval = found.interval()
        assert interval is not None
        assert interval[0] <= (found.value or 0) <= interval[1]
    assert estimate(arm, "echo", "conditional_rate", 5).note == "no data: there is no draft position 5"


def test_the_kv_cache_is_as_large_as_vllm_says(evidence: Evidence) -> None:
    assert estimate(evidence.arms["ngram"], "echo", "kv_tokens").value == 524_288


def rule(check: str, **more: str) -> Rule:
    return Rule(id="rule", check=check, why="-", **more)


@pytest.mark.parametrize(
    ("kind", "choices", "typed", "check", "outcome"),
    [
        ("choice", ("a", "b"), "b", "near_best(predicted.x, 0, a=1, b=2)", "passed"),
        ("choice", ("a", "b"), "a", "near_best(predicted.x, 0, a=1, b=2)", "failed"),
        ("choice", ("a", "b"), "a", "near_best(predicted.x, 0.03, a=1.95, b=2)", "passed"),
        ("choice", ("a", "b"), "a", "near_best(predicted.x, 0.02, a=1.95, b=2)", "failed"),
        ("choice", ("a", "b"), "a", "near_best(predicted.x, 0, a=-1, b=1)", "failed"),
        ("choice", ("a", "b"), "a", "says(predicted.x, 'a')", "passed"),
        ("choice", ("a", "b"), "a", "says(predicted.x, 'b')", "failed"),
        ("order", ("a", "b"), "b > a", "ordered(predicted.x, 0, a=1, b=2)", "passed"),
        ("order", ("a", "b"), "a > b", "ordered(predicted.x, 0, a=1, b=2)", "failed"),
        ("order", ("a", "b"), "a > b", "ordered(predicted.x, 0.01, a=1, b=1.005)", "passed"),
        ("interval", (), "0.2 to 0.4", "covers(predicted.x, 0.4)", "passed"),
        ("interval", (), "0.2 to 0.4", "covers(predicted.x, 0.5)", "failed"),
        ("number", (), "0.5", "at_least(1, predicted.x > 1, predicted.x < 1)", "passed"),
        ("number", (), "0.5", "at_least(2, predicted.x > 1, predicted.x < 1)", "failed"),
        ("number", (), "0.5", "falling(3, 2, 1)", "passed"),
        ("number", (), "0.5", "falling(3, 3, 1)", "failed"),
    ],
)
def test_rules_decide_on_what_was_committed(
    lab: Lab, evidence: Evidence, kind: str, choices: tuple[str, ...], typed: str, check: str, outcome: str
) -> None:
    prediction = msgspec.convert({"id": "x", "kind": kind, "choices": choices, "ask": "-"}, Prediction)
    here = replace(lab, predict=(*lab.predict, prediction))
    committed = replace(evidence, predictions={**evidence.predictions, "x": typed})

    assert parse(check)
    assert verdict(here, committed, rule(check)).outcome == outcome


def test_each_way_of_failing_teaches_its_own_lesson(lab: Lab, evidence: Evidence) -> None:
    taught = rule("within(1, 2, 0.5)", above="too high", below="too low")

    assert verdict(lab, evidence, taught).learn == "too low"
    assert verdict(lab, evidence, replace(taught, check="within(3, 2, 0.5)")).learn == "too high"
    assert verdict(lab, evidence, replace(taught, check="within(2, 2, 0.5)")).learn == ""
    assert verdict(lab, evidence, replace(taught, check="abs(1 / 2 - 1) <= 0.1")).learn == "too low"
    assert verdict(lab, evidence, replace(taught, check="at_least(1, abs(3 / 2 - 1) <= 0.1)")).learn == "too high"
