"""How typed text is read."""

from __future__ import annotations

import pytest

from specquiz.answers import Invalid, Question, check
from specquiz.answers.reading import read
from specquiz.answers.verdict import Refusal
from specquiz.answers.vocabulary import Vocabulary
from specquiz.answers.writing import write

GEOMETRIC = Question("(1 - alpha^(K+1))/(1 - alpha)", "0 < alpha < 1; K integer >= 1")
VOCABULARY = Vocabulary(("alpha", "K", "a", "p", "q", "d_model"), {"acc": "alpha"})


def reading(text: str) -> str:
    return write(read(text, VOCABULARY).tree)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1 + α + α²", "1 + α + α²"),
        ("acc^2", "α²"),
        ("αK", "α·K"),
        ("2pq", "2·p·q"),
        ("a(1+a)", "a·(1 + a)"),
        ("−a", "−a"),
        ("-a^2", "−a²"),
        ("2^3^2", "2^(3²)"),
        ("a^-1", "a⁻¹"),
        ("aᴷ⁺¹", "a^(K + 1)"),
        ("1/2a", "1/2·a"),
        ("½a", "0.5·a"),
        ("2½", "2.5"),
        ("√2", "√(2)"),
        ("√(p²)", "√(p²)"),
        ("|p-q|", "|p − q|"),
        ("2|p-q|", "2·|p − q|"),
        ("ln a / ln 2", "ln(a)/ln(2)"),
        ("log_2(a)", "log2(a)"),
        ("⌊a⌋", "floor(a)"),
        ("d_model", "d_model"),
        ("a ^ 2 \n", "a²"),
        ("ａ＋１", "a + 1"),
        ("speed_up = a", "a"),
        ("E[X] ≈ a", "a"),
    ],
)
def test_what_people_type_is_read_as_they_mean_it(typed: str, meant: str) -> None:
    assert reading(typed) == meant


@pytest.mark.parametrize(
    ("latex", "meant"),
    [
        (r"\frac{1-a}{K}", "(1 − a)/K"),
        (r"$\dfrac{1}{2}\alpha$", "1/2·α"),
        (r"\left(1-a\right)\cdot 2", "(1 − a)·2"),
        (r"\left[1-a\right]^{2}", "(1 − a)²"),
        (r"\sqrt{a}\,\times K", "√(a)·K"),
        (r"\sum_{i=0}^{K} a^i", "Σ_{i=0}^{K} a^i"),
        (r"1+\sum_{i=1}^K a^{i}", "1 + Σ_{i=1}^{K} a^i"),
        (r"\min\{p, q\}", "min(p, q)"),
        (r"\lvert p - q\rvert", "|p − q|"),
        (r"\log_{2}(a)", "log2(a)"),
        (r"\lfloor a \rfloor", "floor(a)"),
        (r"d_{model}", "d_model"),
        (r"\(a\)", "a"),
    ],
)
def test_latex_is_read(latex: str, meant: str) -> None:
    assert reading(latex) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "Sum(a^i, (i, 0, K))",
        "sum(a^i, i, 0, K)",
        "Sum(a^i, i=0, K)",
        "Sum(a^i, i=0..K)",
        "sum(a^i, (i = 0 .. K))",
        "Σ(a^i,(i,0,K))",
        "Σ_{i=0}^{K} a^i",
        "∑_(i=0)^K a^i",
    ],
)
def test_a_sum_may_be_written_in_several_ways(typed: str) -> None:
    assert reading(typed) == "Σ_{i=0}^{K} a^i"


@pytest.mark.parametrize(
    ("typed", "at", "words"),
    [
        ("", 0, "Type an answer"),
        ("1 + k", 4, "Did you mean K"),
        ("1 + alhpa", 4, "Did you mean alpha"),
        ("1 + beta", 4, "may use alpha, K"),
        ("1 + foo(2)", 4, "not a function"),
        ("sinα", 0, "There is no sin"),
        ("lna", 0, "ln(a)"),
        ("min p, q", 4, "brackets"),
        ("ln 2a", 0, "brackets how far"),
        ("(1-α))", 5, "never opened"),
        ("2*(1-α", 2, "never closed"),
        ("2*|α", 2, "never closed"),
        ("1 - ", 3, "missing after"),
        ("1 * / 2", 4, "missing between"),
        ("α5", 1, "sign before 5"),
        ("a2", 0, "Write a^2"),
        ("α//2", 1, "Divide with one"),
        ("α = 1 = 2", 6, "equation"),
        ("α < 1", 2, "not a comparison"),
        ("α != 1", 2, "not a comparison"),
        ("α! = 1", 3, "equation"),
        ("~α", 0, "before a number"),
        ("1+α+...+α^K", 4, "leaves terms to guess"),
        ("1+…", 2, "leaves terms to guess"),
        ("[α]", 0, "round brackets"),
        ("α!", 1, "factorial"),
        ("α_1", 0, "not a name"),
        ("1+а", 2, "CYRILLIC SMALL LETTER A"),
        ("α\u200b", 1, "ZERO WIDTH SPACE"),
        ("x₂", 1, "SUBSCRIPT TWO"),
        ("α\x00", 1, "no meaning"),
        ("∞", 0, "finite"),
        ("e^α", 0, "exp(x)"),
        (r"\sin a", 0, "plain maths"),
        (r"\frac12", 5, "in braces"),
        ("Sum(α^i)", 0, "needs an index and bounds"),
        ("Sum(α^K,(K,0,3))", 9, "already has a meaning"),
        ("9" * 401, 400, "longer than 400"),
        ("(" * 60 + "1" + ")" * 60, 40, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(typed: str, at: int, words: str) -> None:
    names = Vocabulary(("alpha", "K", "a"), {})

    with pytest.raises(Refusal) as caught:
        read(typed, names)

    assert words in caught.value.message
    assert caught.value.at == at


def test_names_that_are_functions_or_constants_elsewhere_belong_to_the_question() -> None:
    for name in ("lambda", "beta", "gamma", "zeta", "E", "I", "S", "N", "Q", "e", "if"):
        question = Question(f"{name}/(1-{name})", f"0 < {name} < 1")

        assert check(question, f"1/(1-{name}) - 1").outcome == "correct"


def test_scientific_notation_gives_way_to_a_variable_called_e() -> None:
    question = Question("2*e", "0 < e < 1")

    assert check(question, "2e").outcome == "correct"
    assert isinstance(check(question, "2e3"), Invalid)


def test_a_word_with_two_readings_is_not_guessed() -> None:
    names = Vocabulary(("a", "b", "ab", "c"), {})

    with pytest.raises(Refusal, match="could be"):
        read("abc", names)


def test_division_beside_a_product_is_noted() -> None:
    assert "left to right" in " ".join(read("1/2 a", VOCABULARY).notes)


def test_a_decimal_comma_is_read_in_a_formula_but_never_between_arguments() -> None:
    assert reading("(1-0,7)/2") == "(1 − 0.7)/2"
    assert reading("min(0,5)") == "min(0, 5)"
    assert reading("max((1,5), 2)".replace("(1,5)", "1")) == "max(1, 2)"


def test_the_reading_is_shown_with_the_verdict() -> None:
    assert check(GEOMETRIC, "1 + Sum(α^i, (i, 1, K))").read_as == "1 + Σ_{i=1}^{K} α^i"
