"""What banks hold is counted, and choices that give themselves away are told, also in the shipped banks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz import places
from specquiz.banks.inventory import (
    FAIR_SHARE,
    LEAST_OF_THOROUGH_CONCEPT,
    Inventory,
    fairness,
    short_of,
    take_inventory,
    unfair,
)
from specquiz.banks.library import open_library
from specquiz.banks.model import Bank, Choice, Concept, SingleQuestion
from specquiz.cli import main

CONCEPTS = {
    "limits": Concept(slug="limits", name="Limits", group="Speculation basics"),
    "costs": Concept(slug="costs", name="Costs", group="Cost model"),
}


def single(right: int, lengths: Sequence[int] = (5, 5, 5, 5), **more: object) -> SingleQuestion:
    """A question whose choices have these lengths and whose right one is written in this place."""
    texts = [f"{place}".ljust(length, "x") for place, length in enumerate(lengths)]
    choices = tuple(Choice(id=id, text=text) for id, text in zip("abcdef", texts, strict=False))
    fields = {"id": "q", "concepts": ("limits",), "level": 1, "prompt": "?", "explanation": "!", **more}
    return SingleQuestion(choices=choices, answer="abcdef"[right], **fields)  # type: ignore[arg-type]


def counted(*questions: SingleQuestion) -> Inventory:
    return take_inventory([Bank(id="one", title="One", questions=questions)], CONCEPTS)


@cache
def shipped() -> Inventory:
    library = open_library([places.shipped_questions()])
    banks = [bank for bank in library.banks if library.files[bank.id][0].parent == places.shipped_questions()]
    return take_inventory(banks, library.concepts)


def test_everything_is_counted_once_and_concepts_for_each_question() -> None:
    found = counted(single(0, task="estimate"), single(1, concepts=("limits", "costs"), level=4), single(2))

    assert found.questions == 3
    assert found.types["single"] == 3
    assert found.types["config"] == 0
    assert found.levels == {1: 2, 2: 0, 3: 0, 4: 1}
    assert found.tasks["estimate"] == 1
    assert found.concepts == {"limits": 3, "costs": 1}
    assert found.group_tasks["Speculation basics"]["estimate"] == 1
    assert found.fairness["one"].places == {4: (1, 1, 1, 0)}


def test_the_longest_choice_is_counted_only_where_it_is_alone() -> None:
    found = fairness([single(0, (9, 5, 5)), single(0, (9, 9, 5)), single(1, (9, 5, 5))])

    assert (found.questions, found.longest) == (3, 1)


def test_choices_that_give_themselves_away_are_told() -> None:
    telling = [single(place % 4, [9 if place % 4 == here else 5 for here in range(4)]) for place in range(12)]
    assert "the right choice is the longest in 12 of 12" in " ".join(unfair(counted(*telling)))

    lopsided = [single(0) for _ in range(9)] + [single(1)]
    assert "written in places 1 to 4 (9, 1, 0, 0)" in " ".join(unfair(counted(*lopsided)))

    assert list(unfair(counted(*[single(place % 4) for place in range(12)]))) == []


@given(st.lists(st.integers(0, 3), min_size=8, max_size=40))
def test_an_even_spread_is_never_called_unfair(places: list[int]) -> None:
    even = [place for place in range(4) for _ in places]

    assert list(unfair(counted(*[single(place) for place in even]))) == []


def test_what_is_short_of_a_whole_collection_is_told() -> None:
    said = list(short_of(counted(single(0))))

    assert "1 of 160 questions." in said
    assert "1 of 8 banks." in said
    assert "0 of 10 questions of type config." in said
    assert "0 of 6 questions with the task estimate." in said
    assert f"1 of {LEAST_OF_THOROUGH_CONCEPT} questions about limits (Speculation basics)." in said
    assert "0 of 1 questions about costs (Cost model)." in said
    assert "No question of the group Exactness has the task prove." in said


def test_the_command_counts_as_people_and_as_programs_read_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "inventory", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["questions"] == sum(facts["banks"].values()) == sum(facts["types"].values())
    assert facts["fairness"]["all"]["share"] <= FAIR_SHARE

    assert main(["bank", "inventory"]) == 0
    said = capsys.readouterr().out
    assert f"{facts['questions']} questions in {len(facts['banks'])} banks" in said
    for sentence in facts["short_of"]:
        assert sentence in said


# --- the shipped banks ---


def test_no_right_choice_of_a_shipped_bank_gives_itself_away() -> None:
    assert list(unfair(shipped())) == []


def test_the_shipped_banks_cover_the_whole_subject() -> None:
    assert list(short_of(shipped())) == []
