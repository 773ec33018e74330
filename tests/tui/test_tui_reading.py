"""While an answer is typed, the screen says how it is read, and nothing of whether it is right."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input
from tui_samples import TOKENS, one_bank, screen_text, seen, words  # type: ignore[import-not-found]

from specquiz.answers.live import Live
from specquiz.banks.model import Bank, NumericQuestion
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.start import MockStart, PracticeStart
from specquiz.tui.widgets import reading
from specquiz.tui.widgets.reading import LABEL, PAUSE, Reading, drawn

MakeApp = Callable[..., SpecquizApp]
START = PracticeStart(banks=("tokens",), seed=1)
FRACTION = Live((" 1 − α ", "───────", "   2   "), "0.25", read_as="(1 − α)/2")


async def at_the_number(pilot: Pilot[Any]) -> None:
    await seen(pilot, PracticeScreen)
    await pilot.press("f3", "enter")


async def read_along(pilot: Pilot[Any], expected: str) -> None:
    """Wait until `expected` stands on the screen."""
    for _ in range(300):
        if expected in words(pilot.app):
            return
        await pilot.pause(0.01)
    raise AssertionError(f"{expected!r} did not appear:\n{screen_text(pilot.app)}")


def said(app: SpecquizApp) -> str:
    return app.screen.query_one(Reading).render().plain


async def test_a_formula_is_drawn_with_its_value_at_the_questions_numbers(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        await pilot.press(*"(1-alpha)/2")
        await read_along(pilot, "= 0.25")
        rows = [row.strip() for row in screen_text(app).splitlines()]
        assert "───────" in rows
        assert any(row.endswith("1 − α") for row in rows)


async def test_a_right_and_a_wrong_answer_are_read_alike(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        for text in ("1.75", "0.75"):
            app.screen.query_one(Input).value = text
            await read_along(pilot, f"read as {text}")
            assert said(app) == LABEL + text


async def test_another_answer_to_the_question_changes_nothing_of_the_reading(make_app: MakeApp) -> None:
    number = TOKENS.questions[1]
    assert isinstance(number, NumericQuestion)
    shown = []
    for answer in ("1 + alpha + alpha**2", "alpha"):
        bank = Bank(id="tokens", title="Tokens", questions=(msgspec.structs.replace(number, answer=answer),))
        app = make_app(START, one_bank(bank))
        async with app.run_test(size=(80, 24)) as pilot:
            await seen(pilot, PracticeScreen)
            await pilot.press(*"alpha^2")
            await read_along(pilot, "= 0.25")
            shown.append(said(app))
    assert shown[0] == shown[1]


async def test_an_unfinished_text_gets_a_quiet_hint_and_no_error(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        await pilot.press(*"1+")
        await read_along(pilot, "Something is missing after “+”.")
        assert "[not read]" not in words(app)
        assert "read as" not in words(app)


async def test_an_emptied_field_has_no_reading(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        await pilot.press("7")
        await read_along(pilot, "read as 7")
        await pilot.press("backspace")
        await pilot.pause(PAUSE * 2)
        assert "read as" not in words(app)


async def test_the_reading_makes_way_for_the_verdict(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        await pilot.press(*"1.75")
        await read_along(pilot, "read as 1.75")
        await pilot.press("enter")
        await pilot.pause(PAUSE * 2)
        assert "[correct]" in words(app)
        assert not app.screen.query_one(Reading).display


async def test_after_enter_an_unreadable_text_is_explained_once(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        await pilot.press(*"1+")
        await read_along(pilot, "Something is missing")
        await pilot.press("enter")
        await pilot.pause(PAUSE * 2)
        assert words(app).count("Something is missing") == 1


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_the_wanted_exactness_stays_in_sight_while_typing(make_app: MakeApp, size: tuple[int, int]) -> None:
    app = make_app(START)
    async with app.run_test(size=size) as pilot:
        await at_the_number(pilot)
        await pilot.press(*"1.7")
        await read_along(pilot, "read as 1.7")
        assert "2 decimals" in words(app)


async def test_a_formula_for_any_values_is_drawn_without_a_number(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        await pilot.press("f3", "enter", *"alpha^K")
        await pilot.pause(PAUSE * 3)
        assert said(app).split() == ["read", "as", "K", "α"]


async def test_a_small_terminal_gives_the_reading_one_line(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(40, 12)) as pilot:
        await at_the_number(pilot)
        await pilot.press(*"(1-alpha)/2")
        await read_along(pilot, "read as (1 − α)/2 = 0.25")
        assert app.screen.query_one(Reading).size.height == 1
        assert "(1-alpha)/2" in words(app)


async def test_a_mock_reads_along_as_well(make_app: MakeApp) -> None:
    app = make_app(MockStart(banks=("tokens",), minutes=30, seed=1))
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, MockScreen)
        for _ in TOKENS.questions:
            if app.screen.query_one(Input).display:
                break
            await pilot.press("f7")
        await pilot.press(*"2+3")
        await read_along(pilot, "read as 2 + 3 = 5")


async def test_no_key_waits_for_a_slow_reading_and_what_it_finds_late_is_dropped(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def slow(_question: object, text: str) -> Live:
        begun.append(text)
        time.sleep(0.6 if text == "1" else 0)
        return Live((text,), read_as=text)

    monkeypatch.setattr(reading, "_live", slow)
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        app.screen.query_one(Input).value = "1"
        while not begun:
            await asyncio.sleep(0.01)
        typed_at = time.perf_counter()
        app.screen.query_one(Input).value = "12"
        await read_along(pilot, "read as 12")
        assert time.perf_counter() - typed_at < 0.5
        await pilot.pause(0.6)
        assert said(app) == LABEL + "12"


async def test_keys_in_quick_succession_are_read_once(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr(reading, "_live", lambda _question, text: read.append(text))
    monkeypatch.setattr(reading, "PAUSE", 0.5)
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        for text in ("1", "1+", "1+2"):
            app.screen.query_one(Input).value = text
            await pilot.pause()
        await pilot.pause(0.7)
    assert read == ["1+2"]


async def test_what_looks_like_markup_is_shown_as_typed(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_the_number(pilot)
        app.screen.query_one(Input).value = "[bold]x[/bold]"
        await pilot.pause(PAUSE * 3)
        assert "[bold]x[/bold]" in words(app)
    message = "“[/]” is not a name here."
    assert drawn(Live(message=message), "", 60, 3, maths=True).plain == message


def test_a_terminal_without_the_signs_gets_a_line_of_ascii() -> None:
    assert drawn(FRACTION, "ms", 60, 8, maths=False).plain == "read as  (1 - alpha)/2 = 0.25 ms"
    assert drawn(Live(message="Put “×” first."), "", 60, 8, maths=False).plain == 'Put "x" first.'


def test_a_picture_that_does_not_fit_becomes_a_line_and_then_the_value() -> None:
    assert drawn(FRACTION, "", 60, 4, maths=True).plain.count("\n") == 3
    assert drawn(FRACTION, "", 60, 3, maths=True).plain == "read as  (1 − α)/2 = 0.25"
    assert drawn(FRACTION, "", 20, 1, maths=True).plain == "read as  = 0.25"


def test_a_unit_is_converted_to_the_questions() -> None:
    assert drawn(Live(("14",), "0.014", read_as="14 us"), "ms", 60, 3, maths=True).plain == "read as  14 us = 0.014 ms"


@given(st.integers(1, 60), st.sampled_from([FRACTION, Live(message="What it is " * 9)]))
def test_one_row_is_never_overrun(width: int, live: Live) -> None:
    row = drawn(live, "ms", width, 1, maths=True).plain
    assert "\n" not in row
    assert cell_len(row) <= width
