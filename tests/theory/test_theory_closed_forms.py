"""The closed forms: their limits, their identities, their domains."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from specquiz import theory

alphas = st.floats(0, 1)
inner_alphas = st.floats(0.001, 0.999)
ks = st.integers(0, 40)
costs = st.floats(0.001, 2)
relaxed = settings(deadline=None)


@relaxed
@given(alphas, ks)
def test_the_closed_form_is_the_sum_of_the_survivals(alpha: float, k: int) -> None:
    assert theory.tokens_per_pass(alpha, k) == pytest.approx(sum(alpha**i for i in range(k + 1)), rel=1e-12)


@relaxed
@given(alphas, ks)
def test_a_pass_emits_one_token_more_than_it_accepts(alpha: float, k: int) -> None:
    assert theory.tokens_per_pass(alpha, k) == pytest.approx(theory.expected_accepted(alpha, k) + 1, rel=1e-12)


@relaxed
@given(alphas, ks)
def test_the_pmf_sums_to_one_and_has_the_mean_and_the_variance(alpha: float, k: int) -> None:
    pmf, n = theory.accepted_pmf(alpha, k), np.arange(k + 1)

    mean = float((pmf * n).sum())
    assert pmf.sum() == pytest.approx(1, abs=1e-12)
    assert theory.expected_accepted(alpha, k) == pytest.approx(mean, rel=1e-9, abs=1e-12)
    second = sum((2 * j - 1) * alpha**j for j in range(1, k + 1))
    assert theory.accepted_variance(alpha, k) == pytest.approx(second - mean**2, rel=1e-6, abs=1e-9)


@relaxed
@given(inner_alphas, st.integers(1, 40))
def test_what_is_accepted_is_alpha_times_what_is_judged(alpha: float, k: int) -> None:
    assert theory.expected_accepted(alpha, k) == pytest.approx(alpha * theory.expected_judged(alpha, k), rel=1e-12)


@pytest.mark.parametrize("k", [0, 1, 4, 100])
def test_at_alpha_one_everything_is_accepted_and_at_zero_nothing(k: int) -> None:
    assert theory.tokens_per_pass(1, k) == k + 1
    assert theory.tokens_per_pass(0, k) == 1
    assert theory.accepted_variance(1, k) == 0
    assert theory.speedup(0, k, 0.15) == pytest.approx(1 / (1 + 0.15 * k))


def test_next_to_alpha_one_no_digit_is_lost() -> None:
    gap = 2.0**-40

    assert theory.tokens_per_pass(1 - gap, 4) == pytest.approx(5 - 10 * gap, rel=1e-15)


def test_without_a_bound_on_k_the_tokens_tend_to_one_over_the_rejection_probability() -> None:
    assert theory.tokens_per_pass(0.8, 10_000) == pytest.approx(1 / 0.2)


def test_the_draft_acceptance_rate_falls_with_k_though_alpha_stays() -> None:
    rates = theory.draft_acceptance_rate(0.7, [1, 2, 4, 8])

    assert rates == pytest.approx([0.7, 0.595, 0.443275, 0.27485266])


def test_arrays_broadcast_and_numbers_stay_numbers() -> None:
    table = theory.tokens_per_pass(np.array([[0.5], [0.7]]), np.arange(1, 4))

    assert table.shape == (2, 3)
    assert table[1, 2] == theory.tokens_per_pass(0.7, 3)
    assert type(theory.tokens_per_pass(0.7, 3)) is float
    assert theory.accepted_pmf([0.5, 0.7], [[1], [3]]).shape == (2, 2, 4)
    assert theory.passes_to_emit([1, 16], 0.7, 4) == pytest.approx([1, 6.247646374])


@relaxed
@given(inner_alphas, costs, st.floats(0, 0.5))
def test_the_speed_up_has_one_peak_in_k(alpha: float, cost: float, overhead: float) -> None:
    steps = np.diff(theory.speedup(alpha, np.arange(200), cost, overhead))

    rising = steps > 1e-13
    assert not (rising[1:] & ~rising[:-1]).any()


@relaxed
@given(inner_alphas, costs, st.floats(0, 0.5))
def test_the_best_k_is_the_one_an_exhaustive_search_finds(alpha: float, cost: float, overhead: float) -> None:
    gains = theory.speedup(alpha, np.arange(1, 4000), cost, overhead)

    best = theory.best_k(alpha, cost, overhead)

    assert best.speedup == pytest.approx(max(1.0, gains.max()), rel=1e-12)
    assert best.k == 0 or gains[best.k - 1] == pytest.approx(best.speedup, rel=1e-12)


@relaxed
@given(st.floats(0.05, 0.99), st.floats(0.005, 0.95))
def test_the_best_k_is_a_neighbour_of_the_continuous_one_which_has_no_slope(alpha: float, cost: float) -> None:
    continuous = theory.best_k_continuous(alpha, cost)

    assert theory.best_k(alpha, cost).k in (np.floor(continuous), np.ceil(continuous))
    assume(continuous > 0)
    survival = alpha ** (continuous + 1)
    slope = -survival * np.log(alpha) * (1 + continuous * cost) - cost * (1 - survival)
    assert slope == pytest.approx(0, abs=1e-9)


def test_the_published_table_of_best_k_is_reproduced() -> None:
    alphas, costs = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5]

    best = theory.best_k(np.array(alphas)[:, None], np.array(costs))

    assert best.k.tolist() == [
        [3, 3, 2, 1, 1, 1, 0, 0],
        [4, 3, 2, 2, 1, 1, 1, 0],
        [5, 4, 3, 2, 2, 1, 1, 0],
        [7, 6, 4, 3, 2, 2, 1, 1],
        [9, 8, 6, 4, 3, 3, 2, 1],
        [14, 11, 8, 6, 5, 4, 3, 2],
        [24, 19, 13, 10, 8, 7, 5, 3],
    ]


def test_a_draft_as_good_as_it_is_cheap_gains_nothing_so_plain_decoding_is_best() -> None:
    assert theory.best_k(0.3, 0.3) == (0, 1.0)
    assert theory.best_k(0.2, 1.5) == (0, 1.0)
    assert theory.best_k(0, 0) == (0, 1.0)


def test_a_free_draft_has_no_best_k_unless_k_is_bounded() -> None:
    assert theory.best_k(0.7, 0, k_max=8).k == 8
    assert theory.best_k(1, 0.5, k_max=3) == (3, 4 / 2.5)
    assert theory.best_k_continuous(0.7, 0) == np.inf
    with pytest.raises(ValueError, match=r"draft_cost=0 at alpha=0.7.*k_max"):
        theory.best_k(0.7, 0)


def test_a_tiny_draft_cost_does_not_underflow() -> None:
    gains = theory.speedup(0.3, np.arange(50), 1e-6)

    assert theory.best_k(0.3, 1e-6).k == gains.argmax() > 5


@relaxed
@given(st.integers(1, 40), st.floats(0, 1), st.floats(0, 0.5))
def test_at_the_break_even_alpha_the_speed_up_is_one(k: int, cost: float, overhead: float) -> None:
    alpha = theory.break_even_alpha(k, cost, overhead)

    if np.isnan(alpha):
        assert theory.speedup(1, k, cost, overhead) < 1
    else:
        assert theory.speedup(alpha, k, cost, overhead) == pytest.approx(1, rel=1e-12)


@relaxed
@given(alphas, st.integers(1, 40))
def test_alpha_comes_back_from_the_mean_length_and_from_the_rate(alpha: float, k: int) -> None:
    length, rate = theory.tokens_per_pass(alpha, k), theory.draft_acceptance_rate(alpha, k)

    assert theory.alpha_from_mean_length(min(length, k + 1), k) == pytest.approx(alpha, rel=1e-9, abs=1e-12)
    assert theory.alpha_from_rate(min(rate, 1), k) == pytest.approx(alpha, rel=1e-9, abs=1e-12)


def test_the_alpha_for_a_target_speed_up_reaches_it() -> None:
    alpha = theory.alpha_for_speedup(2, 4, 0.1)

    assert theory.speedup(alpha, 4, 0.1) == pytest.approx(2)
    assert np.isnan(theory.alpha_for_speedup(6, 4, 0.1))


def test_the_last_pass_is_cut_so_passes_exceed_the_ratio_of_the_means() -> None:
    passes = theory.passes_to_emit(64, 0.7, 4)

    assert passes == pytest.approx(23.556, abs=5e-4)
    assert passes > 64 / theory.tokens_per_pass(0.7, 4)
    assert theory.passes_to_emit(0, 0.7, 4) == 0
    assert theory.passes_to_emit(5, 0, 4) == 5
    assert theory.passes_to_emit(6, 1, 4) == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.tokens_per_pass(1.2, 4), r"alpha .*1\.2"),
        (lambda: theory.tokens_per_pass([0.5, -0.1], 4), r"alpha .*-0\.1"),
        (lambda: theory.tokens_per_pass(float("nan"), 4), r"alpha .*nan"),
        (lambda: theory.expected_accepted(0.5, -1), r"k .*-1"),
        (lambda: theory.accepted_pmf(0.5, 2.5), r"k .*2\.5"),
        (lambda: theory.accepted_variance("much", 2), r"alpha .*much"),
        (lambda: theory.draft_acceptance_rate(0.5, 0), r"k .*at least 1, not 0"),
        (lambda: theory.speedup(0.5, 4, -0.1), r"draft_cost .*-0\.1"),
        (lambda: theory.speedup(0.5, 4, 0.1, -1), r"overhead .*-1"),
        (lambda: theory.best_k(2, 0.1), r"alpha .*2"),
        (lambda: theory.break_even_alpha(4, -1), r"draft_cost .*-1"),
        (lambda: theory.operations_factor(0.5, 4, -2), r"draft_operations .*-2"),
        (lambda: theory.passes_to_emit(-1, 0.5, 4), r"n_tokens .*-1"),
        (lambda: theory.alpha_from_mean_length(6, 4), r"mean_length .*5, not 6"),
        (lambda: theory.alpha_from_mean_length(0.5, 4), r"mean_length .*0\.5"),
        (lambda: theory.alpha_from_rate(1.5, 4), r"rate .*1\.5"),
    ],
)
def test_what_is_outside_the_domain_is_refused_by_name_and_value(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()
