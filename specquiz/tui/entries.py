"""What home offers, entry by entry: what it is called, where it stands, what it is about, where it leads. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.visual import Visual

from specquiz.labs.unlocking import Locked
from specquiz.sessions.engine import Session
from specquiz.tui import wording
from specquiz.tui.overview import BankEntry, LabEntry, Overview
from specquiz.tui.start import (
    ExplorerStart,
    LabStart,
    LookupStart,
    MockStart,
    PracticeStart,
    ResumeStart,
    RoundStart,
    Start,
)
from specquiz.tui.widgets.visuals import Hanging, Lines

if TYPE_CHECKING:
    from specquiz.banks.library import Library

MUTED = "$foreground 60%"


@dataclass(frozen=True)
class Entry:
    """Something on the home screen."""

    id: str
    title: str
    status: Content
    about: Visual
    start: Start | None = None
    """Where it leads; None for a line that only says something."""
    asks: int = 0
    """How many questions there are to choose from; 0 where no number is asked."""


def sections(overview: Overview, now: float) -> Iterator[tuple[str, list[Entry]]]:
    """(heading, entries) in the order shown; sections without entries are left out."""
    practice = [_bank(entry) for entry in overview.banks]
    if len(overview.banks) > 1:
        practice.append(_all(overview))
    if overview.missed:
        practice.append(_missed(overview))
    if overview.problems:
        practice.append(_problems(overview))
    found = [
        ("Go on", [_resume(session, overview.library, now) for session in overview.open]),
        ("Practice", practice),
        ("Mock interview", [_mock()] if overview.banks else []),
        ("Reading", [_primers()]),
        ("Labs", [_lab(entry, overview.library) for entry in overview.labs]),
        ("Theory", [_explorer(), _round()]),
    ]
    yield from ((heading, entries) for heading, entries in found if entries)


def _about(title: str, *paragraphs: str, lines: Iterable[str | Visual] = ()) -> Lines:
    """A title, paragraphs apart from each other, and lines below them."""
    spaced = [line for text in paragraphs if text for line in ("", *wording.prose(text).split("\n"))]
    return Lines([Content.styled(title, "bold"), *spaced, "", *lines])


def _resume(session: Session, library: Library, now: float) -> Entry:
    title, place = wording.open_session(session, now)
    titles = {bank.id: bank.title for bank in library.banks}
    banks = ", ".join(sorted({titles.get(item.bank, item.bank) for item in session.plan}))
    about = _about(title, f"{place[0].upper()}{place[1:]}. Questions from: {banks}.", "Press x to discard it.")
    return Entry(f"resume:{session.id}", title, Content.styled(place, "$accent"), about, ResumeStart(session.id))


def _bank(entry: BankEntry) -> Entry:
    bank = entry.bank
    concepts = [Hanging(wording.concept_status(state), Content(name)) for name, state in entry.concepts]
    about = _about(bank.title, bank.description, lines=concepts)
    start = PracticeStart(banks=(bank.id,))
    return Entry(f"bank:{bank.id}", bank.title, wording.bank_status(entry), about, start, asks=len(bank.questions))


def _all(overview: Overview) -> Entry:
    count = sum(len(entry.bank.questions) for entry in overview.banks)
    about = _about("All banks", "Questions you have not seen come first, then those you missed, then the oldest.")
    status = Content.styled(wording.plural(count, "question"), MUTED)
    return Entry("all", "All banks", status, about, PracticeStart(), asks=count)


def _missed(overview: Overview) -> Entry:
    count = len(overview.missed)
    about = _about("Only the missed ones", "Questions whose latest answer was wrong, or was shown on request.")
    status = Content.styled(wording.plural(count, "question"), MUTED)
    return Entry("missed", "Only the missed ones", status, about, PracticeStart(missed_only=True), asks=count)


def _problems(overview: Overview) -> Entry:
    count = len({problem.path for problem in overview.problems})
    # The name and place come whole on a narrow screen; folders are long and `bank lint` tells them.
    first = replace(overview.problems[0], path=Path(overview.problems[0].path.name))
    text = f"{wording.plural(count, 'bank file')} {'has' if count == 1 else 'have'} problems: {first}"
    return Entry("problems", "", Content(text), Content(""))


def _mock() -> Entry:
    about = _about(
        "Mock interview",
        "Questions from all banks against the clock, without feedback before the end. You can flag, skip and go back, "
        "and each answer is saved as you give it. At the end there is a report by concept; answers in sentences are "
        "marked before it.",
    )
    return Entry("mock", "Timed mock interview", Content.styled("with a report", MUTED), about, MockStart())


def _primers() -> Entry:
    about = _about(
        "Primers",
        "A page to read for each group of concepts, with an example computed step by step. Type to look words up, in "
        "the primers and in the questions.",
        "Press / to come here at once.",
    )
    return Entry("primers", "Primers, and looking words up", Content.styled("to read", MUTED), about, LookupStart())


def _explorer() -> Entry:
    about = _about(
        "Explorer",
        "Move α, K, draft cost, batch, context and device with the arrow keys, and watch tokens per pass, speed-up and "
        "the best K follow.",
    )
    return Entry("explorer", "Explorer", Content.styled("plots to move", MUTED), about, ExplorerStart())


def _round() -> Entry:
    about = _about(
        "One round, step by step",
        "The draft proposes, the target scores, a coin decides each position. Go forward and back, and try samplers "
        "that are wrong.",
    )
    return Entry("round", "One round, step by step", Content.styled("accept or reject", MUTED), about, RoundStart())


def _lab(entry: LabEntry, library: Library) -> Entry:
    lines: list[str | Visual] = []
    if isinstance(entry.lock, Locked):
        lines = [Content.styled("Still missing to open it", "bold $warning")]
        lines += [f"  {wording.missing(lack, library)}" for lack in entry.lock.missing]
    about = _about(entry.lab.title, entry.lab.goal, lines=lines)
    title = f"{entry.lab.number} {entry.lab.title}".lstrip()
    return Entry(f"lab:{entry.lab.id}", title, wording.lab_status(entry), about, LabStart(lab=entry.lab.id))
