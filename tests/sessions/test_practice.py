"""A practice gives the reason at once, records first, and goes on where it was left."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hand_clock import HandClock  # type: ignore[import-not-found]

from specquiz.answers import Correct, Invalid, Wrong
from specquiz.banks.library import Library
from specquiz.errors import SpecquizError
from specquiz.sessions.engine import replay
from specquiz.sessions.events import Answered, AnyEvent
from specquiz.sessions.practice import Practice, resume_practice, start_practice

RIGHT = {
    "free-token": "one",
    "lossless": "law greedy",
    "tokens-per-pass": "(1 - alpha**(K+1)) / (1 - alpha)",
    "survival": "alpha**K",
    "greedy-round": "the cat ran",
}
WRONG = {"free-token": "none", "lossless": "law", "tokens-per-pass": "7", "survival": "1", "greedy-round": "cat"}


@pytest.fixture
def practice(library: Library, log: list[AnyEvent], clock: HandClock) -> Practice:
    return start_practice(library, ["sample"], count=5, seed=3, record=log.append, clock=clock)


def resumed(library: Library, log: list[AnyEvent], clock: HandClock) -> Practice:
    return resume_practice(library, replay(log), log.append, clock)


def without(library: Library, change: Callable[[str], bool]) -> Library:
    """The library with some questions gone."""
    bank = library.banks[0]
    kept = tuple(question for question in bank.questions if not change(question.id))
    return Library((msgspec.structs.replace(bank, questions=kept),))


def test_answering_everything_right(practice: Practice, log: list[AnyEvent]) -> None:
    for _ in range(5):
        assert practice.phase == "asking"
        assert isinstance(practice.answer(RIGHT[practice.question.id]), Correct)
        assert practice.phase == "feedback"
        practice.advance()
    assert practice.phase == "done"
    assert practice.summary().right == 5
    assert practice.missed_items() == ()
    assert replay(log) == practice.session


def test_the_question_at_hand_is_filled_in(practice: Practice) -> None:
    while practice.question.id != "tokens-per-pass":
        practice.advance()
    assert practice.item.values["alpha"] in practice.prompt
    assert "{" not in practice.prompt + practice.explanation


def test_choices_are_shown_in_the_order_drawn(practice: Practice) -> None:
    while practice.question.id != "free-token":
        practice.advance()
    assert tuple(id for id, _ in practice.choices) == practice.item.choices
    assert practice.choices[-1] == ("depends", "It depends on the draft")


def test_invalid_input_is_neither_recorded_nor_counted(practice: Practice, log: list[AnyEvent]) -> None:
    before = len(log)
    assert isinstance(practice.answer(""), Invalid)
    assert len(log) == before
    assert practice.phase == "asking"
    assert isinstance(practice.last_verdict, Invalid)


def test_an_answer_that_cannot_be_recorded_did_not_happen(library: Library, clock: HandClock) -> None:
    log: list[AnyEvent] = []
    full = False

    def record(event: AnyEvent) -> None:
        if full:
            raise SpecquizError("The disk is full")
        log.append(event)

    practice = start_practice(library, ["sample"], count=1, seed=3, record=record, clock=clock)
    full = True
    with pytest.raises(SpecquizError):
        practice.answer(RIGHT[practice.question.id])
    assert practice.phase == "asking"
    full = False
    practice.answer(RIGHT[practice.question.id])
    assert practice.phase == "feedback"


def test_a_settled_question_takes_no_second_answer(practice: Practice) -> None:
    practice.answer(WRONG[practice.question.id])
    with pytest.raises(ValueError, match="settled"):
        practice.answer(RIGHT[practice.question.id])
    with pytest.raises(ValueError, match="settled"):
        practice.show()


def test_showing_the_answer_counts_as_not_right(practice: Practice) -> None:
    assert practice.show() == practice.solution
    assert practice.phase == "feedback"
    assert practice.last_verdict is None
    practice.advance()
    assert practice.summary().shown == 1


def test_hints_come_one_by_one_and_are_recorded(practice: Practice, log: list[AnyEvent]) -> None:
    while practice.question.id != "free-token":
        practice.advance()
    first, second, third = practice.hint(), practice.hint(), practice.hint()
    assert (first, second) == practice.hints == tuple(practice.question.hints)
    assert third is None
    assert replay(log).items[practice.session.index].hints == 2


def test_the_missed_ones_are_known_at_the_end(practice: Practice) -> None:
    missed = set()
    for turn in range(5):
        id = practice.question.id
        if turn == 0:
            practice.answer(WRONG[id])
        elif turn == 1:
            practice.show()
        elif turn > 2:
            practice.answer(RIGHT[id])
        if turn < 3:
            missed.add(id)
        practice.advance()
    assert {item.question for item in practice.missed_items()} == missed
    assert practice.summary().unanswered == 1


def test_the_missed_ones_again(library: Library, log: list[AnyEvent], clock: HandClock) -> None:
    only = {("sample", "survival"), ("sample", "lossless")}
    again = start_practice(library, [], count=None, seed=4, record=log.append, clock=clock, only=only)
    assert {item.question for item in again.session.plan} == {"survival", "lossless"}


def test_nothing_to_ask_is_said(library: Library, log: list[AnyEvent], clock: HandClock) -> None:
    with pytest.raises(SpecquizError, match="no question to ask"):
        start_practice(library, [], count=5, seed=4, record=log.append, clock=clock, only=())
    assert log == []


def test_time_is_counted_per_question_and_stops_at_the_answer(practice: Practice, clock: HandClock) -> None:
    clock.time += 20
    practice.answer(WRONG[practice.question.id])
    clock.time += 60
    practice.advance()
    clock.time += 5
    practice.answer(WRONG[practice.question.id])
    assert [state.seconds for state in practice.session.items[:2]] == [20, 5]


def test_a_clock_set_back_costs_no_time_and_gives_none(
    practice: Practice, clock: HandClock, log: list[AnyEvent]
) -> None:
    clock.time += 10
    assert practice.seconds == 10
    clock.time -= 3600
    clock.time += 5
    practice.answer(WRONG[practice.question.id])
    answered = log[-1]
    assert isinstance(answered, Answered)
    assert answered.at >= 1010
    assert 10 <= answered.seconds <= 15


def test_resuming_goes_on_at_the_same_question_with_the_same_numbers(
    practice: Practice, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    practice.answer(RIGHT[practice.question.id])
    practice.advance()
    practice.hint()
    again = resumed(library, log, clock)
    assert again.phase == "asking"
    assert (again.position, again.item, again.prompt, again.choices, again.hints) == (
        practice.position, practice.item, practice.prompt, practice.choices, practice.hints
    )  # fmt: skip


def test_resuming_after_the_answer_gives_the_recorded_reason_again(
    practice: Practice, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    given = practice.answer(WRONG[practice.question.id])
    again = resumed(library, log, clock)
    assert again.phase == "feedback"
    assert isinstance(again.last_verdict, Wrong)
    assert again.last_verdict.message == given.message


def test_time_away_is_no_time_on_the_question(
    practice: Practice, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    clock.time += 7
    practice.leave()
    clock.time += 1000
    again = resumed(library, log, clock)
    clock.time += 3
    assert again.seconds == 10


def test_a_question_that_left_its_bank_is_passed_over_with_one_sentence(
    practice: Practice, library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    first, second = (item.question for item in practice.session.plan[:2])
    again = resumed(without(library, lambda id: id == first), log, clock)
    assert again.notes == (f"The question {first} (sample) is no longer in its bank, so it is passed over.",)
    assert again.question.id == second
    assert {item.question for item in again.missed_items()} == set(RIGHT) - {first}


@pytest.mark.usefixtures("practice")
def test_a_practice_whose_bank_vanished_comes_to_its_end(
    library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    again = resumed(without(library, lambda _: True), log, clock)
    assert again.phase == "done"
    assert len(again.notes) == 5


@pytest.mark.usefixtures("practice")
def test_a_question_with_other_choices_is_passed_over_and_a_mended_text_is_asked(
    library: Library, log: list[AnyEvent], clock: HandClock
) -> None:
    bank = library.banks[0]
    changed = tuple(
        msgspec.structs.replace(question, choices=question.choices[:-1])  # type: ignore[union-attr, call-arg]
        if question.id == "free-token"
        else msgspec.structs.replace(question, prompt="Mended.")
        for question in bank.questions
    )
    again = resumed(Library((msgspec.structs.replace(bank, questions=changed),)), log, clock)
    assert again.notes == (
        "The question free-token (sample) was changed since this session began, so it is passed over.",
    )
    assert again.prompt == "Mended."


def test_ending_early_leaves_the_rest_unanswered(practice: Practice, log: list[AnyEvent]) -> None:
    practice.answer(RIGHT[practice.question.id])
    practice.finish()
    assert practice.phase == "done"
    practice.advance()
    practice.leave()
    assert replay(log) == practice.session
    assert practice.summary().unanswered == 4
