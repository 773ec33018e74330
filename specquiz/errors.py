"""The errors a person may meet: what went wrong, where, and what to do about it.

Rooms raise these; only a face turns them into text. `theory` and `answers` do not use them: they raise `ValueError`
and return verdicts.
"""

from __future__ import annotations


class SpecquizError(Exception):
    """Something the person has to know about.

    Args:
        what: one sentence that says what went wrong.
        where: the file, place or thing concerned, if there is one.
        remedy: one sentence that says what to do next.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f"\n{self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{remedy}"


class UsageError(SpecquizError):
    """The command was used wrongly."""

    exit_code = 2
