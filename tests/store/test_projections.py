"""What the log amounts to."""

from __future__ import annotations

from typing import Literal

from specquiz.sessions.events import Answered, AnyEvent, Finished, Item, LabFinished, SessionStarted
from specquiz.store.projections import Totals, finished_sessions, open_sessions, sessions, totals

Mode = Literal["practice", "mock"]


def started(id: str, at: float, mode: Mode = "practice") -> SessionStarted:
    item = Item(bank="b", question="q")
    return SessionStarted(
        at=at, session=id, mode=mode, seed=1, items=(item, item), seconds=60 if mode == "mock" else None
    )


def answered(id: str, at: float, index: int = 0) -> Answered:
    return Answered(at=at, session=id, index=index, text="x", outcome="correct", message="", seconds=5)


def finished(id: str, at: float, how: Literal["done", "time", "discarded"] = "done") -> Finished:
    return Finished(at=at, session=id, how=how)


LOG: list[AnyEvent] = [
    started("a", 1),
    started("b", 2, "mock"),
    answered("a", 3),
    started("c", 4),
    LabFinished(at=5, run="r", lab="l", outcome="passed"),
    finished("c", 6),
    answered("b", 7),
    answered("lost", 8),
    started("d", 9, "mock"),
    finished("d", 10, "discarded"),
    started("e", 11, "mock"),
    finished("e", 12, "time"),
]


def test_sessions_are_found_among_other_events() -> None:
    assert list(sessions(LOG)) == ["a", "b", "c", "d", "e"]


def test_open_sessions_can_be_resumed_the_latest_touched_first() -> None:
    assert [session.id for session in open_sessions(LOG)] == ["b", "a"]
    assert [session.id for session in open_sessions(LOG, "practice")] == ["a"]


def test_finished_sessions_leave_out_what_was_discarded() -> None:
    assert [session.id for session in finished_sessions(LOG)] == ["e", "c"]
    assert [session.id for session in finished_sessions(LOG, "mock")] == ["e"]


def test_a_session_that_is_recorded_twice_begins_once() -> None:
    assert sessions([started("a", 1), answered("a", 2), started("a", 3)])["a"].items[0].settled


def test_totals_count_items_once() -> None:
    log = [*LOG[:3], answered("a", 4), answered("a", 5, 1)]
    assert totals(log) == Totals(sessions=2, answers=2, seconds=10)
