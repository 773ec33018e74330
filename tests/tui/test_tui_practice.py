"""Practice on the screen, as a learner goes through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input
from tui_samples import HOSTILE, MORE, TOKENS, HandClock, hostile_bank, one_bank, screen_text, seen, words  # type: ignore[import-not-found]

from specquiz.sessions.engine import replay
from specquiz.sessions.events import Answered, Finished, Moved, Shown
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.screens.text import TextScreen
from specquiz.tui.start import PracticeStart, ResumeStart
from specquiz.tui.widgets.choices import Choices

MakeApp = Callable[..., SpecquizApp]
START = PracticeStart(banks=("tokens",), seed=1)


async def begun(pilot: Pilot[Any]) -> None:
    """Wait until the session is on the screen."""
    await seen(pilot, PracticeScreen)


async def choose(pilot: Pilot[Any], id: str) -> None:
    """Press the digit that stands before a choice."""
    shown = [choice for choice, _ in pilot.app.screen.query_one(Choices)._choices]
    await pilot.press(str(shown.index(id) + 1))


async def to_the_typed_one(pilot: Pilot[Any]) -> None:
    """Answer the first question, go to the second."""
    await begun(pilot)
    await choose(pilot, "a")
    await pilot.press("enter", "enter")


async def test_a_right_choice_is_praised_and_explained_and_the_next_question_comes(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        assert "question 1 of 3" in words(app)
        await choose(pilot, "a")
        await pilot.press("enter")
        assert "[correct]" in words(app)
        assert "The target always adds one token of its own." in words(app)
        assert "the target's own [right, yours]" in words(app)
        await pilot.press("enter")
        assert "question 2 of 3" in words(app)
    assert [event.outcome for event in log.events() if isinstance(event, Answered)] == ["correct"]


async def test_a_wrong_choice_is_named_with_its_reason_beside_the_right_one(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await choose(pilot, "b")
        await pilot.press("enter")
        assert "[wrong] A draft may be rejected." in words(app)
        assert "the first draft [yours]" in words(app)
        assert "the target's own [right]" in words(app)


async def test_a_typed_formula_is_read_back_and_judged(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        await pilot.press(*"1+0.5+0.25", "enter")
        assert "[correct]" in words(app)
        assert "read as" in words(app)


async def test_a_known_mistake_is_named_and_the_answer_shown(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        await pilot.press(*"0.75", "enter")
        assert "[wrong] That counts the drafts only." in words(app)
        assert "the answer" in words(app)


async def test_what_cannot_be_read_stays_in_the_field_with_a_caret_under_the_place(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        before = len(log.events())
        await pilot.press(*"1+$", "enter")
        assert app.screen.query_one(Input).value == "1+$"
        assert "[not read]" in words(app)
        rows = screen_text(app).splitlines()
        typed = next(row for row in rows if "1+$" in row)
        caret = next(row for row in rows if row.strip() == "^")
        assert caret.index("^") == typed.index("$")
        assert app.screen.query_one(Input).cursor_position == len(app.screen.query_one(Input).value), "typing goes on"
        await pilot.press("backspace")
        assert "[not read]" not in words(app)
        assert len(log.events()) == before


async def test_letters_digits_and_signs_go_into_the_field_and_nowhere_else(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        await pilot.press(*"12q?/fjkx")
        assert app.screen.query_one(Input).value == "12q?/fjkx"
        assert isinstance(app.screen, PracticeScreen)
        assert "question 2 of 3" in words(app)


async def test_hints_come_one_by_one_while_the_field_keeps_the_focus(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        await pilot.press("f2")
        assert "Which token is certain?" in words(app)
        assert "The second draft needs the first." not in words(app)
        await pilot.press("f2", "2")
        assert "The second draft needs the first." in words(app)
        assert app.screen.query_one(Input).value == "2"


async def test_show_me_counts_as_not_right_and_comes_back_among_the_missed(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        await pilot.press("f3")
        assert "[shown]" in words(app)
        await pilot.press("enter", *"(1-alpha**(K+1))/(1-alpha)", "enter", "enter")
        assert "2 of 3 right" in words(app)
        assert "Again, only the missed ones (1)" in words(app)
        await pilot.press("enter")
        assert "question 1 of 1" in words(app)
        assert "two are drafted" in words(app)
    assert sum(isinstance(event, Shown) for event in log.events()) == 1


async def test_several_choices_are_marked_with_space_and_digits(make_app: MakeApp) -> None:
    app = make_app(PracticeStart(banks=("more",), seed=1))
    async with app.run_test() as pilot:
        await begun(pilot)
        await choose(pilot, "a")
        await choose(pilot, "b")
        await choose(pilot, "c")
        await choose(pilot, "b")
        assert set(app.screen.query_one(Choices).chosen) == {"a", "c"}
        await pilot.press("enter")
        assert "[correct]" in words(app)


async def test_letters_choose_too_and_j_and_k_move(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        choices = app.screen.query_one(Choices)
        await pilot.press("b")
        assert choices.highlighted == 1
        await pilot.press("j")
        assert choices.highlighted == 2
        await pilot.press("k")
        assert choices.highlighted == 1


async def test_enter_with_nothing_chosen_costs_nothing(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await pilot.press("enter")
        assert "[not read] Nothing was chosen." in words(app)
    assert not any(isinstance(event, Answered) for event in log.events())


async def test_an_enter_held_down_does_not_answer_the_next_question(make_app: MakeApp, log: Log) -> None:
    time = [0.0]
    app = make_app(PracticeStart(banks=("tokens",), seed=1), ticks=lambda: time[0])
    async with app.run_test() as pilot:
        await begun(pilot)
        await choose(pilot, "a")
        time[0] = 1.0
        await pilot.press("enter")
        for _ in range(4):
            time[0] += 0.03
            await pilot.press("enter")
        assert "question 1 of 3" in words(app)
        time[0] += 1.0
        await pilot.press("enter")
        assert "question 2 of 3" in words(app)
    assert sum(isinstance(event, Moved) for event in log.events()) == 1


async def test_leaving_needs_no_escape_and_resuming_finds_the_same_question(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        await pilot.press("f4")
        await seen(pilot, HomeScreen)
        assert isinstance(app.screen, HomeScreen)
        assert "Resume the practice question 2 of 3" in words(app)
    session = log.events()[0].session  # type: ignore[union-attr]
    again = make_app(ResumeStart(session))
    async with again.run_test() as pilot:
        await begun(pilot)
        assert "question 2 of 3" in words(again)
        assert "two are drafted" in words(again)
    assert not any(isinstance(event, Finished) for event in log.events())


async def test_quitting_keeps_the_time_spent_on_the_question(make_app: MakeApp, log: Log, clock: HandClock) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        clock.time += 40
        await pilot.press("ctrl+q")
    assert replay(log.events()).items[0].seconds == 40


async def test_a_verdict_is_still_there_after_a_resume(make_app: MakeApp, log: Log) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        await choose(pilot, "b")
        await pilot.press("enter")
    session = log.events()[0].session  # type: ignore[union-attr]
    again = make_app(ResumeStart(session))
    async with again.run_test() as pilot:
        await begun(pilot)
        assert "[wrong] A draft may be rejected." in words(again)
        await pilot.press("enter")
        assert "question 2 of 3" in words(again)


@pytest.mark.parametrize("text", HOSTILE)
async def test_brackets_in_a_bank_are_shown_as_written(make_app: MakeApp, text: str) -> None:
    app = make_app(PracticeStart(), library=one_bank(hostile_bank(text)))
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        await pilot.press("f2")
        await choose(pilot, "a")
        await pilot.press("enter")
        for place in ("title", "prompt", "first", "other", "hint", "say", "explanation"):
            assert f"{place} {text}" in words(app)


@pytest.mark.parametrize("text", HOSTILE)
async def test_brackets_that_were_typed_are_shown_as_typed(make_app: MakeApp, text: str) -> None:
    app = make_app(PracticeStart(banks=("more",), seed=1))
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        await pilot.press("f3", "enter")
        app.screen.query_one(Input).value = text
        await pilot.press("enter")
        assert text in words(app)
        assert "[wrong]" in words(app) or "[not read]" in words(app)


async def test_there_is_one_screen_for_all_questions_and_no_widget_is_made_anew(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await begun(pilot)
        before = list(app.screen.walk_children())
        await pilot.press("f3", "enter", "f3", "enter")
        assert list(app.screen.walk_children()) == before


def test_the_samples_hold_every_kind_of_question() -> None:
    kinds = {type(question).__name__ for bank in (TOKENS, MORE) for question in bank.questions}
    assert len(kinds) == 5


async def test_after_the_verdict_the_formula_is_derived_step_by_step(make_app: MakeApp) -> None:
    app = make_app(START)
    async with app.run_test() as pilot:
        await to_the_typed_one(pilot)
        await pilot.press("f7")
        assert "F7 steps" not in words(app)
        await pilot.press(*"1.75", "enter")
        assert "F7 steps" in words(app)
        await pilot.press("f7")
        await seen(pilot, TextScreen)
        await pilot.pause()
        assert "1. Draft i survives with probability α^i." in words(app)
        await pilot.press("enter")
        await seen(pilot, PracticeScreen)
