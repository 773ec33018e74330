"""What a plot shows, as data: series over common x, named points, and the same numbers as a table. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Sign: TypeAlias = Literal["here", "best", "ridge", "below 1"]


@dataclass(frozen=True)
class Series:
    """Values over the chart's x."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Mark:
    """A point that is named; without `y` a vertical line. Its x is one of the chart's."""

    sign: Sign
    x: float
    y: float | None
    text: str


@dataclass(frozen=True)
class Chart:
    """A plot and its table twin.

    Attributes:
        series: one or two; the second is drawn broken.
        level: a horizontal line to compare with; None for none.
        logarithmic: whether doublings of x are equally far apart.
    """

    title: str
    x_name: str
    x: tuple[float, ...]
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    level: float | None = None
    logarithmic: bool = False

    def table(self) -> tuple[tuple[str, ...], ...]:
        """A head, and a row for each x: its values, and the signs of what is marked there."""
        head = (self.x_name, *(one.name for one in self.series), "")
        rows = (
            (
                f"{x:g}",
                *(f"{one.values[i]:.3f}" for one in self.series),
                ", ".join(mark.sign for mark in self.marks if mark.x == x),
            )
            for i, x in enumerate(self.x)
        )
        return (head, *rows)
