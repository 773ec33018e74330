"""`specquiz stats`: mastery by concept, and how written answers were marked."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.reports.written import Result
    from specquiz.sessions.mastery import ConceptMastery
    from specquiz.store.projections import Totals

EXAMPLE = """\
Mastery is the share answered right among the latest answers to a concept's questions; it counts from three answers on.

examples:
  specquiz stats
  specquiz stats --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--bank", metavar="PATH", type=Path, action="append", default=[], help="also read this file or folder"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print mastery by concept, for concepts that have questions."""
    from specquiz.banks.library import open_library
    from specquiz.reports.written import results
    from specquiz.sessions.mastery import mastery
    from specquiz.store.log import open_log
    from specquiz.store.projections import sessions, totals

    library = open_library(arguments.bank)
    with open_log() as log:
        events = log.events()
    marked = results(sessions(events).values(), library)
    known = {slug: found for slug, found in mastery(events, library).items() if found.needed}
    if arguments.json:
        print(_as_json(known, totals(events), library, marked))
    else:
        _say(known, totals(events), library, marked)
    return 0


def _as_json(known: dict[str, ConceptMastery], counted: Totals, library: Library, marked: Sequence[Result]) -> str:
    import json

    from specquiz.reports.written import result_facts

    concepts = [
        {
            "concept": slug,
            "name": _name(library, slug),
            "right": found.right,
            "answered": found.answered,
            "needed": found.needed,
            "share": found.share,
        }
        for slug, found in known.items()
    ]
    facts = {
        "sessions": counted.sessions,
        "answers": counted.answers,
        "seconds": counted.seconds,
        "concepts": concepts,
        "written": result_facts(marked),
    }
    return json.dumps(facts, indent=2)


def _say(known: dict[str, ConceptMastery], counted: Totals, library: Library, marked: Sequence[Result]) -> None:
    from specquiz.console import open_console
    from specquiz.reports.markdown import clock_text
    from specquiz.reports.written import result_lines

    console = open_console()
    console.say(f"Answers: {counted.answers}. Sessions: {counted.sessions}. Time: {clock_text(counted.seconds)}.")
    asked = {slug: found for slug, found in known.items() if found.answered}
    width = max((len(_name(library, slug)) for slug in asked), default=0)
    for slug, found in asked.items():
        console.say(f"  {_name(library, slug):{width}}  {_standing(found)}")
    if len(known) > len(asked):
        console.say(f"Concepts not asked yet: {len(known) - len(asked)}.")
    for line in result_lines(marked):
        console.say(line)
    if not counted.answers:
        console.say("`specquiz practice` asks the first question.")


def _standing(found: ConceptMastery) -> str:
    text = f"{found.right} of {found.answered} right, {found.share:.0%}"
    short = found.needed - found.answered
    return f"{text} (counts after {short} more)" if short > 0 else text


def _name(library: Library, slug: str) -> str:
    return library.concepts[slug].name if slug in library.concepts else slug
