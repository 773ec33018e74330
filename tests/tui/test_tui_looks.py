"""How the screens look. After a change that is meant: `pytest tests/tui/test_tui_looks.py --snapshot-update`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from tui_samples import seen  # type: ignore[import-not-found]

from specquiz.sessions.events import LabUnlocked
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.lab import LabScreen
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.page import Page
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.start import Home, LabStart, MockStart, PracticeStart, Start

MakeApp = Callable[..., SpecquizApp]

LOOKS: dict[str, tuple[Start, type[Page], list[str], tuple[int, int]]] = {
    "home": (Home(), HomeScreen, [], (80, 24)),
    "home_wide": (Home(), HomeScreen, ["end", "up", "up"], (120, 40)),
    "practice": (PracticeStart(banks=("tokens",), seed=1), PracticeScreen, ["2"], (80, 24)),
    "verdict": (PracticeStart(banks=("tokens",), seed=1), PracticeScreen, ["f3", "enter", *"0.75", "enter"], (80, 24)),
    "verdict_small": (
        PracticeStart(banks=("tokens",), seed=1),
        PracticeScreen,
        ["f3", "enter", *"0.75", "enter"],
        (40, 12),
    ),
    "mock": (MockStart(banks=("tokens",), minutes=30, seed=1), MockScreen, ["f5"], (80, 24)),
    "lab": (LabStart(lab="echo"), LabScreen, ["2", "enter"], (80, 24)),
}


@pytest.mark.parametrize("name", LOOKS)
def test_it_looks_as_agreed(snap_compare: Callable[..., bool], make_app: MakeApp, log: Log, name: str) -> None:
    start, kind, keys, size = LOOKS[name]
    if isinstance(start, LabStart):
        log.append(LabUnlocked(at=0.0, lab=start.lab, how="mastery"))

    async def arrange(pilot: Pilot[Any]) -> None:
        await seen(pilot, kind)
        await pilot.press(*keys)
        await pilot.pause(0.1)

    assert snap_compare(make_app(start), terminal_size=size, run_before=arrange)
