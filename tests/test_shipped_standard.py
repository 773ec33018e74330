"""What every shipped question carries, beyond what lint asks of anyone's bank. Each test names all that fall short."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

import pytest

from specquiz import places
from specquiz.banks.library import Library, open_library
from specquiz.banks.model import (
    AnyQuestion,
    ConfigQuestion,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)

LEAST_VARIANTS = 12
LEAST_HINTS = 2


@pytest.fixture(scope="module")
def library() -> Library:
    return open_library()


def each(library: Library) -> Iterator[tuple[str, AnyQuestion]]:
    for bank in library.banks:
        for question in bank.questions:
            yield f"{bank.id}/{question.id}", question


def test_a_number_varies_unless_it_is_read_off_a_log(library: Library) -> None:
    def variants(question: NumericQuestion) -> int:
        return prod(len(variable.values) for variable in question.vars.values()) if question.vars else 1

    short = {
        place: variants(question)
        for place, question in each(library)
        if isinstance(question, NumericQuestion)
        and variants(question) < LEAST_VARIANTS
        and not (question.task == "read-the-log" and not question.vars)
    }
    assert short == {}


def test_a_formula_or_a_number_knows_two_mistakes_and_other_typed_answers_one(library: Library) -> None:
    least: dict[type, int] = {
        NumericQuestion: 2,
        SymbolicQuestion: 2,
        TraceQuestion: 1,
        OrderQuestion: 1,
        ConfigQuestion: 1,
    }
    short = [
        place
        for place, question in each(library)
        if len(getattr(question, "misconceptions", ())) < least.get(type(question), 0)
    ]
    assert short == []


def test_every_wrong_option_says_what_choosing_it_reveals(library: Library) -> None:
    silent = [
        f"{place}: {choice.id}"
        for place, question in each(library)
        if isinstance(question, SingleQuestion | MultiQuestion)
        for choice in question.choices
        if choice.id not in (question.answer if isinstance(question, MultiQuestion) else (question.answer,))
        and not choice.say
    ]
    assert silent == []


def test_an_explanation_has_room_to_derive_the_answer(library: Library) -> None:
    lines = {place: len(question.explanation.strip().splitlines()) for place, question in each(library)}

    assert {place: count for place, count in lines.items() if not 3 <= count <= 12} == {}


def test_every_question_names_its_source_and_gives_hints_in_steps(library: Library) -> None:
    assert [place for place, question in each(library) if not question.source] == []
    assert [place for place, question in each(library) if len(question.hints) < LEAST_HINTS] == []


def test_a_written_answer_has_a_rubric_three_models_and_follow_ups_three_deep(library: Library) -> None:
    def depth(nodes: tuple[object, ...]) -> int:
        return max((1 + depth(getattr(node, "follow_ups", ())) for node in nodes), default=0)

    written = {place: question for place, question in each(library) if isinstance(question, ShortQuestion)}
    assert len(written) >= 20
    for place, question in written.items():
        assert 3 <= len(question.rubric) <= 6, place
        assert len({question.answers.junior, question.answers.senior, question.answers.staff}) == 3, place
        assert depth(question.follow_ups) == 3, place


# Ids, keys and flags have a hyphen or an underscore beside the word; sources and log lines are quoted as they are.
IZE = re.compile(r"(?<![\w-])[a-z]+iz(?:e|ed|es|ing|ation|ations)(?![\w-])", re.IGNORECASE)
QUOTED = re.compile(r"^ *source:|error: ")
NO_ISE = {"size", "sizes", "sized"}


def test_prose_is_spelled_in_one_way() -> None:
    files = sorted(path for path in places.shipped_questions().rglob("*") if path.suffix in (".yaml", ".md"))
    american = [
        f"{path.name}:{number}: {word}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if not QUOTED.search(line)
        for word in IZE.findall(line)
        if word.lower() not in NO_ISE
    ]
    assert american == []
