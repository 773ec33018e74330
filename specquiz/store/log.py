"""The log: everything that happened, appended to one SQLite file and never changed.

Each event is one transaction, on the disk before `append` returns (WAL, `synchronous=FULL`). Several programs may
write at once. Kinds of events that this version does not know are kept and passed over.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, get_args

import msgspec

from specquiz import places
from specquiz.errors import SpecquizError
from specquiz.sessions.events import AnyEvent

VERSION = 1
"""Of the schema, in `PRAGMA user_version`."""

BUSY_SECONDS = 15.0
"""How long a writer waits for another program's transaction."""

_SCHEMA = (
    """CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        kind TEXT NOT NULL,
        at REAL NOT NULL,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX events_by_session ON events (session)",
    """CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END""",
    """CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END""",
    f"PRAGMA user_version = {VERSION}",
)

_ELSEWHERE = "Nothing was changed. Move the file away to begin a new log, or set SPECQUIZ_HOME to another folder."

_REASONS = {
    sqlite3.SQLITE_FULL: ("The disk is full; this was not recorded.", "Free some space and try again."),
    sqlite3.SQLITE_IOERR: (
        "The log could not be written or read; the disk may be full or failing, and this was not recorded.",
        "Free some space, check the disk and try again.",
    ),
    sqlite3.SQLITE_BUSY: (
        "Another program has kept the log locked for too long; this was not recorded.",
        "Close the other program and try again.",
    ),
    sqlite3.SQLITE_NOTADB: ("This file is not a log of specquiz.", _ELSEWHERE),
    sqlite3.SQLITE_CORRUPT: (
        "The log is damaged.",
        "Nothing was changed. Restore the file from a backup, or move it away to begin a new log.",
    ),
}
_NO_ACCESS = (
    "The log cannot be opened for writing here.",
    "Make this place writable, or set SPECQUIZ_HOME to a folder of yours.",
)

_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyEvent))
_Result = TypeVar("_Result")


def open_log(path: Path | None = None) -> Log:
    """Open the log at `path` (default: the person's own, see `places.log_file`), making it if there is none.

    Raises:
        SpecquizError: it cannot be opened, or a newer version of specquiz wrote it. The file is left as it is.
    """
    file = places.log_file() if path is None else path
    with _explained(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        with _explained(file):
            _retry(lambda: _prepare(database, file))
    except BaseException:
        database.close()
        raise
    return Log(file, database)


class Log:
    """An open log. Close it, or use it as a context manager."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self.path = path
        self._database = database
        self._decoder = msgspec.json.Decoder(AnyEvent)

    def append(self, event: AnyEvent) -> None:
        """Commit one event. When this returns, the event is on the disk; when it raises, it is not in the log."""
        kind = str(event.__struct_config__.tag)
        session = getattr(event, "session", "") or getattr(event, "run", "")
        row = (session, kind, event.at, msgspec.json.encode(event).decode())
        with _explained(self.path), _transaction(self._database):
            self._database.execute("INSERT INTO events (session, kind, at, body) VALUES (?, ?, ?, ?)", row)

    def events(self, session: str | None = None) -> list[AnyEvent]:
        """The events in the order recorded, all or those of one session (or lab run)."""
        where, values = ("", ()) if session is None else ("WHERE session = ?", (session,))
        with _explained(self.path):
            rows = self._database.execute(f"SELECT id, kind, body FROM events {where} ORDER BY id", values).fetchall()
        decoded = (self._decode(*row) for row in rows)
        return [event for event in decoded if event is not None]

    def close(self) -> None:
        """Close the file; nothing is pending."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _decode(self, id: int, kind: str, body: str) -> AnyEvent | None:
        """The event in a row; None for what only a newer version understands."""
        if kind not in _KINDS:
            return None
        try:
            return self._decoder.decode(body)
        except msgspec.ValidationError:
            return None
        except msgspec.DecodeError as error:
            raise SpecquizError(
                f"Row {id} of the log is damaged: {error}.",
                where=str(self.path),
                remedy="Nothing was changed. Restore the file from a backup, or move it away to begin a new log.",
            ) from error


def _prepare(database: sqlite3.Connection, file: Path) -> None:
    """Set the connection up; make the tables in a new file; refuse a newer one."""
    database.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    version = _accepted_version(database, file)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    if version == VERSION:
        return
    with _transaction(database):
        if _accepted_version(database, file) == 0:
            for statement in _SCHEMA:
                database.execute(statement)


def _accepted_version(database: sqlite3.Connection, file: Path) -> int:
    """The schema's version, 0 in a new file; a newer one and another program's database are refused untouched."""
    query = "SELECT user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version"
    version, tables = map(int, database.execute(query).fetchone())
    if version > VERSION:
        raise SpecquizError(
            f"The log was written by a newer specquiz (schema {version}; this one knows {VERSION}).",
            where=str(file),
            remedy="Update specquiz, or set SPECQUIZ_HOME to another folder. The log was not changed.",
        )
    if version == 0 and tables:
        raise SpecquizError("This database belongs to another program.", where=str(file), remedy=_ELSEWHERE)
    return version


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, also when a signal arrives half-way."""
    _retry(lambda: database.execute("BEGIN IMMEDIATE"))
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _retry(action: Callable[[], _Result]) -> _Result:
    """SQLite answers "busy" at once where waiting could deadlock (such as turning WAL on); try again for a while."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """Turn what the disk or SQLite refuses into one clear error."""
    try:
        yield
    except sqlite3.Error as error:
        what, remedy = _REASONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _NO_ACCESS)
        raise SpecquizError(f"{what} ({error})", where=str(file), remedy=remedy) from error
    except OSError as error:
        what, remedy = _NO_ACCESS
        raise SpecquizError(f"{what} ({error.strerror})", where=str(file), remedy=remedy) from error
