"""A session as a state machine: events in, an immutable `Session` out. Resuming is replaying.

Time on a question is counted in visits. A visit begins when the learner arrives and ends when they answer (practice),
go elsewhere, leave or finish. A visit cut off by a crash is lost, not guessed: `Resumed` begins a new one. Marking a
written answer is no time on its question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from specquiz.sessions.events import (
    Answered,
    AnyEvent,
    Closed,
    Finished,
    Flagged,
    HintTaken,
    Item,
    Left,
    Moved,
    PointMarked,
    Replied,
    ReplyGraded,
    Resumed,
    SessionEvent,
    SessionStarted,
    Shown,
    Wrote,
)


@dataclass(frozen=True)
class Reply:
    """A follow-up that was put, what was replied, and how that was graded."""

    asked: str
    text: str
    grade: Literal["weak", "ok", "strong"] | None = None


@dataclass(frozen=True)
class ItemState:
    """What has happened to one item."""

    answered: Answered | None = None
    """The latest answer."""
    shown: bool = False
    """The answer was shown on request; the item counts as not right."""
    hints: int = 0
    flagged: bool = False
    seconds: float = 0.0
    """Time on the question, over all visits that have ended."""
    written: Wrote | None = None
    """The latest text of a written answer."""
    marks: Mapping[int, bool] = field(default_factory=dict)
    """Point of the rubric to whether the written answer makes it, as far as it is marked."""
    replies: tuple[Reply, ...] = ()
    """The follow-ups put so far."""

    @property
    def waiting(self) -> bool:
        """There is a written answer that nobody has marked to the end."""
        return not self.settled and self.written is not None and bool(self.written.text.strip())

    @property
    def handed_over(self) -> bool:
        """An answer was given, judged already or still to be marked."""
        return self.settled or (self.waiting and self.written is not None and self.written.done)

    @property
    def settled(self) -> bool:
        """Nothing more is asked of the learner here."""
        return self.shown or self.answered is not None

    @property
    def right(self) -> bool:
        """Answered right, and not after being shown."""
        return not self.shown and self.answered is not None and self.answered.outcome == "correct"


@dataclass(frozen=True)
class Session:
    """A practice or a mock interview after some events."""

    start: SessionStarted
    items: tuple[ItemState, ...]
    index: int = 0
    """Where the learner is, from 0."""
    closed: Closed | None = None
    """The clock of an interview has stopped, and its written answers are being marked."""
    finished: Finished | None = None
    arrived: float | None = None
    """When the present visit began; None when no question is being looked at."""
    last_at: float = 0.0
    """The latest moment in the log. No clock of this session may read earlier."""

    @property
    def id(self) -> str:
        return self.start.session

    @property
    def mode(self) -> Literal["practice", "mock"]:
        return self.start.mode

    @property
    def started(self) -> float:
        """Seconds since the epoch."""
        return self.start.at

    @property
    def plan(self) -> tuple[Item, ...]:
        """The questions as put, in order; `items` runs beside it."""
        return self.start.items

    @property
    def deadline(self) -> float | None:
        """When a timed session ends, in seconds since the epoch."""
        return None if self.start.seconds is None else self.start.at + self.start.seconds

    @property
    def ended(self) -> float | None:
        """When answering came to an end, in seconds since the epoch; None while it goes on."""
        last = self.closed or self.finished
        return None if last is None else last.at

    @property
    def waiting(self) -> tuple[int, ...]:
        """Indices of the items whose written answers wait to be marked."""
        return tuple(index for index, state in enumerate(self.items) if state.waiting)

    def seconds_on(self, index: int, now: float) -> float:
        """Time on item `index` up to `now`, the present visit included."""
        spent = self.items[index].seconds
        if index == self.index and self.arrived is not None:
            spent += max(0.0, now - self.arrived)
        return spent


def put_away(session: Session, at: float) -> Finished:
    """The event that ends an open session for good: an interview that waits for marks only goes without them."""
    how: Literal["done", "time", "discarded"] = session.closed.how if session.closed is not None else "discarded"
    return Finished(at=max(at, session.last_at), session=session.id, how=how)


def begin(event: SessionStarted) -> Session:
    """The session that `event` opens, with the learner before its first item."""
    return Session(start=event, items=(ItemState(),) * len(event.items), arrived=event.at, last_at=event.at)


def replay(events: Iterable[AnyEvent]) -> Session:
    """Fold the events of one session, in the order recorded. Events of other sessions and of labs are passed over.

    Raises:
        ValueError: if no session starts in `events`.
    """
    session: Session | None = None
    for event in events:
        if session is None:
            if isinstance(event, SessionStarted):
                session = begin(event)
        elif isinstance(event, SessionEvent) and event.session == session.id:
            session = apply(session, event)
    if session is None:
        raise ValueError("no session starts in these events")
    return session


def apply(session: Session, event: SessionEvent) -> Session:
    """The session after one more of its events. After the end, or outside its items, an event changes nothing."""
    index = getattr(event, "index", session.index)
    if session.finished is not None or not 0 <= index < len(session.items):
        return session
    session = replace(session, last_at=max(session.last_at, event.at))
    match event:
        case Answered(seconds=seconds):
            session = _end_visit(session, event.at, index, seconds)
            session = _with_item(session, index, replace(session.items[index], answered=event))
            return _after_settling(session, event.at)
        case Wrote() | PointMarked() | Replied() | ReplyGraded():
            return _written(session, event)
        case Shown(seconds=seconds):
            session = _end_visit(session, event.at, index, seconds)
            session = _with_item(session, index, replace(session.items[index], shown=True))
            return _after_settling(session, event.at)
        case HintTaken():
            state = session.items[index]
            return _with_item(session, index, replace(state, hints=state.hints + 1))
        case Flagged(on=on):
            return _with_item(session, index, replace(session.items[index], flagged=on))
        case Moved():
            session = replace(_end_visit(session, event.at, session.index), index=index)
            return replace(session, arrived=_arrival(session, event.at))
        case Left():
            return _end_visit(session, event.at, session.index)
        case Resumed():
            return replace(session, arrived=_arrival(session, event.at))
        case Closed():
            return replace(_end_visit(session, event.at, session.index), closed=event)
        case Finished():
            return replace(_end_visit(session, event.at, session.index), finished=event)
        case SessionStarted():
            return session


def _written(session: Session, event: Wrote | PointMarked | Replied | ReplyGraded) -> Session:
    """One more thing that happened to a written answer. What comes too early or too late changes nothing."""
    index, state = event.index, session.items[event.index]
    match event:
        case Wrote(done=done) if not state.settled and session.closed is None:
            session = _with_item(session, index, replace(state, written=event))
            return _after_settling(_end_visit(session, event.at, index, event.seconds), event.at) if done else session
        case PointMarked(point=point, made=made) if state.waiting:
            return _with_item(session, index, replace(state, marks={**state.marks, point: made}))
        case Replied(asked=asked, text=text) if state.answered is not None:
            return _with_item(session, index, replace(state, replies=(*state.replies, Reply(asked, text))))
        case ReplyGraded(grade=grade) if state.replies:
            graded = replace(state.replies[-1], grade=grade)
            return _with_item(session, index, replace(state, replies=(*state.replies[:-1], graded)))
        case _:
            return session


def _with_item(session: Session, index: int, state: ItemState) -> Session:
    return replace(session, items=(*session.items[:index], state, *session.items[index + 1 :]))


def _end_visit(session: Session, at: float, index: int, seconds: float | None = None) -> Session:
    """Close the present visit; `seconds`, where the event carries them, are the item's time so far."""
    spent = session.seconds_on(index, at) if seconds is None else seconds
    session = _with_item(session, index, replace(session.items[index], seconds=spent))
    return replace(session, arrived=None)


def _after_settling(session: Session, at: float) -> Session:
    """In a mock one may stay and change the answer; in practice, reading the feedback is not time on the question."""
    return replace(session, arrived=at) if session.mode == "mock" and session.closed is None else session


def _arrival(session: Session, at: float) -> float | None:
    over = session.items[session.index].handed_over if session.mode == "practice" else session.closed is not None
    return None if over else at


@dataclass(frozen=True)
class Summary:
    """How a session went. `asked` = right + wrong + shown + unmarked + unanswered."""

    asked: int
    right: int
    wrong: int
    shown: int
    unanswered: int
    flagged: int
    seconds: float
    """Time on all questions together."""
    unmarked: int = 0
    """Written answers that nobody marked."""


def summarise(session: Session) -> Summary:
    """Count the items of `session`."""
    right = sum(state.right for state in session.items)
    shown = sum(state.shown for state in session.items)
    settled = sum(state.settled for state in session.items)
    unmarked = len(session.waiting)
    return Summary(
        asked=len(session.items),
        right=right,
        wrong=settled - right - shown,
        shown=shown,
        unanswered=len(session.items) - settled - unmarked,
        flagged=sum(state.flagged for state in session.items),
        seconds=sum(state.seconds for state in session.items),
        unmarked=unmarked,
    )
