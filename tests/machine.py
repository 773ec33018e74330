"""Processes and ports of this machine, for tests that start and end real ones."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from specquiz.labs.engines.ports import listener


def processes() -> Iterator[tuple[int, int, int]]:
    """(number, parent, group) of every living process."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it ended while we looked
            continue
        if state != "Z":
            yield int(entry.name), int(parent), int(group)


def children(parent: int) -> list[int]:
    """The child processes of a process; a supervisor leads a group by its own number."""
    return [number for number, above, _ in processes() if above == parent]


def members(group: int) -> list[int]:
    """The living processes of a process group."""
    return [number for number, _, of in processes() if of == group]


def names(group: int) -> set[str]:
    """What the living processes of a process group call themselves."""
    found = set()
    for number in members(group):
        with suppress(OSError):
            found.add(Path(f"/proc/{number}/comm").read_text().strip())
    return found


def wait_until(holds: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def heed_the_terminal() -> None:
    """For a child: tests that were started in the background ignore these signals, and what is ignored is inherited."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


@contextmanager
def listening(port: int, host: str = "127.0.0.1") -> Iterator[subprocess.Popen[bytes]]:
    """Another program that has the port."""
    program = "import socket, sys, time; s = socket.create_server((sys.argv[1], int(sys.argv[2]))); time.sleep(60)"
    other = subprocess.Popen([sys.executable, "-c", program, host, str(port)], start_new_session=True)
    try:
        assert wait_until(lambda: listener(port) is not None)
        yield other
    finally:
        other.kill()
        other.wait()
