"""Several candidates for one position, tried one after another with recursive residuals.

After a rejection the next candidate is judged against the residual of the target, so the output law stays p.
Source: Miao et al. 2023 (SpecInfer, arXiv:2305.09781), multi-step speculative sampling; without replacement: Chen et
al. 2024 (Sequoia, arXiv:2402.12374).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, count, distribution, same_vocabulary
from specquiz.theory.sampling import residual_or_target


def candidates_acceptance(p: ArrayLike, q: ArrayLike, candidates: int, *, replacement: bool = True) -> float:
    """Probability that one of `candidates` ≥ 1 tokens drawn from q is accepted.

    Args:
        p: the target's law, one vector.
        q: the draft's law, one vector.
        candidates: tokens drawn from q and tried in turn.
        replacement: whether a rejected token may be drawn again. Without, every order of rejected tokens is
            enumerated: V^(candidates − 1) steps.
    """
    accepted, _ = _laws(p, q, candidates, replacement)
    return float(accepted.sum())


def candidates_law(p: ArrayLike, q: ArrayLike, candidates: int, *, replacement: bool = True) -> FloatArray:
    """The law of the token emitted for the position, by enumeration; equal to p."""
    accepted, redrawn = _laws(p, q, candidates, replacement)
    return accepted + redrawn


def _laws(p: ArrayLike, q: ArrayLike, candidates: int, replacement: bool) -> tuple[FloatArray, FloatArray]:
    target, draft = distribution("p", p), distribution("q", q)
    if target.ndim != 1 or draft.ndim != 1:
        raise ValueError(f"p and q must be single vectors, not of shapes {target.shape}, {draft.shape}")
    same_vocabulary(p=target, q=draft)
    return _tried(target, draft, int(count("candidates", candidates, least=1)), replacement)


def _tried(p: FloatArray, q: FloatArray, candidates: int, replacement: bool) -> tuple[FloatArray, FloatArray]:
    """The accepted mass and the finally redrawn mass of each token."""
    accepted: FloatArray = np.minimum(p, q)
    rejected = q - accepted
    rest = residual_or_target(p, q)
    if candidates == 1:
        return accepted, rejected.sum() * rest
    if replacement:
        later, redrawn = _tried(rest, q, candidates - 1, replacement)
        return accepted + rejected.sum() * later, rejected.sum() * redrawn
    redrawn = np.zeros_like(p)
    for token in np.flatnonzero(rejected):
        others = np.where(np.arange(len(q)) == token, 0.0, q)
        if not others.any():
            redrawn += rejected[token] * rest
            continue
        later, last = _tried(rest, others / others.sum(), candidates - 1, replacement)
        accepted = accepted + rejected[token] * later
        redrawn += rejected[token] * last
    return accepted, redrawn
