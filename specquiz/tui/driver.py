"""The terminal, as far as it sends text and is there to be written to."""

from __future__ import annotations

from contextlib import suppress
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


class TerminalDriver(LinuxDriver):
    """Textual's own, which goes on where that one would stop for good.

    Bytes that are not UTF-8 come from a terminal set to another encoding, or by way of a paste: they are passed over,
    where Textual's would hear no further key. What is written to a terminal that has gone is dropped, where Textual's
    would wait for ever at the end.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._file: Any = _Output(self._file)

    def run_input_thread(self) -> None:
        """Wait for input and dispatch events."""
        while True:
            try:
                super().run_input_thread()
            except UnicodeDecodeError:
                if not self.exit_event.is_set():
                    continue
            return


class _Output:
    """Where a screen is written, until it has gone."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()
