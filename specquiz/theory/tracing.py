"""One draft-verify round, step by step, on a vocabulary small enough to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, count, distribution, same_vocabulary
from specquiz.theory.sampling import Redraw, accept_probability, one_hot, redraw_laws

# The law of the next token after a prefix of token ids.
NextToken: TypeAlias = Callable[[tuple[int, ...]], ArrayLike]
Token = TypeVar("Token")


@dataclass(frozen=True)
class JudgedToken:
    """One drafted position: what was proposed, how likely it was to be accepted, and the coin that decided."""

    token: int
    target: tuple[float, ...]
    draft: tuple[float, ...]
    acceptance: float
    coin: float
    accepted: bool


@dataclass(frozen=True)
class TracedRound:
    """A round: its judged positions, and the target's own token with the law it was drawn from.

    `drafted` are all K proposals; those after a rejection are never judged. The last token is `recovered` after a
    rejection and `bonus` when all drafts were accepted.
    """

    drafted: tuple[int, ...]
    judged: tuple[JudgedToken, ...]
    kind: Literal["recovered", "bonus"]
    last_law: tuple[float, ...]
    last: int

    @property
    def accepted(self) -> int:
        """Accepted drafted tokens."""
        return sum(one.accepted for one in self.judged)

    @property
    def emitted(self) -> tuple[int, ...]:
        """The tokens the round adds to the text: the accepted drafts and the target's own."""
        return (*self.drafted[: self.accepted], self.last)


def trace_round(
    target: NextToken,
    draft: NextToken,
    k: int,
    *,
    prefix: Sequence[int] = (),
    seed: int | np.random.Generator = 0,
    greedy: bool = False,
    redraw: Redraw = "residual",
) -> TracedRound:
    """Hold one round after `prefix`.

    Args:
        target: the target's next-token law after a prefix.
        draft: the draft's.
        k: drafted tokens.
        seed: of the draft's samples, the coins and the redraw; or a generator to go on with.
        greedy: both models take their most probable token, so a draft is accepted where it is the target's argmax.
        redraw: what is drawn from after a rejection; anything but "residual" changes the law of the text.
    """
    rng = np.random.default_rng(seed)
    before = tuple(prefix)
    drafted: list[int] = []
    for _ in range(int(count("k", k))):
        drafted.append(_draw(_law("draft", draft, (*before, *drafted), greedy), rng))
    judged: list[JudgedToken] = []
    for position, token in enumerate(drafted):
        context = (*before, *drafted[:position])
        p, q = _law("target", target, context, greedy), _law("draft", draft, context, greedy)
        same_vocabulary(target=p, draft=q)
        acceptance, coin = float(accept_probability(p, q)[token]), float(rng.random())
        judged.append(JudgedToken(token, _tuple(p), _tuple(q), acceptance, coin, coin < acceptance))
        if not judged[-1].accepted:
            law = redraw_laws(p, q, redraw)[token]
            return TracedRound(tuple(drafted), tuple(judged), "recovered", _tuple(law), _draw(law, rng))
    law = _law("target", target, (*before, *drafted), greedy)
    return TracedRound(tuple(drafted), tuple(judged), "bonus", _tuple(law), _draw(law, rng))


def greedy_round(drafted: Sequence[Token], target: Sequence[Token]) -> tuple[Token, ...]:
    """Tokens a greedy round emits: the drafted prefix that equals the target's argmaxes, then the target's own token.

    `target` holds the target's argmax at each of the K + 1 positions, given the drafted tokens before it.
    """
    if len(target) <= len(drafted):
        raise ValueError(f"target must hold one token more than the {len(drafted)} drafted, not {len(target)}")
    same = 0
    while same < len(drafted) and drafted[same] == target[same]:
        same += 1
    return (*drafted[:same], target[same])


def _law(name: str, model: NextToken, context: tuple[int, ...], greedy: bool) -> FloatArray:
    law = distribution(name, model(context))
    return one_hot(int(law.argmax()), len(law)) if greedy else law


def _draw(law: FloatArray, rng: np.random.Generator) -> int:
    # Not past the last token that has any probability, whatever the sum's rounding.
    return int(min(np.searchsorted(law.cumsum(), rng.random(), side="right"), np.flatnonzero(law)[-1]))


def _tuple(law: FloatArray) -> tuple[float, ...]:
    return tuple(law.tolist())
