"""What the log says of each question: the latest attempt. A pure fold over events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from specquiz.sessions.events import Answered, AnyEvent, Finished, Item, SessionStarted, Shown

QuestionKey = tuple[str, str]
"""(bank id, question id): history follows this, whatever happens to the texts."""


@dataclass(frozen=True)
class Attempt:
    """The latest attempt at a question."""

    right: bool
    at: float
    """Seconds since the epoch."""


def latest_attempts(events: Iterable[AnyEvent]) -> dict[QuestionKey, Attempt]:
    """The latest attempt at each question.

    An answer shown on request is an attempt that was not right. What was answered in a mock counts once the mock is
    over: before, it would be feedback.
    """
    attempts: dict[QuestionKey, Attempt] = {}
    started: dict[str, SessionStarted] = {}
    sealed: dict[str, dict[QuestionKey, Attempt]] = {}
    for event in events:
        match event:
            case SessionStarted(session=session, mode=mode):
                started.setdefault(session, event)
                if mode == "mock":
                    sealed.setdefault(session, {})
            case Answered(session=session, index=index, outcome=outcome, at=at):
                _note(sealed.get(session, attempts), started, session, index, Attempt(outcome == "correct", at))
            case Shown(session=session, index=index, at=at):
                _note(sealed.get(session, attempts), started, session, index, Attempt(False, at))
            case Finished(session=session):
                for key, attempt in sealed.pop(session, {}).items():
                    _keep_latest(attempts, key, attempt)
            case _:
                pass
    return attempts


def _note(
    attempts: dict[QuestionKey, Attempt],
    started: Mapping[str, SessionStarted],
    session: str,
    index: int,
    attempt: Attempt,
) -> None:
    start = started.get(session)
    if start is not None and 0 <= index < len(start.items):
        _keep_latest(attempts, key_of(start.items[index]), attempt)


def _keep_latest(attempts: dict[QuestionKey, Attempt], key: QuestionKey, attempt: Attempt) -> None:
    if key not in attempts or attempt.at >= attempts[key].at:
        attempts[key] = attempt


def key_of(item: Item) -> QuestionKey:
    """Which question an item puts."""
    return item.bank, item.question
