"""Which labs are open. A lab opens when each concept it names reaches its bound, and then stays open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from specquiz.labs.model import Lab
from specquiz.sessions.events import Event, LabUnlocked


class Mastery(Protocol):
    """How well a concept is mastered (`specquiz.sessions.mastery.ConceptMastery`)."""

    @property
    def answered(self) -> int:
        """Distinct questions of the concept answered so far."""

    @property
    def needed(self) -> int:
        """Distinct questions that must be answered before the share counts."""

    @property
    def share(self) -> float:
        """Share of the latest answers that are right, 0 to 1."""

    def reached(self, bound: float) -> bool:
        """Whether enough questions are answered and the share is at least `bound`."""


@dataclass(frozen=True, slots=True)
class Unlocked:
    """The lab is open. `recorded` says whether the log holds it already, so that it stays open."""

    recorded: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """A concept that is not mastered far enough yet."""

    concept: str
    share: float
    answered: int
    needed: int
    bound: float


@dataclass(frozen=True, slots=True)
class Locked:
    """The lab is closed, and this is what is missing to open it."""

    missing: tuple[Missing, ...]


Lock = Unlocked | Locked


def lock(lab: Lab, mastery: Mapping[str, Mastery], events: Iterable[Event]) -> Lock:
    """Say whether `lab` is open for someone with this mastery (by concept slug) and this history."""
    if any(isinstance(event, LabUnlocked) and event.lab == lab.id for event in events):
        return Unlocked(recorded=True)
    missing = tuple(
        _missing(concept, mastery.get(concept), bound)
        for concept, bound in lab.unlock.mastery.items()
        if concept not in mastery or not mastery[concept].reached(bound)
    )
    return Locked(missing) if missing else Unlocked(recorded=False)


def _missing(concept: str, state: Mastery | None, bound: float) -> Missing:
    if state is None:
        return Missing(concept=concept, share=0.0, answered=0, needed=3, bound=bound)
    return Missing(concept=concept, share=state.share, answered=state.answered, needed=state.needed, bound=bound)
