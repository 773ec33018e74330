"""Predictions are numbers that the quantity can take."""

from __future__ import annotations

import pytest

from specquiz.errors import UsageError
from specquiz.labs.model import Lab
from specquiz.labs.predictions import read_prediction, read_predictions

ALL = {"echo_rate": "0.9", "echo_coverage": "85 %", "echo_tokens": "4", "novel_tokens": "1.1"}


def one(lab: Lab, name: str, text: str) -> float:
    return read_prediction(lab, next(each for each in lab.predict if each.id == name), text)


@pytest.mark.parametrize(("text", "value"), [("0.85", 0.85), (" 85% ", 0.85), ("85 %", 0.85), (".5", 0.5), ("1", 1.0)])
def test_a_share_is_a_number_or_a_percentage(lab: Lab, text: str, value: float) -> None:
    assert one(lab, "echo_rate", text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "high", "85", "-0.1", "1.01", "101 %", "nan", "inf", "1e999", "0.5+0.1", "0,9"])
def test_what_a_share_cannot_be_is_asked_again_with_the_range(lab: Lab, text: str) -> None:
    with pytest.raises(UsageError, match=r"from 0 to 1, such as 0\.6 or 60 %"):
        one(lab, "echo_rate", text)


@pytest.mark.parametrize("text", ["0.9", "5.1", "90 %"])
def test_tokens_per_pass_lie_between_one_and_one_more_than_k(lab: Lab, text: str) -> None:
    with pytest.raises(UsageError, match="from 1 to 5"):
        one(lab, "echo_tokens", text)


def test_all_predictions_are_read_together(lab: Lab) -> None:
    assert read_predictions(lab, ALL)["echo_coverage"] == pytest.approx(0.85)


def test_a_missing_or_unknown_prediction_is_named(lab: Lab) -> None:
    with pytest.raises(UsageError, match="novel_tokens"):
        read_predictions(lab, {name: text for name, text in ALL.items() if name != "novel_tokens"})
    with pytest.raises(UsageError, match="echo_rat"):
        read_predictions(lab, {**ALL, "echo_rat": "0.5"})
