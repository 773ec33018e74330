"""Whether the model of a constant acceptance probability describes what was counted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.acceptance import alpha_mle, conditional_rates
from specquiz.theory.arguments import at_least, count, positive
from specquiz.theory.closed_forms import tokens_per_pass


@dataclass(frozen=True)
class GeometricFit:
    """How well a constant α describes the positions: a test, and the effect on what matters.

    With many drafts the test rejects differences without consequence: grade by `length_error`.
    """

    alpha: float
    statistic: float
    degrees: int
    p_value: float
    conditional: tuple[float, ...]
    mean_length: float
    model_mean_length: float

    @property
    def length_error(self) -> float:
        """Model mean acceptance length ÷ the observed one, minus 1."""
        return self.model_mean_length / self.mean_length - 1


def geometric_fit(accepted_per_pos: ArrayLike, num_drafts: int) -> GeometricFit:
    """Fit a constant α to full drafts and test it: χ² = Σ (c_i − c_{i−1} α)² / (c_{i−1} α (1 − α)), K − 1 degrees.

    `accepted_per_pos` are the counts c_1 … c_K with K ≥ 2. Positions that were never judged are left out.
    """
    c = at_least(0, "accepted_per_pos", accepted_per_pos)
    if c.ndim != 1 or len(c) < 2:
        raise ValueError(f"accepted_per_pos must name at least two positions, not {c.shape}")
    drafts = float(positive("num_drafts", num_drafts))
    before = np.concatenate([[drafts], c[:-1]])
    alpha = float(alpha_mle(c.sum(), drafts - c[-1]))
    judged = before > 0
    degrees = int(judged.sum()) - 1
    variance = before[judged] * alpha * (1 - alpha)
    deviations = (c - before * alpha)[judged]
    statistic = float((deviations**2 / variance).sum()) if 0 < alpha < 1 else 0.0
    return GeometricFit(
        alpha=alpha,
        statistic=statistic,
        degrees=degrees,
        p_value=chi_square_survival(statistic, degrees) if degrees else 1.0,
        conditional=tuple(conditional_rates(c, drafts).tolist()),
        mean_length=1 + float(c.sum()) / drafts,
        model_mean_length=float(tokens_per_pass(alpha, len(c))),
    )


def chi_square_survival(statistic: float, degrees: int) -> float:
    """P(χ² with `degrees` degrees of freedom > statistic), by its finite sum for whole degrees."""
    half = float(at_least(0, "statistic", statistic)) / 2
    if int(count("degrees", degrees, least=1)) % 2:
        tail, term, step = math.erfc(math.sqrt(half)), math.exp(-half) * math.sqrt(half / math.pi) * 2, 1.5
    else:
        tail, term, step = 0.0, math.exp(-half), 1.0
    for _ in range(degrees // 2):
        tail += term
        term *= half / step
        step += 1
    return min(tail, 1.0)
