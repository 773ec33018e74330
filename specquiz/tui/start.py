"""Where the full-screen program begins: at home, or straight in a session that a command asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Home:
    """The list of banks, labs and open sessions."""


@dataclass(frozen=True)
class PracticeStart:
    """A practice over some banks.

    Attributes:
        banks: bank ids; empty means all.
        count: how many questions; None means all of them.
        seed: draws the variants and orders; None draws one.
        missed_only: only questions whose latest answer was not right.
        question: only this question of the banks, by its id; empty for no such bound.
    """

    banks: tuple[str, ...] = ()
    count: int | None = None
    seed: int | None = None
    missed_only: bool = False
    question: str = ""


@dataclass(frozen=True)
class MockStart:
    """A timed mock interview over some banks.

    Attributes:
        banks: bank ids; empty means all.
        minutes: time allowed.
        seed: draws the questions; None draws one.
        count: how many questions; None means as many as fit the time.
        report: where to write the report; None means the person's reports folder.
        written: how many of the questions at most are answered in sentences.
    """

    banks: tuple[str, ...] = ()
    minutes: float = 30
    seed: int | None = None
    count: int | None = None
    report: Path | None = None
    written: int = 0


@dataclass(frozen=True)
class ResumeStart:
    """A session that is still open, by its id; `report` as in `MockStart`."""

    session: str
    report: Path | None = None


@dataclass(frozen=True)
class LabStart:
    """The screen of one lab, by its id; an empty profile means the first that the lab offers."""

    lab: str
    profile: str = ""


@dataclass(frozen=True)
class ExplorerStart:
    """The explorer, with a question's values by name, as written, to begin with."""

    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RoundStart:
    """The round, with the seed of its words and coins."""

    seed: int = 0


@dataclass(frozen=True)
class LookupStart:
    """Looking words up; to begin with, the list of primers."""


Start = Home | PracticeStart | MockStart | ResumeStart | LabStart | ExplorerStart | RoundStart | LookupStart
