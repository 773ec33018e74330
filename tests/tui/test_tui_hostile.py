"""No text of a bank, a primer or an answer acts on the screen: it is shown as it stands, and nothing breaks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input
from tui_samples import HOSTILE, LIBRARY, one_bank, seen, words  # type: ignore[import-not-found]

from specquiz.banks.model import (
    AnyQuestion,
    Bank,
    ConfigQuestion,
    FollowUp,
    ModelAnswerSet,
    OrderItem,
    OrderQuestion,
    RubricPoint,
    ShortQuestion,
    TraceQuestion,
)
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.dialogs import Confirm
from specquiz.tui.screens.lookup import LookupScreen
from specquiz.tui.screens.marking import MarkingScreen
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.screens.primer import PrimerScreen
from specquiz.tui.screens.report import ReportScreen
from specquiz.tui.start import LookupStart, MockStart, PracticeStart
from specquiz.tui.widgets.editor import Editor

MakeApp = Callable[..., SpecquizApp]
SIZES = [(40, 12), (80, 24)]
LONG = ("w" * 300, "ten letters " * 900)
STEERING = "\x1b[31mred\x1b]0;title\x07 \u202eedisni\u202c \x00\x85 e\u0301\u0301 日本語"
TEXT = "\n".join((*HOSTILE, *LONG))
"""Markup of every kind, a word longer than any screen, and a line of 10,000 characters."""
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
COMMON = {"concepts": ("exactness",), "level": 1, "explanation": TEXT, "hints": (TEXT,)}
QUESTIONS: tuple[AnyQuestion, ...] = (
    OrderQuestion(
        id="order",
        prompt=TEXT,
        items=tuple(OrderItem(id=id, text=f"{id} {TEXT}") for id in ("one", "two", "three")),
        **COMMON,  # type: ignore[arg-type]
    ),
    ConfigQuestion(
        id="config",
        prompt=TEXT,
        of="speculative_config",
        start=TEXT,
        answer={"method": "ngram", "num_speculative_tokens": 4},
        **COMMON,  # type: ignore[arg-type]
    ),
    TraceQuestion(id="trace", prompt=TEXT, answer=("the", "[/b]"), **COMMON),  # type: ignore[arg-type]
    ShortQuestion(
        id="short",
        prompt=TEXT,
        rubric=tuple(RubricPoint(point=f"{name} {TEXT}") for name in ("first", "second", "third")),
        answers=ModelAnswerSet(junior=TEXT, senior=TEXT, staff=TEXT),
        follow_ups=(FollowUp(grades=("weak", "ok", "strong"), ask=TEXT, listen_for=TEXT),),
        **COMMON,  # type: ignore[arg-type]
    ),
)
BANK = Bank(id="hostile", title=TEXT, description=TEXT, questions=QUESTIONS)


def unbroken(app: SpecquizApp) -> None:
    """Every row is there, as wide as the screen, and steers nothing."""
    columns, rows = app.screen.size
    strips = app.screen._compositor.render_strips(app.screen.size)
    assert [strip.cell_length for strip in strips] == [columns] * rows
    assert not any(CONTROL.search(strip.text) for strip in strips)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("id", [question.id for question in QUESTIONS])
async def test_questions_of_every_kind_are_shown_as_they_stand(
    make_app: MakeApp, id: str, size: tuple[int, int]
) -> None:
    app = make_app(PracticeStart(banks=("hostile",), seed=1, question=id), library=one_bank(BANK))
    async with app.run_test(size=size) as pilot:
        await seen(pilot, PracticeScreen)
        unbroken(app)
        assert "list[int]" in words(app)
        for key in ("f2", "pagedown", "f3", "pagedown", "pageup"):
            await pilot.press(key)
            unbroken(app)
        if id == "short":
            await seen(pilot, MarkingScreen)
        await pilot.press("f4")
        await pilot.pause()
        unbroken(app)
        assert app.is_running


@pytest.mark.parametrize("size", SIZES[:1], ids=str)
@pytest.mark.parametrize("text", [TEXT, STEERING], ids=["markup", "steering"])
@pytest.mark.parametrize("id", ["trace", "config", "short"])
async def test_answers_are_shown_as_they_stand(make_app: MakeApp, id: str, text: str, size: tuple[int, int]) -> None:
    app = make_app(PracticeStart(banks=("hostile",), seed=1, question=id), library=one_bank(BANK))
    async with app.run_test(size=size) as pilot:
        await seen(pilot, PracticeScreen)
        app.post_message(Paste(text))
        await pilot.pause(0.15)
        unbroken(app)
        await pilot.press("enter" if id == "trace" else "ctrl+s")
        await pilot.pause()
        unbroken(app)
        if id != "short":
            return
        await seen(pilot, MarkingScreen)
        for key in ("y", "n", "pageup", "pageup", "y", "pagedown", "enter", "enter"):
            await pilot.press(key)
            unbroken(app)
        app.post_message(Paste(text))
        await pilot.press("ctrl+s")
        await pilot.pause()
        unbroken(app)
        await pilot.press("o")
        await pilot.pause()
        unbroken(app)


@pytest.mark.parametrize("text", [TEXT, STEERING], ids=["markup", "steering"])
async def test_an_interview_and_its_report_show_answers_as_they_stand(make_app: MakeApp, text: str) -> None:
    app = make_app(MockStart(banks=("hostile",), seed=1, minutes=60, count=4, written=1), library=one_bank(BANK))
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, MockScreen)
        for _ in QUESTIONS:
            app.post_message(Paste(text))
            await pilot.press("ctrl+s" if isinstance(app.focused, Editor) else "enter", "f7")
            unbroken(app)
        await pilot.press("f9")
        await seen(pilot, Confirm)
        unbroken(app)
        await pilot.press("y")
        await seen(pilot, MarkingScreen, ReportScreen)
        if isinstance(app.screen, MarkingScreen):
            await pilot.press("f9", "y")
            await seen(pilot, ReportScreen)
        await pilot.pause(0.2)
        for _ in range(4):
            unbroken(app)
            await pilot.press("pagedown")


@pytest.mark.parametrize("size", SIZES[:1], ids=str)
@pytest.mark.parametrize(
    ("text", "shown"), [(TEXT, "list[int]"), (STEERING, r"\u202eedisni")], ids=["markup", "steering"]
)
async def test_primers_and_searches_show_texts_as_they_stand(
    make_app: MakeApp, tmp_path: Path, text: str, shown: str, size: tuple[int, int]
) -> None:
    (tmp_path / "primers").mkdir()
    page = f"# Basics\n\n{text}\n\n## Exactness\n\n{text}\n\n- {text}\n\n    {text}\n"
    (tmp_path / "primers" / "basics.md").write_text(page, encoding="utf-8")
    app = make_app(LookupStart(), library=replace(LIBRARY, banks=(BANK,), folders=(tmp_path,)))
    async with app.run_test(size=size) as pilot:
        await seen(pilot, LookupScreen)
        unbroken(app)
        for typed in (text, "[bold", "list[int]", "exactness"):
            app.screen.query_one(Input).value = ""
            app.post_message(Paste(typed))
            await pilot.pause(0.05)
            unbroken(app)
        await pilot.press("enter")
        await seen(pilot, PrimerScreen)
        assert shown in words(app)
        for key in ("n", "n", "pagedown", "p", "f1"):
            await pilot.press(key)
            unbroken(app)
