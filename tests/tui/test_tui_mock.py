"""A mock interview on the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input
from tui_samples import HandClock, seen, words  # type: ignore[import-not-found]

from specquiz.sessions.events import Answered, Finished, Resumed
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.report import ReportScreen
from specquiz.tui.start import MockStart, ResumeStart

MakeApp = Callable[..., SpecquizApp]
START = MockStart(banks=("tokens",), minutes=30, seed=1)


async def begun(pilot: Pilot[None]) -> None:
    """Wait until the interview is on the screen."""
    await seen(pilot, MockScreen, ReportScreen)


async def a_second_passes(pilot: Pilot[None]) -> None:
    """Let the screen look at the clock, as it does once a second."""
    assert isinstance(pilot.app.screen, MockScreen)
    pilot.app.screen.tick()
    await pilot.pause()


async def test_the_clock_says_the_time_left_and_names_half_a_fifth_and_the_last_minute(
    make_app: MakeApp, clock: HandClock
) -> None:
    app = make_app(START)
    begin = clock.time
    async with app.run_test() as pilot:
        await begun(pilot)
        assert "30:00 left" in words(app)
        for minutes, left, said in (
            (15, "15:00 left", "half of the time is gone"),
            (24, "6:00 left", "less than a fifth of the time left"),
            (29, "1:00 left", "less than a minute left"),
        ):
            clock.time = begin + minutes * 60
            await a_second_passes(pilot)
            assert left in words(app)
            assert said in words(app)


async def test_nothing_is_said_of_right_or_wrong_before_the_end(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("1", "enter")
        assert "question 2 of 3" in words(app)
        await pilot.press(*"0.75", "enter")
        assert "question 3 of 3" in words(app)
        for word in ("correct", "wrong", "right", "drafts only"):
            assert word not in words(app)
    assert sum(isinstance(event, Answered) for event in log.events()) == 2


async def test_one_can_flag_skip_and_go_back_and_finds_the_answer_given(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("f5")
        assert "question 1 of 3, flagged" in words(app)
        await pilot.press("f7", *"1.75", "enter")
        assert "question 3 of 3" in words(app)
        await pilot.press("f6")
        assert "question 2 of 3, answered" in words(app)
        assert app.screen.query_one(Input).value == "1.75"
        await pilot.press("f8")
        assert "1 no answer yet, flagged" in words(app)
        assert "2 answered" in words(app)
        await pilot.press("home", "enter")
        assert "question 1 of 3, flagged" in words(app)


async def test_handing_in_names_the_unanswered_and_ends_with_the_report(
    make_app: MakeApp, log: Log, tmp_path: Path
) -> None:
    app = make_app(START)
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        await pilot.press("1", "enter", "f9")
        assert "2 questions without an answer: 2, 3." in words(app)
        await pilot.press("n")
        assert isinstance(app.screen, MockScreen)
        await pilot.press("f9", "y")
        await seen(pilot, ReportScreen)
        assert isinstance(app.screen, ReportScreen)
        assert "By concept" in words(app)
        report = next((tmp_path / "home" / "reports").glob("*.md"))
        assert report.name in words(app).replace(" ", "")
        assert report.read_text(encoding="utf-8").startswith("# Mock interview")
    assert [event.how for event in log.events() if isinstance(event, Finished)] == ["done"]


async def test_after_the_last_answer_one_is_asked_whether_to_hand_in(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("1", "enter", *"1.75", "enter", *"alpha", "enter")
        assert "Every question has an answer." in words(app)


async def test_when_time_is_up_the_report_comes_by_itself_even_under_a_dialog(
    make_app: MakeApp, clock: HandClock, log: Log
) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("f9")
        clock.time += 30 * 60
        mock = app.screen_stack[-2]
        assert isinstance(mock, MockScreen)
        mock.tick()
        await seen(pilot, ReportScreen)
        assert isinstance(app.screen, ReportScreen)
    assert [event.how for event in log.events() if isinstance(event, Finished)] == ["time"]


async def test_a_resume_waits_behind_a_gate_with_the_question_hidden(
    make_app: MakeApp, clock: HandClock, log: Log
) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("1", "enter")
    session = log.events()[0].session  # type: ignore[union-attr]
    clock.time += 600
    again = make_app(ResumeStart(session))
    async with again.run_test() as pilot:
        await begun(pilot)
        assert "20:00 left" in words(again)
        assert "Press Enter to resume." in words(again)
        assert "two are drafted" not in words(again)
        assert not any(isinstance(event, Resumed) for event in log.events())
        await pilot.press("enter")
        assert "question 2 of 3" in words(again)
        assert "two are drafted" in words(again)


async def test_an_interview_whose_time_ran_out_meanwhile_ends_in_its_report(
    make_app: MakeApp, clock: HandClock, log: Log
) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
    session = log.events()[0].session  # type: ignore[union-attr]
    clock.time += 3600
    again = make_app(ResumeStart(session))
    async with again.run_test() as pilot:
        await begun(pilot)
        await seen(pilot, ReportScreen)
        assert isinstance(again.screen, ReportScreen)
