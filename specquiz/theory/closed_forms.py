"""Closed forms of speculative decoding with a constant acceptance probability.

The model throughout: a draft proposes K tokens; each is accepted with probability α given that all before it were;
the target adds one token of its own (the recovered token after a rejection, the bonus token after K acceptances).
N is the number of accepted drafted tokens in a target pass, N + 1 the number of tokens the pass emits.

Every function takes numbers or arrays (broadcast against each other) and returns a float or an array. α is a
probability, K a whole number, costs are in units of one target pass. What is outside its domain is a ValueError that
names the argument and the value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, IntArray, Numbers, at_least, count, plain, positive, probability


class BestK(NamedTuple):
    """The number of drafted tokens with the greatest speed-up, and that speed-up over plain decoding."""

    k: Numbers
    speedup: Numbers


def tokens_per_pass(alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Expected tokens that one target pass emits: E[N] + 1 = (1 − α^(K+1)) / (1 − α).

    Source: Leviathan et al. 2023 (arXiv:2211.17192), Eq. 1.
    """
    return plain(geometric_sum(probability("alpha", alpha), count("k", k) + 1))


def expected_accepted(alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Expected accepted drafted tokens in a target pass: E[N] = α (1 − α^K) / (1 − α), one less than the emitted.

    Source: Leviathan et al. 2023 (arXiv:2211.17192), Eq. 1, without the target's own token.
    """
    return plain(_accepted(probability("alpha", alpha), count("k", k)))


def expected_judged(alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Expected drafted positions that are judged in a pass, the rejected one included: (1 − α^K) / (1 − α).

    Positions after the first rejection are never judged.
    """
    return plain(geometric_sum(probability("alpha", alpha), count("k", k)))


def accepted_pmf(alpha: ArrayLike, k: ArrayLike) -> FloatArray:
    """P(N = n) for n = 0 … K along a new last axis: αⁿ(1 − α) for n < K, and α^K for n = K.

    Where `k` is an array, the axis has length max(K) + 1 and is zero beyond each K.
    Source: the capped geometric law of Leviathan et al. 2023 (arXiv:2211.17192), §3.
    """
    a, drafted = np.broadcast_arrays(probability("alpha", alpha), count("k", k))
    a, drafted = a[..., None], drafted[..., None]
    n = np.arange(drafted.max(initial=0) + 1)
    pmf: FloatArray = np.where(n < drafted, a**n * (1 - a), np.where(n == drafted, a**n, 0.0))
    return pmf


def accepted_variance(alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Var[N], also the variance of the emitted tokens: Σ_{j=1..K} (2j − 1) α^j − E[N]². Unit: tokens squared."""
    pmf = accepted_pmf(alpha, k)
    n = np.arange(pmf.shape[-1])
    mean = (pmf * n).sum(axis=-1, keepdims=True)
    # Summed around the mean: the difference of the two moments would lose its digits near α = 1.
    return plain((pmf * (n - mean) ** 2).sum(axis=-1))


def draft_acceptance_rate(alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Accepted ÷ drafted tokens, E[N] / K, for K ≥ 1.

    This is what vLLM logs as its draft acceptance rate. It falls with K though α is unchanged, so it must not be
    compared across K; it equals α at K = 1 only.
    """
    drafted = count("k", k, least=1)
    return plain(_accepted(probability("alpha", alpha), drafted) / drafted)


def survival(alpha: ArrayLike, position: ArrayLike) -> Numbers:
    """P(draft `position` is accepted) = α^i for i = 1, 2, …: vLLM's unconditional rate per position."""
    return plain(probability("alpha", alpha) ** count("position", position))


def speedup(alpha: ArrayLike, k: ArrayLike, draft_cost: ArrayLike, overhead: ArrayLike = 0.0) -> Numbers:
    """Wall-time speed-up over plain decoding: tokens_per_pass / (1 + K c + v).

    Args:
        alpha: acceptance probability.
        k: drafted tokens per pass.
        draft_cost: c, the time of one draft step in target passes.
        overhead: v, what verification and scheduling add to a pass, in target passes.

    Assumes that verifying K + 1 positions takes as long as decoding one token (memory-bound decoding) and long
    outputs. Source: Leviathan et al. 2023 (arXiv:2211.17192), Thm 3.8; v added.
    """
    a, drafted = probability("alpha", alpha), count("k", k)
    return plain(_speedup(a, drafted, at_least(0, "draft_cost", draft_cost), at_least(0, "overhead", overhead)))


def best_k(alpha: ArrayLike, draft_cost: ArrayLike, overhead: ArrayLike = 0.0, *, k_max: int | None = None) -> BestK:
    """The K ≥ 0 with the greatest `speedup`, and that speed-up; the smaller K of equals.

    K = 0 is plain decoding, without overhead and with a speed-up of 1. The speed-up is unimodal in K, so the optimum
    is a neighbour of the continuous one.

    Args:
        k_max: the largest K considered. Without it a draft that always pays (c = 0 < α, or α = 1 with c < 1) has no
            best K: ValueError.
    """
    a, c, v = np.broadcast_arrays(
        probability("alpha", alpha), at_least(0, "draft_cost", draft_cost), at_least(0, "overhead", overhead)
    )
    continuous = _best_k_continuous(a, c, v)
    if k_max is None:
        if not np.all(np.isfinite(continuous)):
            where = ~np.isfinite(continuous)
            raise ValueError(
                f"draft_cost={c[where][0]:g} at alpha={a[where][0]:g}: more drafted tokens always pay, so there is no "
                "best K; give k_max"
            )
        limit = np.inf
    else:
        limit = float(count("k_max", k_max))
    low = np.minimum(np.floor(continuous), limit).astype(np.int64)
    high = np.minimum(np.ceil(continuous), limit).astype(np.int64)
    best, gain = np.zeros_like(low), np.ones(a.shape)
    for candidate in (low, high):
        gained = _speedup(a, candidate, c, v)
        # A gain of rounding errors only is a tie.
        better = (candidate > 0) & (gained > gain * (1 + 1e-12))
        best, gain = np.where(better, candidate, best), np.where(better, gained, gain)
    return BestK(plain(best), plain(gain))


def best_k_continuous(alpha: ArrayLike, draft_cost: ArrayLike, overhead: ArrayLike = 0.0) -> Numbers:
    """The real K ≥ 0 where the speed-up as a function of real K is greatest; inf where it rises for ever.

    With v = 0 and a = ln α it is K* = (c − a + c·W₋₁(−e^(a/c − a − 1))) / (a c) in Lambert's W, clamped at 0. Here
    the derivative's root is found without that exponential, which underflows for a small c.
    """
    a, c, v = np.broadcast_arrays(
        probability("alpha", alpha), at_least(0, "draft_cost", draft_cost), at_least(0, "overhead", overhead)
    )
    return plain(_best_k_continuous(a, c, v))


def break_even_alpha(k: ArrayLike, draft_cost: ArrayLike, overhead: ArrayLike = 0.0) -> Numbers:
    """The α at which the speed-up is 1: the root of Σ_{i=1..K} α^i = K c + v, for K ≥ 1; nan where no α reaches it.

    At K = 1 and v = 0 it is c. Source: Leviathan et al. 2023 (arXiv:2211.17192), Cor. 3.9 for K = 1.
    """
    drafted = count("k", k, least=1)
    target = drafted * at_least(0, "draft_cost", draft_cost) + at_least(0, "overhead", overhead)
    return plain(_alpha_with_accepted(target, drafted))


def alpha_from_mean_length(mean_length: ArrayLike, k: ArrayLike) -> Numbers:
    """The α whose `tokens_per_pass` is `mean_length`, for 1 ≤ mean_length ≤ K + 1 and K ≥ 1 (estimator of moments).

    `mean_length` is vLLM's mean acceptance length 1 + accepted/drafts, which counts the target's own token. All
    drafts must have had the full length K.
    """
    drafted, length = count("k", k, least=1), at_least(1, "mean_length", mean_length)
    _at_most(length, drafted + 1, "mean_length", "K + 1")
    return plain(_alpha_with_accepted(length - 1, drafted))


def alpha_from_rate(rate: ArrayLike, k: ArrayLike) -> Numbers:
    """The α whose `draft_acceptance_rate` at this K ≥ 1 is `rate` (estimator of moments)."""
    drafted = count("k", k, least=1)
    return plain(_alpha_with_accepted(probability("rate", rate) * drafted, drafted))


def alpha_for_speedup(target: ArrayLike, k: ArrayLike, draft_cost: ArrayLike, overhead: ArrayLike = 0.0) -> Numbers:
    """The α with which K ≥ 1 drafted tokens reach the speed-up `target`; nan where none does."""
    drafted = count("k", k, least=1)
    cost = 1 + drafted * at_least(0, "draft_cost", draft_cost) + at_least(0, "overhead", overhead)
    return plain(_alpha_with_accepted(at_least(0, "target", target) * cost - 1, drafted))


def implied_overhead(mean_length: ArrayLike, measured_speedup: ArrayLike) -> Numbers:
    """What a pass cost beyond a plain one, in target passes: tokens per pass ÷ measured speed-up − 1 = K c + v.

    Negative where the measured baseline was slower than a pass of the method without its drafting.
    """
    return plain(at_least(1, "mean_length", mean_length) / positive("measured_speedup", measured_speedup) - 1)


def operations_factor(alpha: ArrayLike, k: ArrayLike, draft_operations: ArrayLike) -> Numbers:
    """How many times more arithmetic a token costs than in plain decoding: (K ĉ + K + 1) / tokens_per_pass.

    Args:
        draft_operations: ĉ, operations of the draft per token in units of the target's.

    Source: Leviathan et al. 2023 (arXiv:2211.17192), Thm 3.11.
    """
    a, drafted = probability("alpha", alpha), count("k", k)
    operations = drafted * at_least(0, "draft_operations", draft_operations) + drafted + 1
    return plain(operations / geometric_sum(a, drafted + 1))


def passes_to_emit(n_tokens: ArrayLike, alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Exact expected number of target passes until `n_tokens` tokens stand, the last pass cut where it overshoots.

    More than n_tokens / tokens_per_pass, because the last pass may be worth less than an average one. Dynamic
    programme: f(m) = 1 + Σ_n P(N = n) f(m − n − 1), f(m ≤ 0) = 0.
    """
    wanted, a, drafted = np.broadcast_arrays(count("n_tokens", n_tokens), probability("alpha", alpha), count("k", k))
    emitted = accepted_pmf(a.ravel(), drafted.ravel()).T
    width = len(emitted)
    passes = np.zeros((width + int(wanted.max(initial=0)), a.size))
    for m in range(width, len(passes)):
        passes[m] = 1 + (emitted * passes[m - width : m][::-1]).sum(axis=0)
    return plain(passes[wanted.ravel() + width - 1, np.arange(a.size)].reshape(a.shape))


def geometric_sum(alpha: FloatArray, terms: IntArray) -> FloatArray:
    """Σ_{i=0}^{terms−1} α^i, with full precision near α = 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = 1 - alpha
        sums: FloatArray = np.where(gap == 0, terms, -np.expm1(terms * np.log(alpha)) / gap)
    return np.where(terms == 0, 0.0, sums)


def _accepted(alpha: FloatArray, k: IntArray) -> FloatArray:
    return alpha * geometric_sum(alpha, k)


def _speedup(alpha: FloatArray, k: IntArray, cost: FloatArray, overhead: FloatArray) -> FloatArray:
    return geometric_sum(alpha, k + 1) / (1 + k * cost + overhead)


def _alpha_with_accepted(target: FloatArray, k: IntArray) -> FloatArray:
    """The α with E[N] = target, nan where target is outside [0, K]."""
    target, k = np.broadcast_arrays(target, k)
    low, high = np.zeros(target.shape), np.ones(target.shape)
    for _ in range(100):
        middle = (low + high) / 2
        short = _accepted(middle, k) < target
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    root = np.where(target == k, 1.0, np.where(target == 0, 0.0, high))
    return np.where((target >= 0) & (target <= k), root, np.nan)


def _best_k_continuous(alpha: FloatArray, cost: FloatArray, overhead: FloatArray) -> FloatArray:
    # With t = −(K+1) ln α the derivative of (1 − e^−t) / (1 + Kc + v) vanishes where
    # e^t − t = 1 + s, s = −ln α (1 + v − c) / c: the root is above zero where s is.
    with np.errstate(divide="ignore", invalid="ignore"):
        decay = -np.log(alpha)
        excess = decay * (1 + overhead - cost) / cost
        optimum = _root_above_zero(excess) / decay - 1
    always = ((cost == 0) & (alpha > 0)) | ((alpha == 1) & (cost < 1 + overhead))
    never = (alpha == 0) | (cost >= 1 + overhead)
    return np.where(always, np.inf, np.where(never, 0.0, np.maximum(optimum, 0.0)))


def _root_above_zero(excess: FloatArray) -> FloatArray:
    """The t ≥ 0 with e^t − 1 − t = excess, by Newton's method from above (the function is convex and rising)."""
    t = np.minimum(np.sqrt(2 * excess), np.log(2 * excess + 2))
    for _ in range(40):
        slope = np.expm1(t)
        t = np.where(slope > 0, t - (slope - t - excess) / slope, t)
    return t


def _at_most(array: FloatArray, bound: IntArray, name: str, bound_name: str) -> None:
    array, bound = np.broadcast_arrays(array, bound)
    beyond = array > bound
    if np.any(beyond):
        raise ValueError(f"{name} must be at most {bound_name} = {bound[beyond][0]}, not {array[beyond][0]:.12g}")
