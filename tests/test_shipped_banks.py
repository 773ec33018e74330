"""What a learner may rely on in the shipped banks: explained questions, fair choices, a lock that opens.

A rule goes through all questions in one test, and its failure lists every question that breaks it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from shipped import ALL, BANKS, NUMERIC, QUESTIONS, expect_no_faults, shipped_concepts

from specquiz.banks.model import AnyQuestion, Bank, Choice, MultiQuestion, ShortQuestion, SingleQuestion
from specquiz.banks.variants import PLACEHOLDER
from specquiz.labs.loading import load_labs

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
    "Quantisation",
    "System and judgement",
}
LOCKS = sorted(next(lab for lab in load_labs() if lab.id == "ngram-echo").unlock.mastery)
"""The concepts that open the first lab."""
CHOICES = [question for question in QUESTIONS if isinstance(question, SingleQuestion | MultiQuestion)]


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


def test_a_bank_is_long_enough_for_several_sittings() -> None:
    def faults(bank: Bank) -> Iterator[str]:
        if len(bank.questions) < 12:
            yield f"has {len(bank.questions)} questions"

    expect_no_faults(BANKS.values(), faults)


def test_a_bank_asks_in_at_least_four_ways() -> None:
    def faults(bank: Bank) -> Iterator[str]:
        types = {type(question).__name__ for question in bank.questions}
        if len(types) < 4:
            yield f"has only {', '.join(sorted(types))}"

    expect_no_faults(BANKS.values(), faults)


def test_a_bank_has_something_for_a_beginner_and_for_a_strong_candidate() -> None:
    def faults(bank: Bank) -> Iterator[str]:
        levels = Counter(question.level for question in bank.questions)
        if levels[1] < 3 or levels[3] + levels[4] < 3:
            yield f"has these numbers of questions by level: {dict(levels)}"

    expect_no_faults(BANKS.values(), faults)


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


def test_a_question_is_explained_and_sourced() -> None:
    def faults(question: AnyQuestion) -> Iterator[str]:
        lines = len([line for line in question.explanation.splitlines() if line.strip()])
        if not 3 <= lines <= 8:
            yield f"its explanation has {lines} lines"
        if "In practice" not in question.explanation:
            yield "its explanation does not say what it means in practice"
        if not question.hints:
            yield "it has no hints"
        if not question.source:
            yield "it has no source"

    expect_no_faults(QUESTIONS, faults)


def test_texts_name_only_variables_that_exist() -> None:
    def faults(question: AnyQuestion) -> Iterator[str]:
        named = {name for text in texts(question) for name in PLACEHOLDER.findall(text)}
        yield from (f"{{{name}}} is no variable" for name in sorted(named - set(getattr(question, "vars", {}))))

    expect_no_faults(QUESTIONS, faults)


def test_lines_fit_a_terminal() -> None:
    def faults(question: AnyQuestion) -> Iterator[str]:
        for text in (question.prompt, question.explanation):
            yield from (f"{len(line)} characters: {line}" for line in text.splitlines() if len(line) > 120)

    expect_no_faults(QUESTIONS, faults)


def test_what_is_said_of_an_engine_says_for_which_versions() -> None:
    def faults(question: AnyQuestion) -> Iterator[str]:
        if any("vLLM" in text for text in (question.prompt, question.explanation)) and not question.applies_to:
            yield "it speaks of vLLM and has no applies_to"

    expect_no_faults(QUESTIONS, faults)


def test_no_text_says_acceptance_rate_without_saying_which() -> None:
    def faults(question: AnyQuestion) -> Iterator[str]:
        for text in texts(question):
            for found in re.finditer(r"(\S+)\s+acceptance\s+rates?\b", text):
                if found[1].lower().strip('"') not in {"draft", "per-position"}:
                    yield found[0]

    expect_no_faults(QUESTIONS, faults)


# --- choices ---


def test_every_distractor_tells_what_choosing_it_reveals() -> None:
    def faults(question: SingleQuestion | MultiQuestion) -> Iterator[str]:
        yield from (f"the choice {choice.id} has no say" for choice in distractors(question) if not choice.say)

    expect_no_faults(CHOICES, faults)


def test_no_choice_refers_to_the_others_unless_it_stays_last() -> None:
    collective = re.compile(r"\b(all|none|both|neither) of (the above|these|them)\b", re.IGNORECASE)

    def faults(question: SingleQuestion | MultiQuestion) -> Iterator[str]:
        for choice in question.choices:
            if collective.search(choice.text) and choice.pin != "last":
                yield choice.text

    expect_no_faults(CHOICES, faults)


def test_several_choices_right_means_some_are_wrong() -> None:
    def faults(question: SingleQuestion | MultiQuestion) -> Iterator[str]:
        right, choices = len(right_ids(question)), len(question.choices)
        if choices < 4 or not 1 <= right <= choices - 2:
            yield f"{right} of its {choices} choices are right"

    expect_no_faults(CHOICES, faults)


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
