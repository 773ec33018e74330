"""The acceptance probability α from what was counted.

Three different numbers are called "acceptance rate": α (a position is accepted, given that all before it were), the
draft acceptance rate (accepted ÷ drafted tokens) and the unconditional rate of a position (accepted there ÷ drafts).
The functions here take counters in vLLM's own words: drafts (steps that drafted), draft tokens, accepted tokens and
accepted tokens per position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, IntArray, Numbers, at_least, count, plain, positive
from specquiz.theory.intervals import wilson_interval


@dataclass(frozen=True)
class AlphaEstimate:
    """The maximum-likelihood α = accepted ÷ judged positions.

    Counters may leave open how many positions were judged: then the two bounds differ and α is only bounded. These
    bounds are what the counters allow, not a confidence interval.
    """

    accepted: int
    judged_least: int
    judged_most: int

    @property
    def low(self) -> float:
        """The least α the counters allow."""
        return self.accepted / self.judged_most

    @property
    def high(self) -> float:
        """The greatest α the counters allow."""
        return self.accepted / self.judged_least

    @property
    def exact(self) -> bool:
        """Whether the counters settle α."""
        return self.judged_least == self.judged_most

    @property
    def alpha(self) -> float | None:
        """The estimate, None where the counters only bound it."""
        return self.low if self.exact else None

    @property
    def judged(self) -> int | None:
        """Judged positions, None where the counters only bound them."""
        return self.judged_least if self.exact else None

    def __float__(self) -> float:
        if not self.exact:
            raise ValueError(f"the counters only bound alpha: {self.low:.6g} to {self.high:.6g}")
        return self.low

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Wilson's interval for α, from the lower end at `low` to the upper end at `high`.

        As if judged positions were independent. Those of one request are not: `request_bootstrap` gives the honest,
        wider interval.
        """
        low, _ = wilson_interval(self.accepted, self.judged_most, confidence)
        _, high = wilson_interval(self.accepted, self.judged_least, confidence)
        return low, high


def alpha_mle(accepted: ArrayLike, rejected: ArrayLike) -> Numbers:
    """Maximum-likelihood α: accepted ÷ (accepted + steps that ended in a rejection).

    Both may be counts or rates per draft. The likelihood is α^A (1 − α)^R, for drafts of any length.
    """
    a, r = at_least(0, "accepted", accepted), at_least(0, "rejected", rejected)
    if np.any(a + r == 0):
        raise ValueError("accepted and rejected are both 0: nothing was judged")
    return plain(a / (a + r))


def alpha_from_counters(
    num_drafts: int,
    num_draft_tokens: int,
    num_accepted_tokens: int,
    accepted_per_pos: Sequence[int],
    num_speculative_tokens: int | None = None,
) -> AlphaEstimate:
    """α from vLLM's counters of one interval.

    Args:
        num_drafts: D, steps that drafted at least one token.
        num_draft_tokens: drafted tokens.
        num_accepted_tokens: A, accepted drafted tokens.
        accepted_per_pos: c_1 … c_K, drafts whose i-th token was accepted.
        num_speculative_tokens: K, the length of a full draft; the length of `accepted_per_pos` if not given.

    A step ends in a rejection unless its whole draft was accepted. If every draft had the full length K, exactly c_K
    did not, and α = A / (A + D − c_K). Shorter drafts may have been accepted whole without showing in c_K: then the
    counters bound α, tightly. ValueError if nothing was drafted or the counters contradict each other.
    """
    drafts, accepted = int(count("num_drafts", num_drafts)), int(count("num_accepted_tokens", num_accepted_tokens))
    drafted, positions = int(count("num_draft_tokens", num_draft_tokens)), count("accepted_per_pos", accepted_per_pos)
    k = (
        len(positions)
        if num_speculative_tokens is None
        else int(count("num_speculative_tokens", num_speculative_tokens))
    )
    _consistent(drafts, drafted, accepted, positions, k)
    whole_least, whole_most = _whole_drafts(drafts, drafted, positions)
    return AlphaEstimate(accepted, accepted + drafts - whole_most, accepted + drafts - whole_least)


def alpha_from_steps(accepted: ArrayLike, drafted: ArrayLike) -> AlphaEstimate:
    """α from the accepted and the drafted tokens of each step; always exact, drafts may differ in length.

    Steps that drafted nothing judge nothing. ValueError where more was accepted than drafted, or nothing was judged.
    """
    a, d = np.broadcast_arrays(count("accepted", accepted), count("drafted", drafted))
    if np.any(a > d):
        raise ValueError(f"accepted must be at most drafted in each step, not {a[a > d][0]} of {d[a > d][0]}")
    total = int(a.sum())
    judged = total + int((a < d).sum())
    if judged == 0:
        raise ValueError("drafted: no step drafted a token, so nothing was judged")
    return AlphaEstimate(total, judged, judged)


def mean_acceptance_length(num_drafts: ArrayLike, num_accepted_tokens: ArrayLike) -> Numbers:
    """Tokens per step that drafted, the target's own included: 1 + accepted ÷ drafts (vLLM's definition).

    Steps without a draft are not counted, so with n-gram drafts it exceeds the tokens per target pass.
    """
    return plain(1 + at_least(0, "num_accepted_tokens", num_accepted_tokens) / positive("num_drafts", num_drafts))


def conditional_rates(accepted_per_pos: ArrayLike, num_drafts: float = 1.0) -> FloatArray:
    """P(position i accepted | all earlier accepted) = c_i / c_{i−1} with c_0 = drafts; nan where none was judged.

    `accepted_per_pos` may be counts, or rates per draft with the default `num_drafts`. All drafts must be full.
    """
    c = at_least(0, "accepted_per_pos", accepted_per_pos)
    before = np.concatenate([[float(positive("num_drafts", num_drafts))], c[:-1]])
    rates: FloatArray = np.divide(c, before, out=np.full(len(c), np.nan), where=before > 0)
    return rates


def _consistent(drafts: int, drafted: int, accepted: int, positions: IntArray, k: int) -> None:
    """ValueError where counters contradict each other, naming the one and its value."""
    if positions.ndim != 1 or len(positions) != k or k < 1:
        raise ValueError(f"accepted_per_pos must name num_speculative_tokens={k} >= 1 positions, not {positions.shape}")
    if drafts == 0:
        raise ValueError("num_drafts=0: nothing was drafted, so nothing was judged")
    if not drafts <= drafted <= k * drafts:
        raise ValueError(
            f"num_draft_tokens must lie between num_drafts={drafts} and K·num_drafts={k * drafts}, not {drafted}"
        )
    if accepted != positions.sum() or accepted > drafted:
        raise ValueError(
            f"num_accepted_tokens must be the sum of accepted_per_pos={positions.sum()} and at most "
            f"num_draft_tokens={drafted}, not {accepted}"
        )
    if np.any(np.diff(np.concatenate([[drafts], positions])) > 0):
        raise ValueError(
            f"accepted_per_pos must not rise and start at most at num_drafts={drafts}, not {positions.tolist()}"
        )


def _whole_drafts(drafts: int, drafted: int, positions: IntArray) -> tuple[int, int]:
    """The least and the greatest number of drafts that can have been accepted whole, given the counters.

    `missing` drafted tokens to K per draft must be placed: a whole draft of j < K accepted tokens misses exactly
    K − j, a rejected one with j accepted tokens at most K − j − 1. Every draft has at least one token.
    """
    k = len(positions)
    missing = k * drafts - drafted
    levels = np.concatenate([[drafts], positions])
    exactly = levels[:-1] - levels[1:]
    room = int((exactly * (k - 1 - np.arange(k))).sum())
    least = max(0, missing - room)
    most = 0
    budget = missing
    for j in range(k - 1, 0, -1):
        taken = min(int(exactly[j]), budget // (k - j))
        most += taken
        budget -= taken * (k - j)
    if least > most:
        raise ValueError(f"num_draft_tokens={drafted} is too few for accepted_per_pos={positions.tolist()}")
    return int(positions[-1]) + least, int(positions[-1]) + most
