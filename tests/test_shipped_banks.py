"""What a learner may rely on in the shipped banks: right keys, known mistakes, fair choices, numbers that vary."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from specquiz import places
from specquiz.answers import Correct, Wrong, check
from specquiz.answers import Question as Asked
from specquiz.answers.configuration import ABSENT
from specquiz.answers.tolerance import read_tolerance
from specquiz.banks.loading import load_bank, load_concepts
from specquiz.banks.model import (
    AnyQuestion,
    Bank,
    Choice,
    Concept,
    ConfigQuestion,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.banks.variants import PLACEHOLDER, answer_question
from specquiz.labs.loading import load_labs
from specquiz.sessions.events import Item
from specquiz.sessions.judging import judge
from specquiz.sessions.planning import draw_item

GROUPS = {
    "Cost model",
    "Metrics",
    "Speculation basics",
    "Exactness",
    "Acceptance in practice",
    "Proposers",
    "Trees",
    "In a serving engine",
    "KV cache",
    "Batching and scheduling",
    "Quantization",
    "System and judgement",
}
LOCKS = sorted(next(lab for lab in load_labs() if lab.id == "ngram-echo").unlock.mastery)
"""The concepts that open the first lab."""


def shipped(name: str) -> Bank:
    bank, problems = load_bank(places.shipped_questions() / f"{name}.yaml")
    assert not problems, "\n".join(map(str, problems))
    assert bank is not None
    return bank


def shipped_concepts() -> tuple[Concept, ...]:
    listed, problems = load_concepts(places.shipped_questions() / "concepts.yaml")
    assert not problems, "\n".join(map(str, problems))
    assert listed is not None
    return listed.concepts


def shipped_banks() -> dict[str, Bank]:
    """The banks by id; files with the same id make one bank."""
    banks: dict[str, Bank] = {}
    for path in sorted(places.shipped_questions().glob("*.yaml")):
        if path.name != "concepts.yaml":
            bank = shipped(path.stem)
            earlier = banks[bank.id].questions if bank.id in banks else ()
            banks[bank.id] = replace(bank, questions=(*earlier, *bank.questions))
    return banks


BANKS = shipped_banks()
ALL = [(bank.id, question) for bank in BANKS.values() for question in bank.questions]
QUESTIONS = [question for _, question in ALL]
NUMERIC = [question for question in QUESTIONS if isinstance(question, NumericQuestion)]
FORMULAS = [question for question in QUESTIONS if isinstance(question, NumericQuestion | SymbolicQuestion)]
CHOICES = [question for question in QUESTIONS if isinstance(question, SingleQuestion | MultiQuestion)]
ORDERS = [question for question in QUESTIONS if isinstance(question, OrderQuestion)]
CONFIGS = [question for question in QUESTIONS if isinstance(question, ConfigQuestion)]
TRACES = [question for question in QUESTIONS if isinstance(question, TraceQuestion)]

each_bank = pytest.mark.parametrize("bank", BANKS.values(), ids=BANKS)


def each(questions: Sequence[AnyQuestion]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("question", questions, ids=[question.id for question in questions])


def variants(question: AnyQuestion) -> Iterator[dict[str, str]]:
    """Every combination of numbers that a learner may meet."""
    varied = {n: v.values for n, v in question.vars.items()} if isinstance(question, NumericQuestion) else {}
    for numbers in product(*varied.values()):
        yield dict(zip(varied, numbers, strict=True))


def asked(question: NumericQuestion | SymbolicQuestion) -> Iterator[Asked]:
    for values in variants(question):
        yield answer_question(question, values)


def right_ids(question: SingleQuestion | MultiQuestion) -> set[str]:
    return {question.answer} if isinstance(question, SingleQuestion) else set(question.answer)


def distractors(question: SingleQuestion | MultiQuestion) -> list[Choice]:
    return [choice for choice in question.choices if choice.id not in right_ids(question)]


def knows_mistakes(question: AnyQuestion) -> bool:
    """Whether wrong answers get feedback of their own."""
    if isinstance(question, SingleQuestion | MultiQuestion):
        return all(choice.say for choice in distractors(question))
    return isinstance(question, ShortQuestion) or len(question.misconceptions) >= 2


def texts(question: AnyQuestion) -> Iterator[str]:
    """Everything that a person reads."""
    yield from (question.prompt, question.explanation, *question.hints)
    if isinstance(question, SingleQuestion | MultiQuestion):
        yield from (choice.text for choice in question.choices)
        yield from (choice.say for choice in question.choices)
    elif isinstance(question, ShortQuestion):
        yield from (point.point for point in question.rubric)
    else:
        yield from (wrong.say for wrong in question.misconceptions)


# --- a bank as a whole ---


def test_the_three_banks_of_the_first_hour_ship() -> None:
    assert {"exactness", "memory-bound", "tuning-alpha-k"} <= set(BANKS)


@each_bank
def test_a_bank_is_long_enough_for_several_sittings(bank: Bank) -> None:
    assert len(bank.questions) >= 12


@each_bank
def test_a_bank_asks_in_at_least_four_ways(bank: Bank) -> None:
    assert len({type(question) for question in bank.questions}) >= 4


@each_bank
def test_a_bank_has_something_for_a_beginner_and_for_a_strong_candidate(bank: Bank) -> None:
    levels = Counter(question.level for question in bank.questions)
    assert levels[1] >= 3
    assert levels[3] + levels[4] >= 3


def test_no_question_id_is_used_twice() -> None:
    assert Counter(question.id for question in QUESTIONS).most_common(1)[0][1] == 1


def test_half_of_all_questions_know_the_mistakes_people_make() -> None:
    assert sum(map(knows_mistakes, QUESTIONS)) * 2 >= len(QUESTIONS)


def test_half_of_the_numeric_questions_vary() -> None:
    assert sum(bool(question.vars) for question in NUMERIC) * 2 >= len(NUMERIC)


# --- concepts and the lock ---


def test_every_concept_asked_about_is_listed() -> None:
    listed = {concept.slug for concept in shipped_concepts()}
    assert {slug for question in QUESTIONS for slug in question.concepts} <= listed


def test_concepts_belong_to_the_twelve_groups() -> None:
    assert {concept.group for concept in shipped_concepts()} <= GROUPS


@pytest.mark.parametrize("concept", LOCKS)
def test_the_bank_on_tuning_alone_can_open_the_first_lab(concept: str) -> None:
    on_it = [question for question in BANKS["tuning-alpha-k"].questions if concept in question.concepts]
    assert len(on_it) >= 5
    assert max(question.level for question in on_it) <= 2


@pytest.mark.parametrize("concept", LOCKS)
def test_other_banks_ask_about_the_lock_as_well(concept: str) -> None:
    assert any(concept in question.concepts for bank, question in ALL if bank != "tuning-alpha-k")


@pytest.mark.parametrize("concept", LOCKS)
def test_the_first_ten_questions_of_the_bank_on_tuning_can_open_the_first_lab(concept: str) -> None:
    first = [question for question in BANKS["tuning-alpha-k"].questions if question.level == 1]
    assert len(first) <= 10
    assert sum(concept in question.concepts for question in first) >= 3


def test_the_lock_opens_in_ten_minutes() -> None:
    on_it = [question for question in BANKS["tuning-alpha-k"].questions if set(question.concepts) & set(LOCKS)]
    assert sum(question.seconds for question in on_it) <= 600


# --- each question teaches ---


@each(QUESTIONS)
def test_a_question_is_explained_and_sourced(question: AnyQuestion) -> None:
    assert 3 <= len([line for line in question.explanation.splitlines() if line.strip()]) <= 8
    assert "In practice" in question.explanation
    assert question.hints
    assert question.source


@each(QUESTIONS)
def test_texts_name_only_variables_that_exist(question: AnyQuestion) -> None:
    named = {name for text in texts(question) for name in PLACEHOLDER.findall(text)}
    assert named <= set(getattr(question, "vars", {}))


@each(QUESTIONS)
def test_lines_fit_a_terminal(question: AnyQuestion) -> None:
    assert all(len(line) <= 120 for text in (question.prompt, question.explanation) for line in text.splitlines())


@each(QUESTIONS)
def test_what_is_said_of_an_engine_says_for_which_versions(question: AnyQuestion) -> None:
    if any("vLLM" in text for text in (question.prompt, question.explanation)):
        assert question.applies_to


@each(QUESTIONS)
def test_no_text_says_acceptance_rate_without_saying_which(question: AnyQuestion) -> None:
    for text in texts(question):
        for found in re.finditer(r"(\S+)\s+acceptance\s+rates?\b", text):
            assert found[1].lower().strip('"') in {"draft", "per-position"}, found[0]


# --- formulas and numbers ---


@each(NUMERIC)
def test_a_numeric_question_has_a_dozen_variants(question: NumericQuestion) -> None:
    assert not question.vars or sum(1 for _ in variants(question)) >= 12


@each(FORMULAS)
def test_the_key_is_right_by_its_own_checker_for_all_numbers(question: NumericQuestion | SymbolicQuestion) -> None:
    for one in asked(question):
        for form in (one.reference, *one.also):
            assert isinstance(check(one, form), Correct), (form, one.values)


@each(NUMERIC)
def test_the_bare_number_is_right_too(question: NumericQuestion) -> None:
    for one in asked(question):
        number = check(one, one.reference).value
        assert isinstance(check(one, f"{number} {one.unit}"), Correct), (number, one.values)


@each(FORMULAS)
def test_a_formula_question_knows_at_least_two_mistakes(question: NumericQuestion | SymbolicQuestion) -> None:
    assert len(question.misconceptions) >= 2


@each(FORMULAS)
def test_each_mistake_is_recognised_for_what_it_is(question: NumericQuestion | SymbolicQuestion) -> None:
    for one in asked(question):
        for index, wrong in enumerate(one.misconceptions):
            verdict = check(one, wrong.answer)
            assert isinstance(verdict, Wrong), (wrong.answer, one.values)
            assert verdict.misconception == index, (wrong.answer, one.values)


@each(NUMERIC)
def test_the_number_of_a_mistake_is_recognised_too(question: NumericQuestion) -> None:
    for one in asked(question):
        for index, number in enumerate(mistaken_numbers(one)):
            verdict = check(one, f"{number} {one.unit}")
            assert isinstance(verdict, Wrong), (number, one.values)
            assert verdict.misconception == index, (number, one.values)


@each(NUMERIC)
def test_a_mistake_lies_outside_twice_the_tolerance(question: NumericQuestion) -> None:
    for one in asked(question):
        right = Fraction(check(one, one.reference).value)
        tolerance = read_tolerance(one.tolerance)
        for number in mistaken_numbers(one):
            assert not tolerance.near(Fraction(number), right), (number, one.values)


def mistaken_numbers(one: Asked) -> list[str]:
    return [check(one, wrong.answer).value for wrong in one.misconceptions]


# --- choices ---


@each(CHOICES)
def test_every_distractor_tells_what_choosing_it_reveals(question: SingleQuestion | MultiQuestion) -> None:
    assert all(choice.say for choice in distractors(question))


@each(CHOICES)
def test_no_choice_refers_to_the_others_unless_it_stays_last(question: SingleQuestion | MultiQuestion) -> None:
    collective = re.compile(r"\b(all|none|both|neither) of (the above|these|them)\b", re.IGNORECASE)
    assert not [choice.text for choice in question.choices if collective.search(choice.text) and choice.pin != "last"]


@each(CHOICES)
def test_several_choices_right_means_some_are_wrong(question: SingleQuestion | MultiQuestion) -> None:
    assert len(question.choices) >= 4
    assert 1 <= len(right_ids(question)) <= len(question.choices) - 2


@pytest.mark.parametrize("extreme", [max, min], ids=["longest", "shortest"])
def test_length_does_not_give_the_right_choice_away(extreme: Callable[[list[int]], int]) -> None:
    guessed = 0
    for question in CHOICES:
        length = extreme([len(choice.text) for choice in question.choices])
        guessed += any(len(choice.text) == length and choice.id in right_ids(question) for choice in question.choices)
    assert guessed <= 0.35 * len(CHOICES)


def test_right_choices_are_spread_over_the_places() -> None:
    singles = [question for question in CHOICES if isinstance(question, SingleQuestion)]
    places_of_right = Counter([c.id for c in question.choices].index(question.answer) for question in singles)
    assert set(places_of_right) == {0, 1, 2, 3}
    assert max(places_of_right.values()) <= 0.35 * len(singles)


# --- traces ---


@each(TRACES)
def test_a_trace_is_right_and_its_mistakes_are_recognised(question: TraceQuestion) -> None:
    item = Item(bank="shipped", question=question.id)
    assert isinstance(judge(question, item, " ".join(question.answer)), Correct)
    assert len(question.misconceptions) >= 2
    for index, wrong in enumerate(question.misconceptions):
        verdict = judge(question, item, wrong.answer)
        assert isinstance(verdict, Wrong)
        assert verdict.misconception == index


# --- orders and configurations ---


@each(ORDERS)
def test_an_order_is_right_and_its_mistakes_are_recognised(question: OrderQuestion) -> None:
    item = draw_item("shipped", question, 1)
    assert isinstance(judge(question, item, " ".join(question.answer)), Correct)
    assert question.misconceptions
    for index, wrong in enumerate(question.misconceptions):
        verdict = judge(question, item, wrong.answer)
        assert isinstance(verdict, Wrong)
        assert verdict.misconception == index


@each(CONFIGS)
def test_a_configuration_is_right_and_its_mistakes_are_recognised(question: ConfigQuestion) -> None:
    item = Item(bank="shipped", question=question.id)
    assert isinstance(judge(question, item, json.dumps(question.answer)), Correct)
    assert question.misconceptions
    for wrong in question.misconceptions:
        verdict = judge(question, item, json.dumps(with_part(question.answer, wrong.where)))
        assert isinstance(verdict, Wrong)
        assert verdict.message in {other.say for other in question.misconceptions}


@each([question for question in CONFIGS if question.start])
def test_a_text_to_repair_is_readable_and_wrong(question: ConfigQuestion) -> None:
    assert isinstance(judge(question, Item(bank="shipped", question=question.id), question.start), Wrong)


def with_part(configuration: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """The configuration with these values in it, or without the keys that are absent; a dot leads into a nested one."""
    changed: dict[str, Any] = {key: dict(v) if isinstance(v, dict) else v for key, v in configuration.items()}
    for key, value in part.items():
        outer, _, inner = key.rpartition(".")
        into = changed[outer] if outer else changed
        into.pop(inner, None)
        if value != ABSENT:
            into[inner] = value
    return changed
