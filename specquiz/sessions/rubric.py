"""How a written answer is marked: point by point, then as a whole, then follow-up by follow-up. Pure.

The points of the rubric that are made are weighed. The answer is `weak` if a `must` point is missing or less than half
of the weight is made, `strong` if at least four fifths are made, and `ok` in between. `ok` and `strong` count as right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from specquiz.banks.model import FollowUp, Grade, RubricPoint, ShortQuestion
from specquiz.sessions.engine import ItemState

OK = Fraction(1, 2)
"""The share of the weight from which an answer is not weak."""
STRONG = Fraction(4, 5)
"""The share of the weight from which an answer is strong."""


def share(rubric: Sequence[RubricPoint], marks: Mapping[int, bool]) -> Fraction:
    """The weight of the points made over that of all points; what is not marked is not made."""
    made = sum(point.weight for place, point in enumerate(rubric) if marks.get(place))
    return Fraction(made, sum(point.weight for point in rubric))


def band(rubric: Sequence[RubricPoint], marks: Mapping[int, bool]) -> Grade:
    """The answer as a whole: `weak`, `ok` or `strong`."""
    made = share(rubric, marks)
    if made < OK or any(point.must for point in missed(rubric, marks)):
        return "weak"
    return "strong" if made >= STRONG else "ok"


def missed(rubric: Sequence[RubricPoint], marks: Mapping[int, bool]) -> tuple[RubricPoint, ...]:
    """The points that the answer does not make."""
    return tuple(point for place, point in enumerate(rubric) if not marks.get(place))


def is_right(grade: Grade) -> bool:
    """Whether an answer of this band counts as right."""
    return grade != "weak"


def reason(rubric: Sequence[RubricPoint], marks: Mapping[int, bool]) -> str:
    """What the band rests on, in a sentence or two."""
    weight = sum(point.weight for point in rubric)
    lacks = any(point.must for point in missed(rubric, marks))
    made = f"{share(rubric, marks) * weight} of {weight} by weight."
    return f"{made} A point that must be made is missing." if lacks else made


def verdict_text(rubric: Sequence[RubricPoint], marks: Mapping[int, bool]) -> str:
    """What the band rests on, and the points that were not made, in sentences."""
    lacking = [" ".join(point.point.split()).rstrip(".") for point in missed(rubric, marks)]
    return " ".join([reason(rubric, marks), *(f"Not said: {point}." for point in lacking)])


@dataclass(frozen=True)
class MarkPoints:
    """The rubric is to be marked."""

    open: tuple[int, ...]
    """The points without a mark, from 0; when there are none, the marks can be settled."""


@dataclass(frozen=True)
class AskFollowUp:
    """A follow-up is to be put."""

    follow_up: FollowUp
    level: int
    """1 for a follow-up to the answer itself, up to 3."""


@dataclass(frozen=True)
class GradeReply:
    """A reply is to be graded."""

    follow_up: FollowUp
    level: int
    text: str


@dataclass(frozen=True)
class Marked:
    """Nothing is left to be done."""


Step = MarkPoints | AskFollowUp | GradeReply | Marked


def next_step(question: ShortQuestion, state: ItemState) -> Step:
    """What comes next for a written answer that has been handed over."""
    if not state.settled:
        return MarkPoints(tuple(place for place in range(len(question.rubric)) if place not in state.marks))
    grade = state.answered.band if state.answered is not None and not state.shown else ""
    tree: Sequence[FollowUp] = question.follow_ups
    for level in range(1, len(state.replies) + 2):
        follow_up = next((node for node in tree if grade in node.grades), None)
        if follow_up is None:
            break
        if level > len(state.replies):
            return AskFollowUp(follow_up, level)
        reply = state.replies[level - 1]
        if reply.grade is None:
            return GradeReply(follow_up, level, reply.text)
        grade, tree = reply.grade, follow_up.follow_ups
    return Marked()
