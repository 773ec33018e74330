"""The program on a desk of its own: own log, own banks, a clock set by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tui_samples import LAB, LIBRARY, HandClock, slow_ticks  # type: ignore[import-not-found]

from specquiz.banks.library import Library
from specquiz.labs.model import Lab
from specquiz.store.log import Log, open_log
from specquiz.tui.app import SpecquizApp
from specquiz.tui.desk import Desk
from specquiz.tui.start import Home, Start

MakeApp = Callable[..., SpecquizApp]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPECQUIZ_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with open_log(tmp_path / "log.sqlite3") as opened:
        yield opened


@pytest.fixture
def make_app(log: Log, clock: HandClock) -> MakeApp:
    """Makes the program; every app of a test has the same log."""

    def make(
        start: Start | None = None,
        library: Library = LIBRARY,
        ticks: Callable[[], float] | None = None,
        labs: tuple[Lab, ...] = (LAB,),
    ) -> SpecquizApp:
        app = SpecquizApp(lambda: Desk(library, labs, log), start or Home(), clock=clock, ticks=ticks or slow_ticks())
        app.animation_level = "none"
        return app

    return make
