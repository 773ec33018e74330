"""What a learner may rely on where a shipped question asks for a configuration, an order or a few sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from specquiz import places
from specquiz.answers import Correct, Wrong
from specquiz.banks.loading import load_bank
from specquiz.banks.model import (
    AnyQuestion,
    ConfigQuestion,
    FollowUp,
    OrderQuestion,
    ShortQuestion,
    TraceQuestion,
)
from specquiz.sessions.configuring import judge_configuration
from specquiz.sessions.events import Item
from specquiz.sessions.ordering import judge_order
from specquiz.theory.proposers import propose_ngram


def shipped_questions() -> Iterator[AnyQuestion]:
    for path in sorted(places.shipped_questions().glob("*.yaml")):
        if path.name != "concepts.yaml":
            bank, problems = load_bank(path)
            assert bank is not None, problems
            yield from bank.questions


QUESTIONS = tuple(shipped_questions())
CONFIGS = [question for question in QUESTIONS if isinstance(question, ConfigQuestion)]
ORDERS = [question for question in QUESTIONS if isinstance(question, OrderQuestion)]
SHORTS = [question for question in QUESTIONS if isinstance(question, ShortQuestion)]
LOOKUPS = [
    question
    for question in QUESTIONS
    if isinstance(question, TraceQuestion) and "Which tokens does the drafter propose?" in question.prompt
]


def each(questions: Sequence[AnyQuestion]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("question", questions, ids=[question.id for question in questions])


def mistaken(answer: Mapping[str, Any], where: Mapping[str, Any]) -> dict[str, Any]:
    """The right configuration with a known mistake made in it; dotted keys lead into a nested configuration."""
    written: dict[str, Any] = json.loads(json.dumps(answer))
    for path, value in where.items():
        *outer, key = path.split(".")
        inner = written
        for name in outer:
            inner = inner.setdefault(name, {})
        if value == "absent":
            inner.pop(key, None)
        else:
            inner[key] = value
    return written


def levels(tree: Sequence[FollowUp]) -> int:
    return max((1 + levels(node.follow_ups) for node in tree), default=0)


# --- configurations ---


@each(CONFIGS)
def test_the_configuration_of_the_key_is_judged_right(question: ConfigQuestion) -> None:
    assert isinstance(judge_configuration(question, json.dumps(question.answer)), Correct)


@each([question for question in CONFIGS if question.start])
def test_a_configuration_to_repair_is_wrong_as_it_stands(question: ConfigQuestion) -> None:
    assert isinstance(judge_configuration(question, question.start), Wrong)


@each(CONFIGS)
def test_each_mistake_in_a_configuration_is_recognised(question: ConfigQuestion) -> None:
    assert question.misconceptions
    for index, wrong in enumerate(question.misconceptions):
        verdict = judge_configuration(question, json.dumps(mistaken(question.answer, wrong.where)))
        assert isinstance(verdict, Wrong)
        assert verdict.misconception == index, wrong.where


# --- orders ---


@each(ORDERS)
def test_an_order_is_right_as_written_and_its_mistakes_are_recognised(question: OrderQuestion) -> None:
    item = Item(bank="shipped", question=question.id)
    assert isinstance(judge_order(question, item, question.answer), Correct)
    assert question.misconceptions
    for index, wrong in enumerate(question.misconceptions):
        verdict = judge_order(question, item, wrong.answer.split())
        assert isinstance(verdict, Wrong)
        assert verdict.misconception == index, wrong.answer


# --- written answers ---


@each(SHORTS)
def test_a_written_answer_has_points_to_mark_and_one_it_cannot_do_without(question: ShortQuestion) -> None:
    assert 3 <= len(question.rubric) <= 6
    assert any(point.must for point in question.rubric)


@each(SHORTS)
def test_the_model_answers_of_seniors_say_more_than_the_junior_one(question: ShortQuestion) -> None:
    answers = (question.answers.junior, question.answers.senior, question.answers.staff)
    junior, senior, staff = (len(answer.split()) for answer in answers)
    assert junior < min(senior, staff)


@pytest.mark.parametrize("grade", ["weak", "strong"])
@each(SHORTS)
def test_follow_ups_go_three_levels_deep(question: ShortQuestion, grade: str) -> None:
    assert levels([node for node in question.follow_ups if grade in node.grades]) == 3


# --- lookups ---


@each(LOOKUPS)
def test_what_the_ngram_drafter_proposes_is_what_its_rule_gives(question: TraceQuestion) -> None:
    least, most, drafted = (
        int(re.findall(rf"{setting} (\d+)", question.prompt)[0])
        for setting in ("prompt_lookup_min", "prompt_lookup_max", "num_speculative_tokens")
    )
    (context,) = re.findall(r"(?m)^ {4}(.+)$", question.prompt)
    words = context.split()
    ids = {word: number for number, word in enumerate(dict.fromkeys(words))}
    proposed = propose_ngram([ids[word] for word in words], drafted, least, most)
    assert tuple(list(ids)[number] for number in proposed) == question.answer


def test_lookups_are_asked_for_by_hand() -> None:
    assert len(LOOKUPS) >= 4
