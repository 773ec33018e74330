"""What the log amounts to: pure folds over its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from specquiz.sessions.engine import Session, apply, begin
from specquiz.sessions.events import AnyEvent, LabFinished, SessionEvent, SessionStarted


def sessions(events: Iterable[AnyEvent]) -> dict[str, Session]:
    """Every session by id, in the order begun."""
    found: dict[str, Session] = {}
    for event in events:
        if not isinstance(event, SessionEvent):
            continue
        if isinstance(event, SessionStarted):
            found.setdefault(event.session, begin(event))
        elif event.session in found:
            found[event.session] = apply(found[event.session], event)
    return found


def open_sessions(events: Iterable[AnyEvent], mode: Literal["practice", "mock"] | None = None) -> tuple[Session, ...]:
    """Sessions that can be resumed, the latest touched first; of one mode or of both."""
    found = [s for s in sessions(events).values() if s.finished is None and mode in (None, s.mode)]
    return tuple(sorted(found, key=lambda session: session.last_at, reverse=True))


def finished_sessions(
    events: Iterable[AnyEvent], mode: Literal["practice", "mock"] | None = None
) -> tuple[Session, ...]:
    """Sessions that came to an end and were not discarded, the latest first; of one mode or of both."""
    found = [
        session
        for session in sessions(events).values()
        if session.finished is not None and session.finished.how != "discarded" and mode in (None, session.mode)
    ]
    return tuple(sorted(found, key=lambda session: session.last_at, reverse=True))


@dataclass(frozen=True)
class Totals:
    """The log in three figures."""

    sessions: int
    answers: int
    seconds: float
    """Time on questions."""


def totals(events: Iterable[AnyEvent]) -> Totals:
    """Count sessions, items answered or shown, and time on questions."""
    found = sessions(events).values()
    return Totals(
        sessions=len(found),
        answers=sum(state.settled for session in found for state in session.items),
        seconds=sum(state.seconds for session in found for state in session.items),
    )


def lab_standing(events: Iterable[AnyEvent]) -> dict[str, Literal["passed", "failed", "not_gradable", "broken"]]:
    """Lab to how it stands: `passed` once a run has passed, else how the latest ended."""
    found: dict[str, Literal["passed", "failed", "not_gradable", "broken"]] = {}
    for event in events:
        if isinstance(event, LabFinished) and found.get(event.lab) != "passed":
            found[event.lab] = event.outcome
    return found
