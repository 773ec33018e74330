"""Rooflines: where verification stops being free, and what moves that point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from specquiz import theory

CARD = theory.DEVICES["rtx4090"]
BF16, AWQ = theory.CHECKPOINTS["qwen2.5-7b-bf16"], theory.CHECKPOINTS["qwen2.5-7b-awq"]


@pytest.mark.parametrize(
    ("checkpoint", "batches", "speedups"),
    [
        (BF16, [1, 32, 48, 64, 96, 128, 192], [2.773, 2.773, 2.207, 1.747, 1.287, 1.057, 0.827]),
        (AWQ, [1, 8, 16, 32, 48, 64, 128], [2.773, 2.773, 2.116, 1.241, 0.950, 0.804, 0.585]),
    ],
)
def test_the_speed_up_falls_with_the_batch(
    checkpoint: theory.Checkpoint, batches: list[int], speedups: list[float]
) -> None:
    assert theory.batch_speedup(CARD, checkpoint, 0.7, 4, batches, context=1024) == pytest.approx(speedups, abs=5e-4)


def test_far_beyond_the_ridge_the_compute_bound_limit_is_reached() -> None:
    limit = theory.compute_bound_speedup(0.7, 4)

    assert theory.batch_speedup(CARD, AWQ, 0.7, 4, 10_000) == pytest.approx(limit)


def test_a_quantised_target_crosses_one_earlier_and_a_long_context_never() -> None:
    crossings = [theory.crossing_batch(CARD, one, 0.7, 4, context=c) for one in (BF16, AWQ) for c in (0, 1024, 8192)]

    assert crossings == [91, 140, None, 29, 45, None]


def test_the_rule_of_thumb_is_near_the_crossing() -> None:
    assert theory.crossing_rule_of_thumb(CARD, BF16, 0.7, 4) == pytest.approx(91, abs=1)
    assert theory.crossing_rule_of_thumb(CARD, AWQ, 0.7, 4) == pytest.approx(29, abs=1)


def test_as_kernels_reach_it_the_card_crosses_earlier() -> None:
    crossing = theory.crossing_batch(CARD.derated(0.85, 0.6), AWQ, 0.7, 4)

    assert crossing is not None
    assert 16 < crossing < 32
    with pytest.raises(ValueError, match=r"compute_share .*1\.5"):
        CARD.derated(1, 1.5)


def test_the_best_k_shrinks_as_the_batch_grows() -> None:
    best = [theory.best_k_at_batch(CARD, AWQ, 0.7, batch, context=1024).k for batch in (1, 4, 8, 16, 24, 32, 96, 128)]

    assert best == [8, 8, 6, 3, 2, 1, 1, 0]


def test_a_draft_that_costs_moves_the_best_k_as_without_a_batch() -> None:
    assert theory.best_k_at_batch(CARD, BF16, 0.7, 1, draft_cost=0.15) == pytest.approx(theory.best_k(0.7, 0.15))


def test_the_least_time_per_token_is_the_weights_read() -> None:
    assert theory.pass_time(CARD, AWQ, 1) == theory.tpot_floor(CARD, AWQ)
    assert np.shape(theory.pass_time(CARD, AWQ, [[1], [2]], [0, 4, 8])) == (2, 3)


@pytest.mark.parametrize(("name", "ridge"), [("rtx4090", 164), ("rtx3090", 76), ("h100", 295), ("cpu", 12.5)])
def test_each_device_has_its_ridge(name: str, ridge: float) -> None:
    assert theory.ridge_tokens(theory.DEVICES[name], BF16) == pytest.approx(ridge, abs=0.5)


def test_every_device_and_checkpoint_names_its_source() -> None:
    assert set(theory.DEVICES) == {"rtx4090", "rtx3090", "a100", "h100", "h200", "cpu"}
    assert all(device.source for device in theory.DEVICES.values())
    assert all(checkpoint.source for checkpoint in theory.CHECKPOINTS.values())


def test_a_draft_model_takes_its_weights_and_its_cache_from_the_targets() -> None:
    alone = theory.kv_tokens(CARD, AWQ)

    assert alone == pytest.approx(279_000, rel=0.01)
    assert theory.kv_tokens(CARD, AWQ, draft_bytes=1e9, draft_kv_bytes=12288) == pytest.approx(216_000, rel=0.01)
    assert theory.kv_tokens(replace(CARD, memory=4e9), BF16) == 0


def test_an_impossible_batch_is_refused() -> None:
    with pytest.raises(ValueError, match=r"batch .*0"):
        theory.pass_time(CARD, AWQ, 0)
    with pytest.raises(ValueError, match=r"context .*-1"):
        theory.pass_time(CARD, AWQ, 1, 4, -1)
