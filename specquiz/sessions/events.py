"""Everything that can happen, as immutable records. The log is a list of these; whatever is shown is folded from them.

An event says what happened and when (`at`, seconds since the epoch, UTC); it never says what to draw. Fields are only
ever added, with a default, so that an old log stays readable.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Something that happened at a moment."""

    at: float


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One question as this session puts it: the variant and the order of the choices are drawn once and kept."""

    bank: str
    question: str
    values: dict[str, str] = {}
    """Variable name to the variant's number, as written in the bank."""
    choices: tuple[str, ...] = ()
    """Ids of the choices, or of the items to be ordered, in the order shown."""


class SessionStarted(Event, frozen=True, kw_only=True, tag="session_started"):
    """A practice or a mock interview began with these items."""

    session: str
    mode: Literal["practice", "mock"]
    seed: int
    items: tuple[Item, ...]
    seconds: float | None = None
    """Time allowed, for a mock."""
    banks: dict[str, str] = {}
    """Id of each bank drawn from, to the digest of its content (`planning.bank_digest`)."""
    program: str = ""
    """Version of the program."""


class Answered(Event, frozen=True, kw_only=True, tag="answered"):
    """An answer was given and judged. Invalid input is not an answer and makes no event."""

    session: str
    index: int
    """Position of the item in the session, from 0."""
    text: str
    """What was typed; for choices the chosen ids and for an order all ids in it, separated by spaces."""
    outcome: Literal["correct", "wrong"]
    message: str
    """The reason given to the learner (in a mock it is shown at the end)."""
    seconds: float
    """Time spent on the item, over all visits."""
    band: Literal["", "weak", "ok", "strong"] = ""
    """How a written answer was marked against its rubric; empty where there is no rubric."""


class Wrote(Event, frozen=True, kw_only=True, tag="wrote"):
    """The text of a written answer as it stands; it is judged once a person has marked it."""

    session: str
    index: int
    text: str
    done: bool
    """Whether it was handed over; else it is being written."""
    seconds: float
    """Time spent on the item, over all visits."""


class PointMarked(Event, frozen=True, kw_only=True, tag="point_marked"):
    """Someone marked whether a written answer makes a point of its rubric; the latest mark counts."""

    session: str
    index: int
    point: int
    """Which point, from 0."""
    made: bool


class Replied(Event, frozen=True, kw_only=True, tag="replied"):
    """A follow-up to a written answer was asked and answered, perhaps with nothing."""

    session: str
    index: int
    asked: str
    """The follow-up as it was put."""
    text: str


class ReplyGraded(Event, frozen=True, kw_only=True, tag="reply_graded"):
    """Someone graded the latest reply."""

    session: str
    index: int
    grade: Literal["weak", "ok", "strong"]


class Closed(Event, frozen=True, kw_only=True, tag="closed"):
    """The clock of a mock interview has stopped, and written answers wait to be marked."""

    session: str
    how: Literal["done", "time"]


class Shown(Event, frozen=True, kw_only=True, tag="shown"):
    """The learner asked to be shown the answer; it counts as not right."""

    session: str
    index: int
    seconds: float


class HintTaken(Event, frozen=True, kw_only=True, tag="hint_taken"):
    """The learner read one more hint."""

    session: str
    index: int


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """The learner went to another item (next after feedback, skip or back in a mock)."""

    session: str
    index: int


class Flagged(Event, frozen=True, kw_only=True, tag="flagged"):
    """The learner flagged an item, or took the flag off."""

    session: str
    index: int
    on: bool


class Finished(Event, frozen=True, kw_only=True, tag="finished"):
    """The session ended: done, out of time, or left for good."""

    session: str
    how: Literal["done", "time", "discarded"]


class Left(Event, frozen=True, kw_only=True, tag="left"):
    """The learner left in order; the session stays open and the time spent so far is kept."""

    session: str


class Resumed(Event, frozen=True, kw_only=True, tag="resumed"):
    """The learner came back to an open session. Time away is nobody's time on a question."""

    session: str


class LabUnlocked(Event, frozen=True, kw_only=True, tag="lab_unlocked"):
    """A lab opened and stays open."""

    lab: str
    how: Literal["mastery", "override"]


class LabPredicted(Event, frozen=True, kw_only=True, tag="lab_predicted"):
    """The learner committed predictions, before anything was launched."""

    run: str
    lab: str
    profile: str
    predictions: dict[str, str]
    """Prediction id to the number as typed."""
    written: dict[str, dict[str, str | int | float | bool]] = {}
    """In a challenge: arm to the speculative config that the learner wrote."""
    nonce: str = ""
    """What the evidence of this run will carry; empty for predictions that came later in it."""


class LabFinished(Event, frozen=True, kw_only=True, tag="lab_finished"):
    """A lab run ended, with evidence or without."""

    run: str
    lab: str
    outcome: Literal["passed", "failed", "not_gradable", "broken"]
    evidence: str = ""
    """Path of the evidence file."""
    digest: str = ""
    """The SHA-256 that the evidence carries."""
    observed: str = ""
    """The SHA-256 of what the arms observed, whatever was predicted (`evidence.observed`)."""
    reason: str = ""
    score: float | None = None
    """What the run scored in a challenge."""


SessionEvent = (
    SessionStarted
    | Answered
    | Wrote
    | PointMarked
    | Replied
    | ReplyGraded
    | Shown
    | HintTaken
    | Moved
    | Flagged
    | Closed
    | Finished
    | Left
    | Resumed
)

AnyEvent = SessionEvent | LabUnlocked | LabPredicted | LabFinished
