"""`specquiz primer`: a page to read per group of concepts; look words up in pages and questions."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specquiz.errors import UsageError
from specquiz.terminal import visible_json

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.banks.primers import Place
    from specquiz.banks.searching import Hit

EXAMPLE = """\
Without a name: the list of pages, one per group of concepts. With a group: its page. With a concept: its section.

examples:
  specquiz primer
  specquiz primer exactness
  specquiz primer bonus-token
  specquiz primer --search acceptance length"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    parser.add_argument("name", metavar="GROUP|CONCEPT", nargs="?", help="a group or a concept, by slug or name")
    parser.add_argument(
        "--search", metavar="WORD", nargs="+", help="look words up in the pages, the concepts and the questions"
    )
    parser.add_argument(
        "--bank", metavar="PATH", type=Path, action="append", default=[], help="also read this file or folder"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for; 0 also when a search finds nothing."""
    from specquiz.banks.library import open_library
    from specquiz.banks.primers import find_place
    from specquiz.banks.searching import MOST, index

    if arguments.name and arguments.search:
        raise UsageError("Name a page or give words to look up, not both.", where=arguments.name)
    library = open_library(arguments.bank)
    if arguments.search:
        words = " ".join(arguments.search)
        slugs = {concept.name: concept.slug for concept in library.concepts.values()}
        _print_hits(words, index(library).search(words, MOST + 1), slugs, as_json=arguments.json)
    elif arguments.name:
        _print_place(find_place(arguments.name, library.primers, library.concepts), as_json=arguments.json)
    else:
        _print_list(library, as_json=arguments.json)
    return 0


def _print_list(library: Library, *, as_json: bool) -> None:
    from specquiz.console import open_console

    slugs = {concept.name: concept.slug for concept in library.concepts.values()}
    if as_json:
        pages = [
            {
                "primer": page.slug,
                "group": page.group,
                "path": str(page.path),
                "concepts": [slugs[section.heading] for section in page.sections if section.heading in slugs],
            }
            for page in library.primers
        ]
        _print_json({"primers": pages})
        return
    console = open_console()
    for page in library.primers:
        console.say(f"{page.group}: specquiz primer {page.slug}")
        for section in page.sections:
            if section.heading in slugs:
                console.option("-", f"{section.heading} ({slugs[section.heading]})")
    if not library.primers:
        console.say("There are no primers.")


def _print_place(place: Place, *, as_json: bool) -> None:
    from specquiz.console import open_console
    from specquiz.reports.primers import page_facts, page_lines, section_facts, section_lines

    page, section = place.primer, place.section
    if as_json:
        facts = page_facts(page)
        _print_json(facts if section is None else {**facts, "sections": [section_facts(section)]})
        return
    console = open_console()
    lines = page_lines(page, console.width) if section is None else section_lines(section, console.width)
    for line in lines:
        print(line)
    if section is not None:
        print(f"\nThe whole page: specquiz primer {page.slug}")


def _print_hits(words: str, hits: tuple[Hit, ...], slugs: Mapping[str, str], *, as_json: bool) -> None:
    from specquiz.banks.searching import MOST
    from specquiz.console import open_console

    if as_json:
        _print_json({"words": words, "hits": [_facts(hit) for hit in hits[:MOST]]})
        return
    console = open_console()
    for hit in hits[:MOST]:
        console.say(f"{hit.title} ({hit.where}): {_way(hit, slugs)}")
        if hit.excerpt:
            console.say(hit.excerpt, indent="    ")
    if len(hits) > MOST:
        console.say(f"These are the first {MOST}; more words find fewer.")
    if not hits:
        console.say(f"Nothing has {words!r} in it. Fewer words, or parts of words, find more.")


def _way(hit: Hit, slugs: Mapping[str, str]) -> str:
    """The command that leads there; `slugs` are those of concepts by name."""
    if hit.place is None:
        bank, question = hit.question or ("", "")
        return f"specquiz practice {bank} --question {question}" if hit.question else ""
    section = hit.place.section
    name = hit.place.primer.slug if section is None else slugs.get(section.heading, section.heading)
    return f"specquiz primer {name if ' ' not in name else json.dumps(name, ensure_ascii=False)}"


def _facts(hit: Hit) -> dict[str, Any]:
    found: dict[str, Any] = {"title": hit.title, "where": hit.where, "excerpt": hit.excerpt}
    if hit.place is not None:
        section = hit.place.section
        found |= {"primer": hit.place.primer.slug, "section": section.heading if section else None}
    if hit.question is not None:
        found |= {"bank": hit.question[0], "question": hit.question[1]}
    return found


def _print_json(facts: dict[str, Any]) -> None:
    print(visible_json(facts))
