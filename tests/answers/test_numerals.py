"""Numbers as people write them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from specquiz.answers import Question, check


def verdict(reference: str, typed: str, **rules: str) -> str:
    return check(Question(reference, kind="numeric", **rules), typed).outcome  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1234", "1234"),
        ("1,234", "1234"),
        ("1 234", "1234"),
        ("1\u202f234", "1234"),
        ("1’234", "1234"),
        ("1_234", "1234"),
        ("1,234,567", "1234567"),
        ("1.234.567", "1234567"),
        ("1.234.567,5", "1234567.5"),
        ("1 234,5", "1234.5"),
        ("1,234.5", "1234.5"),
        ("12,34", "12.34"),
        ("0,125", "0.125"),
        ("1.234", "1.234"),
        (".5", "0.5"),
        ("5.", "5"),
        ("007", "7"),
        ("1e3", "1000"),
        ("1 e3", "1000"),
        ("1,5E-3", "0.0015"),
        ("1.2×10³", "1200"),
        ("1k", "1000"),
        ("2.5 M", "2500000"),
        ("50%", "0.5"),
        ("12,5 %", "0.125"),
        ("50\\%", "0.5"),
        ("2 tokens per pass", "2"),
        ("2 tokens/step", "2"),
        ("2x", "2"),
        ("~2", "2"),
        ("≈ 2", "2"),
        ("= 2", "2"),
        ("¾", "0.75"),
        ("1¾", "1.75"),
        ("$2$", "2"),
    ],
)
def test_a_number_is_read_by_the_conventions_of_the_world(typed: str, value: str) -> None:
    assert verdict(value, typed) == "correct"


@pytest.mark.parametrize(
    "typed",
    ["1,23,4", "12,34,567", "1 23", "2 77", "2..7", "2.7.", "1e3.0", "1e", "0x2", "2.77j", "50%%", "%50", "two", "inf",
     "1e400", "1e-400", "9" * 310, "2.77 ms", "2.77, 2.78", "2.77; 2.78", "٢", "1/0", "0^-1", "ln 0", "sqrt(-1)"],
)  # fmt: skip
def test_what_is_no_number_is_invalid_and_costs_nothing(typed: str) -> None:
    assert verdict("2.77", typed, tolerance="places:2") == "invalid"


def test_how_marks_were_read_is_said() -> None:
    assert "1,234 was read as 1234." in check(Question("1234", kind="numeric"), "1,234").message


@pytest.mark.parametrize(
    ("tolerance", "typed", "outcome"),
    [
        ("places:2", "2.7681", "correct"),
        ("places:2", "2.7781", "correct"),
        ("places:2", "2.76809999", "wrong"),
        ("places:2", "2.77810001", "wrong"),
        ("sig:3", "2.7681", "correct"),
        ("sig:3", "2.768", "wrong"),
        ("sig:1", "3", "correct"),
        ("rel:0.01", "2.80083", "correct"),
        ("rel:0.01", "2.8009", "wrong"),
        ("abs:0.1", "2.8731", "correct"),
        ("abs:1/10", "2.8732", "wrong"),
        ("exact", "27731/10000", "correct"),
        ("exact", "2.773", "wrong"),
    ],
)
def test_the_band_is_half_a_unit_both_ends_included(tolerance: str, typed: str, outcome: str) -> None:
    assert verdict("2.7731", typed, tolerance=tolerance) == outcome


@pytest.mark.parametrize("tolerance", ["places", "sig:0", "rel:-1", "rel:1/0", "near", ""])
def test_an_unknown_tolerance_is_the_authors_error(tolerance: str) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        check(Question("1", kind="numeric", tolerance=tolerance), "1")


def test_big_integers_and_tiny_numbers_are_exact() -> None:
    assert verdict("10**15 + 1", "1000000000000002") == "wrong"
    assert verdict("1e-12", "2e-12") == "wrong"
    assert verdict("1e-12", "0") == "wrong"


def test_irrational_values_are_decided_to_thirty_five_digits() -> None:
    assert verdict("ln(2)", "-ln(1/2)") == "correct"
    assert verdict("sqrt(8)", "2*sqrt(2)") == "correct"
    assert verdict("2", "exp(ln(2))") == "correct"
    assert verdict("0", "sqrt(2)^2 - 2") == "correct"
    assert verdict("ln(2)", "0.693147180559945309417232121458176568") == "correct"
    assert verdict("ln(2)", "0.6931471805599453094172321214581") == "wrong"


def test_roots_and_logarithms_that_are_rational_stay_exact() -> None:
    assert (
        check(Question("2/3", kind="numeric"), "sqrt(4/9)").value == check(Question("2/3", kind="numeric"), "2/3").value
    )
    assert verdict("4", "8^(2/3)") == "correct"
    assert verdict("3", "log2(8)") == "correct"
    assert verdict("-3", "log10(0.001)") == "correct"
    assert verdict("3", "floor(log2(8))") == "correct"
    assert verdict("5", "round(4.5)") == "correct"
    assert verdict("-2", "ceil(-2.5)") == "correct"


def test_values_are_shown_as_plain_decimals() -> None:
    question = Question(str(Fraction(1, 3)), kind="numeric", tolerance="sig:3")

    assert check(question, "1/3").value == "0.3333333333"
    assert check(question, "0.333").value == "0.333"
