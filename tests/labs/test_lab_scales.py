"""A prediction and an observation on one scale of characters."""

from __future__ import annotations

import pytest

from specquiz.labs.grading import Graded, Observation
from specquiz.labs.model import Quantity
from specquiz.labs.telling_scale import CELLS, comparison_on_scales


def scale(value: float, low: float | None, high: float | None, predicted: float, quantity: Quantity) -> str:
    each = Observation("ngram", "echo", quantity, value, low, high, predicted)
    return list(comparison_on_scales(Graded((each,), (), ())))[-1].strip()


def test_observed_predicted_and_interval_stand_where_they_belong() -> None:
    drawn = scale(0.5, 0.4, 0.6, 0.25, "draft_acceptance_rate")
    cells = drawn.removeprefix("0 |").removesuffix("| 1")

    assert len(cells) == CELLS
    assert cells.index("o") == (CELLS - 1) // 2
    assert cells.index("+") == (CELLS - 1) // 4
    assert cells.index("=") == round(0.4 * (CELLS - 1))
    assert cells.rindex("=") == round(0.6 * (CELLS - 1))


def test_where_both_fall_together_one_mark_says_so() -> None:
    drawn = scale(0.5, None, None, 0.5, "draft_acceptance_rate")

    assert drawn.count("X") == 1
    assert "o" not in drawn
    assert "+" not in drawn


@pytest.mark.parametrize(("value", "predicted", "ends"), [(4.3, 4.0, ("1 |", "| 5")), (1.0, 6.2, ("1 |", "| 7"))])
def test_lengths_lie_between_one_and_a_whole_number(value: float, predicted: float, ends: tuple[str, str]) -> None:
    drawn = scale(value, None, None, predicted, "tokens_per_pass")

    assert drawn.startswith(ends[0])
    assert drawn.endswith(ends[1])


def test_both_ends_of_a_predicted_interval_are_marked() -> None:
    each = Observation("ngram", "echo", "draft_coverage", 0.5, None, None, None, interval=(0.25, 0.75))

    cells = list(comparison_on_scales(Graded((each,), (), ())))[-1].strip().removeprefix("0 |")

    assert [cells.index("+"), cells.rindex("+")] == [(CELLS - 1) // 4, 3 * (CELLS - 1) // 4]
    assert cells.index("o") == (CELLS - 1) // 2


def test_without_a_predicted_number_there_is_nothing_to_compare() -> None:
    each = Observation("ngram", "echo", "alpha", 0.5, None, None, None)

    assert list(comparison_on_scales(Graded((each,), (), ()))) == []
