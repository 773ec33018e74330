"""One draft-verify round told step by step, and the law of what many such rounds emit. Pure; no screen.

The two language models are tables: the law of the next word given the last. Computing imports NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, get_args

from specquiz import theory

if TYPE_CHECKING:
    from specquiz.theory import ExactnessTest, Redraw, TracedRound

Mode: TypeAlias = Literal["sampled", "greedy", "one-hot"]
Law: TypeAlias = tuple[float, ...]
# The law of the next word after the words so far.
NextWord: TypeAlias = Callable[[tuple[int, ...]], Law]
Choice = TypeVar("Choice")

WORDS = ("the", "a", "cat", "dog", "sat", "ran")
PREFIX = ("the",)
K_MAX = 5
ROUNDS = (100, 1_000, 10_000, 100_000)

MODES: Mapping[Mode, str] = MappingProxyType(
    {
        "sampled": "both models sample",
        "greedy": "both models take their likeliest word",
        "one-hot": "the draft takes its likeliest word, the target samples",
    }
)
REDRAWS: Mapping[Redraw, str] = MappingProxyType(
    {
        "residual": "the residual (p - q)+",
        "target": "the target's law as it is",
        "target-without-rejected": "the target's law without the rejected word",
    }
)

# Next-word laws in percent, in the order of WORDS, by the last word: plausible, and often but not always alike.
_TARGET = {
    "the": (0, 0, 45, 30, 10, 15),
    "a": (0, 0, 35, 45, 8, 12),
    "cat": (10, 5, 0, 0, 60, 25),
    "dog": (10, 5, 0, 0, 25, 60),
    "sat": (45, 25, 10, 5, 0, 15),
    "ran": (40, 35, 5, 10, 10, 0),
}
_DRAFT = {
    "the": (0, 5, 60, 15, 15, 5),
    "a": (5, 0, 55, 30, 5, 5),
    "cat": (10, 10, 0, 5, 45, 30),
    "dog": (10, 10, 5, 0, 45, 30),
    "sat": (60, 10, 10, 10, 0, 10),
    "ran": (25, 50, 10, 10, 5, 0),
}


@dataclass(frozen=True)
class RoundSetting:
    """What round is held: drafted words, seed, how the models choose, and what is drawn from after a rejection."""

    k: int = 4
    seed: int = 0
    mode: Mode = "sampled"
    redraw: Redraw = "residual"

    def with_k(self, k: int) -> RoundSetting:
        """With another K, within 1 to 5."""
        return replace(self, k=max(1, min(K_MAX, k)))

    def next_mode(self) -> RoundSetting:
        return replace(self, mode=_after(self.mode, get_args(Mode)))

    def next_redraw(self) -> RoundSetting:
        return replace(self, redraw=_after(self.redraw, tuple(REDRAWS)))


@dataclass(frozen=True)
class Shown:
    """A law to look at: whose bars, by name, each over the whole vocabulary."""

    title: str
    laws: Mapping[str, Law]
    picked: int | None = None
    """The word that was drawn from the last law, if one was."""


@dataclass(frozen=True)
class Step:
    """A moment of the round: what is said of it, and how much of the round is known by then.

    Attributes:
        drafted: proposed words that are known.
        scored: whether the target has scored them.
        judged: positions whose coin has been tossed.
        drawn: whether the target's own word is known.
    """

    say: str
    shown: Shown
    drafted: int
    scored: bool = False
    judged: int = 0
    drawn: bool = False


@dataclass(frozen=True)
class Played:
    """A round and its steps; the laws after each drafted word, one more than drafted words."""

    round: TracedRound
    targets: tuple[Law, ...]
    drafts: tuple[Law, ...]
    steps: tuple[Step, ...]


def play(setting: RoundSetting) -> Played:
    """Hold the round and tell it."""
    target, draft = models(setting.mode)
    prefix = tuple(map(WORDS.index, PREFIX))
    held = theory.trace_round(target, draft, setting.k, prefix=prefix, seed=setting.seed, redraw=setting.redraw)
    contexts = [(*prefix, *held.drafted[:position]) for position in range(setting.k + 1)]
    targets, drafts = (tuple(model(context) for context in contexts) for model in (target, draft))
    return Played(held, targets, drafts, tuple(_steps(setting, held, targets, drafts)))


def models(mode: Mode) -> tuple[NextWord, NextWord]:
    """The target and the draft; choosing the likeliest word is a law with all of it on that word."""

    def model(table: Mapping[str, tuple[int, ...]], *, certain: bool) -> NextWord:
        def next_word(context: tuple[int, ...]) -> Law:
            law = tuple(percent / 100 for percent in table[WORDS[context[-1]]])
            best = law.index(max(law))
            return tuple(float(word == best) for word in range(len(law))) if certain else law

        return next_word

    return model(_TARGET, certain=mode == "greedy"), model(_DRAFT, certain=mode != "sampled")


@dataclass(frozen=True)
class Drift:
    """The first emitted word over many seeded rounds, beside the target's law.

    Attributes:
        exact: the law of the sampler, by formula.
        test: what was counted, tested against the target's law.
    """

    rounds: int
    target: Law
    exact: Law
    test: ExactnessTest

    @property
    def counted(self) -> Law:
        """Share of the rounds whose first word is each."""
        return tuple(count / self.rounds for count in self.test.counts)

    @property
    def distance(self) -> float:
        """Total variation between the sampler's exact law and the target's."""
        return float(theory.total_variation(self.exact, self.target))

    @property
    def say(self) -> str:
        """What to think of the sampler."""
        found = f"TV distance to the target's law: counted {self.test.total_variation:.4f}, exact {self.distance:.4f}. "
        if self.distance < 1e-9:
            return found + "This sampler is right: what was counted comes closer with more rounds."
        chance = f"{self.test.p_value:.2g}" if self.test.p_value >= 1e-4 else "less than 0.0001"
        return found + (
            "This sampler is wrong: no number of rounds brings it closer. A right one would be as far off with "
            f"probability {chance} (χ²)."
        )


def drift(setting: RoundSetting, rounds: int) -> Drift:
    """Hold many rounds up to their first emitted word."""
    target, draft = models(setting.mode)
    prefix = tuple(map(WORDS.index, PREFIX))
    p, q = target(prefix), draft(prefix)
    exact = tuple(theory.output_law(p, q, redraw=setting.redraw).tolist())
    return Drift(rounds, p, exact, theory.exactness_test(p, q, rounds, redraw=setting.redraw, seed=setting.seed))


def _steps(
    setting: RoundSetting, held: TracedRound, targets: tuple[Law, ...], drafts: tuple[Law, ...]
) -> Iterator[Step]:
    words = [WORDS[token] for token in held.drafted]

    def pair(position: int) -> Mapping[str, Law]:
        return {"target p": targets[position], "draft q": drafts[position]}

    yield Step(
        f"The text so far is “{' '.join(PREFIX)}”. The draft model now proposes K = {setting.k} words, one by one.",
        Shown("The draft's law of the first word", {"draft q": drafts[0]}),
        drafted=0,
    )
    for position, token in enumerate(held.drafted):
        text = " ".join((*PREFIX, *words[:position]))
        yield Step(
            f"After “{text}” the draft proposes “{WORDS[token]}”, to which it gives q = {drafts[position][token]:.2f}.",
            Shown(f"The draft's law after “{text}”", {"draft q": drafts[position]}, token),
            drafted=position + 1,
        )
    yield Step(
        f"One target pass scores all {setting.k} proposals, and the place after them, at once.",
        Shown("Both laws of the first word", pair(0)),
        drafted=setting.k,
        scored=True,
    )
    for position, one in enumerate(held.judged):
        word, p, q = WORDS[one.token], one.target[one.token], one.draft[one.token]
        side, verdict = ("below", "accepted") if one.accepted else ("not below", "rejected")
        yield Step(
            f"“{word}”: min(1, p/q) = min(1, {p:.2f}/{q:.2f}) = {one.acceptance:.2f}. "
            f"The coin {one.coin:.3f} is {side} it: {verdict}.",
            Shown(f"Both laws of word {position + 1}", pair(position), one.token),
            drafted=setting.k,
            scored=True,
            judged=position + 1,
        )
    yield from _own_word(setting, held, pair(len(held.judged) - 1))


def _own_word(setting: RoundSetting, held: TracedRound, pair: Mapping[str, Law]) -> Iterator[Step]:
    """The target's own word: what it is drawn from, and the end of the round."""
    last, judged = WORDS[held.last], len(held.judged)
    if held.kind == "recovered":
        lost = WORDS[held.judged[-1].token]
        laws = {**pair, "residual" if setting.redraw == "residual" else "redraw": held.last_law}
        say = f"In place of “{lost}” a word is drawn from {REDRAWS[setting.redraw]}."
        title = f"What word {judged} is drawn from"
    else:
        laws = {"target p": held.last_law}
        say = f"All {setting.k} are accepted, so the target's law after them gives a bonus word."
        title = f"The target's law of word {setting.k + 1}"
    yield Step(say, Shown(title, laws), drafted=setting.k, scored=True, judged=judged)
    emitted = len(held.emitted)
    ends = "that one word" if emitted == 1 else f"these {emitted} words"
    yield Step(
        f"The {held.kind} word is “{last}”. Emitted: {' '.join(WORDS[token] for token in held.emitted)}. "
        f"One target pass gave {ends}; vanilla decoding takes {emitted} {'pass' if emitted == 1 else 'passes'}.",
        Shown(title, laws, held.last),
        drafted=setting.k,
        scored=True,
        judged=judged,
        drawn=True,
    )


def _after(value: Choice, values: tuple[Choice, ...]) -> Choice:
    return values[(values.index(value) + 1) % len(values)]
