"""Written answers on the screen: written on several lines, marked key by key, followed up, left and gone on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.pilot import Pilot
from tui_samples import LIBRARY, PRIMER, HandClock, one_bank, seen, words  # type: ignore[import-not-found]

from specquiz.banks.library import Library
from specquiz.banks.loading import load_bank
from specquiz.banks.model import Bank, Concept, RubricPoint, ShortQuestion
from specquiz.sessions.engine import Session, replay
from specquiz.sessions.events import Answered, Closed, PointMarked, Wrote
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.dialogs import AskNumber, Confirm
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.marking import MarkingScreen
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.screens.primer import PrimerScreen
from specquiz.tui.screens.report import ReportScreen
from specquiz.tui.start import MockStart, PracticeStart, ResumeStart
from specquiz.tui.widgets.editor import Editor

MakeApp = Callable[..., SpecquizApp]
PRACTICE = PracticeStart(banks=("written",), seed=1)
MOCK = MockStart(banks=("written",), seed=1, minutes=10, written=1)


def written_bank() -> Bank:
    bank, problems = load_bank(Path(__file__).parents[1] / "sessions" / "written.yaml")
    assert bank is not None, problems
    return bank


@pytest.fixture
def library() -> Library:
    return one_bank(written_bank())


def session_of(log: Log) -> Session:
    return replay(log.events())


async def to_the_written_one(pilot: Pilot[Any]) -> None:
    await seen(pilot, PracticeScreen)
    await pilot.press(*"yes", "enter", "enter")


async def written(pilot: Pilot[Any]) -> None:
    """Answer in two lines and hand it over."""
    await pilot.press(*"weights", "enter", *"once", "ctrl+s")
    await seen(pilot, MarkingScreen)


async def test_enter_begins_a_line_and_the_answer_is_handed_over_by_its_own_key(
    make_app: MakeApp, library: Library, log: Log
) -> None:
    app = make_app(PRACTICE, library=library)
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        assert "^s answer" in words(app)
        await written(pilot)
        assert "the question Why does verifying five places cost about as much as decoding one?" in words(app)
        assert "your answer weights once 1 [ ] Says that" in words(app)
        assert "3 points to mark" in words(app)
    assert [event.text for event in log.events() if isinstance(event, Wrote) and event.done] == ["weights\nonce"]


async def test_points_are_marked_with_y_and_n_and_enter_lets_them_count(
    make_app: MakeApp, library: Library, log: Log
) -> None:
    app = make_app(PRACTICE, library=library)
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        await written(pilot)
        await pilot.press("y", "enter")
        assert "2 points to mark, 2 of 5 so far." in words(app)
        await pilot.press("y", "n")
        assert "4 of 5 by weight: [strong]. Enter: done." in words(app)
        await pilot.press("3", "space")
        assert "5 of 5 by weight" in words(app)
        await pilot.press("n", "enter")
        assert "[strong] 4 of 5 by weight. not said Says that the arithmetic units have room left." in words(app)
        for name in ("a junior answer", "a senior answer", "a staff answer"):
            assert name in words(app)
    (answered,) = [event for event in log.events() if isinstance(event, Answered) and event.band]
    assert (answered.outcome, answered.band) == ("correct", "strong")
    assert [event.point for event in log.events() if isinstance(event, PointMarked)] == [0, 1, 2, 2, 2]


async def test_follow_ups_are_replied_to_and_graded_down_the_tree(
    make_app: MakeApp, library: Library, log: Log
) -> None:
    app = make_app(PRACTICE, library=library)
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        await written(pilot)
        await pilot.press("n", "n", "n", "enter", "enter")
        assert "follow-up 1 What is read from memory in one decode step?" in words(app)
        await pilot.press(*"wos1", "ctrl+s")
        assert "listen for All weights, and the KV cache. your reply wos1" in words(app)
        await pilot.press("2", "enter")
        assert "follow-up 2 How many bytes is that" in words(app)
        await pilot.press("ctrl+s")
        assert "your reply (nothing)" in words(app)
        await pilot.press("w")
        assert "follow-up 3 And with FP8?" in words(app)
        await pilot.press(*"7", "ctrl+s", "s")
        await seen(pilot, PracticeScreen)
        assert "1 of 2 right" in words(app)
    assert [reply.grade for reply in session_of(log).items[1].replies] == ["ok", "weak", "strong"]


async def test_follow_ups_may_be_passed_over(make_app: MakeApp, library: Library) -> None:
    app = make_app(PRACTICE, library=library)
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        await written(pilot)
        await pilot.press("y", "y", "y", "enter", "f7")
        await seen(pilot, PracticeScreen)
        assert "2 of 2 right" in words(app)


async def test_left_in_the_midst_of_the_rubric_it_goes_on_at_the_same_point(
    make_app: MakeApp, library: Library, log: Log
) -> None:
    app = make_app(PRACTICE, library=library)
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        await written(pilot)
        await pilot.press("y", "f4")
        await seen(pilot, HomeScreen)
    again = make_app(ResumeStart(session_of(log).id), library=library)
    async with again.run_test() as pilot:
        await seen(pilot, MarkingScreen)
        assert "2 points to mark, 2 of 5 so far." in words(again)
        await pilot.press("y", "y", "enter")
        assert "[strong] 5 of 5" in words(again)


async def test_what_is_being_written_is_kept_and_there_again(make_app: MakeApp, library: Library, log: Log) -> None:
    app = make_app(PRACTICE, library=library)
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        await pilot.press(*"half a")
    again = make_app(ResumeStart(session_of(log).id), library=library)
    async with again.run_test() as pilot:
        await seen(pilot, PracticeScreen)
        assert again.screen.query_one("#text", Editor).text == "half a"


async def test_nothing_written_is_not_read_and_show_me_shows_the_model_answers(
    make_app: MakeApp, library: Library
) -> None:
    app = make_app(PRACTICE, library=library)
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        await pilot.press("ctrl+s")
        assert "[not read] Write an answer" in words(app)
        await pilot.press("f3")
        await seen(pilot, MarkingScreen)
        assert "[shown]" in words(app)
        assert "a staff answer" in words(app)
        await pilot.press("enter")
        await seen(pilot, PracticeScreen)
        assert "1 shown on request" in words(app)


async def test_the_primer_opens_once_the_points_are_marked(make_app: MakeApp, library: Library, tmp_path: Path) -> None:
    (tmp_path / "primers").mkdir()
    (tmp_path / "primers" / "basics.md").write_text(PRIMER, encoding="utf-8")
    concept = Concept(slug="cheap-verification", name="Tokens per pass", group="Basics")
    known = {**LIBRARY.concepts, concept.slug: concept}
    app = make_app(PRACTICE, library=replace(library, concepts=known, folders=(tmp_path,)))
    async with app.run_test() as pilot:
        await to_the_written_one(pilot)
        await written(pilot)
        await pilot.press("f6")
        assert isinstance(app.screen, MarkingScreen)
        await pilot.press("y", "y", "y", "enter", "f6")
        await seen(pilot, PrimerScreen)
        assert "zebra" in words(app)


# A mock interview


async def handed_in(pilot: Pilot[Any]) -> None:
    """Answer both questions and hand in."""
    await seen(pilot, MockScreen)
    await pilot.press(*"yes", "enter", *"weights", "ctrl+s")
    await seen(pilot, Confirm)
    await pilot.press("y")
    await seen(pilot, MarkingScreen)


async def test_an_interview_is_marked_after_the_clock_has_stopped_and_then_reported(
    make_app: MakeApp, library: Library, log: Log, clock: HandClock
) -> None:
    app = make_app(MOCK, library=library)
    async with app.run_test() as pilot:
        await handed_in(pilot)
        assert any(isinstance(event, Closed) for event in log.events())
        clock.time += 100_000
        await pilot.press("y", "y", "n", "enter", "f7")
        await seen(pilot, ReportScreen)
        assert "2 of 2 right" in words(app)
    session = session_of(log)
    assert session.finished is not None
    assert session.finished.how == "done"


async def test_time_up_in_mid_sentence_marks_what_is_there(
    make_app: MakeApp, library: Library, log: Log, clock: HandClock
) -> None:
    app = make_app(MOCK, library=library)
    async with app.run_test() as pilot:
        await seen(pilot, MockScreen)
        await pilot.press("f7", *"weights are")
        clock.time += 598
        assert isinstance(app.screen, MockScreen)
        app.screen.tick()
        clock.time += 10
        app.screen.tick()
        await seen(pilot, MarkingScreen)
        assert "your answer weights are" in words(app)
    closed = next(event for event in log.events() if isinstance(event, Closed))
    assert closed.how == "time"


async def test_marking_can_wait_and_home_leads_back_to_it(make_app: MakeApp, library: Library) -> None:
    app = make_app(MOCK, library=library)
    async with app.run_test() as pilot:
        await handed_in(pilot)
        await pilot.press("y", "f4")
        await seen(pilot, HomeScreen)
        assert "Mark the interview's written answers 1 to mark" in words(app)
        await pilot.press("1")
        await seen(pilot, MarkingScreen)
        assert "2 points to mark" in words(app)


async def test_an_interview_can_be_ended_without_marks(make_app: MakeApp, library: Library) -> None:
    app = make_app(MOCK, library=library)
    async with app.run_test() as pilot:
        await handed_in(pilot)
        await pilot.press("f9")
        await seen(pilot, Confirm)
        await pilot.press("y")
        await seen(pilot, ReportScreen)
        assert "1 not marked" in words(app)


async def test_home_asks_how_many_answers_are_written(make_app: MakeApp, library: Library) -> None:
    app = make_app(library=library)
    async with app.run_test(size=(80, 30)) as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("2", "enter")
        await seen(pilot, AskNumber)
        assert "answer in sentences" in words(app)
        await pilot.press("enter")
        await seen(pilot, MockScreen)
        assert "question 1 of 2" in words(app)


@pytest.fixture
def long_library() -> Library:
    """A question of four lines, with six points of two lines each."""
    bank = written_bank()
    (question,) = (question for question in bank.questions if isinstance(question, ShortQuestion))
    prompt = (
        "One fleet serves three tenants of different habits, and one configuration for all gives mixed results. " * 3
    )
    points = tuple(
        RubricPoint(point=f"Point {name} says that different configurations mean pools of replicas, and a router first")
        for name in ("one", "two", "three", "four", "five", "six")
    )
    return one_bank(
        msgspec.structs.replace(bank, questions=(msgspec.structs.replace(question, prompt=prompt, rubric=points),))
    )


async def test_the_question_the_answer_and_the_points_are_read_together(
    make_app: MakeApp, long_library: Library
) -> None:
    app = make_app(PRACTICE, library=long_library)
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, PracticeScreen)
        await pilot.press(*"weights", "ctrl+s")
        await seen(pilot, MarkingScreen)
        assert words(app).count("One fleet") == 3
        assert "your answer weights 1 [ ] Point one" in words(app)
        assert "5 [ ] Point five" in words(app)
        assert "6 points to mark" in words(app)


@pytest.mark.parametrize("lines", [1, 40])
async def test_on_a_small_terminal_the_point_at_hand_stays_in_sight(
    make_app: MakeApp, long_library: Library, lines: int
) -> None:
    app = make_app(PRACTICE, library=long_library)
    async with app.run_test(size=(40, 12)) as pilot:
        await seen(pilot, PracticeScreen)
        await pilot.press(*"weights", *["enter", "x"] * lines, "ctrl+s")
        await seen(pilot, MarkingScreen)
        for name in ("one", "two", "three", "four", "five", "six"):
            assert f"[ ] Point {name} says" in words(app)
            await pilot.press("y")
            await pilot.pause()
        assert "[strong]" in words(app)
        await pilot.press(*["pageup"] * 9)
        assert "the question One fleet" in words(app)
        await pilot.press("k")
        assert "[y] Point five" in words(app)
