"""Predictions are numbers that the quantity can take."""

from __future__ import annotations

import pytest

from specquiz.errors import UsageError
from specquiz.labs.model import Lab, Prediction
from specquiz.labs.predictions import Committed, read_prediction, read_predictions, read_some

ALL = {
    "echo_rate": "0.9",
    "echo_length": "4 to 5",
    "echo_coverage": "85 % to 95 %",
    "echo_tokens": "4 to 4.8",
    "novel_tokens": "1 to 1.2",
}


def one(lab: Lab, name: str, text: str) -> Committed:
    return read_prediction(lab, next(each for each in lab.predict if each.id == name), text)


@pytest.mark.parametrize(("text", "value"), [("0.85", 0.85), (" 85% ", 0.85), ("85 %", 0.85), (".5", 0.5), ("1", 1.0)])
def test_a_share_is_a_number_or_a_percentage(lab: Lab, text: str, value: float) -> None:
    assert one(lab, "echo_rate", text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "high", "85", "-0.1", "1.01", "101 %", "nan", "inf", "1e999", "0.5+0.1", "0,9"])
def test_what_a_share_cannot_be_is_asked_again_with_the_range(lab: Lab, text: str) -> None:
    with pytest.raises(UsageError, match=r"from 0 to 1, such as 0\.6 or 60 %"):
        one(lab, "echo_rate", text)


@pytest.mark.parametrize("text", ["0.9 to 1.5", "4.5 to 5.1", "90 % to 95 %"])
def test_tokens_per_pass_lie_between_one_and_one_more_than_k(lab: Lab, text: str) -> None:
    with pytest.raises(UsageError, match="from 1 to 5"):
        one(lab, "echo_tokens", text)


def test_all_predictions_are_read_together(lab: Lab) -> None:
    assert read_predictions(lab, ALL)["echo_coverage"] == pytest.approx((0.85, 0.95))


def test_a_missing_or_unknown_prediction_is_named(lab: Lab) -> None:
    with pytest.raises(UsageError, match="novel_tokens"):
        read_predictions(lab, {name: text for name, text in ALL.items() if name != "novel_tokens"})
    with pytest.raises(UsageError, match="echo_rat"):
        read_predictions(lab, {**ALL, "echo_rat": "0.5"})


INTERVAL = Prediction(id="between", kind="interval", low=1, high=5, width=1, ask="-")
CHOICE = Prediction(id="which", kind="choice", choices=("draft coverage", "mean acceptance length"), ask="-")
ORDER = Prediction(id="rank", kind="order", choices=("k1", "k2", "k4"), ask="-")


@pytest.mark.parametrize(
    "text", ["3.8 to 4.6", "3.8…4.6", " 3.8 ... 4.6 ", "3.8..4.6", "[3.8, 4.6]", "3.8 - 4.6", "3.8-4.6", "3.8 – 4.6"]
)
def test_an_interval_is_its_two_ends(lab: Lab, text: str) -> None:
    assert read_prediction(lab, INTERVAL, text) == (3.8, 4.6)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("4", "two ends"),
        ("4.6 to 3.8", "lower end first"),
        ("3 to 4.5", "holds everything says nothing"),
        ("0 to 1", "from 1 to 5"),
        ("three to four", "from 1 to 5"),
    ],
)
def test_what_is_no_interval_is_told(lab: Lab, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_prediction(lab, INTERVAL, text)


def test_a_choice_is_one_of_those_offered(lab: Lab) -> None:
    assert read_prediction(lab, CHOICE, " draft coverage ") == "draft coverage"
    with pytest.raises(UsageError, match=r"did you mean 'draft coverage'\?"):
        read_prediction(lab, CHOICE, "draft coverge")


@pytest.mark.parametrize("text", ["k4 > k2 > k1", "k4, k2, k1", "k4>k2>k1"])
def test_an_order_names_each_choice_once(lab: Lab, text: str) -> None:
    assert read_prediction(lab, ORDER, text) == ("k4", "k2", "k1")


@pytest.mark.parametrize("text", ["", "k4 > k2", "k4 > k2 > k2", "k4 > k2 > k1 > k8", "k1 k2 k4"])
def test_what_is_no_order_is_told(lab: Lab, text: str) -> None:
    with pytest.raises(UsageError, match="Name each of them once"):
        read_prediction(lab, ORDER, text)


def test_some_predictions_are_read_while_the_others_wait(lab: Lab) -> None:
    assert read_some(lab, lab.predict[:1], {"echo_rate": "0.9"}) == {"echo_rate": 0.9}
