"""`specquiz lab grade` and `specquiz lab verify`: what evidence is worth, without vLLM."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specquiz.console import Console
    from specquiz.labs.evidence import Evidence
    from specquiz.labs.grading import Grade
    from specquiz.labs.model import Lab, Scalar
    from specquiz.sessions.events import AnyEvent


def regrade(arguments: argparse.Namespace, console: Console) -> int:
    """Recompute a grade from evidence alone, or grade figures from elsewhere."""
    if arguments.bench or arguments.metrics:
        return _grade_elsewhere(arguments, console)
    lab, evidence = _evidence_of(arguments.evidence)
    return exit_code(tell(lab, evidence, console, as_json=arguments.json))


def _grade_elsewhere(arguments: argparse.Namespace, console: Console) -> int:
    """Grade what counters from elsewhere hold; nothing is recorded."""
    from specquiz.labs.elsewhere import from_bench, from_metrics, grade_elsewhere, place_in
    from specquiz.labs.loading import find_lab, load_labs
    from specquiz.labs.tailoring import tailored
    from specquiz.labs.telling import grade_facts, grade_lines

    lab = find_lab(load_labs(), str(arguments.evidence))
    place = place_in(tailored(lab, arguments.profile), arguments.of)
    arm = from_bench(arguments.bench) if arguments.bench else from_metrics(*arguments.metrics)
    grade = grade_elsewhere(lab, arguments.profile, place, arm, _config(arguments.config))
    if arguments.json:
        console.say_json({"lab": lab.id, "of": "/".join(place), "profile": arguments.profile, **grade_facts(grade)})
        return exit_code(grade)
    console.say(
        f"Figures from elsewhere, taken as {place[0]} on {place[1]} of {lab.id}, profile {arguments.profile}. They "
        "hold no tokens, so nothing shows which model and prompts were at work, and the grade is not recorded."
    )
    console.say_lines(("", *grade_lines(grade)))
    return exit_code(grade)


def _config(text: str | None) -> dict[str, Scalar] | None:
    import json

    from specquiz.errors import UsageError

    if text is None:
        return None
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise UsageError("--config is not JSON that can be read: it is nested too deeply.") from error
    except ValueError as error:
        raise UsageError(f"--config is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise UsageError("--config is no mapping.", remedy="""Write --config '{"method": "ngram", …}'.""")
    return found


def check_evidence(arguments: argparse.Namespace, console: Console) -> int:
    """Say whether evidence is whole, holds together and agrees with the log."""
    from specquiz.labs.grading import NotGradable

    lab, evidence = _evidence_of(arguments.evidence)
    grade = graded(lab, evidence)
    broken = grade.broken if isinstance(grade, NotGradable) else ()
    if arguments.json:
        facts = [{"invariant": each.invariant, "reason": each.reason} for each in broken]
        console.say_json({"run": evidence.run, "sound": not broken, "broken": facts})
    elif broken:
        console.say_lines(("The evidence does not hold:", *(f"  {each.invariant}: {each.reason}" for each in broken)))
    else:
        console.say(f"The evidence of {evidence.run} is whole and holds together.")
    return 1 if broken else 0


def write_report(arguments: argparse.Namespace, console: Console) -> int:
    """Write a run as an HTML page; 0 whatever its grade is, since the page says so.

    Raises:
        SpecquizError: matplotlib is missing, or the page cannot be written.
    """
    from specquiz.errors import SpecquizError
    from specquiz.reports.html import lab_report

    lab, evidence = _evidence_of(arguments.evidence)
    path = arguments.out or arguments.evidence.with_name("report.html")
    page = lab_report(lab, evidence, graded(lab, evidence))
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise SpecquizError(
            f"The report could not be written: {error.strerror or error}.",
            where=str(path),
            remedy="Name another place with --out FILE.",
        ) from error
    console.say(f"The report: {path}")
    return 0


def tell(lab: Lab, evidence: Evidence, console: Console, *, as_json: bool) -> Grade:
    """Print a run and its grade, for people or as JSON."""
    from specquiz.labs.telling import grade_facts, grade_lines, run_lines

    grade = graded(lab, evidence)
    if as_json:
        console.say_json({"lab": lab.id, "run": evidence.run, "profile": evidence.profile, **grade_facts(grade)})
    else:
        console.say_lines((*run_lines(evidence), "", *grade_lines(grade)))
    return grade


def exit_code(grade: Grade) -> int:
    """0 for a pass."""
    from specquiz.labs.grading import Graded

    return 0 if isinstance(grade, Graded) and grade.passed else 1


def _evidence_of(path: Path) -> tuple[Lab, Evidence]:
    from specquiz.labs.evidence import read_evidence
    from specquiz.labs.loading import find_lab, load_labs

    evidence = read_evidence(path)
    return find_lab(load_labs(), evidence.lab.id), evidence


def graded(lab: Lab, evidence: Evidence) -> Grade:
    """The grade; none where other inputs than the shipped ones went in, or the log tells the run otherwise."""
    from specquiz.labs.broken import Broken
    from specquiz.labs.grading import NotGradable, grade
    from specquiz.labs.history import contradictions
    from specquiz.labs.plan import other_inputs

    others = tuple(Broken("inputs", reason) for reason in other_inputs(lab, evidence))
    refused = others + contradictions(evidence, _logged())
    return NotGradable(refused) if refused else grade(lab, evidence)


def _logged() -> Sequence[AnyEvent]:
    """What the log of this machine holds; none is made where there is none, since grading only reads."""
    from specquiz import places
    from specquiz.store.log import open_log

    if not places.log_file().is_file():
        return ()
    with open_log() as log:
        return log.events()
