"""Accepting and redrawing one drafted token, so that what is emitted follows the target's law; and rules that do not.

p is the target's probability vector, q the draft's; the last axis runs over the vocabulary, other axes broadcast.
A drafted x ~ q is accepted with probability min(1, p(x)/q(x)); on rejection a token is drawn from the residual
(p − q)₊ / Σ(p − q)₊. Source: Leviathan et al. 2023 (arXiv:2211.17192), §2.3, Thm 3.5 and App. A.1; Chen et al. 2023
(arXiv:2302.01318), Alg. 2, where p and q are swapped.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, Numbers, at_least, count, distribution, plain, same_vocabulary

# What is drawn from after a rejection. Only the residual is right; "target-without-rejected" is right for a one-hot q.
Redraw: TypeAlias = Literal["residual", "target", "target-without-rejected"]


def overlap(p: ArrayLike, q: ArrayLike) -> Numbers:
    """Probability that a drafted token is accepted: Σ min(p, q) = 1 − TV(p, q).

    Source: Leviathan et al. 2023 (arXiv:2211.17192), Lemma 3.3 and Thm 3.5.
    """
    target, draft = _pair(p, q)
    return plain(np.minimum(target, draft).sum(axis=-1))


def total_variation(p: ArrayLike, q: ArrayLike) -> Numbers:
    """Total variation distance ½ Σ |p − q|."""
    target, draft = _pair(p, q)
    return plain(np.abs(target - draft).sum(axis=-1) / 2)


def accept_probability(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """min(1, p(x)/q(x)) for each token x; 1 where the draft cannot propose it."""
    return _accept(*_pair(p, q))


def residual(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """The law of the recovered token after a rejection: (p − q)₊ / Σ(p − q)₊.

    ValueError where p = q: then nothing is ever rejected and there is no residual.
    """
    target, draft = _pair(p, q)
    if np.any(np.maximum(target - draft, 0).sum(axis=-1) == 0):
        raise ValueError(f"p and q are equal, so nothing is rejected and there is no residual: {target.tolist()}")
    return residual_or_target(target, draft)


def lenient_overlap(p: ArrayLike, q: ArrayLike, lenience: ArrayLike) -> Numbers:
    """Acceptance under lenience l in (0, 1]: Σ min(p / l, q). At l < 1 the output law is no longer p.

    No token becomes more probable than p / l. Source: Leviathan et al. 2023 (arXiv:2211.17192), App. A.5.
    """
    target, draft = _pair(p, q)
    bound = at_least(0, "lenience", lenience)
    if np.any((bound <= 0) | (bound > 1)):
        raise ValueError(f"lenience must lie in (0, 1], not {bound[(bound <= 0) | (bound > 1)].flat[0]:g}")
    return plain(np.minimum(target / bound[..., None], draft).sum(axis=-1))


def output_law(
    p: ArrayLike, q: ArrayLike, *, redraw: Redraw = "residual", ratio_q: ArrayLike | None = None
) -> FloatArray:
    """The law of the token that one accept-or-redraw step emits; equal to p for the right rule.

    Args:
        p: the target's law.
        q: the law that the draft's token was really drawn from.
        redraw: what is drawn from after a rejection.
        ratio_q: the draft law used in ratio and residual where it is (wrongly) not q, as when the draft was sampled
            at another temperature.
    """
    target, draft = _pair(p, q)
    believed = draft if ratio_q is None else distribution("ratio_q", ratio_q)
    same_vocabulary(p=target, ratio_q=believed)
    target, draft, believed = np.broadcast_arrays(target, draft, believed)
    accepted = draft * _accept(target, believed)
    law: FloatArray = accepted + ((draft - accepted)[..., None] * redraw_laws(target, believed, redraw)).sum(axis=-2)
    return law


def redraw_laws(p: ArrayLike, q: ArrayLike, redraw: Redraw = "residual") -> FloatArray:
    """The law of the redrawn token, one row per rejected token: shape (…, V rejected, V redrawn)."""
    target, draft = np.broadcast_arrays(*_pair(p, q))
    size = target.shape[-1]
    if redraw == "residual":
        one = residual_or_target(target, draft)
    elif redraw == "target":
        one = target
    elif redraw == "target-without-rejected":
        others = target[..., None, :] * (1 - np.eye(size))
        mass = others.sum(axis=-1, keepdims=True)
        # A token with p = 1 is never rejected, so its row is of no consequence.
        laws: FloatArray = np.divide(others, mass, out=np.full(others.shape, 1 / size), where=mass > 0)
        return laws
    else:
        raise ValueError(f"redraw must be one of {', '.join(get_args(Redraw))}, not {redraw!r}")
    return np.broadcast_to(one[..., None, :], (*one.shape, size))


def residual_or_target(p: FloatArray, q: FloatArray) -> FloatArray:
    """The residual, and p itself where p = q (never drawn from there)."""
    above = np.maximum(p - q, 0)
    mass = above.sum(axis=-1, keepdims=True)
    laws: FloatArray = np.divide(above, mass, out=np.array(np.broadcast_to(p, above.shape)), where=mass > 0)
    return laws


def one_hot(token: ArrayLike, vocabulary: int) -> FloatArray:
    """The probability vector of a deterministic draft (n-gram lookup, greedy draft) that proposes `token`."""
    tokens = count("token", token)
    if np.any(tokens >= vocabulary):
        raise ValueError(f"token must be below vocabulary={vocabulary}, not {tokens.max()}")
    vectors: FloatArray = np.eye(vocabulary)[tokens]
    return vectors


def one_hot_acceptance(p: ArrayLike, token: int) -> Numbers:
    """Acceptance of a deterministic draft of `token`: p(token).

    Even the best deterministic draft is accepted with max p < 1 where the target samples.
    """
    target = distribution("p", p)
    return plain((target * one_hot(token, target.shape[-1])).sum(axis=-1))


def softmax(logits: ArrayLike, temperature: ArrayLike = 1.0) -> FloatArray:
    """Probabilities of `logits` (last axis) at a temperature; at 0 all of it on the first greatest logit.

    Temperatures broadcast against the other axes of `logits`.
    """
    z, t = np.asarray(logits, dtype=np.float64), at_least(0, "temperature", temperature)[..., None]
    if not np.all(np.isfinite(z)):
        raise ValueError(f"logits must be finite, not {z[~np.isfinite(z)][0]:g}")
    z, t = np.broadcast_arrays(z - z.max(axis=-1, keepdims=True), t)
    greedy = one_hot(z.argmax(axis=-1), z.shape[-1])
    with np.errstate(over="ignore"):
        weights = np.where(t > 0, np.exp(z / np.where(t > 0, t, 1.0)), greedy)
    probabilities: FloatArray = weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def temperature_overlap(target_logits: ArrayLike, draft_logits: ArrayLike, temperature: ArrayLike) -> Numbers:
    """Acceptance Σ min(p, q) when both models sample at `temperature`; one value per temperature.

    It is not monotone in the temperature: at 0 the argmaxes decide, at large temperatures both laws become uniform.
    """
    return overlap(softmax(target_logits, temperature), softmax(draft_logits, temperature))


def argmax_acceptance(target_logits: ArrayLike, temperature: ArrayLike) -> Numbers:
    """Acceptance of a deterministic draft of the target's own argmax at `temperature`: max p, falling to 1/V."""
    return plain(softmax(target_logits, temperature).max(axis=-1))


def _accept(p: FloatArray, q: FloatArray) -> FloatArray:
    ratio = np.divide(p, q, out=np.ones(np.broadcast_shapes(p.shape, q.shape)), where=q > 0)
    return np.minimum(ratio, 1.0)


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
    target, draft = distribution("p", p), distribution("q", q)
    same_vocabulary(p=target, q=draft)
    return target, draft
