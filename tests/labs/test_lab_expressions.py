"""The language of rules: what it takes, what it refuses, and that nothing in it is ever run."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.labs.expressions import ExpressionError, parse, parse_number
from specquiz.labs.rules import (
    Arithmetic,
    AtLeast,
    Bound,
    Committed,
    CommittedEnd,
    Comparison,
    Covers,
    ExpectedLength,
    Fails,
    Falling,
    Literally,
    Measured,
    MoreOften,
    NearBest,
    Ordered,
    OutputsEqual,
    Parted,
    Place,
    Predicted,
    Says,
    Speedup,
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


def test_a_rate_is_asked_at_a_position() -> None:
    first, second = (Measured("head", "chat", "conditional_rate", column, at) for column, at in ((8, 1), (39, 2)))

    assert parse("falling(head.chat.conditional_rate[1], head.chat.conditional_rate[2])") == Falling((first, second))


def test_a_choice_is_held_against_the_best_and_an_order_against_the_figures() -> None:
    options = (("k1", Literally(1.0)), ("k4", Literally(2.0)))

    best = Committed("best", "choice", 10, ("k1", "k4"))
    assert parse("near_best(predicted.best, 0.03, k1=1, k4=2)") == NearBest(best, 0.03, options)
    ranked = Committed("rank", "order", 8, ("k1", "k4"))
    assert parse("ordered(predicted.rank, 0, k1=1, k4=2)") == Ordered(ranked, 0.0, options)


def test_words_and_intervals_are_committed_to_as_well() -> None:
    assert parse('says(predicted.why, "coverage")') == Says(Committed("why", "choice", 5, ("coverage",)), "coverage")
    assert parse("covers(predicted.between, 2)") == Covers(Committed("between", "interval", 7), Literally(2.0))
    assert parse_number("high(predicted.between)") == CommittedEnd("high", Committed("between", "interval", 5))
    assert parse("at_least(1, fails(wrong), 1 < 2)") == AtLeast(
        1, (Fails("wrong", 12), Comparison(Literally(1.0), "<", Literally(2.0)))
    )


def test_arms_are_compared_in_speed_and_in_where_they_part() -> None:
    vanilla, draft = Place("vanilla", "all", 8), Place("draft", "all", 21)

    assert parse_number("speedup(vanilla.all, draft.all)") == Speedup(vanilla, draft)
    few = parse_number("unexplained(vanilla.all, draft.all, 0.1)")
    assert isinstance(few, Parted)
    assert few.gap == 0.1
    assert isinstance(parse_number("more_often(parted(a.x, a.y), parted(a.x, b.x))"), MoreOften)
    assert parse_number("expected_length(0.8, 4)") == ExpectedLength(Literally(0.8), 4)


@pytest.mark.parametrize(
    "text",
    [
        "falling(1)",
        "head.chat.conditional_rate > 0",
        "head.chat.conditional_rate[0] > 0",
        "head.chat.conditional_rate[-1] > 0",
        "head.chat.conditional_rate['a'] > 0",
        "ngram.echo.alpha[1] > 0",
        "near_best(predicted.best, 0.03, k1=1)",
        "near_best(predicted.best, 0.03, k1=1, k1=2)",
        "near_best(predicted.best, 0.03, 1, 2)",
        "near_best(predicted.best, 0.03, **{})",
        "near_best(best, 0.03, k1=1, k4=2)",
        "says(predicted.why, 4)",
        "covers(4, 2)",
        "at_least(0, 1 < 2)",
        "at_least(1)",
        "at_least(1, 2)",
        "fails('wrong')",
        "expected_length(0.8, 4.5) > 0",
        "expected_length(0.8, predicted.k) > 0",
        "speedup(vanilla, draft) > 1",
        "more_often(1, 2) > 0",
        "unexplained(vanilla.all, draft.all, predicted.gap) < 1",
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
