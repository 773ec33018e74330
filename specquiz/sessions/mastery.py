"""Mastery of a concept: the share answered right among the latest answers to its distinct questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specquiz.sessions.events import AnyEvent
from specquiz.sessions.history import latest_attempts

if TYPE_CHECKING:
    from specquiz.banks.library import Library

NEEDED = 3
"""Distinct questions of a concept that must be answered before its mastery counts; all, where there are fewer."""


@dataclass(frozen=True)
class ConceptMastery:
    """How well one concept is known. Questions that have left their banks count no longer."""

    right: int
    """Questions whose latest answer is right."""
    answered: int
    """Distinct questions answered."""
    needed: int
    """Distinct questions that must be answered: three, or all where there are fewer; 0 if no bank has any."""

    @property
    def share(self) -> float:
        """Right among answered, 0 to 1; 0 when nothing is answered."""
        return self.right / self.answered if self.answered else 0.0

    def reached(self, bound: float) -> bool:
        """Whether enough questions are answered and the share is at least `bound`."""
        return self.needed > 0 and self.answered >= self.needed and self.share >= bound


def mastery(events: Iterable[AnyEvent], library: Library) -> dict[str, ConceptMastery]:
    """Mastery of each concept that the library knows or its questions name, by concept slug."""
    attempts = latest_attempts(events)
    total = dict.fromkeys(library.concepts, 0)
    answered = dict.fromkeys(library.concepts, 0)
    right = dict.fromkeys(library.concepts, 0)
    for bank in library.banks:
        for question in bank.questions:
            attempt = attempts.get((bank.id, question.id))
            for concept in dict.fromkeys(question.concepts):
                total[concept] = total.get(concept, 0) + 1
                answered[concept] = answered.get(concept, 0) + (attempt is not None)
                right[concept] = right.get(concept, 0) + (attempt is not None and attempt.right)
    return {
        concept: ConceptMastery(right=right[concept], answered=answered[concept], needed=min(NEEDED, total[concept]))
        for concept in total
    }
