"""Which labs are open. A lab opens when each concept it names reaches its bound, and then stays open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from specquiz.labs.model import Lab
from specquiz.sessions.events import AnyEvent, Event, LabUnlocked
from specquiz.sessions.mastery import mastery

if TYPE_CHECKING:
    from specquiz.banks.library import Library


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
    """The lab is open."""

    how: Literal["mastery", "override"]
    recorded: bool
    """Whether the log holds it already, so that it stays open."""


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
    recorded = {event.how for event in events if isinstance(event, LabUnlocked) and event.lab == lab.id}
    if "mastery" in recorded:
        return Unlocked("mastery", recorded=True)
    missing = tuple(
        _missing(concept, mastery.get(concept), bound)
        for concept, bound in lab.unlock.mastery.items()
        if concept not in mastery or not mastery[concept].reached(bound)
    )
    if not missing:
        return Unlocked("mastery", recorded=False)
    return Unlocked("override", recorded=True) if recorded else Locked(missing)


def locks(labs: Iterable[Lab], mastery: Mapping[str, Mastery], events: Sequence[Event]) -> dict[str, Lock]:
    """The lock of each lab, by its id."""
    return {lab.id: lock(lab, mastery, events) for lab in labs}


def record_opened(
    labs: Iterable[Lab], found: Mapping[str, Lock], record: Callable[[LabUnlocked], object], at: float
) -> tuple[Lab, ...]:
    """Record the labs that mastery has just opened, so that they stay open; return them.

    Args:
        labs: the labs.
        found: the lock of each by its id, as `locks` finds it.
        record: commits an event to the log.
        at: seconds since the epoch.
    """
    opened = tuple(lab for lab in labs if found[lab.id] == Unlocked("mastery", recorded=False))
    for lab in opened:
        record(LabUnlocked(at=at, lab=lab.id, how="mastery"))
    return opened


def record_earned(
    labs: Sequence[Lab],
    library: Library,
    events: Sequence[AnyEvent],
    record: Callable[[LabUnlocked], object],
    at: float,
) -> tuple[dict[str, Lock], tuple[Lab, ...]]:
    """The lock of each lab by this log, and the labs that mastery has just opened, which are recorded."""
    found = locks(labs, mastery(events, library), events)
    return found, record_opened(labs, found, record, at)


def _missing(concept: str, state: Mastery | None, bound: float) -> Missing:
    if state is None:
        return Missing(concept=concept, share=0.0, answered=0, needed=3, bound=bound)
    return Missing(concept=concept, share=state.share, answered=state.answered, needed=state.needed, bound=bound)
