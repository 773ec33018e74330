"""The plots of a lab report, as SVG to stand inside a page. Needs matplotlib, from the extra `report`."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator, Sequence
from typing import Any

from specquiz.errors import SpecquizError
from specquiz.labs.grading import Graded, Observation, Positions
from specquiz.labs.quantities import MEANINGS

OBSERVED, PREDICTED, NEUTRAL = "#1f6fb2", "#c2571a", "#6b7280"
"""Told apart by shape as well: observed is a dot with its interval, predicted a diamond."""

_SETTINGS = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": NEUTRAL,
    "axes.grid": True,
    "grid.color": "#e5e7eb",
    "axes.axisbelow": True,
}


def predictions_figure(graded: Graded) -> str:
    """Each predicted quantity: what was predicted, beside what was observed with its interval. Empty without any."""
    compared = [each for each in graded.quantities if _is_compared(each)]
    if not compared:
        return ""
    figure, axes = _new(len(compared), 1, (7.5, 0.75 * len(compared) + 0.4), "predictions")
    for each, ax in zip(compared, axes, strict=True):
        _compare(ax, each)
    return _svg(figure, "predictions")


def positions_figure(positions: Sequence[Positions]) -> str:
    """Acceptance by draft position of each arm on each workload. Empty where nothing was drafted."""
    shown = [each for each in positions if each.of_all]
    if not shown:
        return ""
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    figure, axes = _new(rows, columns, (2.9 * columns + 0.6, 2.3 * rows), "positions")
    for ax, each in zip(axes, shown, strict=False):
        _by_position(ax, each)
    for ax in axes[len(shown) :]:
        ax.set_axis_off()
    return _svg(figure, "positions")


def requests_figure(tokens_per_pass: dict[str, list[float]]) -> str:
    """One dot for each request: its own tokens per pass, by arm and workload. Empty without any."""
    shown = {name: values for name, values in tokens_per_pass.items() if values}
    if not shown:
        return ""
    figure, (ax,) = _new(1, 1, (7.5, 0.42 * len(shown) + 0.9), "requests")
    for row, values in enumerate(shown.values()):
        ax.plot(sorted(values), list(_spread(row, len(values))), "o", color=OBSERVED, alpha=0.55, markersize=4)
        ax.plot([sum(values) / len(values)], [row], "|", color=PREDICTED, markersize=16, markeredgewidth=2)
    ax.set_yticks(range(len(shown)), list(shown))
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlabel("tokens per target pass of each request; the bar is their mean")
    return _svg(figure, "requests")


def _is_compared(each: Observation) -> bool:
    return each.value is not None and (each.predicted is not None or each.interval is not None)


def _compare(ax: Any, each: Observation) -> None:
    assert each.value is not None
    if each.low is not None and each.high is not None:
        ax.plot([each.low, each.high], [0, 0], "-", color=OBSERVED, linewidth=3, solid_capstyle="butt")
    ax.plot([each.value], [0], "o", color=OBSERVED, markersize=8)
    if each.predicted is not None:
        ax.plot([each.predicted], [0], "D", color=PREDICTED, markersize=7)
    if each.interval is not None:
        ax.plot(each.interval, [-0.35, -0.35], "|-", color=PREDICTED, markersize=9)
    meaning = MEANINGS[each.quantity]
    ax.set_yticks([0], [f"{meaning.name}\n{each.arm} on {each.workload}"])
    ax.set_ylim(-1, 1)
    known = (each.value, each.predicted, each.low, each.high, *(each.interval or ()))
    numbers = [number for number in known if number is not None]
    ax.set_xlim(*((-0.02, 1.02) if meaning.kind == "share" else (min(0.9, *numbers) - 0.1, max(numbers) * 1.08)))


def _by_position(ax: Any, each: Positions) -> None:
    places = list(range(1, len(each.of_all) + 1))
    ax.bar(places, [rate.value or 0.0 for rate in each.of_all], color="#9ec5e8")
    given = [(place, rate) for place, rate in zip(places, each.given_before, strict=True) if rate.value is not None]
    ax.plot([place for place, _ in given], [rate.value for _, rate in given], "o-", color=OBSERVED, markersize=4)
    for place, rate in given:
        if rate.low is not None:
            ax.plot([place, place], [rate.low, rate.high], "-", color=OBSERVED, linewidth=1)
    ax.set_title(f"{each.arm} on {each.workload}", fontsize=10)
    ax.set_ylim(0, 1.05)
    ax.set_xticks(places)
    ax.set_xlabel("draft position")


def _spread(row: int, count: int) -> Iterator[float]:
    """Heights around a row, so that equal dots do not hide one another; the same each time."""
    yield from (row + 0.22 * ((place * 7 % 11) / 5 - 1) for place in range(count))


def _new(rows: int, columns: int, size: tuple[float, float], name: str) -> tuple[Any, list[Any]]:
    """A figure and its axes, row by row."""
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
        figures: Any = importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise SpecquizError(
            "The plots of a report need matplotlib, which is not installed.",
            remedy="Install it with `pip install 'specquiz[report]'`, or print the grade with `specquiz lab grade`.",
        ) from error
    # The salt makes the ids of two figures of a page differ, and those of one figure the same each time.
    with matplotlib.rc_context({**_SETTINGS, "svg.hashsalt": name}):
        figure = figures.Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def _svg(figure: Any, name: str) -> str:
    """The figure as an SVG element without a prologue, the same bytes for the same figures."""
    matplotlib: Any = importlib.import_module("matplotlib")
    written = io.StringIO()
    with matplotlib.rc_context({**_SETTINGS, "svg.hashsalt": name}):
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = written.getvalue()
    return text[text.index("<svg") :]
