"""Mixed workloads: steps of unequal difficulty, parts of unequal speed, sequences that wait for each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import (
    FloatArray,
    Numbers,
    at_least,
    count,
    distribution,
    plain,
    positive,
    probability,
    same_vocabulary,
)
from specquiz.theory.closed_forms import tokens_per_pass


def mixture_tokens_per_pass(alphas: ArrayLike, shares: ArrayLike, k: int) -> float:
    """Expected tokens per pass when a share of the steps has each α: the mean of tokens_per_pass over steps.

    At least tokens_per_pass at the mean α (Jensen: it is convex in α).

    Args:
        alphas: α of each kind of step.
        shares: the share of steps of each kind, summing to one.
        k: drafted tokens per pass.
    """
    a, w = _kinds(alphas, shares)
    return float((w * tokens_per_pass(a, k)).sum())


def mixture_conditional_rates(alphas: ArrayLike, shares: ArrayLike, k: int) -> FloatArray:
    """P(position i accepted | all earlier accepted), i = 1 … K, in such a mixture: rising, as easy steps survive.

    nan where no earlier position is ever accepted.
    """
    a, w = _kinds(alphas, shares)
    positions = np.arange(int(count("k", k, least=1)) + 1)
    survival = (w[:, None] * a[:, None] ** positions).sum(axis=0)
    before = survival[:-1]
    rates: FloatArray = np.divide(survival[1:], before, out=np.full(len(before), np.nan), where=before > 0)
    return rates


def pooled_mean_length(passes: ArrayLike, mean_lengths: ArrayLike) -> float:
    """Mean acceptance length of all passes together: the mean weighted by passes, not the mean of the means."""
    n, lengths = at_least(0, "passes", passes), at_least(1, "mean_lengths", mean_lengths)
    if not n.sum():
        raise ValueError("passes are all 0: there is no mean length")
    return float((n * lengths).sum() / n.sum())


def harmonic_speedup(token_shares: ArrayLike, speedups: ArrayLike) -> float:
    """Speed-up of a mix of parts given by their share of the tokens: 1 / Σ (share ÷ speed-up).

    Times add up, speeds do not: half the tokens at 2.5× and half at 0.8× is 1.21×, not 1.65×.
    """
    shares, factors = distribution("token_shares", token_shares), positive("speedups", speedups)
    same_vocabulary(token_shares=shares, speedups=factors)
    return float(1 / (shares / factors).sum())


def amdahl_speedup(share: ArrayLike, factor: ArrayLike) -> Numbers:
    """Speed-up of the whole when a `share` of its time is sped up by `factor`: 1 / (1 − share + share ÷ factor).

    Source: Amdahl 1967, doi:10.1145/1465482.1465560.
    """
    part = probability("share", share)
    return plain(1 / (1 - part + part / positive("factor", factor)))


def lockstep_alpha(alpha: ArrayLike, sequences: ArrayLike) -> Numbers:
    """α of a batch in which all sequences stop at the first rejection of any: α^B.

    Continuous batching does not wait like this. Source: Qian et al. 2024 (BASS, arXiv:2404.15778).
    """
    return plain(probability("alpha", alpha) ** count("sequences", sequences, least=1))


def _kinds(alphas: ArrayLike, shares: ArrayLike) -> tuple[FloatArray, FloatArray]:
    a, w = np.atleast_1d(probability("alphas", alphas)), distribution("shares", shares)
    if a.shape != w.shape or a.ndim != 1:
        raise ValueError(f"alphas and shares must be two vectors of one length, not {a.shape}, {w.shape}")
    return a, w
