"""Terminals of any size: nothing essential is cut off, and a tiny one gets a sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.events import Paste
from textual.widgets import Input
from tui_samples import LAB, one_bank, screen_text, seen, words  # type: ignore[import-not-found]

from specquiz.banks.model import Bank, Choice, SingleQuestion
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.dialogs import Confirm, Help
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.lab import LabScreen
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.page import Page
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.screens.text import TextScreen
from specquiz.tui.start import Home, LabStart, MockStart, PracticeStart, Start
from specquiz.tui.widgets.lines import Key, KeyLine

MakeApp = Callable[..., SpecquizApp]


async def test_a_tiny_terminal_gets_one_sentence_and_nothing_is_lost_when_it_grows(make_app: MakeApp) -> None:
    app = make_app(PracticeStart(banks=("more",), seed=1))
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, PracticeScreen)
        assert isinstance(app.screen, PracticeScreen)
        await pilot.press("f3", "enter", *"the cat")
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        assert words(app).startswith("specquiz needs 40 columns and 12 rows; this terminal has 30 and 8.")
        assert "question" not in words(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "question 2 of 2" in words(app)
        assert app.screen.query_one(Input).value == "the cat"
        assert app.focused is app.screen.query_one(Input)


async def test_a_hidden_question_takes_no_answer_and_ctrl_q_still_quits(make_app: MakeApp, log: Log) -> None:
    app = make_app(PracticeStart(banks=("tokens",), seed=1))
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, PracticeScreen)
        before = log.events()
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        await pilot.press("1", "enter", "f3", "f2", "ctrl+p", "f1", "escape")
        app.post_message(Paste("1"))
        await pilot.pause()
        assert isinstance(app.screen, PracticeScreen)
        assert log.events() == before
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert not app.is_running


@pytest.mark.parametrize(
    ("start", "kind"),
    [(Home(), HomeScreen), (PracticeStart(seed=1), PracticeScreen), (MockStart(seed=1), MockScreen)],
)
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60)])
async def test_quit_and_help_are_in_sight_at_every_size(
    make_app: MakeApp, start: Start, kind: type[Page], size: tuple[int, int]
) -> None:
    app = make_app(start)
    async with app.run_test(size=size) as pilot:
        await seen(pilot, kind)
        keys = screen_text(app).splitlines()[-1]
        assert "quit" in keys
        assert "help" in keys


async def test_the_answer_and_the_verdict_are_in_sight_at_40_by_12(make_app: MakeApp) -> None:
    app = make_app(PracticeStart(banks=("tokens",), seed=1))
    async with app.run_test(size=(40, 12)) as pilot:
        await seen(pilot, PracticeScreen)
        await pilot.press("f3", "enter", *"0.75")
        assert "0.75" in words(app)
        await pilot.press("enter")
        assert "[wrong]" in words(app)


@pytest.mark.parametrize(("stem", "choice"), [(14, 1), (4, 4), (1, 5)])
async def test_the_question_and_its_choices_take_the_rows_that_the_other_does_not_need(
    make_app: MakeApp, stem: int, choice: int
) -> None:
    question = SingleQuestion(
        id="long",
        concepts=("exactness",),
        level=1,
        prompt="\n\n".join(f"stem {n}" for n in range(stem // 2)) + "\n\n" + "word " * 14,
        choices=tuple(Choice(id=id, text=f"{id} " + "option " * (9 * choice)) for id in ("one", "two", "last")),
        answer="one",
        explanation="So.",
        hints=("a hint",),
    )
    app = make_app(
        PracticeStart(banks=("b",), seed=1), library=one_bank(Bank(id="b", title="B", questions=(question,)))
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, PracticeScreen)
        await pilot.pause()
        for part in ("#reading", "#choices"):
            assert app.screen.query_one(part).max_scroll_y == 0
        await pilot.resize_terminal(80, 20)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        for part in ("#reading", "#choices"):
            assert app.screen.query_one(part).max_scroll_y == 0
        await pilot.press("1", "enter")
        await pilot.pause()
        assert "[correct]" in words(app) or "[wrong]" in words(app)


def test_keys_that_do_not_fit_are_left_out_whole() -> None:
    line = KeyLine([Key("q", "quit", ""), Key("F1", "help", ""), Key("F9", "finish the interview", "")])
    assert line.fitting(14).plain == "q quit"
    assert line.fitting(30).plain == "q quit  F1 help"


def test_function_keys_are_shown_by_their_numbers_though_the_most_needed_stay_longest() -> None:
    line = KeyLine([Key("Enter", "save", ""), Key("F9", "finish", ""), Key("F10", "more", ""), Key("F2", "hint", "")])
    assert line.fitting(60).plain == "Enter save  F2 hint  F9 finish  F10 more"
    assert line.fitting(22).plain == "Enter save  F9 finish"


async def test_a_steps_long_caption_wraps_and_its_formula_stays_in_shape(make_app: MakeApp) -> None:
    caption = "1. Draft i counts with the probability α^i that it and all before it were accepted."
    app = make_app()
    async with app.run_test(size=(40, 12)) as pilot:
        await seen(pilot, HomeScreen)
        app.push_screen(TextScreen("Step by step", [caption, "", "        K", "    1 - α"]))
        await seen(pilot, TextScreen)
        assert caption in words(app)
        rows = [row.rstrip() for row in screen_text(app).splitlines()]
        assert rows[rows.index("         K") + 1] == "     1 - α"


async def test_a_dialog_that_nobody_can_see_takes_no_answer_either(make_app: MakeApp, log: Log) -> None:
    app = make_app(LabStart(lab=LAB.id))
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, LabScreen)
        await pilot.press("f7")
        await seen(pilot, Confirm)
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        assert "specquiz needs 40 columns and 12 rows" in words(app)
        await pilot.press("y")
        assert isinstance(app.screen, Confirm)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.press("n")
        await seen(pilot, LabScreen)
    assert log.events() == []


async def test_the_help_scrolls_by_the_arrows_where_it_does_not_fit(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(40, 12)) as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("f1")
        await seen(pilot, Help)
        before = words(app)
        await pilot.press("pagedown")
        await pilot.pause()
        assert words(app) != before
