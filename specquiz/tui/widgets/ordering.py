"""Items to be put in order: each is moved up or down, taken and laid down, or sent to a place by its digit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets.option_list import Option

from specquiz.tui.widgets.options import Options
from specquiz.tui.widgets.visuals import Hanging

_PLACES = 8


class Ordering(Options, inherit_bindings=False):
    """The items of a question in the order given so far. It takes its keys only while it has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "step(1)", "Down", show=False),
        Binding("up,k", "step(-1)", "Up", show=False),
        Binding("J,shift+down", "move(1)", "Move down", show=False),
        Binding("K,shift+up", "move(-1)", "Move up", show=False),
        Binding("space", "take", "Take", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
        Binding("enter", "submit", "Answer", show=False),
        *(Binding(f"{place}", f"put({place - 1})", show=False) for place in range(1, _PLACES + 1)),
    ]

    class Submitted(Message):
        """The learner gives the items in this order, by id."""

        def __init__(self, order: tuple[str, ...]) -> None:
            super().__init__()
            self.order = order

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False, compact=True)
        self._items: list[tuple[str, str]] = []
        self._taken = False

    @property
    def order(self) -> tuple[str, ...]:
        """The ids in the order given so far."""
        return tuple(id for id, _ in self._items)

    def ask(self, items: Sequence[tuple[str, str]]) -> None:
        """Ask for the order of these items, (id, text) each, which stand in it so far."""
        self._items = list(items)
        self._taken = False
        self.disabled = False
        self.set_options(Option(self._line(place)) for place in range(len(self._items)))
        self.highlighted = 0 if self._items else None

    def reveal(self, right: Sequence[str]) -> None:
        """Say beside each item which place is its own."""
        self._taken = False
        self.highlighted = None
        for place, (id, text) in enumerate(self._items):
            own = right.index(id)
            word, style = ("[right]", "bold $success") if own == place else (f"[place {own + 1}]", "bold $error")
            said = Content.assemble(Content(text.rstrip()), "  ", (word, style))
            self.replace_option_prompt_at_index(place, Hanging(Content.styled(f"{place + 1}  ", "$primary"), said))

    def action_step(self, step: int) -> None:
        """Go to the item below or above; one that is taken comes along."""
        if self._taken:
            self.action_move(step)
        elif step > 0:
            self.action_cursor_down()
        else:
            self.action_cursor_up()

    def action_move(self, step: int) -> None:
        """Let the highlighted item change places with the one below or above it."""
        if self.highlighted is not None:
            self.action_put(self.highlighted + step)

    def action_put(self, place: int) -> None:
        """Put the highlighted item into a place; those between move up."""
        here = self.highlighted
        if here is None or not 0 <= place < len(self._items):
            return
        self._items.insert(place, self._items.pop(here))
        self.highlighted = place
        for changed in range(min(here, place), max(here, place) + 1):
            self.replace_option_prompt_at_index(changed, self._line(changed))

    def action_take(self) -> None:
        """Take the highlighted item, or lay it down."""
        if self.highlighted is not None:
            self._taken = not self._taken
            self.replace_option_prompt_at_index(self.highlighted, self._line(self.highlighted))

    def action_submit(self) -> None:
        """Give the order as it stands."""
        self.post_message(self.Submitted(self.order))

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """A click takes an item; the next one lays it down where it was."""
        event.stop()
        self.action_take()

    def _line(self, place: int) -> Hanging:
        taken = self._taken and place == self.highlighted
        mark = ("[moving] ", "bold $warning") if taken else ("", "")
        return Hanging(Content.styled(f"{place + 1}  ", "$primary"), Content.assemble(mark, self._items[place][1]))
