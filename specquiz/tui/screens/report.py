"""A Markdown report, and where it is kept."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Markdown, Static

from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.lines import Key


class ReportScreen(Page):
    """Shows a report to read; the file is the thing to keep."""

    KEY_HELP = (("arrows, PgUp PgDn", "scroll"), ("Enter, F4, Esc", "home"))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,f4,escape,q", "app.pop_screen", "Home")]
    KEYS = (
        Key("Enter", "home", "app.pop_screen"),
        Key("^q", "quit", "app.quit"),
        Key("F1", "help", "app.help"),
    )

    def __init__(self, markdown: str, path: str) -> None:
        super().__init__(id="report")
        self._markdown = markdown
        self._path = path

    def body(self) -> ComposeResult:
        yield Static(Content.assemble(("kept in  ", "$foreground 60%"), self._path), id="path")
        with VerticalScroll(id="paper"):
            yield Markdown(self._markdown, open_links=False)

    def on_mount(self) -> None:
        self.show_frame("Report", "", self.KEYS)
        self.query_one("#paper").focus()
