"""Reading primers and looking words up, from home and after an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from textual.pilot import Pilot
from tui_samples import LIBRARY, PRIMER, seen, words  # type: ignore[import-not-found]

from specquiz.banks.library import Library
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.lookup import LookupScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.screens.primer import PrimerScreen
from specquiz.tui.start import PracticeStart

MakeApp = Callable[..., SpecquizApp]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """The small library with one primer."""
    (tmp_path / "primers").mkdir()
    (tmp_path / "primers" / "basics.md").write_text(PRIMER, encoding="utf-8")
    return replace(LIBRARY, folders=(tmp_path,))


async def answered(pilot: Pilot[Any]) -> None:
    await seen(pilot, PracticeScreen)
    await pilot.press("1", "enter")


def told(app: SpecquizApp) -> list[str]:
    """What has been notified."""
    return [notification.message for notification in app._notifications]


async def test_after_an_answer_f6_opens_the_primer_at_the_main_concept(make_app: MakeApp, library: Library) -> None:
    app = make_app(PracticeStart(banks=("more",), seed=1), library=library)
    async with app.run_test(size=(80, 14)) as pilot:
        await answered(pilot)
        await pilot.press("f6")
        await seen(pilot, PrimerScreen)
        assert "Nothing of the target's law changes." in words(app)
        assert "What a pass is" not in words(app)
        await pilot.press("f4")
        await seen(pilot, PracticeScreen)
        assert "question 1 of 2" in words(app)


async def test_before_the_answer_the_primer_stays_shut_and_a_hint_is_offered(
    make_app: MakeApp, library: Library, log: Log
) -> None:
    app = make_app(PracticeStart(banks=("tokens",), seed=1), library=library)
    async with app.run_test() as pilot:
        await seen(pilot, PracticeScreen)
        before = log.events()
        await pilot.press("f6")
        await pilot.pause()
        assert isinstance(app.screen, PracticeScreen)
        assert told(app) == ["The primer opens after the answer; F2 gives a hint."]
        assert log.events() == before


async def test_where_no_primer_speaks_of_the_concept_that_is_said(make_app: MakeApp) -> None:
    app = make_app(PracticeStart(banks=("tokens",), seed=1))
    async with app.run_test() as pilot:
        await answered(pilot)
        await pilot.press("f6")
        assert isinstance(app.screen, PracticeScreen)
        assert told(app) == ["No primer is about this."]


async def test_home_leads_to_the_primers_with_one_key(make_app: MakeApp, library: Library) -> None:
    app = make_app(library=library)
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        assert "Primers, and looking words up" in words(app)
        await pilot.press("slash")
        await seen(pilot, LookupScreen)
        assert "1 primer" in words(app)
        await pilot.press("enter")
        await seen(pilot, PrimerScreen)
        assert "What a pass is, in a few words." in words(app)
        await pilot.press("escape", "escape")
        await seen(pilot, HomeScreen)


async def test_words_are_looked_up_while_they_are_typed_and_enter_opens_the_section(
    make_app: MakeApp, library: Library
) -> None:
    app = make_app(library=library)
    async with app.run_test(size=(80, 14)) as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("slash", *"zebra")
        assert "With the zebra stripes" in words(app)
        await pilot.press("enter")
        await seen(pilot, PrimerScreen)
        assert "1 + α + α²" in words(app)
        assert "What a pass is" not in words(app)


async def test_a_question_that_is_found_starts_a_practice_of_its_bank(make_app: MakeApp, library: Library) -> None:
    app = make_app(library=library)
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("slash", *"keep output exact", "enter")
        await seen(pilot, PracticeScreen)
        assert "More kinds" in words(app)


async def test_the_arrows_move_in_the_list_while_letters_go_into_the_field(make_app: MakeApp, library: Library) -> None:
    app = make_app(library=library)
    async with app.run_test(size=(80, 30)) as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("slash", *"token", "down", "down", "up", *"s", "down", "enter")
        await seen(pilot, PrimerScreen, PracticeScreen)


async def test_words_that_nothing_has_leave_an_empty_list(make_app: MakeApp, library: Library) -> None:
    app = make_app(library=library)
    async with app.run_test() as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("slash", *"q?1", "enter", "down", "enter")
        assert isinstance(app.screen, LookupScreen)
        assert "0 places" in words(app)


async def test_of_very_many_places_the_first_are_listed_and_that_is_said(make_app: MakeApp, library: Library) -> None:
    bank = library.banks[0]
    many = tuple(structs.replace(bank.questions[0], id=f"twig-{number}") for number in range(60))
    app = make_app(library=Library((structs.replace(bank, questions=many),), library.concepts))
    async with app.run_test(size=(80, 30)) as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("slash", *"twig")
        await seen(pilot, LookupScreen)
        assert "the first 50 places; more words find fewer" in words(app)


async def test_n_and_p_go_from_section_to_section(make_app: MakeApp, library: Library) -> None:
    app = make_app(library=library)
    async with app.run_test(size=(40, 12)) as pilot:
        await seen(pilot, HomeScreen)
        await pilot.press("slash", "enter")
        await seen(pilot, PrimerScreen)
        await pilot.press("n")
        assert "What a pass is" not in words(app)
        assert "Tokens per pass" in words(app)
        await pilot.press("n")
        assert "Nothing of the target's law" in words(app)
        await pilot.press("p", "p")
        assert "What a pass is" in words(app)
