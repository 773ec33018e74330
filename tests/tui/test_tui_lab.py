"""The lab's screens, up to the point where a real vLLM is needed."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot
from textual.widgets import Input
from tui_samples import LAB, seen, words  # type: ignore[import-not-found]

from specquiz.sessions.events import LabPredicted, LabUnlocked
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.lab import LabScreen
from specquiz.tui.screens.text import TextScreen
from specquiz.tui.start import LabStart

MakeApp = Callable[..., SpecquizApp]
START = LabStart(lab=LAB.id)


async def begun(pilot: Pilot[None]) -> None:
    """Wait until the lab is on the screen."""
    await seen(pilot, LabScreen)


def opened(log: Log) -> None:
    log.append(LabUnlocked(at=0.0, lab=LAB.id, how="mastery"))


async def test_a_locked_lab_shows_what_is_missing_and_asks_for_no_prediction(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        assert "Locked." in words(app)
        assert "tokens-per-pass: 0 of 3 questions answered, share right 0.00 of 0.75" in words(app)
        assert "Your predictions" not in words(app)
        await pilot.press("f5")
        assert isinstance(app.screen, LabScreen)


async def test_a_locked_lab_opens_by_force_only_after_asking_and_the_log_says_so(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("f7", "n")
        assert log.events() == []
        await pilot.press("f7", "y")
        await pilot.pause()
        assert "Your predictions, stored before anything starts" in words(app)
    assert [(event.lab, event.how) for event in log.events() if isinstance(event, LabUnlocked)] == [
        (LAB.id, "override")
    ]


async def test_a_prediction_that_cannot_be_is_refused_under_its_field(make_app: MakeApp, log: Log) -> None:
    opened(log)
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("2", "enter")
        await pilot.pause()
        assert "Give a number from 0 to 1" in words(app)
        assert app.focused is app.screen.query(Input).first()
        await pilot.press("backspace", *"60%", "enter")
        assert app.focused is app.screen.query(Input).last()
        assert "Give a number" not in words(app)


async def test_without_a_vllm_the_run_says_how_to_get_one_and_commits_nothing(make_app: MakeApp, log: Log) -> None:
    opened(log)
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press(*"0.9", "enter", *"4.5", "enter")
        await seen(pilot, TextScreen)
        assert "specquiz lab setup --profile cpu" in words(app)
        await pilot.press("enter")
        await seen(pilot, LabScreen)
        assert app.screen.query(Input).first().value == "0.9"
    assert not any(isinstance(event, LabPredicted) for event in log.events())


async def test_a_lab_without_a_recorded_run_says_so(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("f6")
        await seen(pilot, TextScreen)
        assert "No recorded run ships for echo" in words(app)
