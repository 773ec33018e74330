"""First paint, key to repaint, memory and import time of specquiz beside a minimal Textual app, in one run.

Both programs run on a pseudo-terminal of 120x40 that answers the queries a real one answers. First paint is the time
from starting the process until the words of the first screen have arrived. Key to repaint is the time from writing a
key until the frame that shows its effect has arrived in full. Starts and keys of the two programs alternate, so that a
busy machine slows both; figures are lower quartiles. Exit code 1 if a budget is not met.

    python benchmarks/first_paint.py [--smoke]
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

MINIMAL = """
import sys

from textual.app import App
from textual.widgets import Footer, Header, Input, Static

class Minimal(App):
    BINDINGS = [("a", "add", "Add"), ("q", "quit", "Quit")]
    count = 0

    def compose(self):
        yield Header()
        yield Static("count 0.", id="count")
        if "--input" in sys.argv:
            yield Input()
        yield Footer()

    def action_add(self):
        self.count += 1
        self.query_one("#count").update(f"count {self.count}.")

Minimal().run()
"""

SPECQUIZ = "import sys; from specquiz.cli import main; sys.exit(main())"
"""What the installed script `specquiz` does."""

_TYPED = """
  - id: q{n}
    type: numeric
    concepts: [bench]
    level: 2
    prompt: Question {n}, what is the answer?
    answer: 42
    explanation: It is forty-two.
    hints: [Think.]
    source: none
"""
_CHOSEN = """
  - id: first
    type: single
    concepts: [bench]
    level: 1
    prompt: Which of these is it?
    choices: [option one, option two, option three, option four]
    answer: a
    explanation: It is the first.
    source: none
"""
BANK = (
    "bank: bench\ntitle: Bench bank\nconcepts: {bench: Bench}\nquestions:"
    + _CHOSEN
    + "".join(_TYPED.format(n=n) for n in range(1, 41))
)

FRAME_END = b"\x1b[?2026l"
ANSWERS = {
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[6n": b"\x1b[1;1R",
}
CONTROL = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b.")


def _die_with_parent() -> None:
    """On Linux have the kernel end this process with the benchmark, however that ends: it would spin without one."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Terminal:
    """A program on a pseudo-terminal."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
        os.close(slave)
        self.seen = b""

    def read(self, timeout: float) -> bytes:
        """What arrived within `timeout` seconds; terminal queries in it have been answered."""
        if not select.select([self.master], [], [], timeout)[0]:
            return b""
        try:
            chunk = os.read(self.master, 65536)
        except OSError as error:
            raise SystemExit(f"the program ended early; it wrote:\n{text(self.seen[-4000:])}") from error
        for query, answer in ANSWERS.items():
            if query in chunk:
                os.write(self.master, answer)
        self.seen += chunk
        return chunk

    def wait_for(self, words: str, *, since: int | None = None, timeout: float = 20) -> float:
        """Read until `words` have arrived, after offset `since` as part of a whole frame; return the moment.

        The first frames come before the program knows that the terminal marks frames, so they have no end to wait for.
        """
        end = time.perf_counter() + timeout
        while time.perf_counter() < end:
            self.read(0.05)
            fresh = self.seen if since is None else self.seen[since : max(since, self.seen.rfind(FRAME_END) + 1)]
            if fresh and words in text(fresh):
                return time.perf_counter()
        raise SystemExit(f"{words!r} did not appear; the screen had:\n{text(self.seen[-20000:])}")

    def press(self, key: str, expect: str = "") -> float:
        """Press a key; seconds until the next frame, one with `expect`, has arrived whole.

        What an earlier key caused late (a typed answer is read along a moment after it) does not count.
        """
        self.settle(0)
        since = len(self.seen)
        begin = time.perf_counter()
        os.write(self.master, key.encode())
        return self.wait_for(expect, since=since) - begin

    def settle(self, quiet: float = 0.3) -> None:
        """Read until nothing has arrived for `quiet` seconds."""
        while self.read(quiet):
            pass

    def resident_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def close(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.master)


def text(raw: bytes) -> str:
    """What was written, without control sequences."""
    return CONTROL.sub(b"", raw).decode(errors="replace")


def typical(values: Sequence[float]) -> float:
    """The lower quartile: whatever else runs on the machine only ever adds time."""
    return quantiles(values, n=4)[0]


class Row(NamedTuple):
    """One line of the table: what the two programs take, and how many times the first the second may take."""

    name: str
    unit: str
    minimal: float
    ours: float
    budget: float | None


class Bench:
    """Starts the two programs, each with an empty home and a warm cache of banks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._starts = 0
        self._bank = folder / "bench.yaml"
        self._bank.write_text(BANK)
        # The cache keeps nothing of a file that changed a moment ago.
        os.utime(self._bank, (0, 0))

    def _environment(self) -> dict[str, str]:
        self._starts += 1
        return {
            **os.environ,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "SPECQUIZ_HOME": str(self._folder / f"home{self._starts}"),
            "SPECQUIZ_CACHE": str(self._folder / "cache"),
        }

    def minimal(self, *arguments: str) -> Terminal:
        return Terminal([sys.executable, "-c", MINIMAL, *arguments], self._environment())

    def specquiz(self, *arguments: str) -> Terminal:
        bank = f"--bank={self._bank}"
        return Terminal([sys.executable, "-c", SPECQUIZ, *arguments, bank], self._environment())


def first_paints(bench: Bench, starts: int) -> list[Row]:
    """The first frame of each program, the frame in which our list of banks is filled, and memory."""
    minimal, ours, filled, minimal_mib, ours_mib = [], [], [], [], []
    filling_the_cache = bench.specquiz("home")
    filling_the_cache.wait_for("Bench bank")
    filling_the_cache.close()
    for _ in range(starts):
        terminal = bench.minimal()
        minimal.append((terminal.wait_for("count 0.") - terminal.started) * 1000)
        terminal.settle()
        minimal_mib.append(terminal.resident_mib())
        terminal.close()
        terminal = bench.specquiz("home")
        ours.append((terminal.wait_for("specquiz") - terminal.started) * 1000)
        filled.append((terminal.wait_for("Bench bank") - terminal.started) * 1000)
        terminal.settle()
        ours_mib.append(terminal.resident_mib())
        terminal.close()
    return [
        Row("first paint", "ms", typical(minimal), typical(ours), 1.25),
        Row("banks listed", "ms", typical(minimal), typical(filled), None),
        Row("memory at rest (80 MiB)", "MiB", typical(minimal_mib), typical(ours_mib), 80 / typical(minimal_mib)),
    ]


def keys(bench: Bench, presses: int) -> list[Row]:
    """From a key to the whole frame it causes, the programs pressed in turn; a letter beside a bare Input's."""
    minimal = bench.minimal()
    field = bench.minimal("--input")
    # The easiest question comes first and has choices; the typed ones follow.
    choosing = bench.specquiz("practice", "bench", "--seed=1", "--questions=41")
    typing = bench.specquiz("practice", "bench", "--seed=1", "--questions=41")
    for terminal, words in (
        (minimal, "count 0."),
        (field, "count 0."),
        (choosing, "option one"),
        (typing, "option one"),
    ):
        terminal.wait_for(words)
        terminal.settle()
    for key, words in (("1", ""), ("\r", "It is the first."), ("\r", "question 2 of")):
        typing.press(key, words)
        typing.settle()
    took: dict[str, list[float]] = {name: [] for name in ("minimal", "cursor", "field", "letter", "verdict", "next")}
    for count in range(1, presses + 1):
        letter = "7" if count % 2 else "\x7f"
        for name, terminal, key, words in (
            ("minimal", minimal, "a", f"count {count}."),
            ("cursor", choosing, "j" if count % 4 in (1, 2) else "k", ""),
            ("field", field, letter, ""),
            ("letter", typing, letter, ""),
        ):
            took[name].append(terminal.press(key, words))
            terminal.settle(0.03)
    for number in range(3, 3 + presses // 3):
        typing.press("42")
        typing.settle(0.2)
        took["verdict"].append(typing.press("\r", "forty-two"))
        typing.settle(0.2)
        took["next"].append(typing.press("\r", f"question {number} of"))
        typing.settle(0.2)
    for terminal in (minimal, field, choosing, typing):
        terminal.close()
    ms = {name: typical(times) * 1000 for name, times in took.items()}
    return [
        Row("key: cursor in the choices", "ms", ms["minimal"], ms["cursor"], 1.5),
        Row("key: a letter typed", "ms", ms["field"], ms["letter"], 1.5),
        Row("key: answer, checked and logged, to verdict", "ms", ms["minimal"], ms["verdict"], None),
        Row("key: next question", "ms", ms["minimal"], ms["next"], None),
    ]


def processes(runs: int) -> list[Row]:
    """Whole processes: `specquiz --version` and importing the package, beside `python -c pass`."""
    commands = {"pass": ["-c", "pass"], "version": ["-c", SPECQUIZ, "--version"], "import": ["-c", "import specquiz"]}
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, arguments in commands.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            took[name].append((time.perf_counter() - begin) * 1000)
    base = typical(took["pass"])
    return [
        Row("--version, beside python -c pass", "ms", base, typical(took["version"]), 3),
        Row("import specquiz, beside python -c pass", "ms", base, typical(took["import"]), 3),
    ]


def report(rows: Sequence[Row]) -> bool:
    """Print the table; return whether every budget is met."""
    print(f"{'':44} {'minimal':>9} {'specquiz':>9} {'':4} {'ratio':>6} {'budget':>7}")
    fine = True
    for row in rows:
        ratio = row.ours / row.minimal
        over = row.budget is not None and ratio > row.budget
        fine &= not over
        budget, word = ("", "") if row.budget is None else (f"{row.budget:.2f}", "over" if over else "ok")
        print(f"{row.name:44} {row.minimal:>9.1f} {row.ours:>9.1f} {row.unit:4} {ratio:>6.2f} {budget:>7} {word}")
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare specquiz with a minimal Textual app.")
    parser.add_argument("--smoke", action="store_true", help="few repetitions, a few seconds")
    smoke = parser.parse_args().smoke
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        rows = [
            *first_paints(bench, 9 if smoke else 15),
            *keys(bench, 24 if smoke else 80),
            *processes(8 if smoke else 25),
        ]
    return 0 if report(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
