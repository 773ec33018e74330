"""Units and percentages."""

from __future__ import annotations

import pytest

from specquiz.answers import Question, check
from specquiz.answers.units import read_unit, suggestions


@pytest.mark.parametrize(
    ("unit", "reference", "typed"),
    [
        ("GB/s", "3350", "3.35 TB/s"),
        ("GB/s", "3350", "3350GBps"),
        ("GB/s", "3350", "3350 GB s^-1"),
        ("GB/s", "3350", "3350 GB·s⁻¹"),
        ("GB/s", "3350", "26.8 Tb/s"),
        ("GB/s", "3350", "26800 Gbps"),
        ("GB/s", "3350", "3,350 gigabytes per second"),
        ("GB/s", "3350", "3.35*10^12 B/s"),
        ("GB/s", "3350", "3.35k GB/s"),
        ("ms", "4.78", "4780 µs"),
        ("ms", "4.78", "0.00478 seconds"),
        ("ms", "4.78", "4.78msec"),
        ("FLOP/B", "295", "0.295 kFLOP/B"),
        ("FLOP/B", "295", "295 FLOPS/byte"),
        ("TFLOP/s", "989", "989 TFLOPS"),
        ("B", "1073741824", "1 GiB"),
        ("B", "1073741824", "8 Gib"),
        ("kB/token", "57", "57,000 bytes per token"),
        ("tokens/s", "35", "35 tok/s"),
        ("J/token", "0.5", "500 mJ/token"),
        ("W", "700", "0.7 kW"),
        ("1/s", "4", "4 Hz"),
    ],
)
def test_a_value_may_be_given_in_any_unit_of_its_dimension(unit: str, reference: str, typed: str) -> None:
    assert check(Question(reference, kind="numeric", unit=unit), typed).outcome == "correct"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("3350", "unit is missing"),
        ("GB/s", "number is missing"),
        ("3350 GB", "measures something else"),
        ("3350 s/GB", "measures something else"),
        ("3350 gb/s", "Did you mean GB/s or Gb/s"),
        ("3350 parsecs", "not a unit that is known"),
        ("0 V*m/A", "not a unit that is known"),
        ("3350 %", "no percentage"),
        ("3 GB/2 s", "measures something else"),
    ],
)
def test_a_unit_that_does_not_fit_costs_nothing(typed: str, words: str) -> None:
    verdict = check(Question("3350", kind="numeric", unit="GB/s"), typed)

    assert verdict.outcome == "invalid"
    assert words in verdict.message


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("3350 MB/s", "1,000 times too small"),
        ("3350 Gb/s", "bits (b) and bytes (B)"),
        ("3350 GiB/s", "GB and GiB"),
        ("−3350 GB/s", "sign"),
    ],
)
def test_a_wrong_prefix_is_told_by_its_factor(typed: str, words: str) -> None:
    verdict = check(Question("3350", kind="numeric", unit="GB/s", tolerance="rel:0.005"), typed)

    assert verdict.outcome == "wrong"
    assert words in verdict.message


def test_a_formula_in_the_questions_variables_needs_no_unit() -> None:
    question = Question("W/B", "W > 0; B > 0", kind="numeric", unit="ms", values={"W": "16", "B": "4"})

    assert check(question, "W/B").outcome == "correct"
    assert check(question, "16/4").outcome == "invalid"
    assert check(question, "4 ms").outcome == "correct"


def test_a_declared_name_is_a_name_before_it_is_a_unit() -> None:
    question = Question("2*B", "B > 0", kind="numeric", values={"B": "4"})

    assert check(question, "2 B").outcome == "correct"


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [("55.46", "correct"), ("55.46 %", "correct"), ("0.5546", "correct"), ("55,46%", "correct"), ("0.5546 %", "wrong"),
     ("5546", "wrong"), ("44.54 %", "wrong")],
)  # fmt: skip
def test_a_percentage_may_be_given_with_sign_without_or_as_a_share(typed: str, outcome: str) -> None:
    assert check(Question("55.46", kind="numeric", unit="%", tolerance="sig:3"), typed).outcome == outcome


def test_a_unit_of_a_question_that_is_none_is_the_authors_error() -> None:
    with pytest.raises(ValueError, match="not a unit"):
        check(Question("1", kind="numeric", unit="furlong"), "1 furlong")


def test_units_nest_and_divide() -> None:
    assert read_unit("GB/(s*GPU)") == read_unit("GB s^-1 GPU^-1")
    assert read_unit("GB/s/GPU") == read_unit("GB/(s GPU)")
    assert read_unit("B/") is None
    assert read_unit("") is None
    assert suggestions("gb/S") == ["GB/s", "Gb/s"]
