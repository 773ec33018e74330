"""A page with a text and a form of lines below it; Enter goes from line to line and, after the last one, on."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input

from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.asked import Asked


class FormPage(Page):
    """Subclasses give a body with `#sheet` and lines (`Asked`) in it, and say what `action_submit` does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5", "submit", "Go on"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("pageup", "scroll_text(-1)", show=False),
        Binding("pagedown", "scroll_text(1)", show=False),
    ]

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        asked = event.input.parent
        if not isinstance(asked, Asked) or not asked.valid():
            return
        if asked is self.query(Asked).last():
            self.action_submit()
        else:
            self.focus_next()

    def all_valid(self) -> bool:
        """Whether every line can be; the first that cannot says why and gets the focus."""
        return all(asked.valid() for asked in self.query(Asked))

    def typed(self) -> dict[str, str]:
        """Line to what was typed in it."""
        return {asked.asked: asked.text for asked in self.query(Asked)}

    def action_submit(self) -> None:
        """Go on, once every line can be."""
        raise NotImplementedError

    def action_scroll_text(self, pages: int) -> None:
        sheet = self.query_one("#sheet", VerticalScroll)
        sheet.scroll_relative(y=pages * max(1, sheet.size.height - 1), animate=False)
