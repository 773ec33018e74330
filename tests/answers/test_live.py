"""How a text reads while it is typed."""

from __future__ import annotations

from specquiz.answers import Question
from specquiz.answers.layout import lay_out
from specquiz.answers.live import Live, live_reading
from specquiz.answers.reading import read
from specquiz.answers.vocabulary import Vocabulary

NAMES = Vocabulary(("alpha", "K", "c", "p", "q"), {})
NUMERIC = Question(
    "(1-alpha^(K+1))/(1-alpha)", "0 < alpha < 1; K integer >= 1", "numeric", values={"alpha": "0.7", "K": "4"}
)


def picture(text: str) -> list[str]:
    return [line.rstrip() for line in lay_out(read(text, NAMES).tree)]


def test_a_fraction_stands_over_its_denominator_and_exponents_are_raised() -> None:
    assert picture("(1-α^(K+1))/((1-α)(K*c+1))") == [
        "          K + 1",
        "     1 − α",
        "───────────────────",
        " (1 − α)·(K·c + 1)",
    ]


def test_a_sum_has_its_bounds_above_and_below() -> None:
    assert picture("1 + Sum(α^i, (i, 1, K))") == [
        "      K    i",
        "1 +   Σ   α",
        "    i = 1",
    ]


def test_brackets_grow_with_what_they_hold() -> None:
    assert picture("(α/2)^2") == [
        "     2",
        "⎛ α ⎞",
        "⎜───⎟",
        "⎝ 2 ⎠",
    ]
    assert picture("|p/q|") == [
        "│ p │",
        "│───│",
        "│ q │",
    ]


def test_small_formulas_stay_on_one_line() -> None:
    assert picture("-(p+q)*2 - |p-q|*sqrt(p)") == ["−(p + q)·2 − │p − q│·√(p)"]
    assert picture("min(p, -q)") == ["min(p, −q)"]


def test_the_value_at_the_questions_numbers_is_shown() -> None:
    live = live_reading(NUMERIC, "1+α+α^2")

    assert live == Live(("         2", "1 + α + α "), "2.19", read_as="1 + α + α²")


def test_a_unit_is_converted() -> None:
    assert live_reading(Question("3350", kind="numeric", unit="GB/s"), "3,35 TB/s") == Live(
        ("3.35",), "3350", "3,35 was read as 3.35.", read_as="3.35 TB/s"
    )


def test_what_is_unfinished_is_pointed_at() -> None:
    assert live_reading(NUMERIC, "1+") == Live((), "", "Something is missing after “+”.", 2)
    assert live_reading(NUMERIC, "1/(α-0.7)").message == "It divides by zero, so it has no value."


def test_a_symbolic_question_has_no_value() -> None:
    assert live_reading(NUMERIC._replace(kind="symbolic", values={}), "α").value == ""
