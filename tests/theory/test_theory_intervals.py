"""Standard errors and intervals: against simulation, against each other, and in their corners."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import theory


def test_the_standard_error_is_the_spread_of_simulated_estimates() -> None:
    estimates = []
    for seed in range(600):
        rounds = theory.simulate_rounds(0.7, 4, 500, seed=seed)
        per_position = rounds.accepted_per_pos
        estimates.append(theory.alpha_mle(sum(per_position), rounds.rounds - per_position[-1]))

    assert np.std(estimates) == pytest.approx(theory.standard_error(0.7, 4, 500), rel=0.1)


@pytest.mark.parametrize(("alpha", "needed"), [(0.7, 797), (0.5, 1281), (0.9, 252)])
def test_the_drafts_needed_give_the_half_width(alpha: float, needed: int) -> None:
    assert theory.drafts_needed(alpha, 4, 0.02) == needed
    assert (
        1.959964 * theory.standard_error(alpha, 4, needed) <= 0.02 < 1.96 * theory.standard_error(alpha, 4, needed - 1)
    )


def test_dependence_within_requests_asks_for_more_drafts() -> None:
    assert theory.drafts_needed(0.7, 4, 0.02, design_effect=4) == pytest.approx(4 * 797, abs=4)


@pytest.mark.parametrize(
    ("alpha", "k", "share"), [(0.5, 4, 0.982), (0.7, 4, 0.941), (0.9, 4, 0.874), (0.95, 10, 0.841)]
)
def test_moments_waste_a_part_of_the_drafts(alpha: float, k: int, share: float) -> None:
    assert theory.moment_efficiency(alpha, k) == pytest.approx(share, abs=5e-4)


@settings(deadline=None)
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_holds_the_share_and_stays_within_zero_and_one(counts: tuple[int, int]) -> None:
    successes, trials = counts

    low, high = theory.wilson_interval(successes, trials)

    assert 0 <= low <= successes / trials <= high <= 1
    assert low < high


def test_wilsons_interval_solves_its_equation() -> None:
    low, high = theory.wilson_interval(7, 20)

    for bound in (low, high):
        assert (7 / 20 - bound) ** 2 == pytest.approx(1.959963984540054**2 * bound * (1 - bound) / 20)


def test_the_bootstrap_over_requests_is_seeded_and_wider_than_independence_says() -> None:
    rng = np.random.default_rng(3)
    judged = np.full(40, 50)
    accepted = rng.binomial(judged, rng.choice([0.5, 0.9], size=40))

    low, high = theory.request_bootstrap(accepted, judged)

    alone_low, alone_high = theory.wilson_interval(accepted.sum(), judged.sum())
    assert (low, high) == theory.request_bootstrap(accepted, judged)
    assert high - low > 2 * (alone_high - alone_low)
    assert theory.design_effect(accepted, judged) == pytest.approx(
        ((high - low) / (alone_high - alone_low)) ** 2, rel=0.3
    )


def test_two_workloads_are_compared_by_their_resampled_difference() -> None:
    echo = theory.bootstrap_ratios([48, 47, 49], [10, 10, 10], seed=1)
    novel = theory.bootstrap_ratios([11, 10, 12], [10, 10, 10], seed=2)

    assert np.quantile(echo - novel, 0.025) > 3


def test_requests_that_drafted_nothing_do_not_break_the_bootstrap() -> None:
    ratios = theory.bootstrap_ratios([0, 3, 0], [0, 4, 0], seed=1)

    assert set(ratios) == {0.75}
    assert len(ratios) < 2000


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.wilson_interval(3, 2), "successes .*3 of 2"),
        (lambda: theory.wilson_interval(0, 0), "trials .*0"),
        (lambda: theory.wilson_interval(1, 2, 95), "confidence .*95"),
        (lambda: theory.standard_error(0.7, 4, 0), "drafts .*0"),
        (lambda: theory.drafts_needed(0.7, 4, 0), "half_width .*0"),
        (lambda: theory.fisher_information([0.5, 1.0], 4), "alpha .*1"),
        (lambda: theory.bootstrap_ratios([1, 2], [1]), "one length"),
        (lambda: theory.bootstrap_ratios([0], [0]), "denominators"),
        (lambda: theory.design_effect([1], [2]), "length >= 2"),
        (lambda: theory.design_effect([2, 2], [2, 2]), "alpha = 1"),
        (lambda: theory.design_effect([0, 0], [0, 0]), "judged"),
    ],
)
def test_what_has_no_interval_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()
