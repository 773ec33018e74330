"""The language of rules: what it takes, what it refuses, and that nothing in it is ever run."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.labs.expressions import ExpressionError, parse
from specquiz.labs.rules import (
    Arithmetic,
    Bound,
    Comparison,
    Literally,
    Measured,
    OutputsEqual,
    Predicted,
    Within,
    leaves,
)


def test_a_bound_of_a_difference_is_read_as_written() -> None:
    rule = parse("lower(ngram.echo.tokens_per_pass - ngram.novel.tokens_per_pass) > 1")

    difference = Arithmetic(
        "-", Measured("ngram", "echo", "tokens_per_pass", 6), Measured("ngram", "novel", "tokens_per_pass", 35)
    )
    assert rule == Comparison(Bound("lower", difference), ">", Literally(1.0))


def test_a_prediction_is_held_against_a_quantity() -> None:
    rule = parse("within(predicted.echo_rate, ngram.echo.draft_acceptance_rate, 0.10)")

    assert rule == Within(
        Predicted("echo_rate", 7), Measured("ngram", "echo", "draft_acceptance_rate", 28), tolerance=0.1
    )
    assert [leaf.column for leaf in leaves(rule)] == [7, 28]


def test_two_arms_are_compared_token_by_token() -> None:
    assert parse("outputs_equal(vanilla, ngram)") == OutputsEqual("vanilla", "ngram", 0)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true') > 1",
        "open('x') > 1",
        "(lambda: 1)() > 0",
        "[1 for _ in (1,)] > 0",
        "ngram.echo.__class__ > 0",
        "ngram.echo.tokens_per_pass.real > 0",
        "9 ** 9 > 1",
        "'a' > 1",
        "True > 0",
        "1 < 2 < 3",
        "1 == 1",
        "lower(1)",
        "within(1, 2, ngram.echo.alpha)",
        "outputs_equal(vanilla, ngram, novel)",
        "abs(1, 2) > 0",
        "lower(of=1) > 0",
        "1 >",
        "",
        "-" * 501,
    ],
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


@given(st.text(alphabet="abc.()<>+-*/ 019,_'\"\\\n\0ü=:[]{}@", max_size=80))
def test_any_text_is_a_rule_or_an_expression_error(text: str) -> None:
    with suppress(ExpressionError):
        parse(text)
