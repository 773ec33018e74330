"""Practice: a question, an answer, the reason at once, the next question."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from specquiz import __version__
from specquiz.answers import Correct, Verdict, Wrong
from specquiz.errors import SpecquizError
from specquiz.sessions.engine import Session, Summary, begin, summarise
from specquiz.sessions.events import Finished, Item, Moved, SessionStarted, Shown
from specquiz.sessions.history import Attempt, QuestionKey
from specquiz.sessions.planning import bank_digest, plan_practice
from specquiz.sessions.sitting import Clock, Record, Sitting, Written

if TYPE_CHECKING:
    from specquiz.banks.library import Library

Phase = Literal["asking", "marking", "feedback", "done"]


class Practice(Sitting):
    """A practice in progress. Every answer is in the log before a method returns."""

    def __init__(self, library: Library, session: Session, record: Record, clock: Clock, here: bool = False) -> None:
        super().__init__(library, session, record, clock, here)
        self._verdict: Verdict | None = None

    @property
    def phase(self) -> Phase:
        """`asking` until the question at hand is answered or shown, then `feedback`; `done` after the last.

        A written answer is in `marking` before its feedback.
        """
        if self._session.finished is not None:
            return "done"
        if self.state.settled:
            return "feedback"
        return "marking" if self.state.handed_over else "asking"

    @property
    def last_verdict(self) -> Verdict | None:
        """The verdict on the question at hand; after a resume it is the recorded one. None if the answer was shown."""
        if self._verdict is None and self.phase == "feedback":
            answered = self._session.items[self._session.index].answered
            if answered is not None:
                make = Correct if answered.outcome == "correct" else Wrong
                return make(message=answered.message)
        return self._verdict

    def answer(self, text: str) -> Verdict | Written:
        """Judge and record an answer; invalid input is neither recorded nor counted, a written answer is marked next.

        Raises:
            ValueError: the question at hand is already settled.
        """
        self._require_asking()
        verdict = self._judged(text)
        self._verdict = None if isinstance(verdict, Written) else verdict
        return verdict

    def show(self) -> str:
        """“I don't know, show me”: record that the answer was shown, and return it."""
        self._require_asking()
        now = self.now()
        index = self._session.index
        seconds = self._session.seconds_on(index, now)
        self._record(Shown(at=now, session=self._session.id, index=index, seconds=seconds))
        self._verdict = None
        return self.solution

    def advance(self) -> None:
        """Go to the next question, or finish after the last. An open question is left unanswered."""
        if self.phase != "done":
            self._go_on()

    def finish(self, how: Literal["done", "discarded"] = "done") -> None:
        """End the session for good."""
        if self.phase != "done":
            self._record(Finished(at=self.now(), session=self._session.id, how=how))

    def summary(self) -> Summary:
        """How it went so far."""
        return summarise(self._session)

    def missed_items(self) -> tuple[Item, ...]:
        """Items answered wrong, shown, or left unanswered, whose questions are still there."""
        pairs = zip(self._session.plan, self._session.items, self._questions, strict=True)
        return tuple(item for item, state, question in pairs if question is not None and not state.right)

    def come_back(self) -> None:
        """Note that the learner is here again; go on if the question at hand has left its bank."""
        super().come_back()
        if self.phase != "done" and not self._present(self._session.index):
            self._go_on()

    def _go_on(self) -> None:
        self._verdict = None
        following = (i for i in range(self._session.index + 1, len(self._session.items)) if self._present(i))
        index = next(following, None)
        if index is None:
            self.finish()
        else:
            self._record(Moved(at=self.now(), session=self._session.id, index=index))

    def _require_asking(self) -> None:
        if self.phase != "asking":
            raise ValueError("this question is already settled")


def start_practice(
    library: Library,
    bank_ids: Sequence[str],
    *,
    count: int | None,
    seed: int,
    record: Record,
    clock: Clock,
    only: Collection[QuestionKey] | None = None,
    history: Mapping[QuestionKey, Attempt] | None = None,
) -> Practice:
    """Plan a practice (see `plan_practice`), record that it began, and sit down to it.

    Raises:
        SpecquizError: there is no question to practise, or no bank of that name.
    """
    items = plan_practice(library, bank_ids, count, seed, only, history)
    if not items:
        raise nothing_to_ask(bank_ids)
    event = started("practice", library, bank_ids, items, seed, clock())
    record(event)
    return Practice(library, begin(event), record, clock, here=True)


def resume_practice(library: Library, session: Session, record: Record, clock: Clock) -> Practice:
    """Sit down again to an open practice, at the question where it was left."""
    practice = Practice(library, session, record, clock)
    practice.come_back()
    return practice


def started(
    mode: Literal["practice", "mock"],
    library: Library,
    bank_ids: Sequence[str],
    items: tuple[Item, ...],
    seed: int,
    now: float,
    seconds: float | None = None,
) -> SessionStarted:
    """The event that opens a session over these banks (empty: all)."""
    banks = [library.bank(id) for id in bank_ids] if bank_ids else library.banks
    return SessionStarted(
        at=now,
        session=secrets.token_hex(8),
        mode=mode,
        seed=seed,
        items=items,
        seconds=seconds,
        banks={bank.id: bank_digest(bank) for bank in banks},
        program=__version__,
    )


def nothing_to_ask(bank_ids: Sequence[str]) -> SpecquizError:
    """The error for a plan without questions."""
    return SpecquizError(
        "There is no question to ask.",
        where=", ".join(bank_ids) or None,
        remedy="`specquiz bank list` shows the banks and how many questions each has.",
    )
