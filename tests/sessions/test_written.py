"""Written answers in practice and in interviews: recorded first, marked by a person, resumed where they were left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hand_clock import HandClock  # type: ignore[import-not-found]
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz.answers import Invalid, Wrong
from specquiz.banks.library import Library
from specquiz.banks.loading import load_bank
from specquiz.sessions.engine import replay, summarise
from specquiz.sessions.events import Answered, AnyEvent, Closed, Finished, Wrote
from specquiz.sessions.history import latest_attempts
from specquiz.sessions.mock import Mock, OutOfTime, Saved, resume_mock, start_mock
from specquiz.sessions.planning import plan_mock
from specquiz.sessions.practice import Practice, resume_practice, start_practice
from specquiz.sessions.rubric import AskFollowUp, GradeReply, Marked, MarkPoints
from specquiz.sessions.sitting import Written
from specquiz.store.projections import finished_sessions, open_sessions

WHY = {("written", "why-free")}
TEXT = "The weights are read once.\nFive places share that."


def load() -> Library:
    bank, problems = load_bank(Path(__file__).with_name("written.yaml"))
    assert bank is not None, problems
    return Library((bank,))


@pytest.fixture
def library() -> Library:
    return load()


@pytest.fixture
def practice(library: Library, log: list[AnyEvent], clock: HandClock) -> Practice:
    return start_practice(library, [], count=None, seed=1, record=log.append, clock=clock, only=WHY)


@pytest.fixture
def mock(library: Library, log: list[AnyEvent], clock: HandClock) -> Mock:
    """An interview of two questions, the second with a written answer."""
    return start_mock(library, [], minutes=10, seed=1, record=log.append, clock=clock, written=1)


def mark_all(sitting: Practice | Mock, *made: int) -> str:
    for point in range(3):
        sitting.mark(point, point in made)
    return sitting.settle()


def at_the_written_one(mock: Mock) -> Mock:
    mock.go(1)
    assert mock.question.id == "why-free"
    return mock


# Practice


def test_a_written_answer_waits_for_its_marks_and_is_then_judged_once(practice: Practice, log: list[AnyEvent]) -> None:
    assert isinstance(practice.answer(TEXT), Written)
    assert practice.phase == "marking"
    assert practice.step == MarkPoints((0, 1, 2))
    assert not any(isinstance(event, Answered) for event in log)
    assert mark_all(practice, 0, 1) == "strong"
    assert practice.phase == "feedback"
    (answered,) = [event for event in log if isinstance(event, Answered)]
    assert (answered.text, answered.outcome, answered.band) == (TEXT, "correct", "strong")
    assert "Not said: Says that the arithmetic units have room left." in answered.message
    assert latest_attempts(log)["written", "why-free"].right


def test_a_weak_answer_counts_as_not_right(practice: Practice, log: list[AnyEvent]) -> None:
    practice.answer(TEXT)
    assert mark_all(practice, 1, 2) == "weak"
    assert isinstance(practice.last_verdict, Wrong)
    assert not latest_attempts(log)["written", "why-free"].right
    assert practice.missed_items() == practice.session.plan


def test_nothing_and_far_too_much_are_no_answers(practice: Practice, log: list[AnyEvent]) -> None:
    before = list(log)
    assert isinstance(practice.answer(" \n "), Invalid)
    assert isinstance(practice.answer("x" * 10_001), Invalid)
    assert log == before


def test_a_mark_can_be_changed_until_all_is_settled(practice: Practice) -> None:
    practice.answer(TEXT)
    practice.mark(0, False)
    with pytest.raises(ValueError, match="without a mark"):
        practice.settle()
    practice.mark(1, True)
    practice.mark(2, True)
    practice.mark(0, True)
    assert practice.settle() == "strong"
    with pytest.raises(ValueError, match="no point"):
        practice.mark(0, False)


def test_the_follow_ups_go_down_the_tree_as_the_replies_are_graded(practice: Practice) -> None:
    practice.answer(TEXT)
    mark_all(practice)
    asked = []
    for text, grade in (("the weights", "ok"), ("", "weak"), ("7 GB", "strong")):
        step = practice.step
        assert isinstance(step, AskFollowUp)
        asked.append(step.follow_up.ask)
        practice.reply(text)
        assert practice.step == GradeReply(step.follow_up, len(asked), text)
        practice.grade(grade)  # type: ignore[arg-type]
    assert practice.step == Marked()
    assert [reply.asked for reply in practice.state.replies] == asked
    assert [reply.grade for reply in practice.state.replies] == ["ok", "weak", "strong"]
    practice.advance()
    assert practice.phase == "done"


def test_nobody_needs_to_follow_up(practice: Practice) -> None:
    practice.answer(TEXT)
    mark_all(practice, 0, 1, 2)
    practice.advance()
    assert practice.phase == "done"
    assert practice.summary().right == 1


def test_showing_the_answer_ends_the_question_without_marks(practice: Practice) -> None:
    assert "bound by memory" in practice.show()
    assert practice.step == Marked()


def test_time_is_counted_while_one_writes_and_not_while_one_marks(practice: Practice, clock: HandClock) -> None:
    clock.time += 40
    practice.answer(TEXT)
    clock.time += 500
    mark_all(practice, 0)
    clock.time += 500
    assert practice.seconds == 40


def test_a_draft_is_kept_once_per_change_and_goes_on_after_a_crash(
    practice: Practice, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    practice.keep_draft("The weights")
    practice.keep_draft("The weights")
    assert sum(isinstance(event, Wrote) for event in log) == 1
    again = resume_practice(library, replay(log), log.append, clock)
    assert (again.phase, again.written) == ("asking", "The weights")
    assert again.step is None


# A mock interview


def test_nothing_is_marked_before_the_clock_has_stopped(mock: Mock) -> None:
    at_the_written_one(mock)
    assert mock.answer(TEXT) == Saved(read_as="")
    mock.go(1)
    assert mock.answered
    assert mock.step is None
    with pytest.raises(ValueError, match="no point"):
        mock.mark(0, True)


def test_handing_in_stops_the_clock_and_then_the_answers_are_marked(
    mock: Mock, log: list[AnyEvent], clock: HandClock
) -> None:
    mock.answer("yes")
    at_the_written_one(mock).answer(TEXT)
    clock.time += 60
    mock.finish()
    assert mock.phase == "marking"
    assert mock.question.id == "why-free"
    assert [session.id for session in open_sessions(log)] == [mock.session.id]
    assert latest_attempts(log) == {}
    clock.time += 10_000
    assert mark_all(mock, 0, 1) == "strong"
    assert isinstance(mock.step, AskFollowUp)
    mock.reply("x")
    mock.grade("weak")
    mock.advance()
    assert mock.phase == "done"
    assert mock.session.ended == log[0].at + 60
    assert [s.id for s in finished_sessions(log)] == [mock.session.id]
    assert summarise(mock.session).right == 2
    assert len(latest_attempts(log)) == 2


def test_when_time_is_up_what_was_written_so_far_is_marked(mock: Mock, log: list[AnyEvent], clock: HandClock) -> None:
    at_the_written_one(mock).keep_draft("The weights are")
    assert mock.unanswered == (0, 1)
    clock.time += 601
    assert isinstance(mock.answer("The weights are read"), OutOfTime)
    assert mock.phase == "marking"
    assert mock.written == "The weights are"
    mark_all(mock)
    mock.advance()
    (finished,) = [event for event in log if isinstance(event, Finished)]
    assert finished.how == "time"


def test_without_written_answers_an_interview_ends_as_ever(mock: Mock, log: list[AnyEvent]) -> None:
    mock.answer("yes")
    mock.finish()
    assert mock.phase == "done"
    assert not any(isinstance(event, Closed) for event in log)


def test_one_may_end_without_marking(mock: Mock) -> None:
    at_the_written_one(mock).answer(TEXT)
    mock.finish()
    mock.finish()
    assert mock.phase == "done"
    counts = summarise(mock.session)
    assert (counts.unmarked, counts.unanswered, counts.wrong) == (1, 1, 0)


def test_a_written_answer_may_be_written_anew_while_there_is_time(mock: Mock) -> None:
    at_the_written_one(mock).answer("one")
    at_the_written_one(mock).answer("two")
    mock.finish()
    assert mock.written == "two"


def test_an_interview_has_written_questions_only_when_it_is_to_have_some(library: Library) -> None:
    assert {item.question for item in plan_mock(library, [], 30, 1)} == {"plain-one"}
    assert {item.question for item in plan_mock(library, [], 30, 1, written=2)} == {"plain-one", "why-free"}
    assert len(plan_mock(library, [], 30, 1, count=1, written=1)) == 1


# Anything, in any order, with the program ending anywhere

Act = Callable[[Practice | Mock], object]


def attempt(sitting: Practice | Mock, act: Act) -> None:
    try:
        act(sitting)
    except ValueError:
        # Refused, which is what is to be tried as well.
        return


ACTS: dict[str, Act] = {
    "write": lambda s: s.answer(TEXT),
    "draft": lambda s: s.keep_draft("half a"),
    "made": lambda s: s.mark(0, True),
    "not": lambda s: s.mark(0, False),
    "second": lambda s: s.mark(1, True),
    "third": lambda s: s.mark(2, False),
    "settle": lambda s: s.settle(),
    "reply": lambda s: s.reply("so"),
    "weak": lambda s: s.grade("weak"),
    "ok": lambda s: s.grade("ok"),
    "strong": lambda s: s.grade("strong"),
    "advance": lambda s: s.advance(),
    "finish": lambda s: s.finish(),
    "go": lambda s: s.go(1) if isinstance(s, Mock) else None,
    "show": lambda s: s.show() if isinstance(s, Practice) else None,
}


@pytest.mark.parametrize("mode", ["practice", "mock"])
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_whenever_it_ends_it_goes_on_at_the_same_place(mode: str, data: st.DataObject) -> None:
    library, clock = load(), HandClock()
    log: list[AnyEvent] = []
    sitting: Practice | Mock
    if mode == "practice":
        sitting = start_practice(library, [], count=None, seed=1, record=log.append, clock=clock, only=WHY)
    else:
        sitting = start_mock(library, [], minutes=10, seed=1, record=log.append, clock=clock, written=1)
    for name in data.draw(st.lists(st.sampled_from(sorted(ACTS)), max_size=25)):
        clock.time += data.draw(st.sampled_from([0.0, 5.0, 200.0]))
        attempt(sitting, ACTS[name])
        assert replay(log) == sitting.session
        if sitting.phase == "done":
            break
        if isinstance(sitting, Mock):
            sitting.expire()
        before = (sitting.phase, sitting.step, sitting.written)
        make = resume_practice if mode == "practice" else resume_mock
        sitting = make(library, replay(log), log.append, clock)
        assert (sitting.phase, sitting.step, sitting.written) == before
    counts = summarise(sitting.session)
    assert counts.asked == counts.right + counts.wrong + counts.shown + counts.unmarked + counts.unanswered


OLD_LOG = """\
{"kind":"session_started","at":1.0,"session":"s","mode":"mock","seed":1,"items":[{"bank":"b","question":"q"}],"seconds":60}
{"kind":"answered","at":2.0,"session":"s","index":0,"text":"x","outcome":"correct","message":"m","seconds":1.0}
{"kind":"finished","at":3.0,"session":"s","how":"done"}
"""
"""A log as it was written before answers could be written."""


def test_a_log_from_before_there_were_written_answers_is_read_as_it_was() -> None:
    events = [msgspec.json.decode(line, type=AnyEvent) for line in OLD_LOG.splitlines()]
    session = replay(events)
    assert session.items[0].right
    assert session.ended == 3.0
    assert summarise(session).unmarked == 0
    assert [attempt.right for attempt in latest_attempts(events).values()] == [True]
