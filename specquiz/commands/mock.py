"""`specquiz mock`: a timed mock interview and its report."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from specquiz.commands.practice import banks_of, close_all, known_banks, new_seed, say_what_was_left_out
from specquiz.console import wants_plain
from specquiz.errors import UsageError
from specquiz.terminal import counted

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.sessions.engine import Session
    from specquiz.sessions.mock import Mock
    from specquiz.store.log import Log

DEFAULT_MINUTES = 30.0

EXAMPLE = """\
The clock is wall time: it runs on when you leave, and a crash neither stops nor stretches it.

examples:
  specquiz mock --minutes 30
  specquiz mock --minutes 10 --bank tuning-alpha-k --questions 6 --plain
  specquiz mock --minutes 45 --written 2
  specquiz mock --resume
  specquiz mock --last --report interview.md"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--minutes",
        metavar="N",
        type=float,
        default=DEFAULT_MINUTES,
        help=f"time allowed (default {DEFAULT_MINUTES:g})",
    )
    parser.add_argument(
        "--bank",
        metavar="BANK",
        nargs="+",
        action="extend",
        default=[],
        help="id of a bank, or a file or folder to read; several may follow; with no id named, files are asked alone",
    )
    parser.add_argument("--questions", metavar="N", type=int, help="how many questions (default: what fits the time)")
    parser.add_argument(
        "--written",
        metavar="N",
        type=int,
        default=0,
        help="how many of them at most are answered in sentences, and marked once the clock has stopped (default 0)",
    )
    parser.add_argument("--seed", metavar="N", type=int, help="draws the questions (default: a new one)")
    parser.add_argument(
        "--report", metavar="FILE", type=Path, help="write the report here instead of the reports folder"
    )
    parser.add_argument("--plain", action="store_true", help="plain lines instead of a full screen")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--resume", action="store_true", help="go on with the open interview (done anyway, if there is one)"
    )
    choice.add_argument("--new", action="store_true", help="put an open interview away and begin another")
    choice.add_argument("--last", action="store_true", help="write the report of the last interview once more")


def run(arguments: argparse.Namespace) -> int:
    """Hold a mock interview; 0 also when it is left open."""
    from specquiz.banks.library import open_library
    from specquiz.console import open_console
    from specquiz.store.log import open_log

    if arguments.questions is not None and arguments.questions < 1:
        raise UsageError("An interview has at least one question.", where="--questions")
    if arguments.written < 0:
        raise UsageError("An interview has no fewer than 0 written answers.", where="--written")
    if arguments.report is not None and arguments.report.exists():
        raise UsageError("This file exists already.", where=str(arguments.report), remedy="Name another one.")
    paths = [Path(name) for name in arguments.bank if _is_path(name)]
    ids = [name for name in arguments.bank if not _is_path(name)]
    library = open_library(paths)
    bank_ids = tuple(known_banks(library, ids))
    if not (ids or arguments.resume or arguments.last):
        bank_ids = banks_of(library, paths)
    say_what_was_left_out(library)
    with open_log() as log:
        if arguments.last:
            open_console().say(_report_line(_last_finished(log), library, arguments.report))
            return 0
        found = _open_mock(log, arguments)
        if wants_plain(arguments.plain):
            return _hold_plain(library, bank_ids, log, found, arguments)
    from specquiz.tui.app import run as run_screen
    from specquiz.tui.start import MockStart, ResumeStart

    if found is not None:
        return run_screen(paths, ResumeStart(found.id, arguments.report))
    start = MockStart(bank_ids, arguments.minutes, arguments.seed, arguments.questions, arguments.report)
    start = replace(start, written=arguments.written)
    return run_screen(paths, start)


def _is_path(name: str) -> bool:
    return name.endswith((".yaml", ".yml")) or "/" in name or "\\" in name


def _hold_plain(
    library: Library, bank_ids: tuple[str, ...], log: Log, found: Session | None, arguments: argparse.Namespace
) -> int:
    from specquiz.console import open_console
    from specquiz.plain import hold_mock, say_mock_end
    from specquiz.reports.markdown import clock_text
    from specquiz.sessions.engine import replay
    from specquiz.sessions.mock import resume_mock, start_mock

    console = open_console()

    def report(mock: Mock) -> str:
        return _report_line(replay(log.events(mock.session.id)), library, arguments.report)

    if found is not None:
        mock = resume_mock(library, found, log.append, time.time)
        if mock.phase == "done":
            console.say("The time of the open interview ran out while you were away.")
            say_mock_end(mock, console, report)
            return 0
        if mock.phase == "marking":
            console.say("Going on with the marks of the open interview. --new ends it as it is and begins another.")
        else:
            left = clock_text(mock.remaining_seconds())
            console.say(f"Going on with the open interview: {left} left. --new puts it away and begins another.")
    else:
        seed = new_seed() if arguments.seed is None else arguments.seed
        mock = start_mock(
            library,
            bank_ids,
            minutes=arguments.minutes,
            seed=seed,
            record=log.append,
            clock=time.time,
            count=arguments.questions,
            written=arguments.written,
        )
        time_allowed = clock_text(arguments.minutes * 60)
        console.say(f"Mock interview · {counted(mock.position[1], 'question')} · {time_allowed} · seed {seed}.")
        console.say("Right or wrong is said at the end. :finish hands in, :quit leaves, :help lists the commands.")
    return hold_mock(mock, console, report)


def _open_mock(log: Log, arguments: argparse.Namespace) -> Session | None:
    """The open interview, if there is one and it is not to be put away."""
    from specquiz.store.projections import open_sessions

    found = open_sessions(log.events(), "mock")
    if arguments.new:
        close_all(found, log)
        return None
    if arguments.resume and not found:
        raise UsageError("No interview is open.", remedy="`specquiz mock` begins one.")
    return found[0] if found else None


def _last_finished(log: Log) -> Session:
    from specquiz.store.projections import finished_sessions

    found = finished_sessions(log.events(), "mock")
    if not found:
        raise UsageError("No interview has been finished yet.", remedy="`specquiz mock` begins one.")
    return found[0]


def _report_line(session: Session, library: Library, file: Path | None) -> str:
    from specquiz.reports.markdown import save_mock_report

    return f"Report:\n  {save_mock_report(session, library, file)}"
