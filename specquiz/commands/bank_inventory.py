"""`specquiz bank inventory`: what the banks hold, counted, and what a collection that covers everything still needs."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from specquiz.terminal import visible_json

if TYPE_CHECKING:
    from specquiz.banks.inventory import Fairness, Inventory


def print_inventory(extra: list[Path], *, as_json: bool) -> int:
    """Print the inventory of all banks at hand and of those in `extra`."""
    from specquiz.banks.inventory import short_of, take_inventory, unfair
    from specquiz.banks.library import open_library

    library = open_library(extra)
    found = take_inventory(library.banks, library.concepts)
    if as_json:
        facts = {
            "questions": found.questions,
            **found._asdict(),
            "fairness": {bank or "all": _facts(fair) for bank, fair in found.fairness.items()},
            "unfair": list(unfair(found)),
            "short_of": list(short_of(found)),
        }
        print(visible_json(facts))
        return 0
    _print(found)
    for head, sentences in (("Unfair", unfair(found)), ("Short of", short_of(found))):
        print(f"\n{head}:")
        for sentence in [*sentences] or ["nothing"]:
            print(f"  {sentence}")
    return 0


def _print(found: Inventory) -> None:
    print(f"{found.questions} questions in {len(found.banks)} banks\n")
    width = max(map(len, found.banks), default=0)
    for bank, count in found.banks.items():
        fair = found.fairness[bank]
        print(f"  {bank:{width}}  {count:4}  right is longest in {fair.longest} of {fair.questions} single choices")
    for name, counts in (("Types", found.types), ("Levels", found.levels), ("Tasks", found.tasks)):
        print(f"\n{name}: {', '.join(f'{key} {count}' for key, count in counts.items())}")
    print("\nConcepts:")
    for group, slugs in found.groups.items():
        line = f"{group}: {', '.join(f'{slug} {found.concepts[slug]}' for slug in slugs)}"
        print(textwrap.fill(line, 100, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False))
    every = found.fairness[""]
    print(f"\nThe right choice is the longest in {every.longest} of {every.questions} ({every.share:.0%}).")
    for count, places in every.places.items():
        print(f"Written places of the right one of {count}: {', '.join(map(str, places))}")


def _facts(fair: Fairness) -> dict[str, object]:
    return {**fair._asdict(), "share": round(fair.share, 4)}
