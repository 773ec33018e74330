"""How a plain session is left: by a signal in order, or when the clock of an interview has run out."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from specquiz.sessions.mock import Mock
from specquiz.sessions.sitting import Sitting


class Leaving(BaseException):
    """A signal asks the program to leave."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


class TimeIsUp(BaseException):
    """The clock of an interview has run out while a line was awaited."""


@contextmanager
def leaving_in_order(sitting: Sitting) -> Iterator[None]:
    """However the block ends, note that the learner left; SIGTERM and SIGHUP end it with `Leaving`."""

    def leave(number: int, _frame: FrameType | None) -> None:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        raise Leaving(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sitting.leave()


@contextmanager
def time_limit(mock: Mock) -> Iterator[None]:
    """End the block when time is up, even while a line is awaited (where the system has such a timer)."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TimeIsUp

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, mock.remaining_seconds() + 0.01)
    try:
        with suppress(TimeIsUp):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
