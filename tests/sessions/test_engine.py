"""A session is what its events amount to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.sessions.engine import Session, apply, begin, replay, summarise
from specquiz.sessions.events import (
    Answered,
    Finished,
    Flagged,
    HintTaken,
    Item,
    Left,
    Moved,
    Resumed,
    SessionEvent,
    SessionStarted,
    Shown,
)

ITEMS = tuple(Item(bank="b", question=f"q{n}") for n in range(3))


def start(mode: str = "practice") -> SessionStarted:
    seconds = 600.0 if mode == "mock" else None
    return SessionStarted(at=100, session="s", mode=mode, seed=1, items=ITEMS, seconds=seconds)  # type: ignore[arg-type]


def answered(at: float, index: int, outcome: str = "correct", seconds: float = 1.0) -> Answered:
    return Answered(at=at, session="s", index=index, text="x", outcome=outcome, message="", seconds=seconds)  # type: ignore[arg-type]


def moved(at: float, index: int) -> Moved:
    return Moved(at=at, session="s", index=index)


def test_a_session_needs_a_start() -> None:
    with pytest.raises(ValueError, match="no session starts"):
        replay([answered(1, 0)])


def test_a_new_session_asks_its_first_question() -> None:
    session = replay([start()])
    assert (session.index, session.finished, session.started) == (0, None, 100)
    assert not any(state.settled for state in session.items)


def test_events_of_other_sessions_are_passed_over() -> None:
    other = Answered(at=101, session="other", index=0, text="x", outcome="correct", message="", seconds=1)
    assert replay([start(), other]) == replay([start()])


def test_answering_again_replaces_the_answer() -> None:
    session = replay([start("mock"), answered(110, 0, "wrong"), answered(120, 0, "correct")])
    assert session.items[0].right


def test_an_answer_shown_on_request_is_not_right() -> None:
    session = replay([start(), Shown(at=110, session="s", index=0, seconds=10)])
    assert session.items[0].settled
    assert not session.items[0].right


def test_time_on_a_question_adds_up_over_its_visits() -> None:
    session = replay([start("mock"), moved(130, 1), moved(150, 0), moved(155, 2)])
    assert [state.seconds for state in session.items] == [35, 20, 0]


def test_time_away_after_leaving_is_no_time_on_a_question() -> None:
    session = replay([start("mock"), Left(at=110, session="s"), Resumed(at=400, session="s"), moved(420, 1)])
    assert session.items[0].seconds == 30


def test_a_visit_cut_off_by_a_crash_does_not_count_the_time_away() -> None:
    session = replay([start("mock"), moved(110, 1), Resumed(at=400, session="s"), moved(405, 2)])
    assert [state.seconds for state in session.items] == [10, 5, 0]


def test_reading_the_feedback_of_a_practice_is_no_time_on_the_question() -> None:
    session = replay([start(), answered(130, 0, seconds=30), moved(190, 1)])
    assert session.items[0].seconds == 30


def test_after_the_end_nothing_changes() -> None:
    session = replay([start(), Finished(at=110, session="s", how="done")])
    assert apply(session, answered(111, 0)) == session


def test_an_item_out_of_range_changes_nothing() -> None:
    session = replay([start()])
    assert apply(session, answered(110, 3)) == session
    assert apply(session, moved(110, -1)) == session


def test_hints_and_flags_are_kept() -> None:
    flag = Flagged(at=103, session="s", index=1, on=True)
    session = replay([start(), HintTaken(at=101, session="s", index=0), HintTaken(at=102, session="s", index=0), flag])
    assert session.items[0].hints == 2
    assert session.items[1].flagged
    assert not apply(session, Flagged(at=104, session="s", index=1, on=False)).items[1].flagged


def test_the_summary_counts_every_item_once() -> None:
    shown = Shown(at=120, session="s", index=1, seconds=2)
    counts = summarise(replay([start(), answered(110, 0, "wrong", 10), moved(111, 1), shown]))
    assert (counts.asked, counts.right, counts.wrong, counts.shown, counts.unanswered) == (3, 0, 1, 1, 1)
    assert counts.seconds == 12


def any_event() -> st.SearchStrategy[SessionEvent]:
    index = st.integers(-1, 4)
    return st.one_of(
        st.builds(answered, st.just(0.0), index, st.sampled_from(["correct", "wrong"])),
        st.builds(moved, st.just(0.0), index),
        st.builds(Shown, at=st.just(0.0), session=st.just("s"), index=index, seconds=st.floats(0, 100)),
        st.builds(HintTaken, at=st.just(0.0), session=st.just("s"), index=index),
        st.builds(Flagged, at=st.just(0.0), session=st.just("s"), index=index, on=st.booleans()),
        st.builds(Left, at=st.just(0.0), session=st.just("s")),
        st.builds(Resumed, at=st.just(0.0), session=st.just("s")),
        st.builds(Finished, at=st.just(0.0), session=st.just("s"), how=st.just("done")),
    )


@given(
    mode=st.sampled_from(["practice", "mock"]),
    steps=st.lists(st.tuples(any_event(), st.floats(-50, 50)), max_size=30),
    cut=st.integers(0, 30),
)
def test_whatever_happens_replay_equals_living_through_it(
    mode: str, steps: list[tuple[SessionEvent, float]], cut: int
) -> None:
    import msgspec

    at, events = 100.0, []
    for event, step in steps:
        at += step
        events.append(msgspec.structs.replace(event, at=at))
    lived: Session = begin(start(mode))
    for event in events:
        lived = apply(lived, event)

    assert replay([start(mode), *events]) == lived
    half = replay([start(mode), *events[:cut]])
    for event in events[cut:]:
        half = apply(half, event)
    assert half == lived
    counts = summarise(lived)
    assert counts.right + counts.wrong + counts.shown + counts.unanswered == counts.asked
    assert all(state.seconds >= 0 for state in lived.items)
