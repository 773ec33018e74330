"""The real program on a real pseudo-terminal: killed, asked to end, cut off."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

BANK = """
bank: pair
title: Pair
concepts: {pair: Pair}
questions:
  - id: one
    type: numeric
    concepts: [pair]
    level: 1
    prompt: How much is six times seven?
    answer: 42
    explanation: Forty and two.
  - id: two
    type: numeric
    concepts: [pair]
    level: 2
    prompt: How much is six times eight?
    answer: 48
    explanation: Forty and eight.
"""
CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")
RESTORED = "\x1b[?1049l"
"""Leaves the alternate screen."""


class Terminal:
    """The program on a terminal of 80x24."""

    def __init__(self, folder: Path, *arguments: str, term: str = "xterm-256color", own: bool = True) -> None:
        environment = os.environ | {
            "TERM": term,
            "SPECQUIZ_HOME": str(folder / "home"),
            "SPECQUIZ_CACHE": str(folder / "cache"),
        }
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        command = [sys.executable, "-m", "specquiz", *arguments, f"--bank={folder / 'pair.yaml'}"]
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            # Where the terminal is the session's own, its end is told by SIGHUP as after a lost connection.
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if own else None,
        )
        os.close(slave)
        self.seen = ""

    def read(self) -> bool:
        """Take what has arrived; False when the other end has gone."""
        if not select.select([self.master], [], [], 0.05)[0]:
            return True
        try:
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        except OSError:
            return False
        return True

    def wait_for(self, words: str, seconds: float = 20) -> None:
        """Read on until these words have been written since the last key."""
        end = time.monotonic() + seconds
        while words not in CONTROL.sub("", self.seen):
            assert time.monotonic() < end, f"{words!r} did not come; there was: {CONTROL.sub('', self.seen)[-3000:]}"
            self.read()

    def press(self, keys: str) -> None:
        """Type; what was seen before is forgotten."""
        self.seen = ""
        os.write(self.master, keys.encode())

    def end(self) -> int:
        """Read on until the program has ended; its exit code."""
        end = time.monotonic() + 20
        while self.process.poll() is None:
            assert time.monotonic() < end
            self.read()
        self.read()
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.master >= 0:
            os.close(self.master)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pair.yaml").write_text(BANK, encoding="utf-8")
    return tmp_path


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Whatever is put in here is closed at the end."""
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def test_a_program_killed_half_way_goes_on_at_the_same_question(folder: Path, terminals: list[Terminal]) -> None:
    first = Terminal(folder, "practice", "pair", "--seed=1")
    terminals.append(first)
    first.wait_for("six times seven")
    first.press("42\r")
    first.wait_for("[correct]")
    time.sleep(0.3)
    first.press("\r")
    first.wait_for("six times eight")
    first.process.kill()
    first.process.wait()
    second = Terminal(folder)
    terminals.append(second)
    second.wait_for("question 2 of 2")
    second.press("1")
    second.wait_for("six times eight")
    second.press("48\r")
    second.wait_for("[correct]")


def test_bytes_that_are_no_text_are_passed_over(folder: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(folder, "practice", "pair", "--seed=1")
    terminals.append(terminal)
    terminal.wait_for("six times seven")
    for noise in (b"\xff\xfe", b"\xe9", b"\xed\xa0\x80"):
        os.write(terminal.master, noise)
        time.sleep(0.3)
    terminal.press("42\r")
    terminal.wait_for("[correct]")
    terminal.press("\x11")
    assert terminal.end() == 0


def test_a_paste_steers_nothing(folder: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(folder, "practice", "pair", "--seed=1")
    terminals.append(terminal)
    terminal.wait_for("six times seven")
    terminal.press("\x1b[200~4\x1b]0;stolen title\x07\x1b[201~")
    terminal.wait_for("stolen title")
    assert "\x1b]0;" not in terminal.seen
    assert "\x07" not in terminal.seen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_polite_end_restores_the_terminal(folder: Path, terminals: list[Terminal], number: signal.Signals) -> None:
    terminal = Terminal(folder)
    terminals.append(terminal)
    terminal.wait_for("Pair")
    terminal.process.send_signal(number)
    assert terminal.end() == 128 + number
    assert RESTORED in terminal.seen


@pytest.mark.parametrize("own", [True, False], ids=["told by SIGHUP", "told by nobody"])
def test_a_terminal_that_goes_away_ends_the_program(folder: Path, terminals: list[Terminal], own: bool) -> None:
    terminal = Terminal(folder, own=own)
    terminals.append(terminal)
    terminal.wait_for("Pair")
    os.close(terminal.master)
    terminal.master = -1
    terminal.process.wait(timeout=20)


def test_a_dumb_terminal_gets_plain_lines(folder: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(folder, term="dumb")
    terminals.append(terminal)
    terminal.wait_for("How many questions?")
    assert "\x1b[?1049h" not in terminal.seen


def test_without_a_terminal_the_first_question_is_shown_and_the_program_leaves_with_0(folder: Path) -> None:
    environment = os.environ | {"SPECQUIZ_HOME": str(folder / "home"), "SPECQUIZ_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "specquiz", "--bank", str(folder / "pair.yaml")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "question" in done.stdout.lower() or "?" in done.stdout


def test_a_newer_log_is_refused_in_a_sentence_after_the_terminal_is_itself_again(
    folder: Path, terminals: list[Terminal]
) -> None:
    import sqlite3

    (folder / "home").mkdir()
    database = sqlite3.connect(folder / "home" / "log.sqlite3")
    database.execute("PRAGMA user_version = 99")
    database.close()
    terminal = Terminal(folder)
    terminals.append(terminal)
    assert terminal.end() == 1
    assert "newer specquiz" in terminal.seen[terminal.seen.rindex(RESTORED) :]
