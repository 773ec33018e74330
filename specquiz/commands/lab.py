"""`specquiz lab`: predict, run and grade the vLLM labs."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specquiz.console import Console
    from specquiz.labs.evidence import Evidence
    from specquiz.labs.grading import Grade
    from specquiz.labs.model import Lab, ProfileName
    from specquiz.labs.running import Progress
    from specquiz.labs.unlocking import Lock
    from specquiz.store.log import Log

EXAMPLE = """\
A lab asks for predictions, runs a real vLLM, and grades what was observed.

examples:
  specquiz lab list
  specquiz lab show ngram-echo --recorded
  specquiz lab setup --profile cpu
  specquiz lab run ngram-echo
  specquiz lab grade evidence.json"""

PROFILES = ("cpu", "rtx4090")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, help: str, example: str) -> argparse.ArgumentParser:
        return actions.add_parser(
            name,
            help=help,
            description=help[0].upper() + help[1:] + ".",
            epilog=f"example: specquiz lab {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    listing = action("list", "list the labs, and what is missing to open each", "list --json")
    show = action("show", "show a lab's task, or a recorded run and its grade", "show ngram-echo --recorded")
    show.add_argument("id", metavar="ID")
    show.add_argument("--recorded", action="store_true", help="show a real run that ships with the lab, and grade it")
    setup = action("setup", "find a vLLM for a profile, or build its environment", "setup --profile cpu")
    setup.add_argument("--extra-index-url", metavar="URL", help="handed on to pip")
    setup.add_argument("--yes", action="store_true", help="download and build without asking")
    doctor = action("doctor", "say what the labs find on this machine and what is missing", "doctor")
    run = action("run", "predict, run a lab on a real vLLM, and be graded", "run ngram-echo --predict echo_rate=0.9")
    run.add_argument("id", metavar="ID")
    run.add_argument("--predict", metavar="ID=VALUE", action="append", default=[], help="commit to a prediction")
    run.add_argument("--unlock", action="store_true", help="run it though it is locked; the record says so")
    run.add_argument("--download", action="store_true", help="let vLLM fetch a model that is not on this machine")
    run.add_argument("--plain", action="store_true", help="plain lines that are never redrawn")
    grade = action("grade", "recompute a grade from evidence alone, without vLLM", "grade evidence.json")
    verify = action("verify", "check that evidence is whole and holds together", "verify evidence.json")
    for each in (grade, verify):
        each.add_argument("evidence", metavar="EVIDENCE", type=Path)
    for each in (setup, run):
        each.add_argument("--profile", choices=PROFILES, default="cpu", help="kind of machine (default: cpu)")
        each.add_argument("--python", metavar="PATH", type=Path, help="use the vLLM of this Python")
    for each in (listing, show, doctor, grade, verify):
        each.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked; see the functions below."""
    from specquiz.console import open_console

    actions = {
        "list": _list,
        "show": _show,
        "setup": _setup,
        "doctor": _doctor,
        "run": _run,
        "grade": _grade,
        "verify": _verify,
    }
    return actions[arguments.action](arguments, open_console())


def _list(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.labs.loading import load_labs
    from specquiz.labs.telling import missing_line
    from specquiz.labs.unlocking import Locked
    from specquiz.store.log import open_log

    labs = load_labs()
    with open_log() as log:
        locks = _locks(labs, log)
    if arguments.json:
        return _print_json({"labs": [_lab_facts(lab, locks[lab.id]) for lab in labs]})
    for lab in labs:
        lock = locks[lab.id]
        console.say(f"{lab.id}  {lab.title}  ({'locked' if isinstance(lock, Locked) else 'open'})")
        if isinstance(lock, Locked):
            for each in lock.missing:
                console.say(missing_line(each), indent="  ")
    return 0


def _locks(labs: Iterable[Lab], log: Log) -> dict[str, Lock]:
    """Which labs are open; those that mastery has just opened are recorded, so that they stay open."""
    import time

    from specquiz.banks.library import open_library
    from specquiz.labs.unlocking import Unlocked, lock
    from specquiz.sessions.events import LabUnlocked
    from specquiz.sessions.mastery import mastery

    events = log.events()
    mastered = mastery(events, open_library())
    locks = {lab.id: lock(lab, mastered, events) for lab in labs}
    for id, found in locks.items():
        if found == Unlocked("mastery", recorded=False):
            log.append(LabUnlocked(at=time.time(), lab=id, how="mastery"))
    return locks


def _lab_facts(lab: Lab, lock: Lock) -> dict[str, Any]:
    import msgspec

    from specquiz.labs.unlocking import Locked

    missing = lock.missing if isinstance(lock, Locked) else ()
    return {
        "id": lab.id,
        "title": lab.title,
        "unlocked": not isinstance(lock, Locked),
        "missing": [msgspec.to_builtins(each) for each in missing],
        "profiles": list(lab.profiles),
    }


def _show(arguments: argparse.Namespace, console: Console) -> int:
    import msgspec

    from specquiz.labs.loading import find_lab, load_labs
    from specquiz.labs.recorded import recorded_run
    from specquiz.labs.telling import lab_lines

    lab = find_lab(load_labs(), arguments.id)
    if not arguments.recorded:
        if arguments.json:
            return _print_json(msgspec.to_builtins(lab))
        _say_all(console, lab_lines(lab))
        return 0
    evidence = recorded_run(lab)
    _tell(arguments, console, lab, evidence)
    return 0


def _setup(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.errors import UsageError
    from specquiz.labs.building import set_up

    def agree() -> bool:
        if arguments.yes:
            return True
        if not console.interactive:
            raise UsageError("Nobody is here to be asked, so nothing was installed.", remedy="Agree with --yes.")
        return (console.ask("Go on? [y/N]") or "").lower() in ("y", "yes")

    found = set_up(
        arguments.profile,
        say=console.say,
        agree=agree,
        python=arguments.python,
        extra_index_url=arguments.extra_index_url,
    )
    console.say(f"vLLM {found.vllm} is ready for the profile {arguments.profile}: {found.python}")
    return 0


def _doctor(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.labs.doctor import examine

    findings = examine()
    if arguments.json:
        return _print_json({"findings": findings})
    for each in findings:
        console.say(f"{'ok     ' if each['ok'] else 'missing'}  {each['what']}: {each['found']}")
    return 0


def _run(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.console import wants_plain
    from specquiz.labs.environment import find
    from specquiz.labs.loading import find_lab, load_labs
    from specquiz.labs.running import run_lab
    from specquiz.labs.telling import grade_lines, lock_lines, run_lines
    from specquiz.labs.unlocking import Locked
    from specquiz.store.log import open_log

    lab = find_lab(load_labs(), arguments.id)
    profile: ProfileName = arguments.profile
    with open_log() as log, _signals_interrupt():
        lock = _opened(lab, log, arguments.unlock)
        if isinstance(lock, Locked):
            _say_all(console, lock_lines(lab, lock))
            console.say("`specquiz practice` earns it; --unlock opens it all the same, and the record says so.")
            return 1
        environment = find(profile, arguments.python)
        predictions = _predictions(lab, arguments.predict, console)
        seconds = lab.profiles[profile].seconds
        console.say()
        console.say(
            f"Running {lab.id} on vLLM {environment.vllm}, profile {profile}; about {seconds:g} s. Ctrl-C stops."
        )
        shown = _Progress(console, live=not wants_plain(arguments.plain))
        done = run_lab(
            lab,
            profile,
            predictions,
            environment=environment,
            record=log.append,
            report=shown,
            unlocked_by=lock.how,
            download=arguments.download,
        )
    console.say()
    if done.grade is None:
        console.say(f"The run broke. {done.reason}")
        console.say(f"What finished is kept: {done.evidence}")
        return 1
    _say_all(console, (*run_lines(done.record), "", *grade_lines(done.grade), f"Evidence: {done.evidence}"))
    return _exit_code(done.grade)


def _opened(lab: Lab, log: Log, override: bool) -> Lock:
    """The lock of a lab, opened by force where that was asked for and needed; the log says so."""
    import time

    from specquiz.labs.unlocking import Locked, Unlocked
    from specquiz.sessions.events import LabUnlocked

    found = _locks([lab], log)[lab.id]
    if isinstance(found, Locked) and override:
        log.append(LabUnlocked(at=time.time(), lab=lab.id, how="override"))
        return Unlocked("override", recorded=True)
    return found


def _predictions(lab: Lab, given: Iterable[str], console: Console) -> dict[str, str]:
    """The predictions from the command line, and the others asked for one by one."""
    from specquiz.errors import UsageError
    from specquiz.labs.predictions import read_prediction, read_predictions
    from specquiz.labs.telling import question, setting_lines

    typed: dict[str, str] = {}
    for word in given:
        name, mark, value = word.partition("=")
        if not mark:
            raise UsageError(f"--predict {word!r} has no value.", remedy="Write --predict ID=VALUE.")
        typed[name.strip()] = value.strip()
    known = {prediction.id: prediction for prediction in lab.predict}
    for name in typed.keys() & known.keys():
        read_prediction(lab, known[name], typed[name])
    asked = [prediction for prediction in lab.predict if prediction.id not in typed]
    if asked:
        console.say(f"{lab.id}: {lab.title}")
        _say_all(console, ("", *lab.goal.rstrip().splitlines(), "", *setting_lines(lab), ""))
        console.say("Your predictions, stored before anything starts:")
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
    read_predictions(lab, typed)
    return typed


class _Progress:
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
def _signals_interrupt() -> Iterator[None]:
    """Let a polite end (SIGTERM, a closed terminal) stop a run as Ctrl-C does: in order, and recorded."""

    # What is ignored stays ignored: that is how `nohup` keeps a run alive.
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _grade(arguments: argparse.Namespace, console: Console) -> int:
    lab, evidence = _evidence_of(arguments.evidence)
    return _exit_code(_tell(arguments, console, lab, evidence))


def _verify(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.labs.grading import NotGradable

    lab, evidence = _evidence_of(arguments.evidence)
    grade = _graded(lab, evidence)
    broken = grade.broken if isinstance(grade, NotGradable) else ()
    if arguments.json:
        facts = [{"invariant": each.invariant, "reason": each.reason} for each in broken]
        _print_json({"run": evidence.run, "sound": not broken, "broken": facts})
    elif broken:
        _say_all(console, ("The evidence does not hold:", *(f"  {each.invariant}: {each.reason}" for each in broken)))
    else:
        console.say(f"The evidence of {evidence.run} is whole and holds together.")
    return 1 if broken else 0


def _evidence_of(path: Path) -> tuple[Lab, Evidence]:
    from specquiz.labs.evidence import read_evidence
    from specquiz.labs.loading import find_lab, load_labs

    evidence = read_evidence(path)
    return find_lab(load_labs(), evidence.lab.id), evidence


def _graded(lab: Lab, evidence: Evidence) -> Grade:
    """The grade; none where other prompts or another model than the shipped ones went in."""
    from specquiz.labs.grading import NotGradable, grade
    from specquiz.labs.invariants import Broken
    from specquiz.labs.plan import other_inputs

    others = other_inputs(lab, evidence)
    return NotGradable(tuple(Broken("inputs", reason) for reason in others)) if others else grade(lab, evidence)


def _tell(arguments: argparse.Namespace, console: Console, lab: Lab, evidence: Evidence) -> Grade:
    """Print the run and its grade, for people or as JSON."""
    from specquiz.labs.telling import grade_facts, grade_lines, run_lines

    grade = _graded(lab, evidence)
    if arguments.json:
        _print_json({"lab": lab.id, "run": evidence.run, "profile": evidence.profile, **grade_facts(grade)})
    else:
        _say_all(console, (*run_lines(evidence), "", *grade_lines(grade)))
    return grade


def _exit_code(grade: Grade) -> int:
    from specquiz.labs.grading import Graded

    return 0 if isinstance(grade, Graded) and grade.passed else 1


def _say_all(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        text = line.lstrip(" ")
        console.say(text, indent=line[: len(line) - len(text)])


def _print_json(facts: Mapping[str, Any]) -> int:
    json.dump(facts, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
    return 0
