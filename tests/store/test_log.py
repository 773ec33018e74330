"""The log keeps what it was given, whatever happens around it."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from specquiz.errors import SpecquizError
from specquiz.sessions.events import Answered, AnyEvent, Item, LabPredicted, SessionStarted
from specquiz.store.log import open_log

WRITE_200 = """
import sys
from pathlib import Path
from specquiz.sessions.events import Answered
from specquiz.store.log import open_log
name = sys.argv[2]
with open_log(Path(sys.argv[1])) as log:
    for n in range(200):
        log.append(Answered(at=n, session=name, index=n, text=str(n), outcome="correct", message="", seconds=1))
"""

# Nothing is read-only to root. The imports come first: another user may be unable to read this Python.
AS_NO_ROOT = """
import os
import specquiz.store.log
os.geteuid() or os.setuid(65534)
"""

WRITE_UNTIL_IT_FAILS = """
import sys
from pathlib import Path
from specquiz.errors import SpecquizError
from specquiz.sessions.events import Answered
from specquiz.store.log import open_log
try:
    with open_log(Path(sys.argv[1])) as log:
        for n in range(100_000):
            log.append(Answered(at=n, session="s", index=n, text="x" * 1000, outcome="correct", message="", seconds=1))
            print(n, flush=True)
except SpecquizError as error:
    print(error, file=sys.stderr)
"""


def answered(n: int, session: str = "s") -> Answered:
    return Answered(at=float(n), session=session, index=n, text=f"α{n}", outcome="wrong", message="Why", seconds=2.5)


def test_what_was_appended_is_read_back_in_order_by_another_program(tmp_path: Path) -> None:
    item = Item(bank="b", question="q", values={"K": "4"}, choices=("b", "a"))
    written: list[AnyEvent] = [
        SessionStarted(at=0.5, session="s", mode="practice", seed=7, items=(item,), banks={"b": "0f"}),
        answered(1),
        LabPredicted(at=2.0, run="r", lab="l", profile="cpu", predictions={"rate": "0.9"}),
    ]
    with open_log(tmp_path / "log") as log:
        for event in written:
            log.append(event)

        with open_log(tmp_path / "log") as other:
            assert other.events() == written
            assert other.events("s") == written[:2]
            assert other.events("r") == written[2:]


def test_a_folder_that_does_not_exist_yet_is_made(tmp_path: Path) -> None:
    with open_log(tmp_path / "a" / "b" / "log") as log:
        log.append(answered(1))
    assert (tmp_path / "a" / "b" / "log").is_file()


@pytest.mark.parametrize("statement", ["UPDATE events SET body = '{}'", "DELETE FROM events"])
def test_nothing_recorded_can_be_changed(tmp_path: Path, statement: str) -> None:
    with open_log(tmp_path / "log") as log:
        log.append(answered(1))
    database = sqlite3.connect(tmp_path / "log")

    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        database.execute(statement)

    database.close()
    with open_log(tmp_path / "log") as log:
        assert log.events() == [answered(1)]


def test_every_answer_is_synced_to_the_disk(tmp_path: Path) -> None:
    with open_log(tmp_path / "log") as log:
        assert log._database.execute("PRAGMA synchronous").fetchone() == (2,)
        assert log._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_kinds_of_a_later_version_are_kept_and_passed_over(tmp_path: Path) -> None:
    with open_log(tmp_path / "log") as log:
        log.append(answered(1))
        insert = "INSERT INTO events (session, kind, at, body) VALUES ('s', ?, 2, ?)"
        log._database.execute(insert, ("dreamt", '{"kind": "dreamt", "at": 2}'))
        log._database.execute(insert, ("answered", '{"kind": "answered", "at": 2, "outcome": "half"}'))
        log.append(answered(3))

        assert log.events() == [answered(1), answered(3)]
        assert log._database.execute("SELECT count(*) FROM events").fetchone() == (4,)


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    with open_log(tmp_path / "log") as log:
        log._database.execute("INSERT INTO events (session, kind, at, body) VALUES ('s', 'answered', 2, '{\"kind\"')")
        with pytest.raises(SpecquizError, match="Row 1 of the log is damaged"):
            log.events()


def test_two_programs_writing_200_answers_each_at_once_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITE_200, str(tmp_path / "log")]
    writers = [subprocess.Popen([*command, name]) for name in ("one", "two")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]

    with open_log(tmp_path / "log") as log:
        for name in ("one", "two"):
            texts = [event.text for event in log.events(name) if isinstance(event, Answered)]
            assert texts == [str(n) for n in range(200)]


def test_a_log_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "log"
    open_log(file).close()
    database = sqlite3.connect(file)
    database.execute("PRAGMA user_version = 2")
    database.close()
    before = file.read_bytes()

    with pytest.raises(SpecquizError, match=r"newer specquiz[\s\S]*Update specquiz"):
        open_log(file)

    assert file.read_bytes() == before


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "log"
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE recipes (name TEXT)")
    database.commit()
    database.close()
    before = file.read_bytes()

    with pytest.raises(SpecquizError, match="another program"):
        open_log(file)

    assert file.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("my diary, 2025\n" * 100, encoding="utf-8")

    with pytest.raises(SpecquizError, match="not a log of specquiz") as raised:
        open_log(file)

    assert raised.value.where == str(file)
    assert raised.value.remedy
    assert file.read_text(encoding="utf-8").startswith("my diary")


def test_a_folder_in_the_place_of_the_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecquizError, match="cannot be opened"):
        open_log(tmp_path)


def test_a_home_below_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SpecquizError, match="cannot be opened") as raised:
        open_log(tmp_path / "file" / "home" / "log")
    assert raised.value.remedy is not None
    assert "SPECQUIZ_HOME" in raised.value.remedy


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter (pytest's own are private)."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize("has_log", [True, False], ids=["with a log", "without"])
def test_a_read_only_home_is_said_and_stays_as_it_is(open_folder: Path, has_log: bool) -> None:
    home = open_folder / "home"
    home.mkdir()
    if has_log:
        with open_log(home / "log") as log:
            log.append(answered(1))
        (home / "log").chmod(0o444)
    home.chmod(0o555)

    command = [sys.executable, "-c", AS_NO_ROOT + WRITE_UNTIL_IT_FAILS, str(home / "log")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    home.chmod(0o755)
    assert result.stdout == ""
    assert "SPECQUIZ_HOME" in result.stderr
    if has_log:
        (home / "log").chmod(0o644)
        with open_log(home / "log") as log:
            assert log.events() == [answered(1)]


def test_a_full_disk_stops_the_log_and_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    file = tmp_path / "log"

    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    result = subprocess.run(
        [sys.executable, "-c", WRITE_UNTIL_IT_FAILS, str(file)],
        capture_output=True, text=True, check=False, timeout=60, preexec_fn=small_files_only,
    )  # fmt: skip

    acknowledged = [int(line) for line in result.stdout.split()]
    assert acknowledged
    assert result.returncode == 0
    assert "disk" in result.stderr
    with open_log(file) as log:
        assert [event.index for event in log.events() if isinstance(event, Answered)] == acknowledged


def test_when_space_is_back_the_same_program_goes_on(tmp_path: Path) -> None:
    with open_log(tmp_path / "log") as log:
        pages = log._database.execute("PRAGMA page_count").fetchone()[0]
        log._database.execute(f"PRAGMA max_page_count = {pages}")
        large = Answered(at=1, session="s", index=0, text="x" * 50_000, outcome="wrong", message="", seconds=1)
        with pytest.raises(SpecquizError, match="The disk is full"):
            log.append(large)

        log._database.execute("PRAGMA max_page_count = 1000000")
        log.append(large)

        assert log.events() == [large]
