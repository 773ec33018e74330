"""Looking words up: in the sections of primers, the names of concepts and the prompts of questions.

Explanations and answers are not looked into, so that a search gives no answer away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from specquiz.banks.primers import Place
from specquiz.banks.variants import PLACEHOLDER

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.banks.model import Concept

_LETTERS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "λ": "lambda", "μ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
}  # fmt: skip
_SPELLED = str.maketrans(_LETTERS)
EXCERPT = 100
"""Characters of a text shown around the words."""
MOST = 50
"""So many places are shown at once."""
_NAMED = re.compile(rf"=\s*{PLACEHOLDER.pattern}")


@dataclass(frozen=True)
class Hit:
    """Something found: a section of a primer, or a question. Exactly one of `place` and `question` says which."""

    title: str
    """A section's heading, or a question's id."""
    where: str
    """The group of the page, or the title of the bank."""
    excerpt: str
    """Words around those looked for."""
    place: Place | None = None
    question: tuple[str, str] | None = None
    """(bank id, question id)"""


@dataclass(frozen=True)
class _Entry:
    """Something that can be found, with its words as they are compared."""

    hit: Hit
    named: str
    """What it is called, folded."""
    text: str
    words: str
    """The text, folded."""


@dataclass(frozen=True)
class Index:
    """Everything that can be found, sections before questions."""

    entries: tuple[_Entry, ...]

    def search(self, words: str, most: int = MOST) -> tuple[Hit, ...]:
        """What has all of `words`, parts of words too; what is called so comes first. Nothing for no words."""
        wanted = _folded(words).split()
        if not wanted:
            return ()
        found = [entry for entry in self.entries if all(word in entry.named or word in entry.words for word in wanted)]
        found.sort(key=lambda entry: sum(word not in entry.named for word in wanted))
        return tuple(_excerpted(entry, wanted) for entry in found[:most])


def index(library: Library) -> Index:
    """Everything in a library that can be found."""
    return Index((*_sections(library), *_questions(library)))


def _sections(library: Library) -> Iterator[_Entry]:
    """The introductions and sections of primers; a concept's section is found by its slug too."""
    slugs = {concept.name.casefold(): concept.slug for concept in library.concepts.values()}
    for page in library.primers:
        yield _entry(Hit(page.group, page.group, "", place=Place(page)), page.slug, page.introduction.text)
        for section in page.sections:
            slug = slugs.get(section.heading.casefold(), "")
            yield _entry(Hit(section.heading, page.group, "", place=Place(page, section)), slug, section.text)


def _questions(library: Library) -> Iterator[_Entry]:
    for bank in library.banks:
        for question in bank.questions:
            names = [_name(library.concepts.get(slug), slug) for slug in question.concepts]
            hit = Hit(question.id, bank.title, "", question=(bank.id, question.id))
            # The numbers differ from session to session: `D = {D}` is said as `D = …`, another `{K}` by its name.
            prompt = PLACEHOLDER.sub(r"\1", _NAMED.sub("= …", question.prompt))
            yield _entry(hit, " ".join((question.id, bank.title, *names)), prompt)


def _name(concept: Concept | None, slug: str) -> str:
    return f"{slug} {concept.name}" if concept else slug


def _entry(hit: Hit, more: str, text: str) -> _Entry:
    flat = " ".join(text.split())
    return _Entry(hit, _folded(f"{hit.title} {more}"), flat, _folded(flat))


def _folded(text: str) -> str:
    """Text as it is compared: without case, Greek letters by their names, `quantize` as `quantise`."""
    return text.casefold().translate(_SPELLED).replace("iz", "is")


def _excerpted(entry: _Entry, wanted: list[str]) -> Hit:
    """The hit with the words around the first of those wanted, or the beginning of its text."""
    shown = [_folded(character) for character in entry.text]
    at = min((entry.words.find(word) for word in wanted if word in entry.words), default=0)
    # Spelling letters out moves places; go back to where the text itself has the word.
    length = place = 0
    while length < at:
        length += len(shown[place])
        place += 1
    start = max(0, place - EXCERPT // 3)
    start = 0 if start == 0 else entry.text.find(" ", start) + 1
    end = start + EXCERPT
    cut = entry.text[start:end] if end >= len(entry.text) else entry.text[start:end].rpartition(" ")[0]
    return replace(entry.hit, excerpt=f"{'… ' if start else ''}{cut}{' …' if end < len(entry.text) else ''}")
