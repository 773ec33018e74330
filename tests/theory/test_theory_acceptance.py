"""α from counters: exact where they settle it, bounded where they do not, refused where they contradict themselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import theory


def counters(steps: list[tuple[int, int]], k: int) -> tuple[int, int, int, list[int]]:
    """vLLM's counters of steps given as (drafted, accepted)."""
    per_position = [sum(accepted >= i for _, accepted in steps) for i in range(1, k + 1)]
    return len(steps), sum(d for d, _ in steps), sum(a for _, a in steps), per_position


steps_of_three = st.lists(
    st.integers(1, 3).flatmap(lambda drafted: st.tuples(st.just(drafted), st.integers(0, drafted))),
    min_size=1,
    max_size=40,
)


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=60))
def test_full_drafts_settle_alpha(accepted: list[int]) -> None:
    estimate = theory.alpha_from_counters(*counters([(4, a) for a in accepted], 4), num_speculative_tokens=4)

    assert estimate.exact
    assert estimate == theory.alpha_from_steps(accepted, 4)
    assert float(estimate) == estimate.alpha == theory.alpha_mle(sum(accepted), sum(a < 4 for a in accepted))


@settings(deadline=None)
@given(steps_of_three)
def test_short_drafts_leave_bounds_that_hold_the_truth(steps: list[tuple[int, int]]) -> None:
    drafted, accepted = zip(*steps, strict=True)
    truth = theory.alpha_from_steps(accepted, drafted)

    estimate = theory.alpha_from_counters(*counters(steps, 3))

    assert truth.alpha is not None
    assert estimate.low <= truth.alpha <= estimate.high


@pytest.mark.parametrize("drafts", [1, 2, 3])
def test_the_bounds_are_reached_by_some_steps_with_the_same_counters(drafts: int) -> None:
    possible = [(d, a) for d in (1, 2, 3) for a in range(d + 1)]
    seen: dict[str, list[float]] = {}
    for steps in combinations_with_replacement(possible, drafts):
        drafted, accepted = zip(*steps, strict=True)
        alpha = theory.alpha_from_steps(accepted, drafted).low
        seen.setdefault(repr(counters(list(steps), 3)), []).append(alpha)

    for steps in combinations_with_replacement(possible, drafts):
        tight = seen[repr(counters(list(steps), 3))]
        estimate = theory.alpha_from_counters(*counters(list(steps), 3))
        assert (estimate.low, estimate.high) == (min(tight), max(tight))


def test_a_bounded_alpha_is_no_number() -> None:
    estimate = theory.alpha_from_counters(87, 259, 167, (70, 55, 42))

    assert not estimate.exact
    assert estimate.alpha is None
    assert estimate.judged is None
    assert estimate.low == pytest.approx(167 / 212)
    assert estimate.high == pytest.approx(167 / 210)
    with pytest.raises(ValueError, match="only bound alpha"):
        float(estimate)


def test_the_interval_covers_both_bounds() -> None:
    estimate = theory.alpha_from_counters(87, 259, 167, (70, 55, 42))

    low, high = estimate.interval()

    assert low == theory.wilson_interval(167, 212)[0]
    assert high == theory.wilson_interval(167, 210)[1]


def test_the_logged_rate_is_not_alpha() -> None:
    rounds = theory.simulate_rounds(0.7, 4, 200_000, seed=5)
    drafted = 4 * rounds.rounds
    accepted = sum(rounds.accepted_per_pos)

    estimate = theory.alpha_from_counters(rounds.rounds, drafted, accepted, rounds.accepted_per_pos)

    assert float(estimate) == pytest.approx(0.7, abs=4 * theory.standard_error(0.7, 4, rounds.rounds))
    assert accepted / drafted == pytest.approx(0.443275, abs=0.005)


def test_steps_without_a_draft_judge_nothing() -> None:
    assert theory.alpha_from_steps([2, 0, 0], [4, 0, 0]) == theory.alpha_from_steps([2], [4])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.alpha_from_counters(0, 0, 0, (0, 0)), "num_drafts=0"),
        (lambda: theory.alpha_from_counters(10, 9, 3, (2, 1)), "num_draft_tokens .*not 9"),
        (lambda: theory.alpha_from_counters(10, 21, 3, (2, 1)), "num_draft_tokens .*not 21"),
        (lambda: theory.alpha_from_counters(10, 20, 4, (2, 1)), "num_accepted_tokens .*not 4"),
        (lambda: theory.alpha_from_counters(10, 20, 3, (1, 2)), r"accepted_per_pos .*\[1, 2\]"),
        (lambda: theory.alpha_from_counters(10, 20, 11, (11, 0)), r"accepted_per_pos .*\[11, 0\]"),
        (lambda: theory.alpha_from_counters(10, 20, 3, (2, 1), 3), "num_speculative_tokens=3"),
        (lambda: theory.alpha_from_counters(-1, 20, 3, (2, 1)), "num_drafts .*-1"),
        (lambda: theory.alpha_from_counters(2, 3, 3, (2, 1, 0)), None),
        (lambda: theory.alpha_from_counters(2, 2, 2, (1, 1)), "num_draft_tokens=2 is too few"),
        (lambda: theory.alpha_from_steps([5], [4]), "accepted .*5 of 4"),
        (lambda: theory.alpha_from_steps([0], [0]), "drafted"),
        (lambda: theory.alpha_mle(0, 0), "nothing was judged"),
        (lambda: theory.mean_acceptance_length(0, 0), "num_drafts .*0"),
    ],
)
def test_counters_that_cannot_be_are_refused(call: Callable[[], object], said: str | None) -> None:
    if said is None:
        call()
    else:
        with pytest.raises(ValueError, match=said):
            call()


def test_conditional_rates_stop_where_nothing_was_judged() -> None:
    assert theory.conditional_rates([5, 0, 0], 10) == pytest.approx([0.5, 0, np.nan], nan_ok=True)


def test_the_fit_grades_by_effect_where_the_test_only_counts_drafts() -> None:
    fit = theory.geometric_fit([round(7900 * rate) for rate in (0.6541, 0.3993, 0.202)], 7900)

    assert fit.statistic == pytest.approx(208, abs=1)
    assert fit.p_value < 1e-40
    assert fit.length_error == pytest.approx(-0.018, abs=0.001)
    assert fit.conditional == pytest.approx((0.654, 0.610, 0.506), abs=0.001)


def test_rounds_of_a_constant_alpha_fit() -> None:
    rounds = theory.simulate_rounds(0.7, 4, 50_000, seed=2)

    fit = theory.geometric_fit(rounds.accepted_per_pos, rounds.rounds)

    assert fit.degrees == 3
    assert fit.p_value > 0.01
    assert fit.length_error == pytest.approx(0, abs=0.01)


def test_the_fit_of_perfect_or_hopeless_drafts_has_nothing_to_test() -> None:
    assert theory.geometric_fit([10, 10], 10).statistic == 0
    assert theory.geometric_fit([0, 0, 0], 10).p_value == 1


def test_one_position_cannot_be_fitted() -> None:
    with pytest.raises(ValueError, match="accepted_per_pos"):
        theory.geometric_fit([5], 10)


@pytest.mark.parametrize(
    ("statistic", "degrees", "probability"),
    [
        (3.841458820694124, 1, 0.05),
        (9.21034037197618, 2, 0.01),
        (7.814727903251179, 3, 0.05),
        (18.307038053275146, 10, 0.05),
    ],
)
def test_the_chi_square_tail_meets_the_tables(statistic: float, degrees: int, probability: float) -> None:
    assert theory.chi_square_survival(statistic, degrees) == pytest.approx(probability, rel=1e-10)
