"""A mock interview is timed, silent until the end, and survives whatever happens to the program."""

from __future__ import annotations

import pytest
from hand_clock import HandClock  # type: ignore[import-not-found]
from hypothesis import given
from hypothesis import strategies as st

from specquiz.answers import Invalid
from specquiz.banks.library import Library
from specquiz.errors import SpecquizError
from specquiz.sessions.engine import replay
from specquiz.sessions.events import Answered, AnyEvent
from specquiz.sessions.mock import Mock, OutOfTime, Saved, resume_mock, start_mock

RIGHT = {
    "free-token": "one",
    "lossless": "law greedy",
    "tokens-per-pass": "(1 - alpha**(K+1)) / (1 - alpha)",
    "survival": "alpha**K",
    "greedy-round": "the cat ran",
}


@pytest.fixture
def mock(library: Library, log: list[AnyEvent], clock: HandClock) -> Mock:
    return start_mock(library, ["sample"], minutes=10, seed=3, record=log.append, clock=clock, count=5)


def resumed(library: Library, log: list[AnyEvent], clock: HandClock) -> Mock:
    return resume_mock(library, replay(log), log.append, clock)


def test_an_answer_is_saved_without_a_word_of_right_or_wrong(mock: Mock, log: list[AnyEvent]) -> None:
    assert isinstance(mock.answer(RIGHT[mock.question.id]), Saved)
    assert isinstance(log[-2], Answered)
    assert mock.position == (2, 5)


def test_invalid_input_changes_nothing(mock: Mock, log: list[AnyEvent]) -> None:
    before = list(log)
    assert isinstance(mock.answer(" "), Invalid)
    assert log == before


def test_answering_again_replaces_the_answer(mock: Mock) -> None:
    mock.answer("none" if mock.question.id == "free-token" else "1")
    mock.go(0)
    assert mock.answered
    mock.answer(RIGHT[mock.question.id])
    mock.finish()
    assert mock.session.items[0].right


def test_after_an_answer_comes_the_next_unanswered_question(mock: Mock) -> None:
    for index in (0, 1, 2):
        mock.go(index)
        mock.answer(RIGHT[mock.question.id])
    mock.go(0)
    mock.answer(RIGHT[mock.question.id])
    assert mock.session.index == 3


def test_skip_back_and_go(mock: Mock) -> None:
    assert mock.skip()
    assert mock.position == (2, 5)
    assert mock.back()
    assert not mock.back()
    assert mock.go(4)
    assert mock.skip()
    assert mock.position == (1, 5)
    assert not mock.go(5)
    assert not mock.go(-1)


def test_flags_are_kept_and_taken_off(mock: Mock, library: Library, log: list[AnyEvent], clock: HandClock) -> None:
    assert mock.flag()
    assert resumed(library, log, clock).flags == (0,)
    assert not mock.flag()
    assert mock.flags == ()


def test_no_hint_is_given(mock: Mock, log: list[AnyEvent]) -> None:
    before = list(log)
    assert mock.hint() is None
    assert log == before


def test_the_deadline_is_a_moment_of_wall_time(mock: Mock, clock: HandClock) -> None:
    clock.time += 100
    assert mock.remaining_seconds() == 500
    clock.time += 1000
    assert mock.remaining_seconds() == 0


def test_when_time_is_up_nothing_more_is_taken(mock: Mock, clock: HandClock) -> None:
    mock.answer(RIGHT[mock.question.id])
    clock.time += 601
    assert isinstance(mock.answer(RIGHT[mock.question.id]), OutOfTime)
    finished = mock.session.finished
    assert finished is not None
    assert (finished.how, finished.at) == ("time", 1600)
    assert not mock.skip()
    assert not mock.go(0)
    assert [state.answered is not None for state in mock.session.items].count(True) == 1


def test_a_crash_stops_no_clock_and_loses_no_answer(
    mock: Mock, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    mock.answer(RIGHT[mock.question.id])
    clock.time += 200
    again = resumed(library, log, clock)
    assert again.remaining_seconds() == 400
    assert again.position == (2, 5)
    assert again.session.items[0].right


def test_an_interview_that_ran_out_meanwhile_is_closed_as_time(
    mock: Mock, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    clock.time += 30
    mock.skip()
    clock.time += 5000
    again = resumed(library, log, clock)
    assert again.phase == "done"
    assert again.session.finished is not None
    assert again.session.finished.how == "time"
    assert [state.seconds for state in again.session.items[:2]] == [30, 0]


@pytest.mark.usefixtures("mock")
def test_looking_at_one_that_ran_out_counts_no_time_away_either(
    library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    clock.time += 5000
    again = Mock(library, replay(log), log.append, clock)
    assert again.expire()
    assert again.session.items[0].seconds == 0
    assert replay(log) == again.session


def test_a_clock_set_back_gives_no_more_time(mock: Mock, clock: HandClock) -> None:
    clock.time += 300
    assert mock.remaining_seconds() == 300
    clock.time -= 86_400
    assert mock.remaining_seconds() == 300
    clock.time += 100
    assert mock.remaining_seconds() == 200


def test_a_clock_set_back_while_the_program_is_away_gives_no_more_time(
    mock: Mock, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    clock.time += 300
    mock.leave()
    clock.time -= 86_400
    again = resumed(library, log, clock)
    assert again.remaining_seconds() == 300
    clock.time += 299
    assert again.remaining_seconds() == 1
    clock.time += 1
    assert again.expire()


@given(steps=st.lists(st.tuples(st.floats(-1000, 200), st.booleans()), max_size=20))
def test_whatever_the_clock_does_an_interview_never_gains_time(
    library: Library, steps: list[tuple[float, bool]]
) -> None:
    log: list[AnyEvent] = []
    clock = HandClock()
    mock = start_mock(library, ["sample"], minutes=10, seed=3, record=log.append, clock=clock, count=5)
    left = mock.remaining_seconds()
    for step, crash in steps:
        clock.time += step
        if crash:
            mock.skip()
            mock = resumed(library, log, clock)
        now_left = mock.remaining_seconds()
        assert now_left <= left
        assert step < 0 or now_left <= max(0.0, left - step) + 1e-6
        left = now_left


def test_time_on_a_question_adds_up_over_visits_and_a_resume(
    mock: Mock, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    clock.time += 10
    mock.skip()
    clock.time += 20
    mock.back()
    clock.time += 5
    mock.leave()
    clock.time += 100
    again = resumed(library, log, clock)
    clock.time += 1
    again.skip()
    assert [state.seconds for state in again.session.items[:2]] == [16, 20]


def test_questions_that_left_their_bank_are_passed_over(
    mock: Mock, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    import msgspec

    gone = {mock.session.plan[0].question, mock.session.plan[2].question}
    bank = library.banks[0]
    kept = tuple(question for question in bank.questions if question.id not in gone)
    again = resumed(Library((msgspec.structs.replace(bank, questions=kept),)), log, clock)
    assert again.session.index == 1
    again.skip()
    assert again.session.index == 3
    assert again.unanswered == (1, 3, 4)
    assert not again.go(2)
    nothing_left = resumed(Library((msgspec.structs.replace(bank, questions=()),)), log, clock)
    assert nothing_left.phase == "done"


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf"), 1e9])
def test_an_interview_has_a_sensible_length(
    library: Library, log: list[AnyEvent], clock: HandClock, minutes: float
) -> None:
    with pytest.raises(SpecquizError):
        start_mock(library, [], minutes=minutes, seed=1, record=log.append, clock=clock)
    assert log == []
