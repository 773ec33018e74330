"""A clock for tests."""

from __future__ import annotations


class HandClock:
    """Shows `time`, whatever it is set to."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time
