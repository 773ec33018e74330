"""Plain text to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from specquiz.terminal import visible
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Lines


class TextScreen(Page):
    """Shows lines; further lines of a long one keep its indent."""

    KEY_HELP = (("arrows, PgUp PgDn", "scroll"), ("Enter, F4, Esc", "back"))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,f4,escape,q", "app.pop_screen", "Back")]
    KEYS = (Key("Enter", "back", "app.pop_screen"), Key("^q", "quit", "app.quit"), Key("F1", "help", "app.help"))

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__(id="text")
        self._title = title
        self._text = Lines(visible(line) for line in lines)

    def body(self) -> ComposeResult:
        with VerticalScroll(id="paper"):
            yield Static(self._text)

    def on_mount(self) -> None:
        self.show_frame(self._title, "", self.KEYS)
        self.query_one("#paper").focus()
