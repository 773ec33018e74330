"""Primers: one page to read per group of concepts, in a small part of Markdown.

A page is `# Group name`, an introduction, a `## Concept name` section for each concept of the group, and at the end
`## A worked number`. It holds paragraphs, lists of `- ` items and lines indented by four spaces (formulas, code). Here
pages are read as well as they can be; `primer_rules.py` says what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from specquiz.banks.model import Concept
from specquiz.banks.problems import closest
from specquiz.errors import UsageError

FOLDER = "primers"
"""The folder of pages inside a folder of banks."""

WORKED_NUMBER = "A worked number"
"""The heading of the last section: an example computed step by step."""

_HEADING = re.compile(r"(#+)[ \t]+(.*?)[ \t]*")
_ITEM = re.compile(r"- +")
_FORMULA = "    "


@dataclass(frozen=True)
class Block:
    """A paragraph or an item of a list, as one line of text; or formula lines, laid out as they were written."""

    kind: Literal["paragraph", "item", "formula"]
    text: str


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it. The introduction has the group's name as its heading."""

    heading: str
    line: int
    """Where the heading stands, from 1; 0 if there is none."""
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """Everything under the heading, a block a line."""
        return "\n".join(block.text for block in self.blocks)


@dataclass(frozen=True)
class Primer:
    """A page."""

    path: Path
    introduction: Section
    sections: tuple[Section, ...]
    """One for each concept, and the worked number."""

    @property
    def group(self) -> str:
        """The group of concepts that the page is about."""
        return self.introduction.heading

    @property
    def slug(self) -> str:
        """What the page is called in a command: the group's name in lower case, with hyphens."""
        return group_slug(self.group)

    def section(self, heading: str) -> Section | None:
        """The section with this heading."""
        return next((section for section in self.sections if _same(section.heading, heading)), None)


@dataclass(frozen=True)
class Place:
    """A page, and the section of it that is meant; None for the whole page."""

    primer: Primer
    section: Section | None = None


def group_slug(group: str) -> str:
    """`cost-model` for `Cost model`: the name of the group's page."""
    return re.sub(r"[^a-z0-9]+", "-", group.lower()).strip("-")


def primer_files(folders: Iterable[Path]) -> list[Path]:
    """The pages that belong to these folders of banks, each once. A folder need not exist, nor have any pages."""
    found = {path.resolve(): path for folder in folders for path in sorted((folder / FOLDER).glob("*.md"))}
    return list(found.values())


def read_primers(folders: Iterable[Path]) -> tuple[Primer, ...]:
    """The pages of these folders of banks, in order of their names; what is no readable text is passed over."""
    pages = []
    for path in primer_files(folders):
        try:
            pages.append(parse_primer(path, path.read_text(encoding="utf-8-sig")))
        except (OSError, UnicodeDecodeError):
            # `bank lint` names such a file; the other pages can be read all the same.
            continue
    return tuple(sorted(pages, key=lambda page: page.slug))


def parse_primer(path: Path, text: str) -> Primer:
    """The page in `text`. Whatever stands under no heading belongs to the introduction."""
    parts: list[tuple[str, int, list[str]]] = [("", 0, [])]
    for number, line in enumerate(text.split("\n"), 1):
        heading = _HEADING.fullmatch(line)
        if heading is None:
            parts[-1][2].append(line)
        elif len(heading[1]) == 1 and not parts[0][0]:
            parts[0] = (heading[2], number, parts[0][2])
        else:
            parts.append((heading[2], number, []))
    introduction, *sections = (Section(heading, line, tuple(_blocks(lines))) for heading, line, lines in parts)
    return Primer(path, introduction, tuple(sections))


def _blocks(lines: Iterable[str]) -> Iterator[Block]:
    """The blocks of a section. Blank lines part them; a formula may go on after blank lines."""
    kind: Literal["paragraph", "item", "formula"] | None = None
    held: list[str] = []

    def ended() -> Iterator[Block]:
        if kind == "formula":
            yield Block(kind, "\n".join(held).rstrip("\n"))
        elif kind is not None:
            yield Block(kind, " ".join(held))

    for line in lines:
        item = _ITEM.match(line)
        if line.startswith(_FORMULA) and line.strip() and kind not in ("paragraph", "item"):
            held = [*held, line.rstrip()[4:]] if kind == "formula" else [line.rstrip()[4:]]
            kind = "formula"
        elif item:
            yield from ended()
            kind, held = "item", [line[item.end() :].strip()]
        elif not line.strip():
            if kind == "formula":
                held.append("")
            else:
                yield from ended()
                kind, held = None, []
        elif kind in ("paragraph", "item"):
            held.append(line.strip())
        else:
            yield from ended()
            kind, held = "paragraph", [line.strip()]
    yield from ended()


def find_place(word: str, primers: Sequence[Primer], concepts: Mapping[str, Concept]) -> Place:
    """What `word` names: a group or a concept, by its slug or its name, in any case.

    Raises:
        UsageError: nothing is called that, or there is no page about it; the message says what comes close.
    """
    wanted = word.strip()
    for page in primers:
        if _same(wanted, page.slug) or _same(wanted, page.group):
            return Place(page)
    for concept in concepts.values():
        if _same(wanted, concept.slug) or _same(wanted, concept.name):
            place = place_of(concept, primers)
            if place is None:
                raise UsageError(f"no primer has a section on {concept.name}.", where=concept.slug, remedy=_LIST)
            return place
    groups = {concept.group for concept in concepts.values()}
    if any(_same(wanted, name) for group in groups for name in (group, group_slug(group))):
        raise UsageError("this group has no page.", where=word, remedy=_LIST)
    names = [name for page in primers for name in (page.group, page.slug)]
    names += [name for concept in concepts.values() for name in (concept.name, concept.slug)]
    close = closest(wanted, names)
    remedy = f"Did you mean {close}?" if close else _LIST
    raise UsageError("no group and no concept is called that.", where=word, remedy=remedy)


def place_of(concept: Concept, primers: Sequence[Primer]) -> Place | None:
    """The section on a concept; the one on its group's own page before others."""
    for page in sorted(primers, key=lambda page: not _same(page.group, concept.group)):
        section = page.section(concept.name)
        if section is not None:
            return Place(page, section)
    return None


_LIST = "`specquiz primer` lists the groups and their concepts; `specquiz primer --search WORDS` looks into the pages."


def _same(one: str, other: str) -> bool:
    """Whether two names are the same but for case and for hyphens in place of blanks."""
    return one.casefold().replace("-", " ") == other.casefold().replace("-", " ")
