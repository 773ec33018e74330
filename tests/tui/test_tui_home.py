"""The home screen: what there is, what is open, what is missing."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs
from textual.widgets import Input
from tui_samples import HOSTILE, LAB, LIBRARY, hostile_bank, one_bank, screen_text, seen, words  # type: ignore[import-not-found]

from specquiz.banks.library import open_library
from specquiz.errors import SpecquizError
from specquiz.sessions.engine import replay
from specquiz.sessions.events import Finished, LabUnlocked, SessionStarted
from specquiz.sessions.practice import Practice, start_practice
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.start import Home

MakeApp = Callable[..., SpecquizApp]
Answers = dict[str, str]
RIGHT: Answers = {"certain": "a", "count": "1.75", "formula": "(1-alpha**(K+1))/(1-alpha)"}


def practised(log: Log, answers: Answers, count: int | None = None) -> Practice:
    """A practice of the bank `tokens` in which these answers were given, left open if not all were."""
    practice = start_practice(
        LIBRARY, ["tokens"], count=count, seed=1, record=log.append, clock=lambda: 1_799_999_000.0
    )
    while practice.phase == "asking" and practice.item.question in answers:
        practice.answer(answers[practice.item.question])
        practice.advance()
    return practice


async def test_banks_are_listed_with_how_much_is_right(make_app: MakeApp, log: Log) -> None:
    practised(log, RIGHT | {"formula": "alpha"})
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        assert "1 Tokens per pass" in words(app) or "Tokens per pass ━" in words(app)
        assert "2 of 3 right" in words(app)
        assert "0 of 2 right" in words(app)


async def test_choosing_a_bank_asks_how_many_questions_and_asks_so_many(make_app: MakeApp, log: Log) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("1")
        assert "How many questions? There are 3 to choose from." in words(app)
        await pilot.press("backspace", "9", "enter")
        assert "Type a whole number from 1 to 3." in words(app)
        await pilot.press("backspace", "2", "enter")
        await seen(pilot, PracticeScreen)
        assert "question 1 of 2" in words(app)
    assert [len(event.items) for event in log.events() if isinstance(event, SessionStarted)] == [2]


async def test_end_and_home_lead_to_the_last_entry_and_back_to_the_very_top(make_app: MakeApp) -> None:
    app = make_app(labs=tuple(structs.replace(LAB, id=f"echo-{n}") for n in range(20)))
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, HomeScreen)
        top = screen_text(app).splitlines()[2]
        assert "Practice" in top
        await pilot.press("end")
        await pilot.pause()
        assert screen_text(app).splitlines()[2] != top
        await pilot.press("home")
        await pilot.pause()
        assert screen_text(app).splitlines()[2] == top


async def test_going_back_from_the_number_starts_nothing(make_app: MakeApp, log: Log) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("1", "f4")
        assert isinstance(app.screen, HomeScreen)
    assert log.events() == []


async def test_a_locked_lab_says_what_is_still_missing(make_app: MakeApp, log: Log) -> None:
    practised(log, {"certain": "a", "count": "0.75"})
    app = make_app()
    async with app.run_test(size=(100, 40)) as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("end", "up", "up")
        assert "locked: 1 concept" in words(app)
        assert "Tokens per pass: 1 question more to answer; 50% right so far, 75% right opens it" in words(app)


async def test_mastery_opens_a_lab_and_the_log_keeps_it_open(make_app: MakeApp, log: Log) -> None:
    practised(log, RIGHT)
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        app.clear_notifications()
        await pilot.pause()
        assert "Echo against novel text open" in words(app)
    opened = [event for event in log.events() if isinstance(event, LabUnlocked)]
    assert [(event.lab, event.how) for event in opened] == [(LAB.id, "mastery")]
    async with make_app().run_test() as pilot:
        await seen(pilot, HomeScreen)
    assert sum(isinstance(event, LabUnlocked) for event in log.events()) == 1


async def test_an_open_practice_comes_first_and_goes_on_at_its_question(make_app: MakeApp, log: Log) -> None:
    practised(log, {"certain": "a"})
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        assert "1 Resume the practice question 2 of 3" in words(app)
        assert "Question 2 of 3. Questions from: Tokens per pass." in words(app)
        await pilot.press("1")
        await seen(pilot, PracticeScreen)
        assert "question 2 of 3" in words(app)
        assert "two are drafted" in words(app)


async def test_an_open_session_is_discarded_only_after_asking(make_app: MakeApp, log: Log) -> None:
    session = practised(log, {"certain": "a"}).session.id
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("x", "n")
        assert replay(log.events(session)).finished is None
        await pilot.press("x", "y")
        await pilot.pause()
        assert "Resume" not in words(app)
    finished = [event for event in log.events(session) if isinstance(event, Finished)]
    assert [event.how for event in finished] == ["discarded"]


async def test_only_the_missed_ones_are_asked_again(make_app: MakeApp, log: Log) -> None:
    practised(log, RIGHT | {"count": "0.75"})
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        assert "4 Only the missed ones 1 question" in words(app)
        await pilot.press("4", "enter")
        await seen(pilot, PracticeScreen)
        assert "question 1 of 1" in words(app)
        assert "two are drafted" in words(app)


async def test_a_broken_bank_is_named_with_its_place_and_the_good_ones_stay(make_app: MakeApp, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("bank: broken\ntitle: Broken\nquestions:\n  - id: a\n    type: singel\n")
    app = make_app(library=open_library([broken]))
    async with app.run_test(size=(160, 50)) as pilot:
        await seen(pilot, HomeScreen)
        assert "[!] 1 bank file has problems:" in words(app)
        assert "broken.yaml:5:11:" in words(app)
        assert "Exactness of speculative decoding" in words(app)


async def test_brackets_in_titles_are_shown_as_written(make_app: MakeApp) -> None:
    for text in HOSTILE:
        app = make_app(library=one_bank(hostile_bank(text)))
        async with app.run_test(size=(120, 40)) as pilot:
            await seen(pilot, HomeScreen)
            assert f"title {text}" in words(app)
            assert f"description {text}" in words(app)
            await pilot.press("1")
            await pilot.pause()
            assert isinstance(app.screen.query_one(Input), Input)


async def test_question_mark_shows_the_keys_and_q_quits(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("question_mark")
        assert "open the entry with that number" in words(app)
        await pilot.press("enter", "q")
        await pilot.pause()
        assert app.return_code == 0


async def test_a_log_that_cannot_be_used_ends_the_program_with_its_reason() -> None:
    def refuse() -> None:
        raise SpecquizError("The log was written by a newer specquiz.", remedy="Update specquiz.")

    app = SpecquizApp(refuse, Home())  # type: ignore[arg-type]
    async with app.run_test() as pilot:
        await pilot.pause()
    assert app.return_code == 1
    assert "newer specquiz" in str(app.failure)


async def test_a_disk_that_fills_half_way_ends_the_program_with_its_reason(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        with no_room_for_files():
            await pilot.press("1", "enter")
            await pilot.pause()
    assert app.return_code == 1
    assert "disk may be full" in str(app.failure)


@contextmanager
def no_room_for_files() -> Iterator[None]:
    """No file of this process can grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
