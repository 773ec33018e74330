"""What is wrong with a file an author wrote, and exactly where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in one place. The codes are explained in docs/bank-codes.md and never change their meaning."""

    path: Path
    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    code: str
    severity: Severity
    message: str

    def __str__(self) -> str:
        warning = "warning: " if self.severity == "warning" else ""
        return f"{self.path}:{self.line}:{self.column}: {self.code} {warning}{self.message}"


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems as a reader meets them: by file, line and column, each once."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda p: (str(p.path), p.line, p.column, p.code)))


def suggestion(word: str, known: Iterable[str]) -> str:
    """` (did you mean 'prompt'?)` for a word close to a known one, else nothing."""
    close = closest(word, known)
    return f" (did you mean {close!r}?)" if close else ""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` most likely stands for."""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in known}
    matches = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None
