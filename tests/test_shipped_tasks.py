"""What a learner may rely on where a shipped question asks for a few sentences or for an n-gram lookup by hand.

A rule goes through all questions in one test, and its failure lists every question that breaks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from shipped import QUESTIONS, expect_no_faults

from specquiz.banks.model import FollowUp, ShortQuestion, TraceQuestion
from specquiz.theory.proposers import propose_ngram

SHORTS = [question for question in QUESTIONS if isinstance(question, ShortQuestion)]
LOOKUPS = [
    question
    for question in QUESTIONS
    if isinstance(question, TraceQuestion) and "Which tokens does the drafter propose?" in question.prompt
]


def levels(tree: Sequence[FollowUp]) -> int:
    return max((1 + levels(node.follow_ups) for node in tree), default=0)


# --- written answers ---


def test_a_written_answer_has_points_to_mark_and_one_it_cannot_do_without() -> None:
    def faults(question: ShortQuestion) -> Iterator[str]:
        if not 3 <= len(question.rubric) <= 6:
            yield f"its rubric has {len(question.rubric)} points"
        if not any(point.must for point in question.rubric):
            yield "no point is a must"

    expect_no_faults(SHORTS, faults)


def test_the_model_answers_of_seniors_say_more_than_the_junior_one() -> None:
    def faults(question: ShortQuestion) -> Iterator[str]:
        answers = (question.answers.junior, question.answers.senior, question.answers.staff)
        junior, senior, staff = (len(answer.split()) for answer in answers)
        if junior >= min(senior, staff):
            yield f"its answers have {junior}, {senior} and {staff} words"

    expect_no_faults(SHORTS, faults)


@pytest.mark.parametrize("grade", ["weak", "strong"])
def test_follow_ups_go_three_levels_deep(grade: str) -> None:
    def faults(question: ShortQuestion) -> Iterator[str]:
        depth = levels([node for node in question.follow_ups if grade in node.grades])
        if depth != 3:
            yield f"after a {grade} answer they go {depth} levels deep"

    expect_no_faults(SHORTS, faults)


# --- lookups ---


def test_what_the_ngram_drafter_proposes_is_what_its_rule_gives() -> None:
    def faults(question: TraceQuestion) -> Iterator[str]:
        proposed = looked_up(question)
        if proposed != question.answer:
            yield f"the rule proposes {' '.join(proposed)}"

    expect_no_faults(LOOKUPS, faults)


def looked_up(question: TraceQuestion) -> tuple[str, ...]:
    """What the drafter proposes with the settings and the context in the prompt."""
    least, most, drafted = (
        int(re.findall(rf"{setting} (\d+)", question.prompt)[0])
        for setting in ("prompt_lookup_min", "prompt_lookup_max", "num_speculative_tokens")
    )
    (context,) = re.findall(r"(?m)^ {4}(.+)$", question.prompt)
    words = context.split()
    ids = {word: number for number, word in enumerate(dict.fromkeys(words))}
    proposed = propose_ngram([ids[word] for word in words], drafted, least, most)
    return tuple(list(ids)[number] for number in proposed)


def test_lookups_are_asked_for_by_hand() -> None:
    assert len(LOOKUPS) >= 4
