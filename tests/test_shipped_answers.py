"""What a learner may rely on in the answers that ship: right keys for all numbers, and mistakes that are recognised.

A rule goes through all questions in one test, and its failure lists every question that breaks it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from shipped import FORMULAS, NUMERIC, QUESTIONS, expect_no_faults

from specquiz.answers import Correct, Verdict, Wrong, check
from specquiz.answers import Question as Asked
from specquiz.answers.configuration import ABSENT
from specquiz.answers.tolerance import read_tolerance
from specquiz.banks.model import (
    AnyQuestion,
    ConfigQuestion,
    NumericQuestion,
    OrderQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.banks.variants import answer_question
from specquiz.sessions.events import Item
from specquiz.sessions.judging import judge
from specquiz.sessions.planning import draw_item

ORDERS = [question for question in QUESTIONS if isinstance(question, OrderQuestion)]
CONFIGS = [question for question in QUESTIONS if isinstance(question, ConfigQuestion)]
TRACES = [question for question in QUESTIONS if isinstance(question, TraceQuestion)]


class Judged(NamedTuple):
    """A formula that its question holds, and what the question's own checker says of it."""

    formula: str
    verdict: Verdict
    number: str
    """The value with its unit, as a learner may type it; the formula itself where a formula is asked for."""
    number_verdict: Verdict


class Variant(NamedTuple):
    """A formula question with one choice of its numbers."""

    id: str
    asked: Asked
    right: tuple[Judged, ...]
    """The reference first, then its other forms."""
    mistakes: tuple[Judged, ...]


def variants(question: AnyQuestion) -> Iterator[dict[str, str]]:
    """Every combination of numbers that a learner may meet."""
    varied = {n: v.values for n, v in question.vars.items()} if isinstance(question, NumericQuestion) else {}
    for numbers in product(*varied.values()):
        yield dict(zip(varied, numbers, strict=True))


@cache
def worked_variants() -> list[Variant]:
    """Every variant of every question that has a formula for an answer."""
    return [
        worked(question.id, answer_question(question, values)) for question in FORMULAS for values in variants(question)
    ]


@cache
def number_variants() -> list[Variant]:
    return [variant for variant in worked_variants() if variant.asked.kind == "numeric"]


def worked(id: str, one: Asked) -> Variant:
    right = tuple(judged(one, form) for form in (one.reference, *one.also))
    return Variant(id, one, right, tuple(judged(one, wrong.answer) for wrong in one.misconceptions))


def judged(one: Asked, formula: str) -> Judged:
    verdict = check(one, formula)
    if one.kind == "symbolic":
        return Judged(formula, verdict, formula, verdict)
    number = f"{verdict.value} {one.unit}"
    return Judged(formula, verdict, number, check(one, number))


def not_right(variant: Variant, answer: str, verdict: Verdict) -> Iterator[str]:
    if not isinstance(verdict, Correct):
        yield f"{answer} is not right at {variant.asked.values}: {verdict.message}"


def not_mistake(variant: Variant, index: int, answer: str, verdict: Verdict) -> Iterator[str]:
    if not isinstance(verdict, Wrong) or verdict.misconception != index:
        yield f"{answer} is not known as mistake {index + 1} at {variant.asked.values}: {verdict.message}"


# --- formulas and numbers ---


def test_a_numeric_question_has_a_dozen_variants() -> None:
    def faults(question: NumericQuestion) -> Iterator[str]:
        number = sum(1 for _ in variants(question))
        if question.vars and number < 12:
            yield f"it has {number} variants"

    expect_no_faults(NUMERIC, faults)


def test_the_key_is_right_by_its_own_checker_for_all_numbers() -> None:
    def faults(variant: Variant) -> Iterator[str]:
        for form in variant.right:
            yield from not_right(variant, form.formula, form.verdict)

    expect_no_faults(worked_variants(), faults)


def test_the_bare_number_is_right_too() -> None:
    def faults(variant: Variant) -> Iterator[str]:
        for form in variant.right:
            yield from not_right(variant, form.number, form.number_verdict)

    expect_no_faults(number_variants(), faults)


def test_a_formula_question_knows_at_least_two_mistakes() -> None:
    def faults(question: NumericQuestion | SymbolicQuestion) -> Iterator[str]:
        if len(question.misconceptions) < 2:
            yield f"it has {len(question.misconceptions)} misconceptions"

    expect_no_faults(FORMULAS, faults)


def test_each_mistake_is_recognised_for_what_it_is() -> None:
    def faults(variant: Variant) -> Iterator[str]:
        for index, mistake in enumerate(variant.mistakes):
            yield from not_mistake(variant, index, mistake.formula, mistake.verdict)

    expect_no_faults(worked_variants(), faults)


def test_the_number_of_a_mistake_is_recognised_too() -> None:
    def faults(variant: Variant) -> Iterator[str]:
        for index, mistake in enumerate(variant.mistakes):
            yield from not_mistake(variant, index, mistake.number, mistake.number_verdict)

    expect_no_faults(number_variants(), faults)


def test_a_mistake_lies_outside_twice_the_tolerance() -> None:
    def faults(variant: Variant) -> Iterator[str]:
        tolerance, right = read_tolerance(variant.asked.tolerance), variant.right[0].verdict.value
        for mistake in variant.mistakes:
            number = mistake.verdict.value
            if not (number and right):
                yield f"{mistake.formula} or the reference has no number at {variant.asked.values}"
            elif tolerance.near(Fraction(number), Fraction(right)):
                yield f"the mistake {number} is near {right} at {variant.asked.values}"

    expect_no_faults(number_variants(), faults)


# --- traces, orders and configurations ---


def test_a_trace_is_right_and_its_mistakes_are_recognised() -> None:
    def faults(question: TraceQuestion) -> Iterator[str]:
        if len(question.misconceptions) < 2:
            yield f"it has {len(question.misconceptions)} misconceptions"
        yield from faults_of_sequence(question, Item(bank="shipped", question=question.id))

    expect_no_faults(TRACES, faults)


def test_an_order_is_right_and_its_mistakes_are_recognised() -> None:
    def faults(question: OrderQuestion) -> Iterator[str]:
        if not question.misconceptions:
            yield "it has no misconceptions"
        yield from faults_of_sequence(question, draw_item("shipped", question, 1))

    expect_no_faults(ORDERS, faults)


def faults_of_sequence(question: TraceQuestion | OrderQuestion, item: Item) -> Iterator[str]:
    if not isinstance(judge(question, item, " ".join(question.answer)), Correct):
        yield "its own answer is not right"
    for index, wrong in enumerate(question.misconceptions):
        verdict = judge(question, item, wrong.answer)
        if not isinstance(verdict, Wrong) or verdict.misconception != index:
            yield f"{wrong.answer} is not known as mistake {index + 1}"


def test_a_configuration_is_right_and_its_mistakes_are_recognised() -> None:
    def faults(question: ConfigQuestion) -> Iterator[str]:
        item = Item(bank="shipped", question=question.id)
        if not isinstance(judge(question, item, json.dumps(question.answer)), Correct):
            yield "its own answer is not right"
        if not question.misconceptions:
            yield "it has no misconceptions"
        for index, wrong in enumerate(question.misconceptions):
            verdict = judge(question, item, json.dumps(mistaken(question.answer, wrong.where)))
            if not isinstance(verdict, Wrong) or verdict.misconception != index:
                yield f"{wrong.where} is not known as mistake {index + 1}: {verdict.message}"

    expect_no_faults(CONFIGS, faults)


def test_a_text_to_repair_is_readable_and_wrong() -> None:
    def faults(question: ConfigQuestion) -> Iterator[str]:
        verdict = judge(question, Item(bank="shipped", question=question.id), question.start)
        if question.start and not isinstance(verdict, Wrong):
            yield f"its start is not wrong: {verdict.message}"

    expect_no_faults(CONFIGS, faults)


def mistaken(answer: Mapping[str, Any], where: Mapping[str, Any]) -> dict[str, Any]:
    """The right configuration with a known mistake made in it; dotted keys lead into a nested configuration."""
    written: dict[str, Any] = json.loads(json.dumps(answer))
    for path, value in where.items():
        *outer, key = path.split(".")
        inner = written
        for name in outer:
            inner = inner.setdefault(name, {})
        if value == ABSENT:
            inner.pop(key, None)
        else:
            inner[key] = value
    return written
