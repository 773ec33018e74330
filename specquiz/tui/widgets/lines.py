"""The two lines that frame each screen: what this is, and which keys matter here. Both are cheap to repaint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from specquiz.terminal import visible


class Key(NamedTuple):
    """A key worth showing: its name, what it does in a word or two, and the action a click on it runs."""

    name: str
    does: str
    action: str

    @property
    def function(self) -> int:
        """The number of a function key; 0 for any other."""
        return int(self.name[1:]) if self.name[0] == "F" and self.name[1:].isdecimal() else 0


class TitleLine(Widget):
    """One line: a title on the left, a note on the right. The note gives way when both do not fit."""

    DEFAULT_CSS = """
    TitleLine { height: 1; padding: 0 2; background: $panel; color: $foreground; }
    """

    def __init__(self, title: str = "", note: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = title
        self._note = note

    def show(self, title: str, note: str = "") -> None:
        """Show another title and note, each as it stands."""
        title, note = visible(" ".join(title.split())), visible(" ".join(note.split()))
        if (title, note) != (self._title, self._note):
            self._title, self._note = title, note
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        title = Content(self._title).truncate(width, ellipsis=True)
        note = Content(self._note)
        room = width - title.cell_length - 2
        if room < 8:
            return title.stylize("bold")
        note = note.truncate(room, ellipsis=True)
        gap = " " * (width - title.cell_length - note.cell_length)
        return Content.assemble(title.stylize("bold"), gap, note.stylize("$secondary"))


class KeyLine(Widget):
    """One line of keys, given by how much they are needed and shown with the function keys last, by their numbers.

    Keys that do not fit are left out whole, the least needed first; none is cut.
    """

    GAP = 2

    DEFAULT_CSS = """
    KeyLine {
        height: 1; padding: 0 2; background: $panel; color: $foreground 70%;
        link-color: $foreground 70%; link-background: $panel; link-style: none;
        link-color-hover: $foreground; link-background-hover: $panel; link-style-hover: bold;
    }
    """

    def __init__(self, keys: Sequence[Key] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._keys = tuple(keys)

    def show(self, keys: Sequence[Key]) -> None:
        """Show other keys."""
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.refresh()

    def render(self) -> Content:
        return self.fitting(self.content_size.width)

    def fitting(self, width: int) -> Content:
        """The keys that fit in `width` columns."""
        parts: list[tuple[Key, Content]] = []
        used = 0
        for key in self._keys:
            part = Content.assemble((key.name, "bold $primary"), f" {key.does}")
            gap = self.GAP if parts else 0
            if used + gap + part.cell_length > width:
                break
            parts.append((key, part.stylize(Style.from_meta({"@click": key.action}))))
            used += gap + part.cell_length
        parts.sort(key=lambda shown: shown[0].function)
        return Content(" " * self.GAP).join(part for _, part in parts)
