"""What every session in progress can do, whatever its rules: show the question at hand, and record before it changes.

A `Sitting` holds an immutable `Session` and puts each event into the log before it takes effect, so that nothing is
ever drawn that could still be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from specquiz.answers import Invalid, Verdict
from specquiz.banks.model import ShortQuestion
from specquiz.sessions.engine import ItemState, Session, apply
from specquiz.sessions.events import (
    Answered,
    AnyEvent,
    Flagged,
    HintTaken,
    Item,
    Left,
    PointMarked,
    Replied,
    ReplyGraded,
    Resumed,
    SessionEvent,
    Wrote,
)
from specquiz.sessions.judging import MAX_ANSWER, fits, judge, options, right_order, solution
from specquiz.sessions.rubric import (
    AskFollowUp,
    GradeReply,
    MarkPoints,
    Step,
    band,
    is_right,
    next_step,
    verdict_text,
)

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.banks.model import AnyQuestion, Grade
    from specquiz.banks.primers import Place

Record = Callable[[AnyEvent], None]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Written:
    """A written answer is recorded; a person marks it."""


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
    def right_order(self) -> tuple[str, ...]:
        """The texts of the items in the right order; empty where nothing is to be put in order."""
        return right_order(self.question)

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

    @property
    def state(self) -> ItemState:
        """What has happened to the question at hand."""
        return self._session.items[self._session.index]

    @property
    def written(self) -> str:
        """The text of the written answer at hand, as far as it is recorded."""
        return self.state.written.text if self.state.written is not None else ""

    @property
    def step(self) -> Step | None:
        """What comes next in marking the written answer at hand; None if it is no such question or none is given."""
        question, state = self.question, self.state
        given = state.handed_over or (state.waiting and self._session.closed is not None)
        return next_step(question, state) if given and isinstance(question, ShortQuestion) else None

    def keep_draft(self, text: str) -> None:
        """Record the text of a written answer while it is being written, if it has changed.

        What was handed over already stays the answer until something else is.
        """
        writes = self._session.finished is None and self._session.closed is None and not self.state.handed_over
        if writes and isinstance(self.question, ShortQuestion) and text != self.written and len(text) <= MAX_ANSWER:
            self._record_text(text, done=False)

    def mark(self, point: int, made: bool) -> None:
        """Mark whether the written answer makes a point of the rubric, from 0; the latest mark counts.

        Raises:
            ValueError: the answer does not wait for marks.
        """
        if not isinstance(self.step, MarkPoints):
            raise ValueError("no point is to be marked now")
        event = PointMarked(at=self.now(), session=self._session.id, index=self._session.index, point=point, made=made)
        self._record(event)

    def settle(self) -> Grade:
        """Judge the written answer by its marks, and record it.

        Raises:
            ValueError: a point has no mark yet.
        """
        step, question = self.step, self.question
        if not isinstance(step, MarkPoints) or step.open or not isinstance(question, ShortQuestion):
            raise ValueError("there are points without a mark")
        marks = self.state.marks
        graded = band(question.rubric, marks)
        outcome: Literal["correct", "wrong"] = "correct" if is_right(graded) else "wrong"
        self._record_answer(self.written, outcome, verdict_text(question.rubric, marks), self.state.seconds, graded)
        return graded

    def reply(self, text: str) -> None:
        """Record what is replied to the follow-up at hand; it may be empty.

        Raises:
            ValueError: no follow-up is to be put.
        """
        step = self.step
        if not isinstance(step, AskFollowUp):
            raise ValueError("no follow-up is to be put now")
        asked, index = step.follow_up.ask, self._session.index
        event = Replied(at=self.now(), session=self._session.id, index=index, asked=asked, text=text[:MAX_ANSWER])
        self._record(event)

    def grade(self, grade: Grade) -> None:
        """Grade the reply at hand.

        Raises:
            ValueError: no reply waits for its grade.
        """
        if not isinstance(self.step, GradeReply):
            raise ValueError("no reply is to be graded now")
        self._record(ReplyGraded(at=self.now(), session=self._session.id, index=self._session.index, grade=grade))

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

    def _judged(self, text: str) -> Verdict | Written:
        """Judge an answer to the question at hand, and record it; invalid input is no answer and leaves no trace."""
        if isinstance(self.question, ShortQuestion):
            return self._taken_down(text)
        verdict = judge(self.question, self.item, text)
        if not isinstance(verdict, Invalid):
            seconds = self._session.seconds_on(self._session.index, self.now())
            self._record_answer(text, verdict.outcome, verdict.message, seconds)
        return verdict

    def _taken_down(self, text: str) -> Written | Invalid:
        if not text.strip():
            return Invalid(message="Write an answer; a few sentences will do.")
        if len(text) > MAX_ANSWER:
            return Invalid(message=f"That is {len(text)} characters long; an answer has at most {MAX_ANSWER}.")
        self._record_text(text, done=True)
        return Written()

    def _record_text(self, text: str, *, done: bool) -> None:
        now, index = self.now(), self._session.index
        seconds = self._session.seconds_on(index, now)
        self._record(Wrote(at=now, session=self._session.id, index=index, text=text, done=done, seconds=seconds))

    def _record_answer(
        self, text: str, outcome: Literal["correct", "wrong"], message: str, seconds: float, band: Grade | None = None
    ) -> None:
        event = Answered(
            at=self.now(),
            session=self._session.id,
            index=self._session.index,
            text=text,
            outcome=outcome,
            message=message,
            seconds=seconds,
            band=band or "",
        )
        self._record(event)

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
