"""`specquiz lab run`: predict, run a lab, be graded."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from specquiz.banks.library import Library
    from specquiz.console import Console
    from specquiz.labs.environment import Environment
    from specquiz.labs.evidence import Evidence
    from specquiz.labs.model import Lab, Prediction, ProfileName, Scalar
    from specquiz.labs.running import Ask, LabRun, Progress
    from specquiz.labs.unlocking import Lock
    from specquiz.store.log import Log


def locks_in(log: Log, labs: Sequence[Lab], library: Library) -> dict[str, Lock]:
    """Which labs are open by this log; those that mastery has just opened are recorded, so that they stay open."""
    from specquiz.labs.unlocking import record_earned

    found, _ = record_earned(labs, library, log.events(), log.append, time.time())
    return found


def run_one(arguments: argparse.Namespace, console: Console) -> int:
    """Ask for the predictions, run the lab and tell its grade."""
    from specquiz.banks.library import open_library
    from specquiz.console import wants_plain
    from specquiz.labs.attaching import attachments
    from specquiz.labs.environment import find
    from specquiz.labs.loading import find_lab, load_labs
    from specquiz.labs.running import run_lab
    from specquiz.labs.tailoring import tailored
    from specquiz.labs.telling import lock_lines
    from specquiz.labs.unlocking import Locked
    from specquiz.store.log import open_log

    lab, library = find_lab(load_labs(), arguments.id), open_library()
    profile: ProfileName = arguments.profile
    with open_log() as log, interruptible():
        lock = _opened(lab, log, library, arguments.unlock)
        if isinstance(lock, Locked):
            console.say_lines(lock_lines(lab, lock, library))
            console.say("Practice earns it; --unlock opens it all the same, and the record says so.")
            return 1
        servers = _servers(arguments.attach, arguments.attach_vanilla)
        environment = _found(profile, arguments.python) if any(servers) else find(profile, arguments.python)
        written = _written(lab, profile, arguments.config, log, console)
        attach = attachments(tailored(lab, profile, written), *servers)
        predictions = _predictions(tailored(lab, profile, written), arguments.predict, console)
        seconds = lab.profiles[profile].seconds
        where = ", ".join(dict.fromkeys(attach.values())) or f"vLLM {environment.vllm if environment else ''}"
        console.say()
        console.say(f"Running {lab.id} on {where}, profile {profile}; about {seconds:g} s. Ctrl-C stops.")
        shown = ProgressLines(console, live=not wants_plain(arguments.plain))
        began = time.time()
        try:
            done = run_lab(
                lab,
                profile,
                predictions,
                environment=environment,
                record=log.append,
                report=shown,
                ask=asker(tailored(lab, profile, written), console),
                unlocked_by=lock.how,
                download=arguments.download,
                written=written,
                attach=attach,
            )
        except KeyboardInterrupt:
            _say_what_is_kept(log, began, console)
            raise
        code = say_end(done, console)
        if lab.challenge is not None:
            _say_standing(lab, done, log, console)
    return code


def _say_what_is_kept(log: Log, began: float, console: Console) -> None:
    """After a stop: how to go on with the arms that have finished, if any has."""
    from specquiz import places
    from specquiz.sessions.events import LabFinished

    stopped = [event.run for event in log.events() if isinstance(event, LabFinished) and event.at >= began]
    for run in stopped:
        partial = places.lab_runs() / run / "evidence.partial.json"
        if partial.exists():
            console.say(f"What finished is kept; `specquiz lab rerun {partial}` takes it to its end.")


def _written(
    lab: Lab, profile: ProfileName, given: str | None, log: Log, console: Console
) -> dict[str, dict[str, Scalar]] | None:
    """In a challenge, the config that the learner writes: from the command line, or asked for until it can be."""
    from specquiz.errors import UsageError
    from specquiz.labs.challenge import challenge_of, read_entry, tries
    from specquiz.labs.telling_challenge import entry_lines

    if lab.challenge is None and given is None:
        return None
    arm = challenge_of(lab).arm
    if given is not None:
        return {arm: read_entry(lab, profile, given)}
    console.say_lines((f"{lab.id}: {lab.title}", "", *entry_lines(lab, profile, tries(lab, log.events()))))
    while (line := console.ask("config =")) is not None:
        try:
            return {arm: read_entry(lab, profile, line)}
        except UsageError as error:
            console.say(f"{error.what} {error.remedy or ''}".rstrip())
    raise UsageError("A challenge needs a configuration of your own.", where="--config")


def _say_standing(lab: Lab, done: LabRun, log: Log, console: Console) -> None:
    """After a try: how far the best K is, and the leaderboard."""
    from specquiz.labs.challenge import advice, tries
    from specquiz.labs.grading import Graded
    from specquiz.labs.telling_challenge import board_lines

    if isinstance(done.grade, Graded):
        console.say()
        console.say_lines(advice(lab, done.record))
    console.say()
    console.say_lines(board_lines(lab, tries(lab, log.events())))


def _servers(attach: Iterable[str], vanilla: str | None) -> tuple[str | None, str | None, dict[str, str]]:
    """The server for speculation, the one for plain decoding, and those of single arms, as typed."""
    speculating, named = None, {}
    for word in attach:
        arm, mark, url = word.partition("=")
        if mark and "/" not in arm:
            named[arm] = url
        else:
            speculating = word
    return speculating, vanilla, named


def _found(profile: ProfileName, python: Path | None) -> Environment | None:
    """A vLLM on this machine, where there is one; attached arms need none, what is computed after them does."""
    from specquiz.errors import SpecquizError
    from specquiz.labs.environment import find

    try:
        return find(profile, python)
    except SpecquizError:
        return None


def say_end(done: LabRun, console: Console) -> int:
    """Say what a run came to; return the exit code."""
    from specquiz.commands.lab_evidence import exit_code
    from specquiz.labs.telling import grade_lines, run_lines

    console.say()
    if done.grade is None:
        console.say(f"The run broke. {done.reason}")
        console.say(f"What finished is kept; `specquiz lab rerun {done.evidence}` takes it to its end.")
        return 1
    console.say_lines((*run_lines(done.record), "", *grade_lines(done.grade), f"Evidence: {done.evidence}"))
    return exit_code(done.grade)


def _opened(lab: Lab, log: Log, library: Library, override: bool) -> Lock:
    """The lock of a lab, opened by force where that was asked for and needed; the log says so."""
    from specquiz.labs.unlocking import Locked, Unlocked
    from specquiz.sessions.events import LabUnlocked

    found = locks_in(log, [lab], library)[lab.id]
    if isinstance(found, Locked) and override:
        log.append(LabUnlocked(at=time.time(), lab=lab.id, how="override"))
        return Unlocked("override", recorded=True)
    return found


def _predictions(lab: Lab, given: Iterable[str], console: Console) -> dict[str, str]:
    """The predictions from the command line, and the others asked for one by one, but for those that come later."""
    from specquiz.errors import UsageError
    from specquiz.labs.predictions import read_prediction, read_some
    from specquiz.labs.telling import setting_lines

    typed: dict[str, str] = {}
    for word in given:
        name, mark, value = word.partition("=")
        if not mark:
            raise UsageError(f"--predict {word!r} has no value.", remedy="Write --predict ID=VALUE.")
        typed[name.strip()] = value.strip()
    known = {prediction.id: prediction for prediction in lab.predict}
    for name in typed.keys() & known.keys():
        read_prediction(lab, known[name], typed[name])
    first = [prediction for prediction in lab.predict if not (prediction.after and console.interactive)]
    asked = [prediction for prediction in first if prediction.id not in typed]
    if asked:
        console.say(f"{lab.id}: {lab.title}")
        console.say_lines(("", *lab.goal.rstrip().splitlines(), "", *setting_lines(lab), ""))
        console.say("Your predictions, stored before anything starts:")
    typed |= _answers(lab, asked, console)
    read_some(lab, first, typed)
    return typed


def _answers(lab: Lab, asked: Iterable[Prediction], console: Console) -> dict[str, str]:
    """Ask for predictions one by one, each until it can be; those that nobody answers stay out."""
    from specquiz.errors import UsageError
    from specquiz.labs.predictions import read_prediction
    from specquiz.labs.telling import question

    typed: dict[str, str] = {}
    for prediction in asked:
        console.say(question(lab, prediction))
        while prediction.id not in typed:
            line = console.ask(f"{prediction.id} =")
            if line is None:
                break
            try:
                read_prediction(lab, prediction, line)
            except UsageError as error:
                console.say(str(error))
            else:
                typed[prediction.id] = line
    return typed


def asker(lab: Lab, console: Console) -> Ask | None:
    """Asks between two arms, where somebody is there to be asked."""
    if not console.interactive:
        return None

    def ask(arm: str, due: tuple[Prediction, ...], evidence: Evidence) -> dict[str, str]:
        from specquiz.labs.telling_asked import asking_lines

        console.say_lines(asking_lines(lab, arm, evidence))
        return _answers(lab, due, console)

    return ask


class ProgressLines:
    """Shows the stages: a line for each that ended, and on a terminal the running one, redrawn."""

    def __init__(self, console: Console, live: bool) -> None:
        self._console = console
        self._live = live

    def __call__(self, progress: Progress) -> None:
        from specquiz.labs.telling import progress_line

        sink = self._console.sink
        if self._live:
            sink.write("\r\x1b[2K")
        if progress.kind in ("finished", "failed"):
            self._console.say(progress_line(progress))
        elif self._live:
            sink.write(progress_line(progress))
        sink.flush()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a polite end (SIGTERM, a closed terminal) stop a run as Ctrl-C does: in order, and recorded."""

    # What is ignored stays ignored: that is how `nohup` keeps a run alive.
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
