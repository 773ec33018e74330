"""Lines in, lines out: a terminal or a pipe, in any encoding, that only ever appends."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, TextIO

from specquiz.terminal import spell_out_what_streams_lack, visible, visible_json, wrapped

MAX_LINE = 65_536
"""Bytes of one typed line that are kept."""
MAX_LINES = 1_000
"""Lines of one answer that are waited for."""


@dataclass(frozen=True)
class Console:
    """Where a plain session is held.

    Attributes:
        source: typed lines, as bytes.
        sink: where lines are written.
        interactive: a person types; prompts stay on the line and questions about the session itself are asked.
        width: columns.
    """

    source: BinaryIO
    sink: TextIO
    interactive: bool = False
    width: int = 80

    def say(self, text: str = "", indent: str = "") -> None:
        """Write `text`, wrapped, with every control character made visible."""
        for line in wrapped(visible(text), max(20, self.width - len(indent))) if text else ("",):
            self.sink.write(f"{indent}{line}".rstrip() + "\n")

    def say_lines(self, lines: Iterable[str]) -> None:
        """Write lines; where one wraps, its further lines keep its indent."""
        for line in lines:
            text = line.lstrip(" ")
            self.say(text, indent=line[: len(line) - len(text)])

    def say_json(self, facts: Mapping[str, Any]) -> int:
        """Write facts as JSON, for programs; return the exit code."""
        self.sink.write(visible_json(facts) + "\n")
        return 0

    def option(self, mark: str, text: str) -> None:
        """Write one numbered option, its further lines indented below its first."""
        first, *others = list(wrapped(visible(text), max(20, self.width - len(mark) - 3))) or [""]
        self.sink.write(f"  {mark} {first}\n")
        for line in others:
            self.sink.write(f"{' ' * (len(mark) + 3)}{line}\n")

    def ask(self, prompt: str) -> str | None:
        """Write the prompt and read one line, stripped; None at the end of input."""
        self.sink.write(visible(prompt) + (" " if self.interactive else "\n"))
        self.sink.flush()
        line = self._line()
        return None if line is None else line.strip()

    def further_lines(self) -> list[str]:
        """The lines up to an empty one or the end of input, with the spaces that they begin with."""
        lines: list[str] = []
        while len(lines) < MAX_LINES and (line := self._line()) is not None and line.strip():
            lines.append(line.rstrip())
        return lines

    def _line(self) -> str | None:
        line = self.source.readline(MAX_LINE)
        part = line
        while len(part) == MAX_LINE and not part.endswith(b"\n"):
            part = self.source.readline(MAX_LINE)
        return _decoded(line) if line else None


def open_console() -> Console:
    """The console of this process: standard input and output."""
    spell_out_what_streams_lack()
    if sys.stdin is None:
        source: BinaryIO = io.BytesIO()
    else:
        source = sys.stdin.buffer
    return Console(
        source=source,
        sink=sys.stdout,
        interactive=is_terminal(),
        width=min(100, shutil.get_terminal_size((80, 24)).columns - 1),
    )


def is_terminal() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def wants_plain(asked: bool) -> bool:
    """Whether to hold a session as plain lines: asked for, no terminal, or one that cannot be drawn on."""
    return asked or not is_terminal() or os.environ.get("TERM") == "dumb"


def _decoded(line: bytes) -> str:
    """UTF-8 if it is, else the terminal's own encoding; never an error."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode(getattr(sys.stdin, "encoding", None) or "latin-1", "replace")
