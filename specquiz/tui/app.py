"""The full-screen program. It owns themes, signals and what stands open; screens own behaviour, sessions the truth."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.reactive import Reactive
from textual.screen import ModalScreen, Screen
from textual.theme import Theme

from specquiz.errors import SpecquizError
from specquiz.terminal import without_controls
from specquiz.tui.screens.home import HomeScreen
from specquiz.tui.screens.page import HEIGHTS, MINIMUM, WIDTHS, Page
from specquiz.tui.start import (
    ExplorerStart,
    Home,
    LabStart,
    LookupStart,
    MockStart,
    PracticeStart,
    ResumeStart,
    RoundStart,
    Start,
)
from specquiz.tui.theme import DARK, LIGHT

if TYPE_CHECKING:
    from specquiz.tui.desk import Desk


class SpecquizApp(App[None]):
    """The program.

    Args:
        open_desk: reads banks and log; called once the first frame is on the screen.
        start: where to begin.
        clock: seconds since the epoch.
        ticks: seconds of a clock that never runs backwards.
    """

    CSS_PATH = "specquiz.tcss"
    TITLE = "specquiz"
    ESCAPE_TO_MINIMIZE = False
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    theme: Reactive[str] = Reactive(os.environ.get("TEXTUAL_THEME", DARK.name))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "help_quit", show=False, system=True)]

    def __init__(
        self,
        open_desk: Callable[[], Desk],
        start: Start,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._open_desk = open_desk
        self._start_at = start
        self.clock = clock
        self.ticks = ticks
        self.desk: Desk | None = None
        self.failure: SpecquizError | None = None

    @property
    def available_themes(self) -> dict[str, Theme]:
        """Ours and Textual's. Given here instead of being registered, so that the first frame is styled only once."""
        return {**super().available_themes, DARK.name: DARK, LIGHT.name: LIGHT}

    def get_driver_class(self) -> type[Driver]:
        driver = super().get_driver_class()
        if driver.__name__ != "LinuxDriver":
            return driver
        from specquiz.tui.driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[None]:
        return HomeScreen(id="home")

    def on_mount(self) -> None:
        self._end_in_order_on_signals()
        self._leave_with_the_terminal()
        self.call_after_refresh(self._open)

    def _open(self) -> None:
        """Read banks and log, after the first frame."""
        try:
            self.desk = self._open_desk()
            assert isinstance(self.screen, HomeScreen)
            self.screen.show_overview()
            self.begin(self._start_at)
        except SpecquizError as error:
            self.fail(error)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    def begin(self, start: Start) -> None:
        """Go where `start` says, on top of home."""
        match start:
            case Home():
                pass
            case LabStart():
                from specquiz.labs.loading import find_lab
                from specquiz.tui.screens.lab import LabScreen

                self.push_screen(LabScreen(find_lab(self.opened.labs, start.lab), start))
            case ExplorerStart(values):
                from specquiz.tui.screens.explorer import ExplorerScreen

                self.push_screen(ExplorerScreen(values))
            case RoundStart(seed):
                from specquiz.tui.screens.round import RoundScreen

                self.push_screen(RoundScreen(seed))
            case LookupStart():
                from specquiz.tui.screens.lookup import LookupScreen

                self.push_screen(LookupScreen())
            case PracticeStart() | MockStart() | ResumeStart():
                from specquiz.tui.sittings import screen_for

                self.push_screen(screen_for(self.opened, start, self.clock))

    @property
    def opened(self) -> Desk:
        """The desk, which every screen but home's first frame may count on."""
        assert self.desk is not None
        return self.desk

    def fail(self, error: SpecquizError) -> None:
        """End the program; the error is told after the terminal is itself again."""
        self.failure = error
        self.exit(return_code=error.exit_code)

    def _handle_exception(self, error: Exception) -> None:
        """What a person can mend (a full disk, say) ends the program in order; anything else is a fault of ours."""
        if isinstance(error, SpecquizError):
            self.fail(error)
        else:
            super()._handle_exception(error)

    async def on_event(self, event: events.Event) -> None:
        """What nobody can see takes no key: on a terminal that is too small only quitting works.

        What is pasted comes without control characters, which would steer the terminal when they are shown.
        """
        typed = isinstance(event, events.Paste) or (isinstance(event, events.Key) and event.key != "ctrl+q")
        if typed and self._is_covered():
            return
        if isinstance(event, events.Paste):
            event.text = without_controls(event.text)
        await super().on_event(event)

    def _is_covered(self) -> bool:
        columns, rows = self.size
        small = columns < MINIMUM[0] or rows < MINIMUM[1]
        return small and len(self.screen_stack) > 0 and isinstance(self.screen, Page | ModalScreen)

    def action_help(self) -> None:
        from specquiz.tui.screens.dialogs import Help

        if not isinstance(self.screen, Help):
            self.push_screen(Help(self.screen))

    def _leave_with_the_terminal(self) -> None:
        """A program that is not the terminal's own gets no SIGHUP; it would read a gone terminal for ever."""
        import select
        import sys

        if not sys.stdin.isatty() or not hasattr(select, "poll"):
            return
        terminal = select.poll()
        terminal.register(sys.stdin.fileno(), 0)

        def look() -> None:
            if any(event & select.POLLHUP for _, event in terminal.poll(0)):
                self.exit(return_code=128 + signal.SIGHUP)

        self.set_interval(2, look)

    def _end_in_order_on_signals(self) -> None:
        """A terminal that goes away (SIGHUP) or a polite kill ends the program as quitting does."""
        import asyncio

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.exit, None, 128 + number)


def run(library_paths: Sequence[Path], start: Start) -> int:
    """Run the full-screen program until the person leaves it; return the exit code.

    Raises:
        SpecquizError: the log or a lab file cannot be used.
    """
    if os.environ.get("NO_COLOR") == "":
        # By its convention an empty NO_COLOR means nothing; Textual would take it as set.
        del os.environ["NO_COLOR"]

    def open_all() -> Desk:
        from specquiz.tui.desk import open_desk

        return open_desk(library_paths)

    # What is made during the start stays until the end: looking for garbage in it only delays the first screens.
    gc.disable()
    app = SpecquizApp(open_all, start)
    app.run()
    if app.desk is not None:
        app.desk.log.close()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
