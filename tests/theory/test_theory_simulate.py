"""Simulation: coins agree with the formulas, the right sampler passes, three wrong ones fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import theory

P, Q = (0.45, 0.25, 0.2, 0.1), (0.6, 0.1, 0.25, 0.05)
WRONG: dict[str, dict[str, Any]] = {
    "redraws from the target": {"redraw": "target"},
    "redraws from the target without the rejected token": {"redraw": "target-without-rejected"},
    "divides by the draft of another temperature": {"ratio_q": theory.softmax(np.log(Q), 1.2)},
}


@pytest.mark.parametrize(("alpha", "k"), [(0.7, 4), (0.9, 10), (0.3, 1), (0.5, 200)])
def test_rounds_of_coins_agree_with_the_closed_forms(alpha: float, k: int) -> None:
    rounds = theory.simulate_rounds(alpha, k, 100_000, seed=11)

    assert rounds.tokens_per_pass == pytest.approx(theory.tokens_per_pass(alpha, k), abs=4 * rounds.standard_error)
    assert rounds.accepted_variance == pytest.approx(theory.accepted_variance(alpha, k), rel=0.05)
    assert rounds.draft_acceptance_rate == pytest.approx(theory.draft_acceptance_rate(alpha, k), rel=0.02)
    expected = theory.accepted_pmf(alpha, k) * rounds.rounds
    assert np.abs(np.array(rounds.histogram) - expected).max() < 5 * np.sqrt(expected.max())


@settings(deadline=None)
@given(st.integers(0, 6), st.integers(1, 20_000), st.integers(0, 3))
def test_every_round_is_counted_once_whatever_the_blocks(k: int, total: int, seed: int) -> None:
    rounds = theory.simulate_rounds(0.6, k, total, seed=seed)

    assert sum(rounds.histogram) == rounds.rounds == total
    assert rounds == theory.simulate_rounds(0.6, k, total, seed=seed)


def test_each_position_may_have_its_own_alpha() -> None:
    rounds = theory.simulate_rounds([0.9, 0.5, 0.0], 3, 50_000, seed=1)

    assert np.array(rounds.accepted_per_pos) / 50_000 == pytest.approx([0.9, 0.45, 0], abs=0.01)


def test_the_passes_to_emit_a_text_are_those_of_the_dynamic_programme() -> None:
    passes = theory.simulate_passes(64, 0.7, 4, 20_000, seed=3)

    error = passes.std() / np.sqrt(len(passes))
    assert passes.mean() == pytest.approx(theory.passes_to_emit(64, 0.7, 4), abs=4 * error)


def test_the_right_sampler_passes_at_a_hundred_thousand_tokens() -> None:
    tested = theory.exactness_test(P, Q, 100_000, seed=2)

    assert sum(tested.counts) == 100_000
    assert not tested.rejects()
    assert tested.total_variation < 0.01


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sampler_fails(name: str) -> None:
    tested = theory.exactness_test(P, Q, 20_000, seed=2, **WRONG[name])

    assert tested.rejects(1e-6)
    law = theory.output_law(P, Q, **WRONG[name])
    assert np.array(tested.counts) / 20_000 == pytest.approx(law, abs=0.015)


def test_four_hundred_tokens_are_enough_to_catch_a_redraw_from_the_target() -> None:
    caught = [theory.exactness_test(P, Q, 400, redraw="target", seed=seed).rejects() for seed in range(200)]

    assert np.mean(caught) > 0.95


def test_the_right_sampler_is_rejected_as_often_as_the_level_says() -> None:
    rejected = [theory.exactness_test(P, Q, 400, seed=seed).rejects(0.05) for seed in range(400)]

    assert 0.02 < np.mean(rejected) < 0.09


def test_a_token_the_target_never_emits_fails_at_once() -> None:
    tested = theory.exactness_test((0.5, 0.5, 0), (0.4, 0.4, 0.2), 1000, ratio_q=(0.5, 0.5, 0))

    assert tested.p_value == 0


def test_tokens_without_probability_are_never_drawn() -> None:
    counts = theory.simulate_tokens((0, 0.5, 0, 0.5, 0), (0.2, 0.2, 0.2, 0.2, 0.2), 50_000)

    assert counts[[0, 2, 4]].tolist() == [0, 0, 0]


def test_zipf_texts_have_zipfs_frequencies() -> None:
    counts = np.bincount(theory.zipf_text(200_000, 100, seed=1), minlength=100)

    assert counts[0] / counts[9] == pytest.approx(10, rel=0.1)


def test_what_cannot_be_simulated_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rounds .*0"):
        theory.simulate_rounds(0.5, 4, 0)
    with pytest.raises(ValueError, match=r"alpha .*1\.5"):
        theory.simulate_rounds([0.5, 1.5], 2, 10)
    with pytest.raises(ValueError, match=r"draws .*0"):
        theory.simulate_tokens(P, Q, 0)
