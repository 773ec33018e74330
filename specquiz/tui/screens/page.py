"""What every screen shares: a title line, a line of keys, and one clear sentence when the terminal is too small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from specquiz.tui.widgets.lines import Key, KeyLine, TitleLine

if TYPE_CHECKING:
    from specquiz.tui.app import SpecquizApp

MINIMUM = (40, 12)
"""Columns and rows below which a page shows a sentence instead of itself."""

WIDTHS = [(0, "-cramped"), (MINIMUM[0], "-narrow"), (80, "-normal"), (116, "-wide")]
HEIGHTS = [(0, "-flat"), (MINIMUM[1], "-short"), (20, "-tall")]
"""Classes that a screen has from so many columns and rows on."""


class TooSmall(Widget):
    """Covers a page while the terminal is too small for it; what lies beneath keeps its state and its focus."""

    def render(self) -> str:
        columns, rows = self.app.size
        return (
            f"specquiz needs {MINIMUM[0]} columns and {MINIMUM[1]} rows; this terminal has {columns} and {rows}. "
            "Enlarge it to go on (ctrl+q quits)."
        )


class Page(Screen[None]):
    """A screen framed by its title and its keys. Subclasses give `body`, and `show_frame` when these change."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f1,question_mark", "app.help", "Help")]

    def compose(self) -> ComposeResult:
        yield TitleLine(id="title")
        yield from self.body()
        yield KeyLine(id="keys")
        yield TooSmall(id="too-small")

    def body(self) -> ComposeResult:
        """The widgets between the two lines."""
        raise NotImplementedError

    @property
    def program(self) -> SpecquizApp:
        """The app, by its own type."""
        from specquiz.tui.app import SpecquizApp

        assert isinstance(self.app, SpecquizApp)
        return self.app

    def show_frame(self, title: str, note: str, keys: Sequence[Key]) -> None:
        """Set the title line and the keys."""
        self.query_one("#title", TitleLine).show(title, note)
        self.query_one("#keys", KeyLine).show(keys)
