"""Mastery counts the latest answer to each distinct question."""

from __future__ import annotations

from dataclasses import dataclass, field

from specquiz.banks.model import Bank, Concept, TraceQuestion
from specquiz.sessions.events import Answered, AnyEvent, Finished, Item, SessionStarted, Shown
from specquiz.sessions.history import Attempt, latest_attempts
from specquiz.sessions.mastery import ConceptMastery, mastery


def question(id: str, *concepts: str) -> TraceQuestion:
    return TraceQuestion(id=id, concepts=concepts, level=1, prompt="?", explanation="!", answer=("x",))


@dataclass(frozen=True)
class Shelf:
    """Banks and concepts, which is all that mastery looks at."""

    banks: tuple[Bank, ...]
    concepts: dict[str, Concept] = field(default_factory=dict)


SHELF = Shelf(
    (
        Bank(id="b", title="B", questions=tuple(question(f"q{n}", "alpha") for n in range(4))),
        Bank(id="c", title="C", questions=(question("q0", "alpha", "cost"), question("q1", "cost"))),
    ),
    {"alpha": Concept(slug="alpha", name="α", group="g"), "idle": Concept(slug="idle", name="Idle", group="g")},
)


def session(
    id: str, at: float, *asked: tuple[str, str, str], mode: str = "practice", end: bool = False
) -> list[AnyEvent]:
    items = tuple(Item(bank=bank, question=name) for bank, name, _ in asked)
    events: list[AnyEvent] = [SessionStarted(at=at, session=id, mode=mode, seed=1, items=items)]  # type: ignore[arg-type]
    for index, (_, _, outcome) in enumerate(asked):
        at += 1
        if outcome == "shown":
            events.append(Shown(at=at, session=id, index=index, seconds=1))
        else:
            events.append(
                Answered(at=at, session=id, index=index, text="x", outcome=outcome, message="", seconds=1)  # type: ignore[arg-type]
            )
    return [*events, Finished(at=at + 1, session=id, how="done")] if end else events


def of(concept: str, events: list[AnyEvent]) -> ConceptMastery:
    return mastery(events, SHELF)[concept]  # type: ignore[arg-type]


def test_nothing_answered_reaches_nothing_not_even_a_bound_of_zero() -> None:
    assert of("alpha", []) == ConceptMastery(right=0, answered=0, needed=3)
    assert not of("alpha", []).reached(0)


def test_three_distinct_answers_are_needed() -> None:
    events = session("s", 0, ("b", "q0", "correct"), ("b", "q1", "correct"))
    assert of("alpha", events).share == 1
    assert not of("alpha", events).reached(0.75)
    events += session("t", 10, ("b", "q2", "correct"))
    assert of("alpha", events).reached(0.75)


def test_answering_one_question_three_times_is_one_answer() -> None:
    events = session("s", 0, *[("b", "q0", "correct")] * 3)
    assert of("alpha", events).answered == 1


def test_where_there_are_fewer_than_three_questions_all_are_needed() -> None:
    events = session("s", 0, ("c", "q0", "correct"))
    assert not of("cost", events).reached(0.75)
    events += session("t", 10, ("c", "q1", "correct"))
    assert of("cost", events) == ConceptMastery(right=2, answered=2, needed=2)
    assert of("cost", events).reached(0.75)


def test_a_concept_without_questions_is_never_reached() -> None:
    assert of("idle", []).needed == 0
    assert not of("idle", []).reached(0)


def test_the_latest_answer_counts() -> None:
    events = session("s", 0, *[("b", f"q{n}", "correct") for n in range(4)])
    events += session("t", 10, ("b", "q0", "wrong"))
    assert of("alpha", events) == ConceptMastery(right=3, answered=4, needed=3)
    assert of("alpha", events).reached(0.75)
    events += session("u", 20, ("b", "q1", "shown"))
    assert of("alpha", events).right == 2


def test_an_answer_shown_counts_as_answered_and_not_right() -> None:
    assert of("alpha", session("s", 0, ("b", "q0", "shown"))) == ConceptMastery(right=0, answered=1, needed=3)


def test_questions_of_equal_id_in_two_banks_are_two_questions() -> None:
    events = session("s", 0, ("b", "q0", "correct"), ("c", "q0", "wrong"))
    assert of("alpha", events) == ConceptMastery(right=1, answered=2, needed=3)


def test_a_question_that_left_its_bank_counts_no_longer() -> None:
    assert of("alpha", session("s", 0, ("b", "gone", "correct"))).answered == 0


def test_answers_of_a_mock_count_when_it_is_over() -> None:
    asked = [("b", f"q{n}", "correct") for n in range(3)]
    assert of("alpha", session("m", 0, *asked, mode="mock")).answered == 0
    assert of("alpha", session("m", 0, *asked, mode="mock", end=True)).reached(0.75)


def test_a_mock_that_ends_later_does_not_overrule_a_newer_answer() -> None:
    mock = session("m", 0, ("b", "q0", "correct"), mode="mock", end=True)
    practice = session("p", 1.5, ("b", "q0", "wrong"))
    attempts = latest_attempts([*mock[:-1], *practice, mock[-1]])
    assert attempts == {("b", "q0"): Attempt(right=False, at=2.5)}
