"""The time left, docked in one line of its own; only this line is painted when a second has passed."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from specquiz.sessions.mock import time_left
from specquiz.tui import wording


class ClockLine(Widget):
    """`18:20 left`, a bar, and in words when half, a fifth or a minute is left."""

    DEFAULT_CSS = """
    ClockLine { height: 1; padding: 0 2; background: $surface; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._remaining = 0.0
        self._total = 1.0

    def show(self, remaining: float, total: float) -> None:
        """Show the seconds left of all the seconds allowed."""
        if wording.clock(remaining) != wording.clock(self._remaining) or total != self._total:
            self._remaining, self._total = remaining, total
            self.refresh()

    def render(self) -> Content:
        style = "bold $accent" if self._remaining <= self._total / 5 else "bold"
        left = Content.styled(f"{wording.clock(self._remaining)} left", style)
        words = Content.styled(time_left(self._remaining, self._total), "$accent")
        room = self.content_size.width - left.cell_length - words.cell_length - 4
        meter = wording.bar(self._remaining / self._total, min(room, 24)) if room >= 6 else Content("")
        return Content("  ").join([part for part in (left, meter, words) if part])
