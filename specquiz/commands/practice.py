"""`specquiz practice`: answer questions of one or more banks."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from specquiz.console import wants_plain
from specquiz.errors import UsageError
from specquiz.terminal import counted

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.console import Console
    from specquiz.sessions.engine import Session
    from specquiz.sessions.events import Item
    from specquiz.sessions.history import QuestionKey
    from specquiz.sessions.practice import Practice
    from specquiz.store.log import Log

DEFAULT_COUNT = 10

EXAMPLE = """\
examples:
  specquiz practice tuning-alpha-k
  specquiz practice --questions 5 --plain exactness memory-bound
  specquiz practice --missed
  specquiz practice tuning-alpha-k --question tokens-per-pass
  specquiz practice --bank mine.yaml
  printf '1\\n?\\n' | specquiz practice exactness"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    parser.add_argument("banks", metavar="BANK", nargs="*", help="ids of banks; all banks when none is named")
    parser.add_argument("--questions", metavar="N", type=int, help=f"how many questions (default {DEFAULT_COUNT})")
    parser.add_argument("--seed", metavar="N", type=int, help="draws the numbers and the orders (default: a new one)")
    parser.add_argument(
        "--bank",
        metavar="PATH",
        type=Path,
        action="append",
        default=[],
        help="also read this file or folder; with no BANK named, ask from it alone",
    )
    parser.add_argument("--question", metavar="ID", help="only this question of the banks named")
    parser.add_argument("--missed", action="store_true", help="only questions whose latest answer was not right")
    parser.add_argument("--new", action="store_true", help="begin anew, even if a practice of these banks is open")
    parser.add_argument("--plain", action="store_true", help="plain lines instead of a full screen")


def run(arguments: argparse.Namespace) -> int:
    """Hold a practice; 0 also when it is left open."""
    from specquiz.banks.library import open_library
    from specquiz.store.log import open_log

    if arguments.questions is not None and arguments.questions < 1:
        raise UsageError("A practice has at least one question.", where="--questions")
    library = open_library(arguments.bank)
    # First, since these say themselves what is wrong with a bank that was asked for.
    bank_ids = tuple(known_banks(library, arguments.banks)) or banks_of(library, arguments.bank)
    say_what_was_left_out(library)
    if arguments.question and not candidates_of(library, bank_ids, arguments.question):
        raise _no_question(library, arguments.question)
    with open_log() as log:
        if arguments.missed and not _missed(log, library, bank_ids):
            print(_nothing_missed(log, library, bank_ids))
            return 0
        if wants_plain(arguments.plain):
            return _hold_plain(library, bank_ids, log, arguments)
        found = _open_practice(log, library, bank_ids, arguments)
    from specquiz.tui.app import run as run_screen
    from specquiz.tui.start import PracticeStart, ResumeStart

    if found is not None:
        return run_screen(arguments.bank, ResumeStart(found.id))
    count = arguments.questions or DEFAULT_COUNT
    banks = bank_ids or tuple(bank.id for bank in library.banks) if arguments.question else bank_ids
    start = PracticeStart(banks, count, arguments.seed, arguments.missed, arguments.question or "")
    return run_screen(arguments.bank, start)


def candidates_of(library: Library, bank_ids: Sequence[str], question: str) -> set[QuestionKey]:
    """The questions of this id in these banks (empty: in all)."""
    from specquiz.sessions.planning import candidates

    return {(bank, each.id) for bank, each in candidates(library, bank_ids) if each.id == question}


def _no_question(library: Library, question: str) -> UsageError:
    """That none of the banks named has this question, and which one does."""
    others = [bank.id for bank in library.banks if any(each.id == question for each in bank.questions)]
    found = f"It is in {' and in '.join(others)}." if others else ""
    remedy = found or "`specquiz primer --search WORDS` finds questions by their words."
    return UsageError(f"No bank named has a question {question!r}.", where="--question", remedy=remedy)


def known_banks(library: Library, ids: Sequence[str]) -> Sequence[str]:
    """The ids, each of a bank in the library.

    Raises:
        UsageError: there is no such bank.
    """
    from specquiz.errors import SpecquizError

    for id in ids:
        try:
            library.bank(id)
        except SpecquizError as error:
            raise UsageError(error.what, where=error.where, remedy=error.remedy) from error
    return ids


def banks_of(library: Library, paths: Sequence[Path]) -> tuple[str, ...]:
    """The ids of the banks that come from these files and folders.

    Raises:
        SpecquizError: one of them was named and gives no bank, since it is wrong.
    """
    from specquiz.errors import SpecquizError

    ids: dict[str, None] = {}
    for path in paths:
        place = path.resolve()
        found = [
            id for id, files in library.files.items() if any(file.resolve().is_relative_to(place) for file in files)
        ]
        wrong = [problem for problem in library.problems if problem.path.resolve().is_relative_to(place)]
        if wrong and not found:
            raise SpecquizError(str(wrong[0]), remedy=f"`specquiz bank lint {path}` says everything that is wrong.")
        ids |= dict.fromkeys(found)
    return tuple(ids)


def say_what_was_left_out(library: Library) -> None:
    """Name the files that are wrong, on standard error; the other banks are asked all the same."""
    import sys

    from specquiz.terminal import visible

    broken = sorted({str(problem.path) for problem in library.problems if problem.severity == "error"})
    for path in broken:
        print(visible(f"{path}: left out; `specquiz bank lint {path}` says what is wrong."), file=sys.stderr)


def new_seed() -> int:
    """A seed nobody chose; short enough to be typed again."""
    return random.SystemRandom().randrange(1_000_000)


def _hold_plain(library: Library, bank_ids: tuple[str, ...], log: Log, arguments: argparse.Namespace) -> int:
    from specquiz.console import open_console
    from specquiz.plain import hold_practice
    from specquiz.sessions.practice import resume_practice

    console = open_console()
    found = _open_practice(log, library, bank_ids, arguments)
    start = partial(_start, library=library, bank_ids=bank_ids, log=log)
    if found is not None:
        practice = resume_practice(library, found, log.append, time.time)
        console.say(f"Going on with the practice begun {_when(found.started)}; --new begins another.")
    else:
        count = arguments.questions or (1 if arguments.question else _asked_count(console))
        seed = new_seed() if arguments.seed is None else arguments.seed
        only = _missed(log, library, bank_ids) if arguments.missed else None
        if arguments.question:
            only = candidates_of(library, bank_ids, arguments.question)
        practice = start(count=count, seed=seed, only=only)
        console.say(f"Practice · {counted(practice.position[1], 'question')} · seed {seed}. :help lists the commands.")

    def again(items: tuple[Item, ...]) -> Practice:
        return start(count=None, seed=new_seed(), only={(item.bank, item.question) for item in items})

    code = hold_practice(practice, console, again)
    _say_opened_labs(log, library, console)
    return code


def _say_opened_labs(log: Log, library: Library, console: Console) -> None:
    """Record the labs that these answers have opened, so that they stay open, and say so."""
    from specquiz.labs.loading import load_labs
    from specquiz.labs.unlocking import record_earned

    _, opened = record_earned(load_labs(), library, log.events(), log.append, time.time())
    for lab in opened:
        console.say(f"The lab “{lab.title}” is open now: specquiz lab run {lab.id}")


def _start(
    *,
    library: Library,
    bank_ids: Sequence[str],
    log: Log,
    count: int | None,
    seed: int,
    only: Collection[QuestionKey] | None,
) -> Practice:
    from specquiz.sessions.history import latest_attempts
    from specquiz.sessions.practice import start_practice

    history = latest_attempts(log.events())
    return start_practice(
        library, bank_ids, count=count, seed=seed, record=log.append, clock=time.time, only=only, history=history
    )


def _open_practice(
    log: Log, library: Library, bank_ids: Sequence[str], arguments: argparse.Namespace
) -> Session | None:
    """The open practice of exactly these banks, if it is to be resumed; with --new the open ones are put away."""
    from specquiz.store.projections import open_sessions

    wanted = set(bank_ids or (bank.id for bank in library.banks))
    found = [session for session in open_sessions(log.events(), "practice") if set(session.start.banks) == wanted]
    if arguments.new:
        close_all(found, log)
    if arguments.new or arguments.missed or arguments.question:
        return None
    return found[0] if found else None


def close_all(sessions: Sequence[Session], log: Log) -> None:
    """Close open sessions as they are. Their answers stay in the log and count."""
    from specquiz.sessions.engine import put_away

    for session in sessions:
        log.append(put_away(session, time.time()))


def _nothing_missed(log: Log, library: Library, bank_ids: Sequence[str]) -> str:
    from specquiz.sessions.history import latest_attempts
    from specquiz.sessions.planning import candidates

    attempts = latest_attempts(log.events())
    if any((bank, question.id) in attempts for bank, question in candidates(library, bank_ids)):
        return "Nothing is missed: the latest answer to every question asked so far is right."
    return "Nothing is missed: no question of these banks has been answered yet."


def _missed(log: Log, library: Library, bank_ids: Sequence[str]) -> set[QuestionKey]:
    """Questions of these banks (empty: all) whose latest answer was not right."""
    from specquiz.sessions.history import latest_attempts
    from specquiz.sessions.planning import candidates

    attempts = latest_attempts(log.events())
    asked = [(bank, question.id) for bank, question in candidates(library, bank_ids)]
    return {key for key in asked if key in attempts and not attempts[key].right}


def _asked_count(console: Console) -> int:
    """Ask a person how many questions; a pipe gets the default."""
    while console.interactive:
        line = console.ask(f"How many questions? [{DEFAULT_COUNT}]")
        if not line:
            break
        if line.isdecimal() and int(line) > 0:
            return int(line)
        console.say("[not read] Type a whole number, such as 5.")
    return DEFAULT_COUNT


def _when(at: float) -> str:
    from datetime import datetime

    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}"
