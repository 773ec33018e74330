"""Compiled files: what the loader made of a YAML file, kept as JSON under the user's cache folder.

An entry holds for exactly one state of one file. Nothing depends on it: an entry that is missing, stale, damaged or
written by another version is built anew, and a folder that cannot be written to only costs time.
"""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from specquiz import __version__, places

FORMAT = 3
"""Raised whenever the loader comes to make something else of the same file."""

_SETTLED_NS = 100_000_000
"""A file changed this recently may change again without its time of change moving."""

T = TypeVar("T")


class _Entry(msgspec.Struct, Generic[T], frozen=True, forbid_unknown_fields=True):
    path: str
    state: str
    content: T


def state_of(path: Path) -> str | None:
    """What tells one state of a file from another, with the versions that read it. None if there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return None
    times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
    return f"{__version__} {FORMAT} {status.st_size} {status.st_ino} {times}"


def recall(path: Path, state: str | None, kind: type[T]) -> T | None:
    """What was kept for this state of the file, as a `kind`."""
    try:
        entry = msgspec.json.decode(_entry_file(path).read_bytes(), type=_Entry[kind])  # type: ignore[valid-type]
    except (OSError, msgspec.DecodeError):
        return None
    return entry.content if (entry.path, entry.state) == (str(path), state) else None


def keep(path: Path, state: str | None, content: msgspec.Struct) -> None:
    """Keep what was made of the file when it was in `state`, unless the file has changed since or only just now."""
    if state is None or state != state_of(path) or _unsettled(path):
        return
    try:
        write_whole(_entry_file(path), msgspec.json.encode(_Entry(str(path), state, content)))
    except OSError:
        # A cache that cannot be written to is a slower start, which is no reason to stop or to complain.
        return


def _unsettled(path: Path) -> bool:
    status = path.stat()
    return time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < _SETTLED_NS


def _entry_file(path: Path) -> Path:
    name = str(path).encode("utf-8", "surrogateescape")
    return places.cache() / "banks" / f"{path.stem[:60]}-{zlib.crc32(name):08x}.json"


def write_whole(target: Path, data: bytes) -> None:
    """Put `data` in place at once: whoever reads finds the old file or the new one, whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
