"""How the answer being typed is read: as two-dimensional maths and as a number. It says nothing of right or wrong."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import work
from textual.content import Content
from textual.widget import Widget

from specquiz.terminal import in_ascii, visible

if TYPE_CHECKING:
    from textual.timer import Timer

    from specquiz import answers
    from specquiz.answers.live import Live
    from specquiz.banks.model import NumericQuestion, SymbolicQuestion

LABEL = "read as  "
QUIET = "$foreground 60%"
PAUSE = 0.08
"""Seconds without a key before the text is read."""


def terminal_has_maths() -> bool:
    """Whether the terminal can show formulas in two dimensions: its encoding has the signs (screens are written to
    standard error), and the Linux console, whose fonts lack the pieces of tall brackets, is not it."""
    try:
        "⎛⎜⎝─│√Σα−·⁵".encode(getattr(sys.__stderr__, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return os.environ.get("TERM") != "linux"


class Reading(Widget):
    """Reads along while an answer is typed, a moment after the last key and beside the screen's own thread.

    Args:
        maths: whether formulas may be drawn in two dimensions; else they are spelled out on a line of ASCII.
    """

    def __init__(self, *, maths: bool, id: str | None = None) -> None:
        super().__init__(id=id)
        self._maths = maths
        self._read_text: Callable[[str], Live | None] | None = None
        self._unit = ""
        self._wanted = ""
        self._text = ""
        self._live: Live | None = None
        self._pause: Timer | None = None

    def ask(self, question: NumericQuestion | SymbolicQuestion, values: Mapping[str, str], wanted: str) -> None:
        """Read along with answers to this question; `wanted` says how exact they should be."""
        from specquiz.banks.variants import answer_question

        # Without the answer: what is shown here cannot give it away.
        asked = answer_question(question, values)._replace(reference="0", also=(), misconceptions=())
        self._begin(partial(_live, asked), asked.unit, wanted)

    def ask_configuration(self) -> None:
        """Read along with a configuration."""
        self._begin(_live_configuration)

    def _begin(self, read: Callable[[str], Live | None], unit: str = "", wanted: str = "") -> None:
        self._read_text, self._unit, self._wanted = read, unit, wanted
        self.display = True
        self.clear()
        self.refresh()

    def rest(self) -> None:
        """Be gone until `ask`."""
        self._read_text = None
        self.display = False
        self.clear()

    def clear(self) -> None:
        """Show nothing until the text changes."""
        self._expect("")
        self._show(None)

    def follow(self, text: str) -> None:
        """The field holds `text` now."""
        if self._read_text is None or text == self._text:
            return
        self._expect(text)
        # Also an emptied field waits: its own repaint comes first.
        self._pause = self.set_timer(PAUSE, self._read)

    def _expect(self, text: str) -> None:
        """From now on only a reading of `text` may be shown."""
        self._text = text
        if self._pause:
            self._pause.stop()
            self._pause = None

    @work(group="reading", exclusive=True)
    async def _read(self) -> None:
        read, text = self._read_text, self._text
        if read is None:
            return
        live = await asyncio.to_thread(read, text) if text.strip() else None
        if read is self._read_text and text == self._text:
            self._show(live)

    def _show(self, live: Live | None) -> None:
        if live != self._live:
            self._live = live
            self.refresh()

    def render(self) -> Content:
        if self._read_text is None:
            return Content()
        width, height = self.content_size
        said = drawn(self._live, self._unit, width, height, maths=self._maths) if self._live else Content()
        # A screen this low has no border on the field to say it on.
        gap = width - said.cell_length - cell_len(self._wanted)
        if height > 1 or gap < 2:
            return said
        return Content.assemble(said, " " * gap, (self._wanted, QUIET))


def drawn(live: Live, unit: str, width: int, height: int, *, maths: bool) -> Content:
    """What is said of a text in `width` columns and `height` rows: a picture if it fits, else a line, else the value.

    Args:
        live: how the text reads.
        unit: the question's unit.
        maths: whether the terminal has the signs that pictures are made of.
    """
    message = visible(live.message) if maths else in_ascii(visible(live.message))
    if not live.lines:
        said = Content.styled(message, QUIET)
        return said.truncate(width, ellipsis=True) if height == 1 else said
    value = f"{live.value} {unit}".rstrip() if live.value else ""
    rows = [*live.lines, f"= {value}"] if value else list(live.lines)
    room = width - len(LABEL)
    if not maths or len(live.lines) == 1 or len(rows) > height or max(map(cell_len, rows)) > room:
        line = live.read_as if value in ("", live.read_as) else f"{live.read_as} = {value}"
        line = line if maths else in_ascii(line)
        rows = [f"= {value}" if value and height == 1 and cell_len(line) > room else line]
    parts = [Content.assemble((LABEL, QUIET), ("\n" + " " * len(LABEL)).join(rows))]
    if message and len(rows) < height:
        parts.append(Content.styled(message, QUIET))
    said = Content("\n").join(parts)
    return said.truncate(width, ellipsis=True) if height == 1 else said


def _live(question: answers.Question, text: str) -> Live | None:
    from specquiz.answers.live import live_reading

    try:
        return live_reading(question, text)
    except ValueError:
        # The question is broken, which is for whoever judges the answer to say.
        return None


def _live_configuration(text: str) -> Live | None:
    from specquiz.answers.live import live_configuration

    return live_configuration(text)
