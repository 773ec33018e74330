"""Written answers in reports: the points made and missed, the band, and how deep the follow-ups went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specquiz.banks.model import ShortQuestion
from specquiz.reports.markup import escaped, literal, quoted_lines
from specquiz.sessions.engine import ItemState, Session
from specquiz.sessions.history import key_of
from specquiz.sessions.rubric import missed, reason

if TYPE_CHECKING:
    from specquiz.banks.library import Library

SENIORITIES = ("junior", "senior", "staff")


def answer_blocks(question: ShortQuestion, state: ItemState) -> Iterator[str]:
    """What was written, how each point was marked, the follow-ups, and the model answers, in Markdown."""
    if state.written is not None and state.written.text.strip():
        yield f"Your answer:\n\n{quoted_lines(state.written.text)}"
    if state.answered is not None:
        yield reason(question.rubric, state.marks)
        yield "\n".join(_point_lines(question, state.marks))
    elif state.waiting:
        yield "Nobody has marked it."
    for level, reply in enumerate(state.replies, 1):
        replied = quoted_lines(reply.text) if reply.text.strip() else "> (nothing)"
        yield f"Follow-up {level}, {reply.grade or 'not graded'}: {escaped(reply.asked)}\n\n{replied}"
    for name in SENIORITIES:
        yield f"A {name} answer:\n\n{literal(getattr(question.answers, name))}"


def _point_lines(question: ShortQuestion, marks: Mapping[int, bool]) -> Iterator[str]:
    for place, point in enumerate(question.rubric):
        must = " (must)" * point.must
        yield f"- [{'x' if marks.get(place) else ' '}] {escaped(point.point)}{must}"


@dataclass(frozen=True)
class Result:
    """The latest marks of one written answer."""

    bank: str
    question: str
    at: float
    """When it was marked, in seconds since the epoch."""
    band: str
    missed: tuple[str, ...]
    """The points that were not made; none where the question is gone."""
    follow_ups: tuple[str, ...]
    """The grade of each reply, one per level."""


def results(sessions: Iterable[Session], library: Library) -> tuple[Result, ...]:
    """The latest marks of every written answer, by bank and question. Those of an open interview do not count yet."""
    latest: dict[tuple[str, str], Result] = {}
    for session in sessions:
        if session.mode == "mock" and session.finished is None:
            continue
        for item, state in zip(session.plan, session.items, strict=True):
            answered = state.answered
            if answered is None or not answered.band:
                continue
            key = key_of(item)
            if key in latest and latest[key].at > answered.at:
                continue
            question = library.question(*key)
            lacking = missed(question.rubric, state.marks) if isinstance(question, ShortQuestion) else ()
            points = tuple(" ".join(point.point.split()) for point in lacking)
            grades = tuple(reply.grade for reply in state.replies if reply.grade is not None)
            latest[key] = Result(*key, answered.at, answered.band, points, grades)
    return tuple(latest[key] for key in sorted(latest))


def result_lines(found: Sequence[Result]) -> Iterator[str]:
    """The results in words: a line over all, then a line for each answer and for each point that was not made."""
    if not found:
        return
    bands = Counter(result.band for result in found)
    counted = ", ".join(f"{bands[name]} {name}" for name in ("weak", "ok", "strong") if bands[name])
    yield f"Written answers: {len(found)} marked, {counted}."
    for result in found:
        levels = len(result.follow_ups)
        depth = f", follow-ups {levels} deep ({', '.join(result.follow_ups)})" if levels else ""
        yield f"  {result.bank}/{result.question}: {result.band}{depth}"
        yield from (f"    not said: {point}" for point in result.missed)


def result_facts(found: Sequence[Result]) -> list[dict[str, Any]]:
    """The results for programs."""
    return [
        {
            "bank": result.bank,
            "question": result.question,
            "at": result.at,
            "band": result.band,
            "missed": list(result.missed),
            "follow_ups": list(result.follow_ups),
        }
        for result in found
    ]
