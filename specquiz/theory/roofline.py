"""Roofline of a decode or verification pass: when verifying K + 1 positions is free, and when it no longer is.

A pass over `tokens` positions of a batch takes the longer of two times: reading the weights and the batch's KV cache,
or multiplying. Both at the device's peaks, so times are floors and the crossing is an order of magnitude. Functions
broadcast over arrays of batch, context, K and α. Source: Williams et al. 2009, doi:10.1145/1498765.1498785.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import Numbers, at_least, count, plain, probability
from specquiz.theory.closed_forms import BestK, tokens_per_pass
from specquiz.theory.hardware import GIB, Checkpoint, Device


def machine_balance(device: Device) -> float:
    """Operations per byte at which multiplying takes as long as reading."""
    return device.peak / device.bandwidth


def ridge_tokens(device: Device, checkpoint: Checkpoint) -> float:
    """Positions in a pass at which multiplying takes as long as reading the weights: W · peak / (bandwidth · 2P).

    Fewer are memory-bound. Quantised weights lower it: less to read, as much to multiply.
    """
    operations = 2 * checkpoint.shape.multiplied_parameters
    return checkpoint.read_bytes * device.peak / (device.bandwidth * operations)


def tpot_floor(device: Device, checkpoint: Checkpoint) -> float:
    """Least seconds per output token of plain decoding, one sequence, empty context: weights read ÷ bandwidth."""
    return checkpoint.read_bytes / device.bandwidth


def pass_time(
    device: Device, checkpoint: Checkpoint, batch: ArrayLike, k: ArrayLike = 0, context: ArrayLike = 0
) -> Numbers:
    """Seconds of a target pass over K + 1 positions of each of `batch` sequences with `context` cached tokens each.

    max((W + B · context · kv) / bandwidth, (2P · n + 4 · layers · heads · head size · context · n) / peak) with
    n = B (K + 1): the KV cache is read once for all positions of a sequence.
    """
    sequences, cached = count("batch", batch, least=1), at_least(0, "context", context)
    positions = sequences * (count("k", k) + 1)
    read = checkpoint.read_bytes + sequences * cached * checkpoint.kv_bytes()
    shape = checkpoint.shape
    attention = 4 * shape.layers * shape.heads * shape.head_size * cached
    operations = positions * (2 * shape.multiplied_parameters + attention)
    return plain(np.maximum(read / device.bandwidth, operations / device.peak))


def batch_speedup(
    device: Device,
    checkpoint: Checkpoint,
    alpha: ArrayLike,
    k: ArrayLike,
    batch: ArrayLike,
    *,
    context: ArrayLike = 0,
    draft_cost: ArrayLike = 0.0,
    overhead: ArrayLike = 0.0,
) -> Numbers:
    """Speed-up over plain decoding at a batch size: tokens_per_pass · t(1) / (t(K + 1) + (K c + v) · t(1)).

    t(n) is `pass_time` with n positions per sequence; c and v are in units of a plain pass of the same batch.
    """
    single = pass_time(device, checkpoint, batch, 0, context)
    extra = count("k", k) * at_least(0, "draft_cost", draft_cost) + at_least(0, "overhead", overhead)
    verification = pass_time(device, checkpoint, batch, k, context)
    return plain(tokens_per_pass(alpha, k) * single / (verification + extra * single))


def compute_bound_speedup(alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Speed-up with a free draft when both passes are compute-bound: tokens_per_pass / (K + 1), never above 1."""
    return plain(tokens_per_pass(alpha, k) / (count("k", k) + 1))


def crossing_batch(
    device: Device,
    checkpoint: Checkpoint,
    alpha: float,
    k: int,
    *,
    context: float = 0,
    draft_cost: float = 0.0,
    overhead: float = 0.0,
    batch_max: int = 256,
) -> int | None:
    """The first batch size up to `batch_max` whose speed-up is below 1; None if there is none."""
    batches = np.arange(1, int(count("batch_max", batch_max, least=1)) + 1)
    gains = batch_speedup(
        device, checkpoint, alpha, k, batches, context=context, draft_cost=draft_cost, overhead=overhead
    )
    below = np.flatnonzero(np.asarray(gains) < 1)
    return int(batches[below[0]]) if len(below) else None


def crossing_rule_of_thumb(device: Device, checkpoint: Checkpoint, alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """About where the speed-up crosses 1 for short contexts and a free draft: ridge · tokens_per_pass / (K + 1)."""
    return plain(ridge_tokens(device, checkpoint) * compute_bound_speedup(alpha, k))


def best_k_at_batch(
    device: Device,
    checkpoint: Checkpoint,
    alpha: float,
    batch: int,
    *,
    context: float = 0,
    draft_cost: float = 0.0,
    overhead: float = 0.0,
    k_max: int = 8,
) -> BestK:
    """The K up to `k_max` with the greatest speed-up at this batch: the smallest of equals, 0 for plain decoding."""
    ks = np.arange(1, int(count("k_max", k_max)) + 1)
    a = float(probability("alpha", alpha))
    gains = batch_speedup(device, checkpoint, a, ks, batch, context=context, draft_cost=draft_cost, overhead=overhead)
    gains = np.concatenate([[1.0], np.asarray(gains)])
    best = int(np.flatnonzero(gains >= gains.max() * (1 - 1e-12))[0])
    return BestK(best, float(gains[best]))


def kv_tokens(
    device: Device,
    checkpoint: Checkpoint,
    *,
    utilisation: float = 0.9,
    reserved_bytes: float = 1.5 * GIB,
    draft_bytes: float = 0.0,
    draft_kv_bytes: float = 0.0,
) -> int:
    """Tokens whose KV cache fits beside the weights; 0 if the weights do not fit.

    Args:
        utilisation: share of the memory that the engine may use.
        reserved_bytes: activations, CUDA graphs and the like.
        draft_bytes: weights of a draft model.
        draft_kv_bytes: the draft's own KV cache per token.
    """
    usable = device.memory * float(probability("utilisation", utilisation)) - checkpoint.file_bytes
    taken = float(at_least(0, "reserved_bytes", reserved_bytes)) + float(at_least(0, "draft_bytes", draft_bytes))
    per_token = checkpoint.kv_bytes() + float(at_least(0, "draft_kv_bytes", draft_kv_bytes))
    return max(0, int((usable - taken) / per_token))
