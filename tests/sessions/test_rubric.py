"""A written answer is marked point by point, weighed, and followed up as its band says."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.banks.model import FollowUp, ModelAnswerSet, RubricPoint, ShortQuestion
from specquiz.sessions.engine import ItemState, Reply
from specquiz.sessions.events import Answered, Wrote
from specquiz.sessions.rubric import (
    AskFollowUp,
    GradeReply,
    Marked,
    MarkPoints,
    band,
    is_right,
    missed,
    next_step,
    share,
    verdict_text,
)

GRADES = ("weak", "ok", "strong")
RUBRICS = st.lists(
    st.builds(RubricPoint, point=st.just("Says so."), weight=st.integers(1, 5), must=st.booleans()),
    min_size=3,
    max_size=6,
)


def rubric(*weights: int, must: int = -1) -> list[RubricPoint]:
    return [RubricPoint(point=f"p{n}", weight=w, must=n == must) for n, w in enumerate(weights)]


def made(*points: int) -> dict[int, bool]:
    return dict.fromkeys(points, True)


@pytest.mark.parametrize(
    ("weights", "points", "expected"),
    [
        ((1, 1, 1), (), "weak"),
        ((1, 1, 1), (0,), "weak"),
        ((1, 1), (0,), "ok"),
        ((1, 1, 1), (0, 1), "ok"),
        ((2, 1, 1, 1), (0, 1, 2), "strong"),
        ((2, 1, 1, 1), (1, 2, 3), "ok"),
        ((1,) * 6, (0, 1, 2), "ok"),
        ((1,) * 6, (0, 1, 2, 3, 4), "strong"),
        ((1, 1, 1), (0, 1, 2), "strong"),
    ],
)
def test_half_of_the_weight_is_ok_and_four_fifths_are_strong(
    weights: tuple[int, ...], points: tuple[int, ...], expected: str
) -> None:
    assert band(rubric(*weights), made(*points)) == expected


def test_without_a_point_that_must_be_made_the_answer_is_weak() -> None:
    assert band(rubric(1, 5, 5, must=0), made(1, 2)) == "weak"
    assert band(rubric(1, 5, 5, must=0), made(0, 1, 2)) == "strong"


@given(RUBRICS, st.sets(st.integers(0, 5)), st.integers(0, 5))
def test_making_one_more_point_never_lowers_the_band(points: list[RubricPoint], some: set[int], more: int) -> None:
    before, after = band(points, made(*some)), band(points, made(*some, more))
    assert GRADES.index(before) <= GRADES.index(after)


@given(RUBRICS, st.sets(st.integers(0, 5)))
def test_the_share_is_exact_and_what_is_missed_is_the_rest(points: list[RubricPoint], some: set[int]) -> None:
    marks = made(*some)
    lacking = sum(point.weight for point in missed(points, marks))
    total = sum(point.weight for point in points)
    assert share(points, marks) == 1 - Fraction(lacking, total)
    assert band(points, {}) == "weak"
    assert band(points, made(*range(6))) == "strong"


def test_ok_and_strong_count_as_right() -> None:
    assert [is_right(grade) for grade in ("weak", "ok", "strong")] == [False, True, True]


def test_the_verdict_says_what_was_not_said() -> None:
    said = verdict_text(rubric(2, 1, 2, must=0), made(1, 2))
    assert said == "3 of 5 by weight. A point that must be made is missing. Not said: p0."


# The tree of follow-ups


def leaf(name: str, *grades: str, under: tuple[FollowUp, ...] = ()) -> FollowUp:
    return FollowUp(grades=grades or GRADES, ask=name, listen_for=f"{name}!", follow_ups=under)  # type: ignore[arg-type]


TREE = (
    leaf("rescue", "weak", under=(leaf("simpler", "weak", "ok", under=(leaf("simplest"),)), leaf("back", "strong"))),
    leaf("deeper", "strong", under=(leaf("deepest"),)),
    leaf("never", "strong"),
)
QUESTION = ShortQuestion(
    id="q",
    concepts=("c",),
    level=1,
    prompt="?",
    explanation=".",
    rubric=tuple(rubric(1, 1, 1)),
    answers=ModelAnswerSet(junior="j", senior="s", staff="t"),
    follow_ups=TREE,
)


def settled(grade: str, *replies: Reply) -> ItemState:
    answered = Answered(at=1, session="s", index=0, text="x", outcome="correct", message="", seconds=1, band=grade)  # type: ignore[arg-type]
    return ItemState(answered=answered, replies=replies)


def handed_over(**marks: bool) -> ItemState:
    wrote = Wrote(at=1, session="s", index=0, text="x", done=True, seconds=1)
    return ItemState(written=wrote, marks={int(name[1:]): mark for name, mark in marks.items()})


def test_first_the_points_are_marked() -> None:
    assert next_step(QUESTION, handed_over(p1=False)) == MarkPoints((0, 2))
    assert next_step(QUESTION, handed_over(p0=True, p1=False, p2=True)) == MarkPoints(())


def test_the_first_follow_up_that_fits_the_band_is_put() -> None:
    assert next_step(QUESTION, settled("weak")) == AskFollowUp(TREE[0], 1)
    assert next_step(QUESTION, settled("strong")) == AskFollowUp(TREE[1], 1)
    assert next_step(QUESTION, settled("ok")) == Marked()


def test_a_reply_is_graded_before_the_next_follow_up_and_its_grade_leads_on() -> None:
    typed = Reply("rescue", "the weights")
    assert next_step(QUESTION, settled("weak", typed)) == GradeReply(TREE[0], 1, "the weights")
    graded = Reply("rescue", "the weights", "ok")
    assert next_step(QUESTION, settled("weak", graded)) == AskFollowUp(TREE[0].follow_ups[0], 2)
    strong = Reply("rescue", "the weights", "strong")
    assert next_step(QUESTION, settled("weak", strong)) == AskFollowUp(TREE[0].follow_ups[1], 2)


def test_an_answer_that_was_shown_has_no_follow_up() -> None:
    assert next_step(QUESTION, ItemState(shown=True)) == Marked()


@given(st.sampled_from(GRADES), st.lists(st.sampled_from(GRADES), min_size=3, max_size=3))
def test_whatever_the_grades_the_follow_ups_end_after_three_levels_at_most(first: str, grades: list[str]) -> None:
    state = settled(first)
    for level in range(1, 5):
        step = next_step(QUESTION, state)
        if isinstance(step, Marked):
            break
        assert isinstance(step, AskFollowUp)
        assert step.level == level <= 3
        assert (first if level == 1 else grades[level - 2]) in step.follow_up.grades
        state = settled(first, *state.replies, Reply(step.follow_up.ask, "", grades[level - 1]))  # type: ignore[arg-type]
    assert isinstance(next_step(QUESTION, state), Marked)
