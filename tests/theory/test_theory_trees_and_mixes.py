"""Trees of drafts, mixed workloads, waiting batches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import theory

RANKS = (0.6, 0.15, 0.08, 0.04)
relaxed = settings(deadline=None)


@relaxed
@given(st.lists(st.floats(0, 0.33), min_size=1, max_size=3), st.integers(0, 7))
def test_best_first_is_as_good_as_dynamic_programming(ranks: list[float], nodes: int) -> None:
    tree = theory.best_tree(ranks, nodes)

    assert tree.tokens == pytest.approx(theory.best_tree_tokens(ranks, nodes))
    assert tree.tokens == pytest.approx(theory.tree_tokens(ranks, tree.paths))
    assert len(set(tree.paths)) == nodes


def test_a_tree_beats_a_chain_of_as_many_nodes() -> None:
    for nodes, chain in ((4, 2.3056), (8, 2.4748), (16, 2.4996)):
        assert theory.tokens_per_pass(0.6, nodes) == pytest.approx(chain, abs=5e-5)
        assert theory.best_tree(RANKS, nodes).tokens > chain


def test_with_one_rank_the_tree_is_a_chain() -> None:
    assert theory.best_tree((0.6,), 4).paths == ((0,), (0, 0), (0, 0, 0), (0, 0, 0, 0))
    assert theory.best_tree((0.6,), 4).tokens == pytest.approx(theory.tokens_per_pass(0.6, 4))


def test_a_full_tree_is_the_sum_over_its_nodes() -> None:
    paths = [(a,) for a in (0, 1)] + [(a, b) for a in (0, 1) for b in (0, 1)]

    assert theory.tree_tokens((0.6, 0.15), paths) == pytest.approx(theory.full_tree_tokens((0.6, 0.15), 2))


@relaxed
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(1, 10))
def test_a_mixture_emits_at_least_what_its_mean_alpha_says(one: float, other: float, share: float, k: int) -> None:
    mixed = theory.mixture_tokens_per_pass((one, other), (share, 1 - share), k)

    assert mixed >= theory.tokens_per_pass(min(share * one + (1 - share) * other, 1), k) - 1e-9


def test_conditional_rates_of_a_mixture_rise_as_the_easy_steps_survive() -> None:
    rates = theory.mixture_conditional_rates((0.9, 0.3), (0.5, 0.5), 4)

    assert rates == pytest.approx([0.6, 0.75, 0.84, 0.878571], abs=1e-6)


def test_times_add_up_where_speeds_do_not() -> None:
    assert theory.harmonic_speedup((0.5, 0.5), (2.5, 0.8)) == pytest.approx(1.2121, abs=5e-5)
    assert theory.amdahl_speedup(0.8, 2.2) == pytest.approx(1.7742, abs=5e-5)
    assert theory.amdahl_speedup([0, 1], 2.2) == pytest.approx([1, 2.2])


def test_sequences_that_wait_for_each_other_share_the_worst_luck() -> None:
    assert theory.lockstep_alpha(0.8, [1, 5]) == pytest.approx([0.8, 0.32768])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.best_tree((0.6, 0.6), 3), "ranks"),
        (lambda: theory.best_tree(RANKS, -1), "nodes .*-1"),
        (lambda: theory.tree_tokens(RANKS, [(0, 0)]), "parent"),
        (lambda: theory.tree_tokens(RANKS, [(4,)]), "rank"),
        (lambda: theory.mixture_tokens_per_pass((0.5, 0.6), (0.5, 0.6), 4), "sum of shares .*1.1"),
        (lambda: theory.mixture_tokens_per_pass((0.5, 0.6), (1.0,), 4), "one length"),
        (lambda: theory.harmonic_speedup((0.5, 0.5), (2, 0)), "speedups .*0"),
        (lambda: theory.amdahl_speedup(1.5, 2), "share .*1.5"),
        (lambda: theory.pooled_mean_length([0], [2]), "passes"),
        (lambda: theory.lockstep_alpha(0.5, 0), "sequences .*0"),
    ],
)
def test_impossible_trees_and_mixes_are_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_ranks_of_zero_leave_the_target_alone() -> None:
    assert theory.best_tree(np.zeros(2), 3).tokens == 1
