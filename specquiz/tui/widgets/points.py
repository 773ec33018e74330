"""The points of a rubric, each marked as made or not made with one key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets.option_list import Option

from specquiz.banks.model import RubricPoint
from specquiz.terminal import visible
from specquiz.tui.widgets.options import Options
from specquiz.tui.widgets.visuals import Hanging

_LABELS = {True: ("[y] ", "bold $success"), False: ("[n] ", "bold $error"), None: ("[ ] ", "$foreground 60%")}


class Points(Options, inherit_bindings=False):
    """The points with their marks; it takes keys only while it has the focus, and records nothing itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor_down", "Down", show=False),
        Binding("up,k", "cursor_up", "Up", show=False),
        Binding("y", "mark(True)", "Made", show=False),
        Binding("n", "mark(False)", "Not made", show=False),
        Binding("space", "turn", "Turn", show=False),
        Binding("enter", "settle", "Done", show=False),
        *(Binding(str(n), f"go({n - 1})", show=False) for n in range(1, 10)),
    ]

    class Marked(Message):
        """The point at `place` is made, or is not."""

        def __init__(self, place: int, made: bool) -> None:
            super().__init__()
            self.place = place
            self.made = made

    class Settled(Message):
        """The marks are to count as they are."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False, compact=True)
        self._points: Sequence[RubricPoint] = ()
        self._marks: Mapping[int, bool] = {}

    def ask(self, points: Sequence[RubricPoint], marks: Mapping[int, bool]) -> None:
        """Show points with these marks; the cursor is on the first without one."""
        self._points, self._marks = points, marks
        self.set_options(Option(self._line(place)) for place in range(len(points)))
        self.highlighted = self._next_open(0)

    def show_marks(self, marks: Mapping[int, bool]) -> None:
        """Show other marks of the same points, and go to the next point without one."""
        self._marks = marks
        here = self.highlighted or 0
        for place in range(len(self._points)):
            self.replace_option_prompt_at_index(place, self._line(place))
        self.highlighted = self._next_open(here)

    def action_mark(self, made: bool) -> None:
        """Mark the point under the cursor."""
        if self.highlighted is not None:
            self.post_message(self.Marked(self.highlighted, made))

    def action_turn(self) -> None:
        """Turn the mark of the point under the cursor round."""
        if self.highlighted is not None:
            self.action_mark(not self._marks.get(self.highlighted, False))

    def action_go(self, place: int) -> None:
        """Go to a point."""
        if place < len(self._points):
            self.highlighted = place

    def action_settle(self) -> None:
        """Let the marks count."""
        self.post_message(self.Settled())

    def scroll_to_region(self, region: Region, **how: Any) -> Offset:
        """Bring a point into view. The list is as high as its points need; what scrolls is the column it stands in."""
        assert isinstance(self.parent, Widget)
        return self.parent.scroll_to_region(region.translate(self.virtual_region.offset), **how)

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """A click turns a mark round."""
        event.stop()
        self.action_turn()

    def _next_open(self, here: int) -> int:
        count = len(self._points)
        around = [(here + step) % count for step in range(count)]
        return next((place for place in around if place not in self._marks), here)

    def _line(self, place: int) -> Hanging:
        point = self._points[place]
        word, style = _LABELS[self._marks.get(place)]
        notes = ["must"] * point.must + [f"weight {point.weight}"] * (point.weight != 1)
        note = f"  ({', '.join(notes)})" if notes else ""
        label = Content.assemble((f"{place + 1}  ", "$primary"), (word, style))
        text = Content.assemble(visible(" ".join(point.point.split())), (note, "$foreground 60%"))
        return Hanging(label, text)
