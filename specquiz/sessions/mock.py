"""A timed mock interview: no feedback before the end, and a clock that a crash does not stop or stretch.

The deadline is a moment of wall time, fixed when the interview starts. Setting the clock back gives no more time, since
a sitting's time never runs backwards (`Sitting.now`).

Written answers are marked once the clock has stopped: a rubric read earlier would be feedback, and marking is no time
that the interview should cost. Then the follow-ups come, without a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from specquiz.answers import Invalid
from specquiz.errors import UsageError
from specquiz.sessions.engine import Session, begin
from specquiz.sessions.events import Closed, Finished, Left, Moved
from specquiz.sessions.planning import plan_mock
from specquiz.sessions.practice import nothing_to_ask, started
from specquiz.sessions.rubric import Step
from specquiz.sessions.sitting import Clock, Record, Sitting, Written

if TYPE_CHECKING:
    from specquiz.banks.library import Library


@dataclass(frozen=True)
class Saved:
    """The answer is recorded; whether it is right is said at the end."""

    read_as: str
    """How the text was read."""


@dataclass(frozen=True)
class OutOfTime:
    """The time had run out before this answer; the interview is over."""


class Mock(Sitting):
    """A mock interview in progress. Every method first looks at the clock and closes the interview when time is up."""

    def __init__(self, library: Library, session: Session, record: Record, clock: Clock, here: bool = False) -> None:
        super().__init__(library, session, record, clock, here)
        if session.deadline is None:
            raise ValueError("a mock interview has a deadline")
        self._deadline = session.deadline

    @property
    def phase(self) -> Literal["asking", "marking", "done"]:
        """`asking` until it is handed in or out of time; then `done`, with `marking` before it for written answers."""
        if self._session.finished is not None:
            return "done"
        return "asking" if self._session.closed is None else "marking"

    @property
    def deadline(self) -> float:
        """When time is up, in seconds since the epoch."""
        return self._deadline

    @property
    def answered(self) -> bool:
        """Whether the question at hand has an answer."""
        return self.state.handed_over

    @property
    def flagged(self) -> bool:
        """Whether the question at hand is flagged."""
        return self._session.items[self._session.index].flagged

    @property
    def unanswered(self) -> tuple[int, ...]:
        """Indices of the questions without an answer."""
        states = enumerate(self._session.items)
        return tuple(index for index, state in states if not state.handed_over and self._present(index))

    @property
    def to_mark(self) -> tuple[int, ...]:
        """Indices of the questions whose written answers wait to be marked; also what was not handed over counts."""
        return tuple(index for index in self._session.waiting if self._present(index))

    @property
    def flags(self) -> tuple[int, ...]:
        """Indices of the flagged questions."""
        return tuple(index for index, state in enumerate(self._session.items) if state.flagged)

    @property
    def step(self) -> Step | None:
        """As in every sitting; nothing is marked while the clock runs."""
        return None if self.phase == "asking" else super().step

    def remaining_seconds(self) -> float:
        """Time left, 0 when it is up."""
        return max(0.0, self._deadline - self.now())

    def expire(self) -> bool:
        """Close the interview if its time is up. Returns whether answering is over."""
        if self.phase == "asking" and self.now() >= self._deadline:
            if not self._here:
                # The last visit was cut off by a crash; the time away is no time on its question.
                self._record(Left(at=self._session.last_at, session=self._session.id))
            self._close("time", self._deadline)
        return self.phase != "asking"

    def answer(self, text: str) -> Saved | Invalid | OutOfTime:
        """Record an answer (the latest counts) and go to the next unanswered question; invalid input costs nothing."""
        if self.expire():
            return OutOfTime()
        verdict = self._judged(text)
        if isinstance(verdict, Invalid):
            return verdict
        self._to_next_unanswered()
        return Saved(read_as="" if isinstance(verdict, Written) else verdict.read_as)

    def skip(self) -> bool:
        """Go to the next question, from the last to the first. Returns False when there is no other, or time is up."""
        here, count = self._session.index, len(self._session.items)
        return any(self.go((here + step) % count) for step in range(1, count))

    def back(self) -> bool:
        """Go to the question before. Returns False when there is none, or time is up."""
        return any(self.go(index) for index in reversed(range(self._session.index)))

    def go(self, index: int) -> bool:
        """Go to a question by index, from 0. Returns False when there is none, or the interview is over."""
        if self.expire() or not self._present(index):
            return False
        self._move(index)
        return True

    def flag(self) -> bool:
        """Flag the question at hand, or take its flag off. Returns whether it is flagged now."""
        return self.flagged if self.expire() else super().flag()

    def hint(self) -> None:
        """There are no hints in an interview."""
        return

    def finish(self, how: Literal["done", "discarded"] = "done") -> None:
        """Hand in. Written answers are marked next; called again, it ends the interview with what is marked."""
        if self.phase == "marking":
            self._end()
        elif not self.expire():
            if how == "done":
                self._close("done", self.now())
            else:
                self._record(Finished(at=self.now(), session=self._session.id, how=how))

    def advance(self) -> None:
        """After a written answer is marked, go to the next one; after the last the interview is done.

        Raises:
            ValueError: no answers are being marked.
        """
        if self.phase != "marking":
            raise ValueError("no answers are being marked now")
        if self.to_mark:
            self._move(self.to_mark[0])
        else:
            self._end()

    def keep_draft(self, text: str) -> None:
        """Record what is being written, if there is time left."""
        if not self.expire():
            super().keep_draft(text)

    def come_back(self) -> None:
        """Note that the learner is here again; close the interview if its time ran out meanwhile."""
        super().come_back()
        if self.phase == "marking":
            if not self._present(self._session.index):
                self.advance()
        elif not self.expire() and not self._present(self._session.index) and not self.skip():
            self.finish("discarded")

    def _close(self, how: Literal["done", "time"], at: float) -> None:
        """Stop the clock at a moment; if there is nothing to mark, that is the end."""
        if not self.to_mark:
            self._record(Finished(at=at, session=self._session.id, how=how))
            return
        self._record(Closed(at=at, session=self._session.id, how=how))
        self._move(self.to_mark[0])

    def _end(self) -> None:
        closed = self._session.closed
        self._record(Finished(at=self.now(), session=self._session.id, how=closed.how if closed else "done"))

    def _to_next_unanswered(self) -> None:
        here, count = self._session.index, len(self._session.items)
        around = [(here + step) % count for step in range(1, count)]
        following = next((index for index in around if index in self.unanswered), None)
        if following is not None:
            self._move(following)

    def _move(self, index: int) -> None:
        self._record(Moved(at=self.now(), session=self._session.id, index=index))


def time_left(remaining: float, total: float) -> str:
    """What to say of an interview's seconds left, of all that were allowed; empty while there are plenty."""
    if remaining <= 0:
        return "time is up"
    if remaining <= 60:
        return "less than a minute left"
    if remaining <= total / 5:
        return "less than a fifth of the time left"
    if remaining <= total / 2:
        return "half of the time is gone"
    return ""


def start_mock(
    library: Library,
    bank_ids: Sequence[str],
    *,
    minutes: float,
    seed: int,
    record: Record,
    clock: Clock,
    count: int | None = None,
    written: int = 0,
) -> Mock:
    """Plan a mock interview (see `plan_mock`), record that it began, and start its clock.

    Raises:
        SpecquizError: there is no question to ask, or no bank of that name, or no time.
    """
    if not 0 < minutes <= 24 * 60:
        raise UsageError("An interview lasts more than 0 minutes and at most 24 hours.", where="--minutes")
    items = plan_mock(library, bank_ids, minutes, seed, count, written)
    if not items:
        raise nothing_to_ask(bank_ids)
    event = started("mock", library, bank_ids, items, seed, clock(), seconds=minutes * 60)
    record(event)
    return Mock(library, begin(event), record, clock, here=True)


def resume_mock(library: Library, session: Session, record: Record, clock: Clock) -> Mock:
    """Sit down again with the time that is left; an interview whose time ran out meanwhile is closed as `time`."""
    mock = Mock(library, session, record, clock)
    mock.come_back()
    return mock
