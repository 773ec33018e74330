"""Probability laws over a few words, side by side: digits with bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.content import Content
from textual.widget import Widget

_MOST_BAR = 24


class Laws(Widget):
    """A row for each word, a column of digits and bars for each law."""

    DEFAULT_CSS = "Laws { height: auto; width: 1fr; }"

    def __init__(self, words: Sequence[str], *, places: int, blocks: bool, id: str | None = None) -> None:
        super().__init__(id=id)
        self._words = words
        self._places = places
        self._bar = "━" if blocks else "="
        self._title = ""
        self._laws: Mapping[str, Sequence[float]] = {}
        self._picked: int | None = None

    def show(self, title: str, laws: Mapping[str, Sequence[float]], picked: int | None = None) -> None:
        """Show other laws, by name; `picked` is the word that was drawn."""
        self._title, self._laws, self._picked = title, laws, picked
        self.refresh()

    def get_content_height(self, *_: object) -> int:
        return len(self._words) + 2

    def render(self) -> Content:
        margin = max(map(len, self._words)) + 3
        column = (self.content_size.width - margin) // max(1, len(self._laws))
        greatest = max((max(law) for law in self._laws.values()), default=1.0)
        longest = max(1, min(_MOST_BAR, column - self._places - 4))
        lines = [
            Content.styled(self._title, "bold"),
            Content.assemble(
                " " * margin, *((f"{name:<{longest + self._places + 4}}", "$foreground 60%") for name in self._laws)
            ),
        ]
        for place, word in enumerate(self._words):
            picked = place == self._picked
            cells = [(f"{'>' if picked else ' '} {word:<{margin - 2}}", "bold $accent" if picked else "")]
            for number, law in enumerate(self._laws.values()):
                bar = self._bar * round(law[place] / greatest * longest)
                cells += [(f"{law[place]:.{self._places}f} ", "" if law[place] else "$foreground 40%")]
                cells += [(f"{bar:<{longest + 1}}", ("$primary", "$secondary", "$accent")[number % 3])]
            lines.append(Content.assemble(*cells))
        return Content("\n").join(lines)
