"""One round under the glass: who proposed what, which coin fell how, and what was emitted."""

from __future__ import annotations

import numpy as np
import pytest

from specquiz import theory

P, Q = (0.45, 0.25, 0.2, 0.1), (0.6, 0.1, 0.25, 0.05)


def test_a_round_emits_the_accepted_prefix_and_one_token_of_the_target() -> None:
    for seed in range(200):
        traced = theory.trace_round(lambda _: P, lambda _: Q, 3, seed=seed)

        assert traced.emitted[:-1] == traced.drafted[: traced.accepted]
        assert [one.accepted for one in traced.judged] == [one.coin < one.acceptance for one in traced.judged]
        assert (traced.kind == "bonus") == (traced.accepted == 3)
        assert traced.last_law == pytest.approx(P if traced.kind == "bonus" else (0, 0.75, 0, 0.25))


def test_the_same_seed_gives_the_same_round() -> None:
    assert theory.trace_round(lambda _: P, lambda _: Q, 4, seed=9) == theory.trace_round(
        lambda _: P, lambda _: Q, 4, seed=9
    )


def test_traced_texts_follow_the_target_whose_law_depends_on_the_prefix() -> None:
    rng = np.random.default_rng(4)
    rows, drafts = rng.dirichlet((1, 1, 1), size=4), rng.dirichlet((1, 1, 1), size=4)
    counts = np.zeros((3, 3))
    coins = np.random.default_rng(5)
    for _ in range(1500):
        text: tuple[int, ...] = ()
        while len(text) < 2:
            text += theory.trace_round(
                lambda prefix: rows[prefix[-1] if prefix else 3],
                lambda prefix: drafts[prefix[-1] if prefix else 3],
                2,
                prefix=text,
                seed=coins,
            ).emitted
        counts[text[0], text[1]] += 1

    expected = rows[3][:, None] * rows[:3] * 1500
    statistic = float(((counts - expected) ** 2 / expected).sum())
    assert theory.chi_square_survival(statistic, 8) > 0.001


def test_a_greedy_round_accepts_where_the_draft_is_the_targets_argmax() -> None:
    target = {(): (0.1, 0.9), (1,): (0.8, 0.2), (1, 0): (0.6, 0.4)}

    traced = theory.trace_round(
        target.__getitem__, lambda prefix: (0.3, 0.7) if not prefix else (0.7, 0.3), 2, greedy=True
    )

    assert traced.emitted == (1, 0, 0)
    assert traced.kind == "bonus"
    assert [one.acceptance for one in traced.judged] == [1, 1]


def test_a_greedy_round_stops_at_the_first_difference_and_emits_the_targets_token() -> None:
    assert theory.greedy_round((5, 6, 7), (5, 6, 9, 1)) == (5, 6, 9)
    assert theory.greedy_round((5, 6, 7), (5, 6, 7, 1)) == (5, 6, 7, 1)
    assert theory.greedy_round((5, 6, 7), (4, 6, 7, 1)) == (4,)
    with pytest.raises(ValueError, match="target"):
        theory.greedy_round((5, 6), (5, 6))


def test_without_a_draft_a_round_is_plain_decoding() -> None:
    traced = theory.trace_round(lambda _: (0, 1, 0), lambda _: Q, 0)

    assert traced.emitted == (1,)
    assert traced.judged == ()
