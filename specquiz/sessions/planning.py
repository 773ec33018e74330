"""Which questions a session puts, with which numbers and in which order of choices: drawn once, from a seed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from specquiz.banks.model import (
    AnyQuestion,
    Bank,
    Choice,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
)
from specquiz.banks.variants import draw_values
from specquiz.sessions.events import Item
from specquiz.sessions.history import Attempt, QuestionKey

if TYPE_CHECKING:
    from specquiz.banks.library import Library

Candidate = tuple[str, AnyQuestion]
"""(bank id, question)"""


def plan_practice(
    library: Library,
    bank_ids: Sequence[str],
    count: int | None,
    seed: int,
    only: Collection[QuestionKey] | None = None,
    history: Mapping[QuestionKey, Attempt] | None = None,
) -> tuple[Item, ...]:
    """Up to `count` questions (None: all): unseen ones first (easy before hard), then missed ones, then the oldest.

    Args:
        library: where the banks are.
        bank_ids: banks to draw from; empty means all.
        count: how many questions at most.
        seed: equal seeds with equal banks and history give equal plans.
        only: restricts the choice to these questions.
        history: the latest attempt at each question.
    """
    seen = history or {}
    rng = random.Random(seed)

    def urgency(candidate: Candidate) -> tuple[int, float, float]:
        attempt = seen.get((candidate[0], candidate[1].id))
        if attempt is None:
            return 0, candidate[1].level, rng.random()
        return 2 if attempt.right else 1, attempt.at, rng.random()

    chosen = [c for c in candidates(library, bank_ids) if only is None or (c[0], c[1].id) in only]
    return tuple(draw_item(bank, question, seed) for bank, question in sorted(chosen, key=urgency)[:count])


def plan_mock(
    library: Library,
    bank_ids: Sequence[str],
    minutes: float,
    seed: int,
    count: int | None = None,
    written: int = 0,
) -> tuple[Item, ...]:
    """Questions for a timed interview: concepts in turn, until their target times fill `minutes`; easy before hard.

    Args:
        library: where the banks are.
        bank_ids: banks to draw from; empty means all.
        minutes: time allowed.
        seed: equal seeds with equal banks give equal plans.
        count: how many questions, whatever their target times; None fills the time.
        written: how many of them are answered in sentences, at most; they are marked after the interview.
    """
    rng = random.Random(seed)
    pool = candidates(library, bank_ids)
    turns = _concepts_in_turn([one for one in pool if not isinstance(one[1], ShortQuestion)], rng)
    in_sentences = _concepts_in_turn([one for one in pool if isinstance(one[1], ShortQuestion)], rng)
    budget = minutes * 60
    chosen: list[Candidate] = []
    for bank, question in [*in_sentences[:written], *turns]:
        if count is None and chosen and question.seconds > budget:
            continue
        if count is not None and len(chosen) >= count:
            break
        chosen.append((bank, question))
        budget -= question.seconds
    chosen.sort(key=lambda candidate: candidate[1].level)
    return tuple(draw_item(bank, question, seed) for bank, question in chosen)


def _concepts_in_turn(pool: Sequence[Candidate], rng: random.Random) -> list[Candidate]:
    """The pool in random order, one question of each (first-named) concept per round."""
    shuffled = rng.sample(pool, len(pool))
    rounds: dict[str, int] = {}
    keyed = []
    for candidate in shuffled:
        concept = candidate[1].concepts[0] if candidate[1].concepts else ""
        rounds[concept] = rounds.get(concept, 0) + 1
        keyed.append((rounds[concept], candidate))
    keyed.sort(key=lambda pair: pair[0])
    return [candidate for _, candidate in keyed]


def candidates(library: Library, bank_ids: Sequence[str]) -> list[Candidate]:
    """Every question of the named banks (empty: all banks), in the order written. An unknown id raises."""
    banks = [library.bank(id) for id in dict.fromkeys(bank_ids)] if bank_ids else library.banks
    return [(bank.id, question) for bank in banks for question in bank.questions]


def draw_item(bank_id: str, question: AnyQuestion, seed: int) -> Item:
    """Draw the question's variant and the order of its choices. Neither depends on what else is in the session."""
    rng = random.Random(f"{seed}/{bank_id}/{question.id}")
    values = draw_values(question, rng) if isinstance(question, NumericQuestion) else {}
    return Item(bank=bank_id, question=question.id, values=values, choices=_places(question, rng))


def _places(question: AnyQuestion, rng: random.Random) -> tuple[str, ...]:
    """The ids of a question's choices or items in the order shown; items never in the right one."""
    if isinstance(question, SingleQuestion | MultiQuestion):
        return shuffle(question.choices, rng)
    if not isinstance(question, OrderQuestion):
        return ()
    ids = list(question.answer)
    while tuple(ids) == question.answer:
        rng.shuffle(ids)
    return tuple(ids)


def shuffle(choices: Sequence[Choice], rng: random.Random) -> tuple[str, ...]:
    """The ids in random order; choices pinned last stay at the end, in the order written."""
    free = [choice.id for choice in choices if choice.pin is None]
    rng.shuffle(free)
    return (*free, *(choice.id for choice in choices if choice.pin == "last"))


def bank_digest(bank: Bank) -> str:
    """SHA-256 of what a bank holds (not of its file), in hexadecimal."""
    return hashlib.sha256(msgspec.json.encode(bank, order="deterministic")).hexdigest()
