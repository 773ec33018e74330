"""`specquiz lab rerun`: take a broken run to its end, or run a whole one again and compare."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specquiz.console import Console
    from specquiz.labs.environment import Environment
    from specquiz.labs.evidence import Evidence
    from specquiz.labs.model import Lab, ProfileName


def rerun(arguments: argparse.Namespace, console: Console) -> int:
    """Run again what evidence holds; 0 where the second run agrees, or where a finished one passes."""
    from specquiz.errors import UsageError
    from specquiz.labs.environment import find
    from specquiz.labs.evidence import read_evidence
    from specquiz.labs.loading import find_lab, load_labs

    evidence = read_evidence(arguments.evidence)
    lab = find_lab(load_labs(), evidence.lab.id)
    if evidence.profile not in lab.profiles:
        raise UsageError(f"The lab {lab.id} has no profile {evidence.profile}.", where=str(arguments.evidence))
    profile: ProfileName = evidence.profile  # type: ignore[assignment]  # a profile of the lab, as was just seen
    environment = find(profile, arguments.python)
    if _is_whole(lab, evidence):
        return _again(lab, evidence, profile, environment, arguments, console)
    return _to_its_end(lab, environment, arguments, console)


def _is_whole(lab: Lab, evidence: Evidence) -> bool:
    """Whether every arm of the run is there."""
    from specquiz.labs.resuming import settled
    from specquiz.labs.tailoring import tailored

    here = tailored(lab, evidence.profile, evidence.written)
    return all(name in evidence.arms and settled(here, name, evidence.arms[name]) for name in here.arms)


def _to_its_end(lab: Lab, environment: Environment, arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.commands.lab_run import ProgressLines, asker, interruptible, say_end
    from specquiz.console import wants_plain
    from specquiz.labs.running import finish_lab
    from specquiz.store.log import open_log

    console.say("Finished arms are kept; the others are run.")
    with open_log() as log, interruptible():
        done = finish_lab(
            lab,
            arguments.evidence,
            environment=environment,
            record=log.append,
            report=ProgressLines(console, live=not wants_plain(arguments.plain)),
            ask=asker(lab, console),
        )
    return say_end(done, console)


def _again(
    lab: Lab,
    evidence: Evidence,
    profile: ProfileName,
    environment: Environment,
    arguments: argparse.Namespace,
    console: Console,
) -> int:
    """Run it once more. That is a check of the evidence, not an attempt at the lab: the log does not count it."""
    from specquiz.commands.lab_evidence import graded
    from specquiz.commands.lab_run import ProgressLines, interruptible, say_end
    from specquiz.console import wants_plain
    from specquiz.labs.comparison import compare
    from specquiz.labs.grading import NotGradable
    from specquiz.labs.running import run_lab
    from specquiz.labs.telling import comparison_lines, grade_lines

    first = graded(lab, evidence)
    if isinstance(first, NotGradable):
        console.say_lines(grade_lines(first))
        return 1
    with interruptible():
        done = run_lab(
            lab,
            profile,
            evidence.predictions,
            environment=environment,
            record=lambda _: None,
            report=ProgressLines(console, live=not wants_plain(arguments.plain)),
            unlocked_by=evidence.unlocked_by,
            written=evidence.written or None,
        )
    if done.grade is None or isinstance(done.grade, NotGradable):
        return say_end(done, console)
    compared = compare(first, done.grade)
    console.say()
    console.say_lines((*comparison_lines(compared), f"Evidence of the second run: {done.evidence}"))
    return 1 if any(each.standing == "differs" for each in compared) else 0
