"""What every session in progress can do, whatever its rules: show the question at hand, and record before it changes.

A `Sitting` holds an immutable `Session` and puts each event into the log before it takes effect, so that nothing is
ever drawn that could still be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from specquiz.answers import Invalid, Verdict
from specquiz.sessions.engine import Session, apply
from specquiz.sessions.events import Answered, AnyEvent, Flagged, HintTaken, Item, Left, Resumed, SessionEvent
from specquiz.sessions.judging import fits, judge, options, solution

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.banks.model import AnyQuestion
    from specquiz.banks.primers import Place

Record = Callable[[AnyEvent], None]
Clock = Callable[[], float]


class Sitting:
    """A session that someone sits at.

    Args:
        library: where the questions are.
        session: the session so far.
        record: commits an event to the log before it returns.
        clock: seconds since the epoch. It may be set back; the sitting's own time never runs backwards.
        here: whether the learner is at it already; else they are awaited (`come_back`).
    """

    def __init__(self, library: Library, session: Session, record: Record, clock: Clock, here: bool = False) -> None:
        self._library = library
        self._session = session
        self._commit = record
        self._clock = clock
        self._here = here
        self._latest = session.last_at
        self._ahead = 0.0
        self._questions = tuple(_question_of(library, item) for item in session.plan)
        self._notes = [
            _missing_note(library, item) for item, q in zip(session.plan, self._questions, strict=True) if not q
        ]

    @property
    def session(self) -> Session:
        """Everything that has happened so far."""
        return self._session

    @property
    def item(self) -> Item:
        """The question at hand as this session puts it."""
        return self._session.plan[self._session.index]

    @property
    def question(self) -> AnyQuestion:
        """The question at hand.

        Raises:
            LookupError: the bank no longer has it (only possible when the session is over).
        """
        question = self._questions[self._session.index]
        if question is None:
            raise LookupError(f"{self.item.bank} has no question {self.item.question}")
        return question

    def question_at(self, index: int) -> AnyQuestion | None:
        """The question of item `index`; None where there is no such item or its question is gone."""
        return self._questions[index] if self._present(index) else None

    def primer_at(self, index: int) -> Place | None:
        """Where primers speak of the main concept of item `index`; None where none does."""
        from specquiz.banks.primers import place_of

        question = self.question_at(index)
        concept = self._library.concepts.get(question.concepts[0]) if question is not None else None
        return place_of(concept, self._library.primers) if concept is not None else None

    @property
    def prompt(self) -> str:
        """The prompt with the variant's values filled in."""
        return self._fill(self.question.prompt)

    @property
    def explanation(self) -> str:
        """The explanation with the variant's values filled in."""
        return self._fill(self.question.explanation)

    @property
    def solution(self) -> str:
        """The right answer, readable."""
        return solution(self.question, self.item)

    @property
    def choices(self) -> list[tuple[str, str]]:
        """(id, text) of each choice, or item to be ordered, in the order shown; empty where there are none."""
        texts = {option.id: option.text for option in options(self.question)}
        return [(id, texts[id]) for id in self.item.choices]

    @property
    def position(self) -> tuple[int, int]:
        """(which question, of how many), from 1."""
        return self._session.index + 1, len(self._session.items)

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints taken on the question at hand."""
        taken = self._session.items[self._session.index].hints
        return tuple(self._fill(hint) for hint in self.question.hints[:taken])

    @property
    def seconds(self) -> float:
        """Time on the question at hand so far."""
        return self._session.seconds_on(self._session.index, self.now())

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences the learner should read once at the start, such as which questions are gone from their banks."""
        return tuple(self._notes)

    def now(self) -> float:
        """Seconds since the epoch, never earlier than anything recorded nor than the last reading."""
        now = self._clock() + self._ahead
        if now < self._latest:
            self._ahead += self._latest - now
            now = self._latest
        self._latest = now
        return now

    def hint(self) -> str | None:
        """Take one more hint; None when there is no further one."""
        taken = len(self.hints)
        if taken >= len(self.question.hints) or self._session.finished:
            return None
        self._record(HintTaken(at=self.now(), session=self._session.id, index=self._session.index))
        return self._fill(self.question.hints[taken])

    def flag(self) -> bool:
        """Flag the question at hand, or take its flag off. Returns whether it is flagged now."""
        on = not self._session.items[self._session.index].flagged
        self._record(Flagged(at=self.now(), session=self._session.id, index=self._session.index, on=on))
        return self._session.items[self._session.index].flagged

    def leave(self) -> None:
        """Leave in order: the session stays open and the time so far is kept."""
        if self._session.finished is None and self._session.arrived is not None:
            self._record(Left(at=self.now(), session=self._session.id))

    def come_back(self) -> None:
        """Note that the learner is here again; the present visit begins now."""
        self._here = True
        if self._session.finished is None:
            self._record(Resumed(at=self.now(), session=self._session.id))

    def _judged(self, text: str) -> Verdict:
        """Judge an answer to the question at hand, and record it; invalid input is no answer and leaves no trace."""
        verdict = judge(self.question, self.item, text)
        if not isinstance(verdict, Invalid):
            now = self.now()
            self._record(
                Answered(
                    at=now,
                    session=self._session.id,
                    index=self._session.index,
                    text=text,
                    outcome=verdict.outcome,
                    message=verdict.message,
                    seconds=self._session.seconds_on(self._session.index, now),
                )
            )
        return verdict

    def _record(self, event: SessionEvent) -> None:
        self._commit(event)
        self._session = apply(self._session, event)

    def _fill(self, text: str) -> str:
        from specquiz.banks.variants import fill

        return fill(text, self.item.values)

    def _present(self, index: int) -> bool:
        """Whether item `index` exists and its question is still there."""
        return 0 <= index < len(self._questions) and self._questions[index] is not None


def _question_of(library: Library, item: Item) -> AnyQuestion | None:
    question = library.question(item.bank, item.question)
    return question if question is not None and fits(question, item) else None


def _missing_note(library: Library, item: Item) -> str:
    gone = library.question(item.bank, item.question) is None
    why = "is no longer in its bank" if gone else "was changed since this session began"
    return f"The question {item.question} ({item.bank}) {why}, so it is passed over."
