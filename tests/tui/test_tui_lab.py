"""The lab's screens, up to the point where a real vLLM is needed."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input
from tui_samples import LAB, seen, words  # type: ignore[import-not-found]

from specquiz.labs.loading import load_labs
from specquiz.labs.model import Challenge, Lab, Prediction
from specquiz.sessions.events import LabFinished, LabPredicted, LabUnlocked
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.lab import LabScreen
from specquiz.tui.screens.labasking import LabAskingScreen
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
        assert "Tokens per pass: 3 questions more to answer; 75% right opens it (bank: Tokens per pass)" in words(app)
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


STAGED = (
    Prediction(id="best", kind="choice", ask="Which K is best?", choices=("k2", "k4"), after="k2"),
    Prediction(id="range", kind="interval", ask="Where does it lie?", low=0, high=5, width=1, after="k2"),
)


async def asked_between_arms(pilot: Pilot[None], answers: list[object]) -> None:
    """The questions on top of the lab's own page, as in a run."""
    await seen(pilot, LabScreen)
    await pilot.pause()
    pilot.app.push_screen(LabAskingScreen(LAB, STAGED, ["k2 has finished"], answers.append))
    await seen(pilot, LabAskingScreen)


async def test_between_two_arms_each_prediction_is_checked_and_then_handed_over(make_app: MakeApp) -> None:
    answers: list[object] = []
    app = make_app(START)
    async with app.run_test() as pilot:
        await asked_between_arms(pilot, answers)
        assert "k2 has finished" in words(app)
        await pilot.press(*"k3", "enter")
        await pilot.pause()
        assert "Choose one of: k2, k4." in words(app)
        await pilot.press("backspace", "4", "enter", *"1 to 3", "enter")
        await pilot.pause()
        assert "At most 1" in words(app)
        await pilot.press("backspace", "2", "enter")
        await pilot.pause()
    assert answers == [{"best": "k4", "range": "1 to 2"}]


async def test_leaving_between_two_arms_is_asked_about_and_stops_the_run(make_app: MakeApp) -> None:
    answers: list[object] = []
    app = make_app(START)
    async with app.run_test() as pilot:
        await asked_between_arms(pilot, answers)
        await pilot.press("f4", "n")
        assert answers == []
        await pilot.press("f4", "y")
        await pilot.pause()
    assert answers == [None]


async def test_a_challenge_asks_for_a_configuration_that_vllm_takes(make_app: MakeApp, log: Log) -> None:
    lab = msgspec.structs.replace(
        LAB, challenge=Challenge(arm="ngram", runs=6, score="ngram.echo.tokens_per_pass", target=4.0)
    )
    opened(log)
    app = make_app(START, labs=(lab,))
    async with app.run_test(size=(100, 40)) as pilot:
        await begun(pilot)
        assert "Try 1 of 6." in words(app)
        await pilot.press(*"method=ngam num_speculative_tokens=4", "enter")
        await pilot.pause()
        assert "method cannot be" in words(app)
        assert app.focused is app.screen.query(Input).first()


async def test_a_lab_that_was_run_tells_how_the_runs_ended(make_app: MakeApp, log: Log) -> None:
    opened(log)
    log.append(LabFinished(at=1.0, run="a", lab=LAB.id, outcome="passed"))
    log.append(LabFinished(at=2.0, run="b", lab=LAB.id, outcome="broken"))
    app = make_app(START)
    async with app.run_test(size=(100, 40)) as pilot:
        await begun(pilot)
        assert "Your last runs: passed, broken off." in words(app)
        await pilot.press("f4")
        await seen(pilot, HomeScreen)
        assert "open, passed" in words(app), "a run that broke takes no pass away"


@pytest.mark.parametrize("lab", load_labs(), ids=lambda lab: lab.id)
async def test_every_shipped_lab_can_be_looked_at_open_and_on_each_profile(
    make_app: MakeApp, log: Log, lab: Lab
) -> None:
    log.append(LabUnlocked(at=0.0, lab=lab.id, how="mastery"))
    app = make_app(LabStart(lab=lab.id), labs=(lab,))
    async with app.run_test(size=(100, 40)) as pilot:
        await begun(pilot)
        now = [prediction for prediction in lab.predict if not prediction.after]
        assert lab.title in words(app)
        assert len(app.screen.query(Input)) >= len([each for each in now if not each.profiles])
        await pilot.press("f8")
        await pilot.pause()
        assert lab.title in words(app)
