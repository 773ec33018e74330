"""Variants: numbers are drawn from the bank's lists and put where the author wrote their names, nowhere else."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from specquiz.answers import check
from specquiz.banks.model import Misconception, NumericQuestion, SymbolicQuestion, Variable
from specquiz.banks.variants import answer_question, draw_values, fill

ASKED = NumericQuestion(
    id="q",
    concepts=("c",),
    level=1,
    prompt="{alpha} and {K}",
    explanation="E",
    answer="(1 - alpha^(K+1))/(1 - alpha)",
    vars={
        "alpha": Variable(values=("0.5", "0.70"), domain="0 < alpha < 1", aliases=("p",)),
        "K": Variable(values=("2", "4"), domain="K integer >= 1"),
    },
    tolerance="places:2",
    misconceptions=(Misconception(answer="1 + K*alpha", say="All {K} as if each were tried at {alpha}."),),
)


@given(seed=st.integers())
def test_a_variant_takes_each_number_as_written(seed: int) -> None:
    values = draw_values(ASKED, random.Random(seed))

    assert list(values) == ["alpha", "K"]
    assert values["alpha"] in ("0.5", "0.70")
    assert values["K"] in ("2", "4")
    assert values == draw_values(ASKED, random.Random(seed))


def test_a_question_without_numbers_has_one_variant() -> None:
    symbolic = SymbolicQuestion(
        id="q",
        concepts=("c",),
        level=1,
        prompt="P",
        explanation="E",
        answer="a",
        vars={"a": Variable(domain="0 < a < 1")},
    )

    assert draw_values(symbolic, random.Random(1)) == {}
    assert check(answer_question(symbolic, {}), "a").outcome == "correct"


def test_only_declared_names_in_braces_are_replaced() -> None:
    values = {"alpha": "0.5", "K": "4"}

    filled = fill('{alpha}, {K}, {L}, {}, {{K}}, {"method": "ngram"}, α^{K+1}', values)

    assert filled == '0.5, 4, {L}, {}, {4}, {"method": "ngram"}, α^{K+1}'


@given(text=st.text(), value=st.text())
def test_a_text_without_placeholders_stays_as_it_is(text: str, value: str) -> None:
    assert fill(text, {"never-a-name": value}) == text
    assert fill(text, {}) == text


def test_the_checker_gets_the_variant_and_speaks_its_numbers() -> None:
    question = answer_question(ASKED, {"alpha": "0.70", "K": "4"})

    assert question.kind == "numeric"
    assert check(question, "2.77").outcome == "correct"
    assert check(question, "(1-p^5)/(1-p)").outcome == "correct"
    assert "All 4 as if each were tried at 0.70." in check(question, "3.8").message
