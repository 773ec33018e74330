"""Orders and configurations on the screen: moved by keys, typed on several lines, at any size of terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from tui_samples import one_bank, screen_text, seen, words  # type: ignore[import-not-found]

from specquiz.banks.model import Bank, ConfigMisconception, ConfigQuestion, OrderItem, OrderQuestion
from specquiz.sessions.events import Answered
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.start import MockStart, PracticeStart
from specquiz.tui.widgets.choices import Choices
from specquiz.tui.widgets.editor import Editor
from specquiz.tui.widgets.ordering import Ordering

MakeApp = Callable[..., SpecquizApp]
RIGHT = ("weights", "kv", "activations", "logits")
ORDER = OrderQuestion(
    id="order",
    concepts=("exactness",),
    level=1,
    prompt="From the largest to the smallest?",
    items=tuple(OrderItem(id=id, text=f"the {id}") for id in RIGHT),
    explanation="So it is.",
)
CONFIG = ConfigQuestion(
    id="config",
    concepts=("exactness",),
    level=2,
    prompt="Repair this.",
    of="speculative_config",
    start='{"method": "[ngram]", "num_speculative_tokens": 4}',
    answer={"method": "ngram", "num_speculative_tokens": 4},
    misconceptions=(ConfigMisconception(where={"method": "[ngram]"}, say="The brackets are gone."),),
    explanation="The method is a plain word.",
)
ORDERS = one_bank(Bank(id="ways", title="Ways", questions=(ORDER,)))
CONFIGS = one_bank(Bank(id="ways", title="Ways", questions=(CONFIG,)))
START = PracticeStart(banks=("ways",), seed=1)
SIZES = [(40, 12), (80, 24), (200, 60)]


def order_shown(app: SpecquizApp) -> list[str]:
    return list(app.screen.query_one(Ordering).order)


async def put_right(pilot: Pilot[Any], app: SpecquizApp) -> None:
    """Move every item to its place with the plainest keys."""
    for place, id in enumerate(RIGHT):
        await pilot.press("home")
        for _ in range(order_shown(app).index(id)):
            await pilot.press("j")
        await pilot.press(str(place + 1))


@pytest.mark.parametrize("size", SIZES)
async def test_items_are_put_in_order_by_keys(make_app: MakeApp, log: Log, size: tuple[int, int]) -> None:
    app = make_app(START, ORDERS)
    async with app.run_test(size=size) as pilot:
        await seen(pilot, PracticeScreen)
        assert sorted(order_shown(app)) == sorted(RIGHT)
        assert order_shown(app) != list(RIGHT)
        for id in RIGHT:
            assert f"the {id}" in words(app)
        await put_right(pilot, app)
        assert order_shown(app) == list(RIGHT)
        await pilot.press("enter")
        assert "[correct] In the right order." in words(app)
    assert [event.text for event in log.events() if isinstance(event, Answered)] == [" ".join(RIGHT)]


@pytest.mark.parametrize("keys", [("J",), ("shift+down",), ("space", "j", "space"), ("space", "down"), ("2",)])
async def test_an_item_is_moved_in_several_ways(make_app: MakeApp, keys: tuple[str, ...]) -> None:
    app = make_app(START, ORDERS)
    async with app.run_test() as pilot:
        await seen(pilot, PracticeScreen)
        first, second, *others = order_shown(app)
        await pilot.press("home", *keys)
        assert order_shown(app) == [second, first, *others]


async def test_a_wrong_order_names_the_first_pair_and_each_items_place(make_app: MakeApp) -> None:
    app = make_app(START, ORDERS)
    async with app.run_test(size=(100, 30)) as pilot:
        await seen(pilot, PracticeScreen)
        await put_right(pilot, app)
        await pilot.press("home", "J", "enter")
        assert "[wrong] “the kv” comes after “the weights”, not before it." in words(app)
        assert "the kv [place 2]" in words(app)
        assert "the logits [right]" in words(app)


async def test_the_right_order_is_a_numbered_list(make_app: MakeApp) -> None:
    app = make_app(START, ORDERS)
    async with app.run_test(size=(100, 40)) as pilot:
        await seen(pilot, PracticeScreen)
        await pilot.press("f3")
        rows = [row.strip() for row in screen_text(app).splitlines()]
        first = rows.index("the right order") + 1
        assert rows[first : first + 4] == ["1  the weights", "2  the kv", "3  the activations", "4  the logits"]


async def test_the_keys_of_an_order_are_below_it_and_in_the_help(make_app: MakeApp) -> None:
    app = make_app(START, ORDERS)
    async with app.run_test(size=(100, 40)) as pilot:
        await seen(pilot, PracticeScreen)
        assert "J K move" in words(app)
        await pilot.press("f1")
        assert "move an item" in words(app)


@pytest.mark.parametrize("size", SIZES)
async def test_a_configuration_is_typed_on_several_lines(make_app: MakeApp, log: Log, size: tuple[int, int]) -> None:
    app = make_app(START, CONFIGS)
    async with app.run_test(size=size) as pilot:
        await seen(pilot, PracticeScreen)
        editor = app.screen.query_one(Editor)
        assert editor.text == CONFIG.start
        assert app.focused is editor
        assert "^s answer" in words(app)
        editor.load_text("")
        await pilot.press(*"method: ngram", "enter", *"num-speculative-tokens=4")
        assert len(log.events()) == 1
        await pilot.press("ctrl+s")
        assert "[correct]" in words(app)
        await pilot.press("enter")
        assert "Practice done" in words(app)
    answered = [event for event in log.events() if isinstance(event, Answered)]
    assert answered[0].text == "method: ngram\nnum-speculative-tokens=4"


async def test_what_is_typed_is_read_along_and_the_place_of_a_fault_is_shown(make_app: MakeApp, log: Log) -> None:
    app = make_app(START, CONFIGS)
    async with app.run_test(size=(100, 30)) as pilot:
        await seen(pilot, PracticeScreen)
        editor = app.screen.query_one(Editor)
        editor.load_text("method: ngram\nnum_speculative_tokens=4")
        await pilot.pause(0.3)
        assert 'read as {"method": "ngram", "num_speculative_tokens": 4}' in words(app)
        editor.load_text("method: ngram\nnum_speculative_tokens")
        await pilot.press("ctrl+s")
        assert "[not read] line 2, character 23: After num_speculative_tokens a colon" in words(app)
        editor.move_cursor(editor.document.end)
        await pilot.press(*": 4", "ctrl+s")
        assert "[correct]" in words(app)
    assert sum(isinstance(event, Answered) for event in log.events()) == 1


async def test_the_text_to_repair_is_known_by_its_mistake(make_app: MakeApp) -> None:
    app = make_app(START, CONFIGS)
    async with app.run_test(size=(100, 30)) as pilot:
        await seen(pilot, PracticeScreen)
        assert screen_text(app).count('"[ngram]"') >= 2
        await pilot.press("ctrl+s")
        assert "[wrong] The brackets are gone." in words(app)
        assert 'the answer {"method": "ngram", "num_speculative_tokens": 4}' in words(app)


@pytest.mark.parametrize("library", [ORDERS, CONFIGS], ids=["order", "config"])
async def test_the_keys_of_the_screen_work_while_an_answer_is_given(make_app: MakeApp, library: Any) -> None:
    app = make_app(MockStart(banks=("ways",), minutes=5, seed=1), library)
    async with app.run_test(size=(100, 30)) as pilot:
        await seen(pilot, MockScreen)
        await pilot.press("f5")
        assert "flagged" in words(app)
        await pilot.press("f6", "f7", "pagedown", "pageup")
        assert "question 1 of 1" in words(app)
        await pilot.press("ctrl+s" if library is CONFIGS else "enter")
        assert "Hand in the interview?" in words(app)


class ListAlone(App[None]):
    """A list of choices, with a screen of room to itself."""

    CSS = "Choices { height: auto; max-height: 48%; }"

    def compose(self) -> ComposeResult:
        yield Choices()


@pytest.mark.parametrize("length", range(66, 84))
async def test_choices_that_just_fit_the_width_are_all_seen_after_a_list_that_did_not_fit(length: int) -> None:
    app = ListAlone()
    async with app.run_test(size=(80, 24)) as pilot:
        choices = app.query_one(Choices)
        choices.ask([(f"c{number}", "word " * 60) for number in range(9)], multi=False)
        await pilot.pause()
        choices.ask([("a", "x " * (length // 2)), ("b", "the last")], multi=False)
        await pilot.pause()
        assert choices.virtual_size.height <= choices.size.height
