"""A list of choices answered with digits, letters, j/k or arrows; it takes those keys only while it has the focus."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets.option_list import Option

from specquiz.tui.widgets.options import Options
from specquiz.tui.widgets.visuals import Hanging

_LETTERS = "abcdefghi"


class Choices(Options, inherit_bindings=False):
    """The choices of a question: of several only one, the highlighted, is the answer, or else all that are marked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor_down", "Down", show=False),
        Binding("up,k", "cursor_up", "Up", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
        Binding("space", "mark", "Mark", show=False),
        Binding("enter", "submit", "Answer", show=False),
        *(Binding(f"{n},{letter}", f"pick({n - 1})", show=False) for n, letter in enumerate(_LETTERS, 1)),
    ]

    class Submitted(Message):
        """The learner gives these choice ids as the answer; none if nothing was chosen."""

        def __init__(self, chosen: tuple[str, ...]) -> None:
            super().__init__()
            self.chosen = chosen

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False, compact=True)
        self._choices: list[tuple[str, str]] = []
        self._multi = False
        self._marked: set[str] = set()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids chosen so far, in the order shown."""
        if self._multi:
            return tuple(id for id, _ in self._choices if id in self._marked)
        return () if self.highlighted is None else (self._choices[self.highlighted][0],)

    def ask(self, choices: Sequence[tuple[str, str]], *, multi: bool, chosen: Collection[str] = ()) -> None:
        """Offer other choices, (id, text) each, with `chosen` already chosen."""
        self._choices = list(choices)
        self._multi = multi
        self._marked = set(chosen)
        self.disabled = False
        self.set_options(Option(self._line(index)) for index in range(len(self._choices)))
        self.highlighted = next((i for i, (id, _) in enumerate(self._choices) if id in self._marked), None)
        if multi and self.highlighted is None and self._choices:
            self.highlighted = 0

    def reveal(self, right: Collection[str], chosen: Collection[str]) -> None:
        """Say beside each choice whether it is right and whether it was chosen."""
        self.highlighted = None
        for index, (id, _) in enumerate(self._choices):
            self.replace_option_prompt_at_index(index, self._revealed(index, id in right, id in chosen))

    def action_pick(self, index: int) -> None:
        """Choose the choice at `index`, or in a multiple choice mark it or take its mark off."""
        if index < len(self._choices):
            self.highlighted = index
            if self._multi:
                self.action_mark()

    def action_mark(self) -> None:
        """Mark the highlighted choice, or take its mark off."""
        if self._multi and self.highlighted is not None:
            self._marked ^= {self._choices[self.highlighted][0]}
            self.replace_option_prompt_at_index(self.highlighted, self._line(self.highlighted))

    def action_submit(self) -> None:
        """Give the chosen as the answer."""
        self.post_message(self.Submitted(self.chosen))

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """A click chooses, it does not answer."""
        event.stop()
        self.action_mark()

    def _line(self, index: int) -> Hanging:
        id, text = self._choices[index]
        box = ("[x] " if id in self._marked else "[ ] ") if self._multi else ""
        return Hanging(Content.assemble((f"{index + 1}  ", "$primary"), box), Content(text.rstrip()))

    def _revealed(self, index: int, right: bool, chosen: bool) -> Hanging:
        word, style = {
            (True, True): ("[right, yours]", "bold $success"),
            (True, False): ("[right]", "bold $success"),
            (False, True): ("[yours]", "bold $error"),
            (False, False): ("", ""),
        }[right, chosen]
        text = Content(self._choices[index][1].rstrip())
        said = Content.assemble(text, "  ", (word, style)) if word else text.stylize("$foreground 60%")
        return Hanging(Content.styled(f"{index + 1}  ", "$primary"), said)
