"""What is typed at a terminal, as far as it is text."""

from __future__ import annotations

from textual.drivers.linux_driver import LinuxDriver


class TerminalDriver(LinuxDriver):
    """Textual's own, which would stop listening for good at the first byte that is not UTF-8.

    Such bytes come from a terminal set to another encoding, or by way of a paste; they are passed over.
    """

    def run_input_thread(self) -> None:
        """Wait for input and dispatch events."""
        while not self.exit_event.is_set():
            try:
                super().run_input_thread()
            except UnicodeDecodeError:
                continue
