"""A chart drawn in braille dots, or in ASCII where the terminal lacks them, and its table twin.

Signs tell everything apart, colour only helps: the second line is broken, each kind of mark has a sign of its own.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

from textual.content import Content
from textual.widget import Widget

from specquiz.tui.chart import Chart, Mark, Sign

Kind: TypeAlias = Literal["title", "axis", "first", "second", "mark", "text"]
Cell: TypeAlias = tuple[str, Kind]

STYLES: dict[Kind, str] = {
    "title": "bold",
    "axis": "$foreground 60%",
    "first": "$primary",
    "second": "$secondary",
    "mark": "bold $accent",
    "text": "$foreground",
}
SIGNS: dict[Sign, tuple[str, str]] = {
    "here": ("●", "o"),
    "best": ("◆", "#"),
    "ridge": ("┊", "|"),
    "below 1": ("×", "x"),
}
GAP = 2
# The bit of a dot in a braille cell, by its row and column there.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def terminal_has_braille() -> bool:
    """Whether the terminal can show braille: its encoding has it (screens are written to standard error), and the
    Linux console, whose fonts have none, is not it."""
    try:
        "⣿┊●".encode(getattr(sys.__stderr__, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return os.environ.get("TERM") != "linux"


class Plot(Widget):
    """Shows a chart as a picture or as a table."""

    DEFAULT_CSS = "Plot { height: 1fr; width: 1fr; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None, braille: bool = True) -> None:
        super().__init__(id=id, classes=classes)
        self._braille = braille
        self._chart: Chart | None = None
        self._as_table = False
        self._top = 0

    def show(self, chart: Chart, *, as_table: bool) -> None:
        """Show another chart."""
        if (chart, as_table) != (self._chart, self._as_table):
            self._chart, self._as_table = chart, as_table
            self.refresh()

    def scroll_table(self, pages: int) -> None:
        """Turn the pages of a table that is longer than the widget."""
        if self._chart is not None and self._as_table:
            room = self._room()
            self._top = max(0, min(self._top + pages * room, len(self._chart.x) - room))
            self.refresh()

    def _room(self) -> int:
        return max(1, self.content_size.height - 3)

    def render(self) -> Content:
        if self._chart is None:
            return Content("")
        width, height = self.content_size
        if self._as_table:
            return Content("\n").join(table_lines(self._chart, self._top, self._room()))
        return Content("\n").join(_styled(row) for row in drawn(self._chart, width, height, braille=self._braille))


def table_lines(chart: Chart, top: int, room: int) -> Iterator[Content]:
    """The title, the head, `room` rows from `top` on, and where that is if it is not all."""
    head, *rows = chart.table()
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        *numbers, sign = cells
        return "  ".join(f"{cell:>{width}}" for cell, width in zip(numbers, widths, strict=False)) + f"  {sign}"

    yield Content.styled(chart.title, STYLES["title"])
    yield Content.styled(line(head), STYLES["axis"])
    top = max(0, min(top, len(rows) - room))
    for cells in rows[top : top + room]:
        yield Content.styled(line(cells), STYLES["mark" if cells[-1] else "text"])
    if len(rows) > room:
        yield Content.styled(f"rows {top + 1} to {top + room} of {len(rows)}; PgUp PgDn", STYLES["axis"])


def drawn(chart: Chart, width: int, height: int, *, braille: bool) -> list[list[Cell]]:
    """The chart as `height` rows of at most `width` cells: title, legend, plotting area, axis."""
    # Enough ticks for an axis that ends near the greatest value; the labels of as many as fit.
    ticks = _ticks(_top_of(chart), max(5, (height - 4) // 3))
    every = math.ceil(2 * len(ticks) / max(1, height - 4))
    labels = {tick: f"{tick:g}" for tick in ticks[::every]}
    margin = max(map(len, labels.values())) + 1
    area = _Area(chart, width - margin - 1, height - 4, ticks[-1], braille=braille)
    by_row = {area.row(tick): label for tick, label in labels.items()}
    rows = _heading(chart, width, braille=braille)
    edge = "│" if braille else "|"
    for number, cells in enumerate(area.cells()):
        rows.append([(f"{by_row.get(number, ''):>{margin}}{edge}", "axis"), *cells])
    corner, bar = ("└", "─") if braille else ("+", "-")
    rows.append([(" " * margin + corner + bar * area.width, "axis")])
    rows.append([(" " * (margin + 1) + area.x_labels(), "axis")])
    return rows


class _Area:
    """The plotting area: where values lie in it, and what its cells are."""

    def __init__(self, chart: Chart, width: int, height: int, top: float, *, braille: bool) -> None:
        self.chart, self.width, self.height, self._top, self._braille = chart, width, max(1, height), top, braille
        self._left, self._right = self._scaled(chart.x[0]), self._scaled(chart.x[-1])

    def _scaled(self, x: float) -> float:
        return math.log2(x) if self.chart.logarithmic else x

    def _across(self, x: float, places: int) -> int:
        return round((self._scaled(x) - self._left) / (self._right - self._left) * (places - 1))

    def _down(self, y: float, places: int) -> int:
        return round((1 - y / self._top) * (places - 1))

    def row(self, y: float) -> int:
        """The row of cells that `y` lies in."""
        return self._down(y, self.height * 4) // 4

    def _column(self, x: float) -> int:
        return self._across(x, self.width * 2) // 2

    def cells(self) -> Iterator[list[Cell]]:
        """The rows from the top, each as runs of the same kind."""
        grid: list[list[Cell]] = [[(" ", "text")] * self.width for _ in range(self.height)]
        if self.chart.level is not None:
            grid[self.row(self.chart.level)] = [("┄" if self._braille else "-", "axis")] * self.width
        for mark in self.chart.marks:
            if mark.y is None:
                for cells in grid:
                    cells[self._column(mark.x)] = (_sign(mark, braille=self._braille), "mark")
        for kind, number in (("second", 1), ("first", 0)):
            if number < len(self.chart.series):
                self._draw_line(grid, kind, number)  # type: ignore[arg-type]
        # Of two at one place the first named is seen.
        for mark in reversed(self.chart.marks):
            if mark.y is not None:
                grid[self.row(mark.y)][self._column(mark.x)] = (_sign(mark, braille=self._braille), "mark")
        for cells in grid:
            yield [("".join(text for text, _ in run), kind) for kind, run in groupby(cells, key=lambda cell: cell[1])]

    def _draw_line(self, grid: list[list[Cell]], kind: Kind, number: int) -> None:
        bits: dict[tuple[int, int], int] = {}
        before: int | None = None
        for column, y in self._heights(self.chart.series[number].values):
            dot = self._down(y, self.height * 4)
            low, high = sorted((dot, dot if before is None else before))
            before = dot
            if number and column % 6 >= 3:
                continue
            for here in range(low + (low < dot), high + 1 - (high > dot)):
                place = here // 4, column // 2
                bits[place] = bits.get(place, 0) | _DOTS[here % 4][column % 2]
        for (row, column), dots in bits.items():
            grid[row][column] = (chr(0x2800 + dots) if self._braille else "*."[number], kind)

    def _heights(self, values: Sequence[float]) -> Iterator[tuple[int, float]]:
        """(column of dots, y), between the values on straight lines."""
        places = [self._across(x, self.width * 2) for x in self.chart.x]
        yield places[0], values[0]
        for i in range(1, len(places)):
            span = places[i] - places[i - 1]
            for step in range(1, span + 1):
                yield places[i - 1] + step, values[i - 1] + (values[i] - values[i - 1]) * step / span

    def x_labels(self) -> str:
        """Round values under the axis, where there is room for them."""
        first, last = self.chart.x[0], self.chart.x[-1]
        if self.chart.logarithmic:
            wanted = [2.0**power for power in range(int(self._left), int(self._right) + 1)]
        else:
            wanted = [tick for tick in _ticks(last, max(1, self.width // 4)) if first <= tick <= last]
        line = ""
        for label, column in ((f"{tick:g}", self._column(tick)) for tick in wanted):
            start = min(max(0, column - len(label) // 2), self.width - len(label))
            if not line or start > len(line):
                line = f"{line:<{start}}{label}"
        return line


def _top_of(chart: Chart) -> float:
    """Where the axis has to reach: a little above the greatest value."""
    return 1.03 * max(y for one in chart.series for y in one.values)


def _ticks(top: float, count: int) -> list[float]:
    """From 0 to at least `top` in about `count` round steps."""
    rough = max(top, 1e-9) / count
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * (1 - 1e-9))
    return [round(step * i, 10) for i in range(math.ceil(top / step - 1e-9) + 1)]


def _heading(chart: Chart, width: int, *, braille: bool) -> list[list[Cell]]:
    """Two lines: the title, the names of several series, the marks; what does not fit is left out whole."""
    lines = ("⠒⠒", "⠂⠂") if braille else ("**", ". ")
    items: list[list[Cell]] = [[(chart.title, "title")]]
    if len(chart.series) > 1:
        kinds: tuple[Kind, Kind] = ("first", "second")
        named = zip(lines, kinds, chart.series, strict=True)
        items += [[(line, kind), (f" {one.name}", "text")] for line, kind, one in named]
    items += [[(_sign(mark, braille=braille), "mark"), (f" {mark.text}", "text")] for mark in chart.marks]
    rows: list[list[Cell]] = [[], []]
    for item in items:
        for row in rows if rows[1] == [] else rows[1:]:
            gap = GAP if row else 0
            if _width(row) + gap + _width(item) <= width:
                row += [(" " * gap, "text"), *item]
                break
    return rows


def _width(cells: Sequence[Cell]) -> int:
    return sum(len(text) for text, _ in cells)


def _sign(mark: Mark, *, braille: bool) -> str:
    return SIGNS[mark.sign][0 if braille else 1]


def _styled(row: Sequence[Cell]) -> Content:
    return Content.assemble(*((text, STYLES[kind]) for text, kind in row))
