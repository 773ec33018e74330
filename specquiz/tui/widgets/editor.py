"""A field of several lines. Enter begins a new line; what stands in it is given by a key of its own."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from specquiz.terminal import without_controls

GIVE = "ctrl+s"
"""The key that gives the answer: Enter belongs to the text."""
GIVE_SHOWN = "^s"


_OF_THE_SCREEN = {"f6", "f7", "pageup", "pagedown"}
"""Keys that mean the same everywhere on a screen, also while a text is typed."""


class Editor(TextArea, inherit_bindings=False):
    """Takes a text of several lines. Tab leaves it, as it leaves every other field."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(b for b in TextArea.BINDINGS if not (isinstance(b, Binding) and _OF_THE_SCREEN & set(b.key.split(",")))),
        Binding(GIVE, "submit", "Answer", show=False),
    ]

    class Submitted(Message):
        """The learner gives the text as it stands."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, soft_wrap=True, tab_behavior="focus", show_line_numbers=False, compact=True)
        self.cursor_blink = False

    def ask(self, text: str, placeholder: str) -> None:
        """Ask for a text; `text` is there already, without what would steer the terminal."""
        self.disabled = False
        self.placeholder = placeholder
        self.load_text(without_controls(text))
        self.move_cursor(self.document.end)

    def action_submit(self) -> None:
        """Give the text as it stands."""
        self.post_message(self.Submitted(self.text))
