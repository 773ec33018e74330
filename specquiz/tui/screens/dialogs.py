"""Small questions on top of a page: a number, a yes or no, and the help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from specquiz.tui.screens.page import TooSmall
from specquiz.tui.widgets.visuals import Hanging, Lines

if TYPE_CHECKING:
    from typing import Any


Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """Something small on top of a page. Subclasses give `body`; like a page it is covered while it cannot be seen."""

    def __init__(self) -> None:
        super().__init__(classes="dialog")

    def compose(self) -> ComposeResult:
        yield from self.body()
        yield TooSmall(id="too-small")

    def body(self) -> ComposeResult:
        """The box."""
        raise NotImplementedError


class AskNumber(Dialog[int | None]):
    """Ask for a whole number; None if the person goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f4", "back", "Back")]

    def __init__(self, title: str, text: str, *, suggested: int, least: int = 1, most: int) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._suggested = suggested
        self._least = least
        self._most = most

    def body(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Content(self._title), classes="heading")
            yield Static(Content(self._text))
            yield Input(str(self._suggested), type="integer", max_length=5, id="number")
            yield Static(id="complaint")
            yield Static(Content("Enter start   Esc or F4 back"), classes="keys")

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        number = int(text) if text.isdecimal() else self._least - 1
        if self._least <= number <= self._most:
            self.dismiss(number)
        else:
            self.query_one("#complaint", Static).update(
                Content(f"Type a whole number from {self._least} to {self._most}.")
            )

    def action_back(self) -> None:
        self.dismiss(None)


class Confirm(Dialog[bool]):
    """Ask before something that cannot be taken back. The safe choice comes first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f4,n", "answer(False)", "No"),
        Binding("y", "answer(True)", "Yes"),
        Binding("j", "move(1)", "Down", show=False),
        Binding("k", "move(-1)", "Up", show=False),
    ]

    def __init__(self, title: str, text: str, *, yes: str, no: str = "No, go back") -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._yes = yes
        self._no = no

    def body(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Content(self._title), classes="heading")
            yield Static(Content(self._text))
            yield OptionList(
                Option(Content(f"n  {self._no}"), id="no"),
                Option(Content(f"y  {self._yes}"), id="yes"),
                markup=False,
                compact=True,
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id == "yes")

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        if by > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()


class Help(Dialog[None]):
    """The keys of a page, and the few that hold everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,f1,f4,q,question_mark", "app.pop_screen", "Back")]

    EVERYWHERE = (
        ("F1", "this help (? works too, except while typing)"),
        ("ctrl+p", "command palette: themes and more"),
        ("ctrl+q", "quit; nothing that was answered is lost"),
    )

    def __init__(self, page: Screen[Any]) -> None:
        super().__init__()
        self._rows = (*getattr(page, "KEY_HELP", ()), *self.EVERYWHERE)

    def body(self) -> ComposeResult:
        width = max(len(key) for key, _ in self._rows) + 2
        with VerticalScroll(classes="box"):
            yield Static(Content("Keys"), classes="heading")
            yield Static(
                Lines(
                    Hanging(Content.styled(f"{key:<{width}}", "bold $primary"), Content(does))
                    for key, does in self._rows
                )
            )
            yield Static(Content("arrows scroll   Enter or Esc back"), classes="keys")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
