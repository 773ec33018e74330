"""The report on a mock interview as Markdown: by concept, then question by question. Computed from the log alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from specquiz import places
from specquiz.banks.model import ConfigQuestion, ShortQuestion
from specquiz.banks.variants import fill
from specquiz.errors import SpecquizError
from specquiz.reports.markup import cell, code, escaped, literal, quoted
from specquiz.reports.written import answer_blocks
from specquiz.sessions.engine import ItemState, Session, summarise
from specquiz.sessions.events import Item
from specquiz.sessions.judging import fits, options, readable, right_order, solution
from specquiz.terminal import visible

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.banks.model import AnyQuestion

_ENDINGS = {"done": "handed in", "time": "time ran out", "discarded": "put away unfinished"}


@dataclass(frozen=True)
class _Row:
    """One item of the interview with what became of it; no question if it left its bank."""

    number: int
    item: Item
    state: ItemState
    question: AnyQuestion | None


def mock_report(session: Session, library: Library) -> str:
    """The whole report. Texts are those of the banks as they are now; verdicts and reasons are those recorded."""
    rows = [
        _Row(number, item, state, _question(library, item))
        for number, (item, state) in enumerate(zip(session.plan, session.items, strict=True), 1)
    ]
    blocks = [
        _title(session),
        _table(("Concept", "Right", "Asked", "Time"), _by_concept(rows, library)),
        *_flagged(rows),
        "## Questions",
        *(block for row in rows for block in _question_blocks(row)),
        "## Record",
        _record(session),
    ]
    return "\n\n".join(visible(block) for block in blocks) + "\n"


def save_mock_report(session: Session, library: Library, file: Path | None = None) -> Path:
    """Write the report to `file` (default: the person's reports folder, named by date and session); return its path.

    Raises:
        SpecquizError: it cannot be written. The session is in the log all the same.
    """
    day = f"{_local(session.started):%Y-%m-%d-%H%M}"
    path = file if file is not None else places.home() / "reports" / f"mock-{day}-{session.id}.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(mock_report(session, library), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise SpecquizError(
            f"The report could not be written ({error.strerror}).",
            where=str(path),
            remedy="The interview is in the log. `specquiz mock --last --report FILE` writes its report.",
        ) from error
    return path


def clock_text(seconds: float) -> str:
    """A span of time as `m:ss`, or `h:mm:ss` from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _question(library: Library, item: Item) -> AnyQuestion | None:
    question = library.question(item.bank, item.question)
    return question if question is not None and fits(question, item) else None


def _title(session: Session) -> str:
    counts = summarise(session)
    finished = session.finished
    ending = _ENDINGS[finished.how] if finished else "still open"
    took = (session.ended or session.last_at) - session.started
    unmarked = f", {counts.unmarked} not marked" if counts.unmarked else ""
    allowed = clock_text(session.start.seconds or 0)
    return (
        f"# Mock interview, {_local(session.started):%Y-%m-%d %H:%M}\n\n"
        f"**{counts.right} of {counts.asked} right** ({counts.asked - counts.unanswered} answered{unmarked}). "
        f"{ending.capitalize()} after {clock_text(took)} of {allowed}.\n\n## By concept"
    )


def _by_concept(rows: list[_Row], library: Library) -> list[tuple[str, ...]]:
    """Name, right, asked and time of each concept, the weakest first."""
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        for concept in row.question.concepts if row.question else ("no longer in a bank",):
            groups.setdefault(concept, []).append(row)

    def share(group: list[_Row]) -> float:
        return sum(row.state.right for row in group) / len(group)

    return [
        (
            cell(library.concepts[slug].name if slug in library.concepts else slug),
            str(sum(row.state.right for row in group)),
            str(len(group)),
            clock_text(sum(row.state.seconds for row in group)),
        )
        for slug, group in sorted(groups.items(), key=lambda pair: (share(pair[1]), pair[0]))
    ]


def _flagged(rows: list[_Row]) -> list[str]:
    flagged = [f"{row.number} ({row.item.question})" for row in rows if row.state.flagged]
    return [f"Flagged: {', '.join(flagged)}."] if flagged else []


def _question_blocks(row: _Row) -> Iterator[str]:
    state, question = row.state, row.question
    level = f", level {question.level}" if question else ""
    flag = ", flagged" if state.flagged else ""
    yield f"### {row.number}. [{_outcome(state)}] {row.item.question} ({row.item.bank}{level}{flag})"
    target = f" (target {clock_text(question.seconds)})" if question else ""
    yield f"Time {clock_text(state.seconds)}{target}."
    if question is None:
        yield "This question is no longer in its bank in the form that was asked."
        if state.answered:
            yield f"Your answer: {code(state.answered.text)}. {escaped(state.answered.message)}"
        return
    yield quoted(fill(question.prompt, row.item.values))
    if isinstance(question, ShortQuestion):
        yield from answer_blocks(question, state)
        yield literal(question.explanation)
        return
    if isinstance(question, ConfigQuestion) and question.start:
        yield "\n".join(f">     {line}" for line in question.start.splitlines())
    choices = {option.id: option.text for option in options(question)}
    # Typed text is shown as it was typed; choices and items by their texts.
    show = escaped if choices else code
    if choices:
        yield "\n".join(f"> {place}. {escaped(choices[id])}" for place, id in enumerate(row.item.choices, 1))
    if state.answered:
        yield f"Your answer: {show(readable(question, state.answered.text))}. {escaped(state.answered.message)}"
    order = right_order(question)
    if order:
        yield "The right order:"
        yield "\n".join(f"{place}. {escaped(text)}" for place, text in enumerate(order, 1))
    else:
        yield f"The answer: {show(solution(question, row.item))}."
    yield literal(fill(question.explanation, row.item.values))


def _record(session: Session) -> str:
    lines = [
        f"- session {session.id}, seed {session.start.seed}, specquiz {session.start.program or 'unknown'}",
        *(f"- bank {bank}, SHA-256 {digest}" for bank, digest in session.start.banks.items()),
    ]
    return "\n".join(lines)


def _outcome(state: ItemState) -> str:
    if state.answered is None:
        return "not marked" if state.waiting else "unanswered"
    judged = "right" if state.right else "wrong"
    return f"{judged}, {state.answered.band}" if state.answered.band else judged


def _table(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    ruler = tuple("---" if column == 0 else "--:" for column in range(len(head)))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ruler, *body))


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at).astimezone()
