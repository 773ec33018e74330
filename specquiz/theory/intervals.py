"""How far an estimate may be from the truth: standard errors, intervals, and how many drafts a width needs."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, Numbers, at_least, count, plain, positive, probability
from specquiz.theory.closed_forms import accepted_variance, geometric_sum


def fisher_information(alpha: ArrayLike, k: ArrayLike) -> Numbers:
    """Fisher information on α in one draft: (1 − α^K) / (1 − α) · 1 / (α (1 − α)), for 0 < α < 1 and K ≥ 1."""
    a = probability("alpha", alpha)
    if np.any((a == 0) | (a == 1)):
        raise ValueError(f"alpha must lie strictly between 0 and 1, not {a[(a == 0) | (a == 1)].flat[0]:g}")
    return plain(geometric_sum(a, count("k", k, least=1)) / (a * (1 - a)))


def standard_error(alpha: ArrayLike, k: ArrayLike, drafts: ArrayLike, *, design_effect: ArrayLike = 1.0) -> Numbers:
    """Standard error of the maximum-likelihood α from `drafts` full drafts: √(α(1−α)² / (D(1−α^K))).

    Args:
        design_effect: by how much dependence within requests inflates the variance; 1 for independent drafts.
    """
    a = probability("alpha", alpha)
    judged = geometric_sum(a, count("k", k, least=1)) * positive("drafts", drafts)
    return plain(np.sqrt(at_least(0, "design_effect", design_effect) * a * (1 - a) / judged))


def drafts_needed(
    alpha: ArrayLike,
    k: ArrayLike,
    half_width: ArrayLike,
    *,
    confidence: float = 0.95,
    design_effect: ArrayLike = 1.0,
) -> Numbers:
    """Drafts for a confidence interval of ± `half_width` on α, rounded up.

    Args:
        design_effect: by how much dependence within requests inflates the variance; 2 to 5 is usual.
    """
    one = np.asarray(standard_error(alpha, k, 1, design_effect=design_effect))
    needed = (_normal_quantile(confidence) * one / positive("half_width", half_width)) ** 2
    # What is whole up to rounding errors is not rounded up to the next draft.
    return plain(np.ceil(needed - 1e-9).astype(np.int64))


def wilson_interval(successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> tuple[Numbers, Numbers]:
    """Wilson's score interval for a proportion; for α: accepted tokens of judged positions.

    Source: Wilson 1927, doi:10.1080/01621459.1927.10502953.
    """
    s, n = at_least(0, "successes", successes), positive("trials", trials)
    s, n = np.broadcast_arrays(s, n)
    if np.any(s > n):
        raise ValueError(f"successes must be at most trials, not {s[s > n][0]:g} of {n[s > n][0]:g}")
    z2 = _normal_quantile(confidence) ** 2
    share = s / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    low = np.where(s == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(s == n, 1.0, np.minimum(centre + half, 1.0))
    return plain(low), plain(high)


def bootstrap_ratios(
    numerators: ArrayLike, denominators: ArrayLike, *, resamples: int = 2000, seed: int = 0
) -> FloatArray:
    """Σ numerators ÷ Σ denominators over requests drawn with replacement, once per resample.

    One numerator and denominator per request (accepted and judged for α, accepted and drafted for the draft
    acceptance rate, emitted tokens and passes for tokens per pass). Resamples with an empty denominator are left out.
    Two workloads are compared by the difference of their ratios.
    """
    above, below = at_least(0, "numerators", numerators), at_least(0, "denominators", denominators)
    if above.ndim != 1 or above.shape != below.shape or not len(above):
        raise ValueError(
            f"numerators and denominators must be two vectors of one length, not {above.shape}, {below.shape}"
        )
    rng = np.random.default_rng(seed)
    pairs = np.stack([above, below], axis=1)
    rows = max(1, 1_000_000 // len(above))
    sums = [
        rng.multinomial(len(above), np.full(len(above), 1 / len(above)), size=min(rows, resamples - done)) @ pairs
        for done in range(0, resamples, rows)
    ]
    drawn = np.concatenate(sums)
    above, below = drawn[drawn[:, 1] > 0].T
    if not len(below):
        raise ValueError("denominators are all 0: there is no ratio")
    ratios: FloatArray = above / below
    return ratios


def request_bootstrap(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[float, float]:
    """Percentile interval of a ratio of sums, by drawing whole requests: steps within one request are dependent."""
    tail = (1 - _confidence(confidence)) / 2
    ratios = bootstrap_ratios(numerators, denominators, resamples=resamples, seed=seed)
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return float(low), float(high)


def design_effect(accepted: ArrayLike, judged: ArrayLike) -> float:
    """Variance of α over requests ÷ its variance if judged positions were independent (linearised ratio estimator).

    `accepted` and `judged` are per request, at least two requests.
    """
    a, n = at_least(0, "accepted", accepted), at_least(0, "judged", judged)
    if a.ndim != 1 or a.shape != n.shape or len(a) < 2:
        raise ValueError(f"accepted and judged must be vectors of one length >= 2, not {a.shape}, {n.shape}")
    if not n.sum():
        raise ValueError("judged is 0 in all requests: there is no alpha")
    alpha = float(a.sum() / n.sum())
    if alpha in (0.0, 1.0):
        raise ValueError(f"accepted: alpha = {alpha:g} has no variance to compare with")
    clustered = len(a) / (len(a) - 1) * float(((a - alpha * n) ** 2).sum())
    return clustered / (float(n.sum()) * alpha * (1 - alpha))


def moment_efficiency(alpha: float, k: int) -> float:
    """Asymptotic variance of the maximum-likelihood α ÷ that of the α solved from the mean length.

    (dE[N]/dα)² / (Var[N] · Fisher information), for 0 < α < 1 and K ≥ 1: the part of the drafts that moments use.
    """
    i = np.arange(1, int(count("k", k, least=1)) + 1)
    slope = float((i * float(probability("alpha", alpha)) ** (i - 1)).sum())
    return slope**2 / float(accepted_variance(alpha, k) * fisher_information(alpha, k))


def _confidence(value: float) -> float:
    if not 0 < value < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1, not {value!r}")
    return value


def _normal_quantile(confidence: float) -> float:
    """z with P(|Z| ≤ z) = confidence."""
    return NormalDist().inv_cdf((1 + _confidence(confidence)) / 2)
