"""The answer sheet of a mock interview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from specquiz.tui import wording
from specquiz.tui.screens.dialogs import Dialog


class AnswerSheet(Dialog[int | None]):
    """Every question in a line; gives the index of the one to go to, None to stay."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f4,f8", "back", "Back")]

    def __init__(self, states: Sequence[tuple[bool, bool]], here: int) -> None:
        super().__init__()
        self._states = states
        self._here = here

    def body(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Content("Answer sheet"), classes="heading")
            yield OptionList(
                *(
                    Option(Content(f"{number:>3}  {wording.sheet_status(answered=answered, flagged=flagged)}"))
                    for number, (answered, flagged) in enumerate(self._states, 1)
                ),
                markup=False,
                compact=True,
            )
            yield Static(Content("Enter go there   Esc or F4 back"), classes="keys")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._here

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_index)

    def action_back(self) -> None:
        self.dismiss(None)
