"""Monte Carlo of what the formulas say: rounds of coins, tokens of a sampler, texts to draft from.

Coins are tossed one by one per drafted position; nothing is drawn from a formula's answer. Every function is seeded,
vectorised, and works in blocks of bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, IntArray, count, distribution, probability, same_vocabulary
from specquiz.theory.fits import chi_square_survival
from specquiz.theory.sampling import Redraw, accept_probability, redraw_laws

# Numbers drawn per block: they fit into the cache of a core.
_BLOCK = 32768


@dataclass(frozen=True)
class SimulatedRounds:
    """Counts of simulated rounds, as vLLM counts: `accepted_per_pos` are the rounds that accepted position 1 … K."""

    rounds: int
    accepted_per_pos: tuple[int, ...]

    @property
    def k(self) -> int:
        """Drafted tokens per round."""
        return len(self.accepted_per_pos)

    @property
    def histogram(self) -> tuple[int, ...]:
        """Rounds with exactly 0 … K accepted tokens."""
        levels = (self.rounds, *self.accepted_per_pos, 0)
        return tuple(here - above for here, above in pairwise(levels))

    @property
    def mean_accepted(self) -> float:
        """Accepted drafted tokens per round."""
        return sum(self.accepted_per_pos) / self.rounds

    @property
    def tokens_per_pass(self) -> float:
        """Emitted tokens per round."""
        return 1 + self.mean_accepted

    @property
    def draft_acceptance_rate(self) -> float:
        """Accepted ÷ drafted tokens; nan for K = 0."""
        return self.mean_accepted / self.k if self.k else float("nan")

    @property
    def accepted_variance(self) -> float:
        """Variance of the accepted tokens of a round."""
        squares = sum((2 * i + 1) * c for i, c in enumerate(self.accepted_per_pos))
        return squares / self.rounds - self.mean_accepted**2

    @property
    def standard_error(self) -> float:
        """Standard error of the two means."""
        return float(np.sqrt(self.accepted_variance / self.rounds))


def simulate_rounds(alpha: ArrayLike, k: int, rounds: int, *, seed: int = 0) -> SimulatedRounds:
    """Hold `rounds` ≥ 1 rounds of `k` drafted tokens, a coin per drafted token, and count the accepted ones.

    Args:
        alpha: acceptance probability, one number or one per position.
        k: drafted tokens per round.
        rounds: how many rounds.
        seed: of the coins.
    """
    drafted, total = int(count("k", k)), int(count("rounds", rounds, least=1))
    chances = np.broadcast_to(probability("alpha", alpha), (drafted,))
    rng = np.random.default_rng(seed)
    accepted = [0] * drafted
    block = max(1, _BLOCK // max(1, drafted))
    coins, hits, alive = np.empty(drafted * block), np.empty(block, dtype=bool), np.empty(block, dtype=bool)
    for size in _blocks(total, block):
        tossed = rng.random(out=coins[: drafted * size]).reshape(drafted, size)
        alive[:size] = True
        for position in range(drafted):
            np.less(tossed[position], chances[position], out=hits[:size])
            np.logical_and(alive[:size], hits[:size], out=alive[:size])
            accepted[position] += int(np.count_nonzero(alive[:size]))
    return SimulatedRounds(total, tuple(accepted))


def simulate_passes(n_tokens: int, alpha: float, k: int, texts: int, *, seed: int = 0) -> IntArray:
    """Target passes until each of `texts` texts has `n_tokens` tokens; the last pass is cut where it overshoots."""
    wanted, drafted = int(count("n_tokens", n_tokens)), int(count("k", k))
    chance = float(probability("alpha", alpha))
    rng = np.random.default_rng(seed)
    passes = np.zeros(int(count("texts", texts, least=1)), dtype=np.int64)
    block = max(1, _BLOCK // max(1, drafted))
    for start in range(0, len(passes), block):
        held = passes[start : start + block]
        missing = np.full(len(held), wanted)
        while (unfinished := missing > 0).any():
            held += unfinished
            accepted = np.logical_and.accumulate(rng.random((drafted, len(held))) < chance, axis=0).sum(axis=0)
            missing -= accepted + 1
    return passes


@dataclass(frozen=True)
class ExactnessTest:
    """Tokens that a sampler emitted, tested against the target's law."""

    counts: tuple[int, ...]
    statistic: float
    degrees: int
    p_value: float
    total_variation: float

    def rejects(self, level: float = 0.01) -> bool:
        """Whether the sampler is shown to miss the target's law at this significance level."""
        return self.p_value < level


def simulate_tokens(
    p: ArrayLike,
    q: ArrayLike,
    draws: int,
    *,
    redraw: Redraw = "residual",
    ratio_q: ArrayLike | None = None,
    seed: int = 0,
) -> IntArray:
    """How often each token is emitted in `draws` steps of: draft from q, toss the coin, accept or redraw.

    p and q are single vectors; `redraw` and `ratio_q` choose the rule as in `output_law`.
    """
    target, draft = distribution("p", p), distribution("q", q)
    believed = draft if ratio_q is None else distribution("ratio_q", ratio_q)
    same_vocabulary(p=target, q=draft, ratio_q=believed)
    size = target.shape[-1]
    accept = accept_probability(target, believed)
    proposals = _edges(draft)
    redraws = _edges(redraw_laws(target, believed, redraw))
    # Row x of the redraw laws lies in [x, x + 1), so that one search serves all rejected tokens.
    shelf = (redraws + np.arange(size)[:, None]).ravel()
    rng = np.random.default_rng(seed)
    counts = np.zeros(size, dtype=np.int64)
    for block in _blocks(int(count("draws", draws, least=1)), _BLOCK):
        drafted = np.searchsorted(proposals, rng.random(block), side="right")
        rejected = rng.random(block) >= accept[drafted]
        lost = drafted[rejected]
        place = np.minimum(lost + rng.random(len(lost)), np.nextafter(lost + 1.0, 0))
        drafted[rejected] = np.searchsorted(shelf, place, side="right") - lost * size
        counts += np.bincount(drafted, minlength=size)
    return counts


def exactness_test(
    p: ArrayLike,
    q: ArrayLike,
    draws: int,
    *,
    redraw: Redraw = "residual",
    ratio_q: ArrayLike | None = None,
    seed: int = 0,
) -> ExactnessTest:
    """Simulate a sampler and test its tokens against p: Pearson's χ² over the tokens with p > 0."""
    target = distribution("p", p)
    counts = simulate_tokens(p, q, draws, redraw=redraw, ratio_q=ratio_q, seed=seed)
    possible = target > 0
    expected = target[possible] * draws
    statistic = float(((counts[possible] - expected) ** 2 / expected).sum())
    degrees = int(possible.sum()) - 1
    impossible = bool(counts[~possible].any())
    return ExactnessTest(
        counts=tuple(counts.tolist()),
        statistic=float("inf") if impossible else statistic,
        degrees=degrees,
        p_value=0.0 if impossible else chi_square_survival(statistic, degrees) if degrees else 1.0,
        total_variation=float(np.abs(counts / draws - target).sum() / 2),
    )


def zipf_text(length: int, vocabulary: int, *, exponent: float = 1.0, seed: int | np.random.Generator = 0) -> IntArray:
    """`length` independent tokens below `vocabulary` with Zipf's frequencies: P(token r) ∝ (r + 1)^−exponent."""
    weights = np.arange(1, int(count("vocabulary", vocabulary, least=1)) + 1, dtype=np.float64) ** -exponent
    edges = _edges(weights / weights.sum())
    uniform = np.random.default_rng(seed).random(int(count("length", length)))
    return np.searchsorted(edges, uniform, side="right").astype(np.int64)


def edited_text(text: ArrayLike, share: float, vocabulary: int, *, seed: int | np.random.Generator = 0) -> IntArray:
    """`text` with each token replaced, with probability `share`, by a uniformly drawn one."""
    rng = np.random.default_rng(seed)
    tokens = count("text", text)
    replaced = rng.random(tokens.shape) < float(probability("share", share))
    return np.where(replaced, rng.integers(int(count("vocabulary", vocabulary, least=1)), size=tokens.shape), tokens)


def _edges(laws: FloatArray) -> FloatArray:
    """Upper edges of the tokens' slices of [0, 1); every token after the last possible one has an empty slice."""
    edges: FloatArray = np.minimum(laws.cumsum(axis=-1), 1.0)
    last = laws.shape[-1] - 1 - (laws[..., ::-1] > 0).argmax(axis=-1)
    return np.where(np.arange(laws.shape[-1]) >= last[..., None], 1.0, edges)


def _blocks(total: int, block: int) -> Iterator[int]:
    """Sizes of the blocks that make up `total`."""
    for start in range(0, total, block):
        yield min(block, total - start)
