"""Orders of magnitude: right within a factor either way, decided as exactly as everything else."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specquiz.answers import Misconception, Question, check, reference_problem
from specquiz.answers.tolerance import read_tolerance

WEIGHTS = Question(
    "2*P", "P > 0", kind="numeric", tolerance="decades:0.3", values={"P": "70"},
    misconceptions=(Misconception("P/2", "Four bits, not sixteen."),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [("140", "correct"), ("100", "correct"), ("279", "correct"), ("280", "wrong"), ("71", "correct"),
     ("70", "wrong"), ("0", "wrong"), ("-140", "wrong"), ("1e300", "wrong")],
)  # fmt: skip
def test_a_number_is_right_within_the_factor_either_way(typed: str, outcome: str) -> None:
    assert check(WEIGHTS, typed).outcome == outcome


@pytest.mark.parametrize(("typed", "outcome"), [("1000", "correct"), ("1000.0001", "wrong"), ("10", "correct")])
def test_a_whole_decade_includes_its_ends(typed: str, outcome: str) -> None:
    assert check(Question("100", kind="numeric", tolerance="decades:1"), typed).outcome == outcome


@given(
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9),
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9),
    st.integers(1, 3000),
)
def test_decades_are_those_of_the_logarithm(value: Fraction, reference: Fraction, thousandths: int) -> None:
    with mpmath.workdps(90):
        ratio = mpmath.mpf(value.numerator * reference.denominator) / (value.denominator * reference.numerator)
        distance = abs(mpmath.log10(ratio)) - mpmath.mpf(thousandths) / 1000
    assume(abs(distance) > mpmath.mpf(10) ** -70)

    tolerance = read_tolerance(f"decades:{thousandths / 1000:.3f}")

    assert tolerance.accepts(value, reference) == (distance < 0)


def test_a_ratio_next_to_the_bound_is_told_from_it() -> None:
    with mpmath.workdps(120):
        bound = Fraction(int(mpmath.power(10, mpmath.mpf(3) / 10) * mpmath.mpf(10) ** 100), 10**100)
    tolerance = read_tolerance("decades:0.3")

    assert tolerance.accepts(bound, Fraction(1))
    assert not tolerance.accepts(bound + Fraction(1, 10**100), Fraction(1))
    assert tolerance.accepts(Fraction(1), bound)


@pytest.mark.parametrize(
    ("decades", "words"),
    [("0.3", "within about a factor of 2"), ("0.5", "within about a factor of 3.2"), ("1", "within a factor of 10")],
)
def test_the_factor_is_said(decades: str, words: str) -> None:
    assert read_tolerance(f"decades:{decades}").say() == words


@pytest.mark.parametrize("text", ["decades:0", "decades:-1", "decades:1/3", "decades:0.3000", "decades", "decades:12"])
def test_decades_that_make_no_sense_are_the_authors_error(text: str) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        read_tolerance(text)


def test_a_mistake_within_twice_the_decades_is_refused() -> None:
    near = WEIGHTS._replace(misconceptions=(Misconception("P/1.9", "So."),))

    assert reference_problem(WEIGHTS) is None
    assert reference_problem(near) is not None


def test_a_power_of_ten_is_still_told_and_an_accidental_neighbour_is_not() -> None:
    assert "1,000 times too large" in check(WEIGHTS, "140000").message
    plain = Question("2**K", "K integer >= 1", kind="numeric", tolerance="decades:0.3", values={"K": "10"})

    assert "Off by one" in check(plain, "2048").message
    assert "Off by one" not in check(plain, "3000").message
