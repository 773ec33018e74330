"""The project's table of answers and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from specquiz.answers import check
from specquiz.answers.cases import COLUMNS, Case, read_cases, verdict_on

TABLE = Path(__file__).with_name("cases.tsv")
CASES = read_cases(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_verdict_is_the_expected_one(case: Case) -> None:
    outcome, message = verdict_on(case)

    assert outcome == case.expected, f"{case.why}: {message}"


@pytest.mark.parametrize("case", [case for case in CASES if case.expected == "invalid"], ids=lambda case: case.id)
def test_an_invalid_answer_gets_a_sentence_and_a_place_in_the_text(case: Case) -> None:
    verdict = check(case.question, case.submitted)

    assert verdict.outcome == "invalid"
    assert verdict.message.endswith((".", "?"))
    assert verdict.read_as or (verdict.at is not None and 0 <= verdict.at <= len(case.submitted))


def test_repeats_and_escapes_in_a_table_are_written_out() -> None:
    row = "\t".join(["X1", "1", "-", "numeric", "exact", "-", "-", "-", r"«REPEAT ( 3»\x00", "invalid", "brackets"])

    (case,) = read_cases("\t".join(COLUMNS) + "\n" + row + "\n")

    assert case.submitted == "(((\0"


def test_a_row_with_too_few_columns_is_named() -> None:
    with pytest.raises(ValueError, match="line 2 has 2 columns"):
        read_cases("\t".join(COLUMNS) + "\nX1\t1\n")
