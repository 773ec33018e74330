"""Plain-text plots."""

from __future__ import annotations

import math

import pytest

from specquiz.reports.plots import text_plot


def test_a_rising_line_rises_from_corner_to_corner() -> None:
    drawn = text_plot([0, 1, 2], {"": [0, 1, 2]}, x_title="x", y_title="y", width=5, height=3)

    assert drawn.splitlines() == ["y", "2 |    *", "1 |  *", "0 |*", "  +-----", "   0 x 2"]


def test_series_differ_by_mark_and_the_legend_names_them() -> None:
    drawn = text_plot([1, 2], {"K = 1": [1, 1], "K = 2": [2, 2]}, x_title="α", y_title="y", width=20, height=4)

    assert drawn.splitlines()[1].count("o") == 2
    assert drawn.splitlines()[4].count("*") == 2
    assert drawn.splitlines()[-1] == "* K = 1  o K = 2"


def test_values_that_do_not_exist_are_left_out() -> None:
    drawn = text_plot([1, 2, 3], {"": [1, math.nan, math.inf]}, x_title="x", y_title="y")

    assert drawn.count("*") == 1
    assert text_plot([1], {"": [math.nan]}, x_title="x", y_title="y") == "y: nothing to plot"


def test_more_series_than_marks_are_refused() -> None:
    with pytest.raises(ValueError, match="series"):
        text_plot([1], {str(i): [1] for i in range(9)}, x_title="x", y_title="y")
