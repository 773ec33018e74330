"""The explorer: what moves, what is plotted, and that the table says the same as the plot."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot
from tui_samples import screen_text, seen, words  # type: ignore[import-not-found]

from specquiz import theory
from specquiz.tui import explorer_model
from specquiz.tui.app import SpecquizApp
from specquiz.tui.chart import Chart, Mark, Series
from specquiz.tui.explorer_model import DEVICE_LABELS, MODEL_LABELS, QUANTITIES, START, charts, readings, setting_from
from specquiz.tui.screens import explorer
from specquiz.tui.screens.explorer import Controls, ExplorerScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.start import ExplorerStart, PracticeStart
from specquiz.tui.widgets.plot import drawn, terminal_has_braille

MakeApp = Callable[..., SpecquizApp]
QUESTION = {"alpha": "0.4", "K": "2", "c": "0.15"}
MOVES = st.lists(st.tuples(st.sampled_from(list(QUANTITIES)), st.sampled_from([-1000, -10, -1, 1, 10, 1000])))


async def computed(pilot: Pilot[Any]) -> ExplorerScreen:
    """Wait until the explorer has its figures."""
    await seen(pilot, ExplorerScreen)
    while "computing" in words(pilot.app):
        await pilot.pause(0.01)
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, ExplorerScreen)
    return screen


def digits(setting: explorer_model.Setting) -> dict[str, str]:
    return dict(row for group in readings(setting) for row in group)


# The quantities


@settings(deadline=None, max_examples=40)
@given(MOVES)
def test_no_sequence_of_keys_leaves_the_ranges(moves: list[tuple[str, int]]) -> None:
    setting = START
    for name, steps in moves:
        setting = setting.moved(name, steps)
    assert all(QUANTITIES[name].admits(value) for name, value in setting.values.items())
    assert all(math.isfinite(y) for chart in charts(setting) for one in chart.series for y in one.values)
    assert readings(setting)


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(list(QUANTITIES)), st.integers(1, 3))
def test_a_step_forth_and_back_returns_to_the_value_unless_the_range_ends(name: str, steps: int) -> None:
    there = START.moved(name, steps)
    if there.values[name] != QUANTITIES[name].values[-1]:
        assert there.moved(name, -steps) == START


def test_from_a_value_between_two_steps_a_key_goes_to_the_next_one() -> None:
    setting, _ = setting_from({"c": "0.015"})
    assert setting.label("c") == "0.015"
    assert setting.moved("c", 1).label("c") == "0.02"
    assert setting.moved("c", -1).label("c") == "0.01"


def test_a_questions_values_are_filled_in() -> None:
    setting, taken = setting_from(QUESTION)
    assert (setting.number("alpha"), setting.k, setting.values["c"]) == (0.4, 2, Fraction(3, 20))
    assert taken == ("alpha", "K", "c")
    assert setting.values["device"] == START.values["device"]


@pytest.mark.parametrize(
    "values", [{"alpha": "1.5"}, {"K": "40"}, {"K": "2.5"}, {"batch": "0"}, {"D": "1000"}, {"c": "cheap"}, {"c": "1/0"}]
)
def test_values_that_the_explorer_cannot_show_are_left_alone(values: dict[str, str]) -> None:
    assert setting_from(values) == (START, ())


def test_every_device_and_model_of_the_theory_can_be_chosen() -> None:
    assert list(DEVICE_LABELS) == list(theory.DEVICES)
    assert set(MODEL_LABELS) == set(theory.CHECKPOINTS)


# What is computed


def test_the_best_k_is_the_peak_of_the_plotted_line() -> None:
    setting, _ = setting_from({"alpha": "0.8", "c": "0.05"})
    chart = charts(setting)[1]
    best = next(mark for mark in chart.marks if mark.sign == "best")
    assert best.y == max(chart.series[0].values)
    assert (best.x, best.y) == pytest.approx(theory.best_k(0.8, 0.05))


def test_the_ridge_is_where_the_line_over_the_batch_begins_to_fall() -> None:
    chart = charts(START)[2]
    ridge = next(mark.x for mark in chart.marks if mark.sign == "ridge")
    before = [y for x, y in zip(chart.x, chart.series[0].values, strict=True) if x < ridge]
    assert before == pytest.approx([before[0]] * len(before))
    assert chart.series[0].values[len(before)] < before[0]
    assert ridge == math.floor(theory.ridge_tokens(START.device, START.model) / (START.k + 1)) + 1


def test_a_long_context_moves_the_ridge_away() -> None:
    long = explorer_model.ridge_batch(START.moved("context", 1000))
    short = explorer_model.ridge_batch(START)
    assert short is not None
    assert long is None or long > short


@settings(deadline=None, max_examples=40)
@given(MOVES)
def test_every_mark_lies_on_its_line_and_in_the_table(moves: list[tuple[str, int]]) -> None:
    setting = START
    for name, steps in moves:
        setting = setting.moved(name, steps)
    for chart in charts(setting):
        rows = {row[0]: row for row in chart.table()}
        for mark in chart.marks:
            assert mark.sign in rows[f"{mark.x:g}"][-1]
            if mark.y is not None:
                assert mark.y == pytest.approx(chart.series[0].values[chart.x.index(mark.x)])


def test_the_table_has_the_numbers_of_the_plot() -> None:
    for chart in charts(START):
        head, *rows = chart.table()
        assert head[:-1] == (chart.x_name, *(one.name for one in chart.series))
        assert [row[0] for row in rows] == [f"{x:g}" for x in chart.x]
        for number, one in enumerate(chart.series, 1):
            assert [row[number] for row in rows] == [f"{y:.3f}" for y in one.values]


# How it is drawn

LINE = Chart(
    "y against x", "x", (0, 1, 2), (Series("a", (0, 1, 2)), Series("b", (2, 2, 2))), (Mark("best", 2, 2, "best 2"),), 1
)


def picture(chart: Chart, width: int, height: int, *, braille: bool) -> list[str]:
    return ["".join(text for text, _ in row).rstrip() for row in drawn(chart, width, height, braille=braille)]


def test_without_braille_the_plot_is_plain_ascii_and_lines_differ_by_their_signs() -> None:
    rows = picture(LINE, 40, 14, braille=False)
    assert "".join(rows).isascii()
    assert rows[0] == "y against x  ** a  .  b  # best 2"
    area = "\n".join(rows[2:])
    assert {"*", ".", "#", "-"} <= set(area)


@settings(deadline=None, max_examples=40)
@given(st.integers(20, 150), st.integers(6, 60), st.booleans())
def test_a_plot_keeps_to_its_size(width: int, height: int, braille: bool) -> None:
    for chart in (LINE, *charts(START)):
        rows = picture(chart, width, height, braille=braille)
        assert len(rows) == max(5, height)
        assert max(map(len, rows)) <= width


def test_a_terminal_of_another_encoding_is_drawn_on_in_ascii() -> None:
    code = "from specquiz.tui.widgets.plot import terminal_has_braille as has; print(has())"
    for encoding, has in (("latin-1", "False"), ("utf-8", "True")):
        environment = {"PYTHONIOENCODING": encoding, "TERM": "xterm"}
        ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == has


def test_the_linux_console_is_drawn_on_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    assert not terminal_has_braille()


# On the screen


async def test_arrow_keys_choose_and_change_and_the_digits_follow(make_app: MakeApp) -> None:
    app = make_app(ExplorerStart(QUESTION))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await computed(pilot)
        assert "α, K, c as in the question" in words(app)
        await pilot.press("right", "down", "left")
        expected, _ = setting_from({"alpha": "0.41", "K": "1", "c": "0.15"})
        assert screen.setting == expected
        assert "> K drafted - 1 +" in words(app)
        assert f"tokens per pass {digits(expected)['tokens per pass']}" in words(app)
        await pilot.press("r")
        assert screen.setting == setting_from(QUESTION)[0]


async def test_clicks_on_plus_and_minus_do_as_the_keys(make_app: MakeApp) -> None:
    app = make_app(ExplorerStart())
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await computed(pilot)
        plus = Controls.NAME + Controls.BUTTON + Controls.VALUE + 1
        await pilot.click(Controls, offset=(plus, 1))
        assert screen.setting == START.moved("K", 1)
        await pilot.click(Controls, offset=(Controls.NAME + 1, 1))
        assert screen.setting == START
        await pilot.click(Controls, offset=(2, 5))
        assert (screen.chosen, screen.setting) == ("device", START)


async def test_the_best_k_and_the_ridge_are_named_beside_their_plots(make_app: MakeApp) -> None:
    app = make_app(ExplorerStart())
    async with app.run_test(size=(120, 40)) as pilot:
        await computed(pilot)
        for text in ("Tokens per pass against K", "◆ best 4: 1.981", "┊ ridge 11", "× below 1 at 25"):
            assert text in words(app)


async def test_t_shows_the_numbers_and_the_plot_comes_back(make_app: MakeApp) -> None:
    app = make_app(ExplorerStart())
    async with app.run_test(size=(80, 24)) as pilot:
        await computed(pilot)
        await pilot.press("3", "t")
        rows = [row.split() for row in screen_text(app).splitlines()]
        for x, speedup, sign in charts(START)[2].table()[1:12]:
            assert any(row[-2 - bool(sign) :] == [x, speedup, *sign.split()][:3] for row in rows)
        await pilot.press("pagedown")
        assert "256" in words(app)
        await pilot.press("t")
        assert "┊ ridge 11" in words(app)


async def test_all_is_usable_at_40_by_12(make_app: MakeApp) -> None:
    app = make_app(ExplorerStart())
    async with app.run_test(size=(40, 12)) as pilot:
        await computed(pilot)
        await pilot.press("down", "right", "1")
        assert "> K drafted - 5 +" in words(app)
        assert "● K 5: 2.941" in words(app)
        assert "quit" in words(app)
        assert "help" in words(app)


async def test_keys_before_numpy_is_there_are_kept(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The import is held up; meanwhile the values already move."""
    arrived = threading.Event()

    def slow(setting: explorer_model.Setting) -> Any:
        if threading.current_thread() is not threading.main_thread():
            arrived.wait(5)
        return charts(setting)

    monkeypatch.setattr(explorer, "charts", slow)
    app = make_app(ExplorerStart())
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, ExplorerScreen)
        await pilot.press("right")
        assert "α acceptance - 0.71 +" in words(app)
        assert "computing" in words(app)
        arrived.set()
        screen = await computed(pilot)
        assert screen.setting == START.moved("alpha", 1)
        assert digits(screen.setting)["tokens per pass"] in words(app)


async def test_leaving_before_numpy_is_there_is_no_fault(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived = threading.Event()
    monkeypatch.setattr(explorer, "readings", lambda setting: arrived.wait(5) and readings(setting))
    app = make_app(ExplorerStart())
    async with app.run_test() as pilot:
        await seen(pilot, ExplorerScreen)
        await pilot.press("escape")
        arrived.set()
        await asyncio.sleep(0.05)
        await pilot.pause()
        assert not isinstance(app.screen, ExplorerScreen)


async def test_a_question_opens_it_with_its_values(make_app: MakeApp) -> None:
    app = make_app(PracticeStart(banks=("tokens",), seed=1))
    async with app.run_test() as pilot:
        await seen(pilot, PracticeScreen)
        await pilot.press("f3", "enter", "f5")
        screen = await computed(pilot)
        assert screen.setting.number("alpha") == 0.5
        await pilot.press("f4")
        assert isinstance(app.screen, PracticeScreen)


def test_neither_screen_brings_numpy_along() -> None:
    code = "import sys; import specquiz.tui.screens.explorer, specquiz.tui.screens.round; print('numpy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
