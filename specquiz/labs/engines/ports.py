"""Whether a port of this machine is taken, and by which process. Standard library only."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

LOOPBACK = "127.0.0.1"
SERVER_PORT = 8000
"""Where a vLLM server listens unless it is told otherwise."""

_LISTENING = "0A"
_REACHED = ("0100007F", "00000000", "0" * 32, "0000000000000000FFFF00000100007F")
"""Addresses, as the kernel writes them, whose listeners a connection to 127.0.0.1 reaches."""


def port_problem(port: int) -> str:
    """Why no server can listen on a port of 127.0.0.1, such as `taken by process 4242 (python)`; empty if one can."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
            probe.listen(1)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return f"not to be had ({error.strerror or error})"
        else:
            return ""
    holder = listener(port)
    return "taken by a process that this system does not name" if holder is None else f"taken by {_named(holder)}"


def listener(port: int) -> int | None:
    """The process that listens on a port of 127.0.0.1; None where there is none, or it cannot be seen."""
    inodes = set(_listening(port))
    for entry in Path("/proc").glob("[0-9]*") if inodes else ():
        with suppress(OSError):  # it ended while we looked, or is another person's
            if any(os.readlink(each) in inodes for each in (entry / "fd").iterdir()):
                return int(entry.name)
    return None


def _listening(port: int) -> Iterator[str]:
    """The sockets that listen on a port, as a process's descriptors name them; none where there is no /proc."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with suppress(OSError):
            for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                address, _, number = fields[1].partition(":")
                if fields[3] == _LISTENING and address in _REACHED and int(number, 16) == port:
                    yield f"socket:[{fields[9]}]"


def _named(process: int) -> str:
    try:
        name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return f"process {process}"
    return f"process {process} ({name})"
