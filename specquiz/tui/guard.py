"""Keeps a key that is held down from acting on what appears next."""

from __future__ import annotations

from collections.abc import Callable

HELD_SECONDS = 0.15
"""A held key repeats faster than this."""


class EnterGuard:
    """Says whether an Enter is meant for what is on the screen, or still belongs to what was there before.

    Args:
        ticks: seconds of a clock that never runs backwards.
    """

    def __init__(self, ticks: Callable[[], float]) -> None:
        self._ticks = ticks
        self._latest = float("-inf")

    def changed(self) -> None:
        """Something else is on the screen now."""
        self._latest = self._ticks()

    def passes(self) -> bool:
        """Whether to act on an Enter that arrives now. One that follows a refused one at once is refused as well."""
        now = self._ticks()
        held = now - self._latest < HELD_SECONDS
        if held:
            self._latest = now
        return not held
