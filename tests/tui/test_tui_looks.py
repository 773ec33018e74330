"""How the screens look. After a change that is meant: `pytest tests/tui/test_tui_looks.py --snapshot-update`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from tui_samples import LIBRARY, PRIMER, one_bank, seen  # type: ignore[import-not-found]

from specquiz.banks.loading import load_bank
from specquiz.sessions.events import LabUnlocked
from specquiz.store.log import Log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.lab import LabScreen
from specquiz.tui.screens.lookup import LookupScreen
from specquiz.tui.screens.marking import MarkingScreen
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.page import Page
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.screens.primer import PrimerScreen
from specquiz.tui.start import Home, LabStart, LookupStart, MockStart, PracticeStart, Start

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


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["large", "small"])
def test_marking_looks_as_agreed(snap_compare: Callable[..., bool], make_app: MakeApp, size: tuple[int, int]) -> None:
    bank, problems = load_bank(Path(__file__).parents[1] / "sessions" / "written.yaml")
    assert bank is not None, problems

    async def arrange(pilot: Pilot[Any]) -> None:
        await seen(pilot, PracticeScreen)
        await pilot.press(*"yes", "enter", "enter", *"The weights", "ctrl+s")
        await seen(pilot, MarkingScreen)
        await pilot.press("y", "n")
        await pilot.pause(0.1)

    app = make_app(PracticeStart(banks=("written",), seed=1), library=one_bank(bank))
    assert snap_compare(app, terminal_size=size, run_before=arrange)


def test_a_primer_looks_as_agreed(snap_compare: Callable[..., bool], make_app: MakeApp, tmp_path: Path) -> None:
    (tmp_path / "primers").mkdir()
    (tmp_path / "primers" / "basics.md").write_text(PRIMER, encoding="utf-8")

    async def arrange(pilot: Pilot[Any]) -> None:
        await seen(pilot, LookupScreen)
        await pilot.press(*"zebra", "enter")
        await seen(pilot, PrimerScreen)
        await pilot.pause(0.1)

    app = make_app(LookupStart(), library=replace(LIBRARY, folders=(tmp_path,)))
    assert snap_compare(app, terminal_size=(80, 24), run_before=arrange)
