"""What a session asks is drawn once, from a seed."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.banks.library import Library
from specquiz.banks.model import Bank, Choice, TraceQuestion
from specquiz.errors import SpecquizError
from specquiz.sessions.history import Attempt
from specquiz.sessions.planning import bank_digest, draw_item, plan_mock, plan_practice, shuffle


def bank(id: str, *levels: int, concept: str = "c", seconds: int = 60) -> Bank:
    questions = tuple(
        TraceQuestion(
            id=f"q{n}", concepts=(concept,), level=level, prompt="?", explanation="!", answer=("x",), seconds=seconds
        )
        for n, level in enumerate(levels)
    )
    return Bank(id=id, title=id, questions=questions)


def names(items: tuple[object, ...]) -> list[str]:
    return [item.question for item in items]  # type: ignore[attr-defined]


@given(seed=st.integers(0, 2**32))
def test_equal_seeds_give_equal_sessions(library: Library, seed: int) -> None:
    assert plan_practice(library, [], 5, seed) == plan_practice(library, [], 5, seed)
    assert plan_mock(library, [], 30, seed) == plan_mock(library, [], 30, seed)


@given(pins=st.lists(st.booleans(), max_size=9), seed=st.integers())
def test_shuffling_shows_every_choice_once_and_pinned_ones_last(pins: list[bool], seed: int) -> None:
    choices = [Choice(id=f"c{n}", text="", pin="last" if pinned else None) for n, pinned in enumerate(pins)]
    shown = shuffle(choices, random.Random(seed))
    assert sorted(shown) == sorted(choice.id for choice in choices)
    pinned = [choice.id for choice in choices if choice.pin]
    assert list(shown[len(shown) - len(pinned) :]) == pinned


def test_every_order_of_choices_comes_up() -> None:
    choices = [Choice(id=id, text="") for id in "abc"]
    assert len({shuffle(choices, random.Random(seed)) for seed in range(100)}) == 6


def test_a_variant_does_not_depend_on_what_else_is_asked(library: Library) -> None:
    question = library.question("sample", "tokens-per-pass")
    assert question is not None
    alone = draw_item("sample", question, 7)
    assert alone.values.keys() == {"alpha", "K"}
    assert alone in plan_practice(library, [], 5, 7)


def test_unseen_questions_come_first_then_missed_ones_then_the_oldest() -> None:
    library = Library((bank("b", 1, 1, 1, 1, 1),))
    history = {
        ("b", "q0"): Attempt(right=True, at=20),
        ("b", "q1"): Attempt(right=True, at=10),
        ("b", "q2"): Attempt(right=False, at=40),
        ("b", "q3"): Attempt(right=False, at=30),
    }
    items = plan_practice(library, ["b"], None, 1, history=history)
    assert names(items) == ["q4", "q3", "q2", "q1", "q0"]
    assert names(plan_practice(library, ["b"], 2, 1, history=history)) == ["q4", "q3"]


def test_among_unseen_questions_the_easy_ones_come_first() -> None:
    library = Library((bank("b", 4, 2, 1, 3),))
    assert names(plan_practice(library, ["b"], None, 5)) == ["q2", "q1", "q3", "q0"]


def test_a_practice_can_be_restricted_to_some_questions(library: Library) -> None:
    items = plan_practice(library, [], None, 1, only={("sample", "survival")})
    assert names(items) == ["survival"]


def test_a_bank_named_twice_is_asked_once(library: Library) -> None:
    assert len(plan_practice(library, ["sample", "sample"], None, 1)) == 5


def test_an_unknown_bank_is_refused(library: Library) -> None:
    with pytest.raises(SpecquizError, match="simple"):
        plan_practice(library, ["simple"], 5, 1)


def test_an_interview_fills_its_time_and_no_more() -> None:
    library = Library((bank("b", *[1] * 50, seconds=60),))
    assert len(plan_mock(library, ["b"], 30, 1)) == 30
    assert len(plan_mock(library, ["b"], 0.5, 1)) == 1
    assert len(plan_mock(library, ["b"], 30, 1, count=7)) == 7


def test_an_interview_takes_the_concepts_in_turn_and_rises_in_level() -> None:
    library = Library((bank("big", *[1, 2, 3, 4] * 5, concept="x"), bank("small", 4, 1, concept="y")))
    items = plan_mock(library, [], 4, 1)
    assert sorted(item.bank for item in items) == ["big", "big", "small", "small"]
    levels = [question.level for item in items if (question := library.question(item.bank, item.question))]
    assert levels == sorted(levels)


def test_the_digest_changes_with_the_content_of_a_bank() -> None:
    first = bank("b", 1)
    assert bank_digest(first) == bank_digest(bank("b", 1))
    assert bank_digest(first) != bank_digest(msgspec.structs.replace(first, title="other"))
