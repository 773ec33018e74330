"""A small bank, a log in memory and a clock that is set by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand_clock import HandClock  # type: ignore[import-not-found]

from specquiz.banks.library import Library
from specquiz.banks.loading import load_bank
from specquiz.sessions.events import AnyEvent


@pytest.fixture(scope="session")
def library() -> Library:
    bank, problems = load_bank(Path(__file__).with_name("sample.yaml"))
    assert bank is not None, problems
    return Library((bank,))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def log() -> list[AnyEvent]:
    """`log.append` records."""
    return []
