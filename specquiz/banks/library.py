"""All banks and concepts at hand: those that ship, the person's own, and any named besides.

A bank that is wrong is left out and its problems are kept; it never stops the others. YAML is read only where the cache
has nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from specquiz import places
from specquiz.banks import cache
from specquiz.banks.model import AnyQuestion, Bank, Concept, ConceptList, NumericQuestion, SymbolicQuestion
from specquiz.banks.problems import Problem, closest, in_order
from specquiz.errors import SpecquizError, UsageError

if TYPE_CHECKING:
    from specquiz.banks.primers import Primer

CONCEPTS = "concepts.yaml"
"""A file of this name holds concepts; every other YAML file in a folder of banks is a bank."""

Place = tuple[int, int]
"""(line, column), from 1"""

T = TypeVar("T", bound=msgspec.Struct)


class PlacedBank(msgspec.Struct, frozen=True):
    """A bank without errors, with the place of every question's id in its file."""

    bank: Bank
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Library:
    """The banks that can be asked from. Files with the same bank id make one bank."""

    banks: tuple[Bank, ...] = ()
    concepts: Mapping[str, Concept] = field(default_factory=dict)
    """Slug to concept."""
    problems: tuple[Problem, ...] = ()
    """Everything wrong with files that were left out."""
    files: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    """Bank id to the files it was read from."""
    folders: tuple[Path, ...] = ()
    """The folders of banks, each of which may have primers."""

    def bank(self, id: str) -> Bank:
        """The bank with this id.

        Raises:
            SpecquizError: there is none; the message says which there are.
        """
        try:
            return self._by_id[id]
        except KeyError:
            raise self._no_bank(id) from None

    def bank_about(self, concept: str) -> Bank | None:
        """The bank that asks most about a concept, given by its slug; None if none does."""
        counts = {bank.id: sum(concept in question.concepts for question in bank.questions) for bank in self.banks}
        best = max(self.banks, key=lambda bank: counts[bank.id], default=None)
        return best if best is not None and counts[best.id] else None

    def concept_name(self, slug: str) -> str:
        """What people call a concept; its slug where it is not listed."""
        listed = self.concepts.get(slug)
        return listed.name if listed is not None else slug

    def question(self, bank_id: str, question_id: str) -> AnyQuestion | None:
        """A question, or None if it has gone or its bank could not be read."""
        return self._questions.get((bank_id, question_id))

    @cached_property
    def primers(self) -> tuple[Primer, ...]:
        """The pages to read, read when they are first asked for."""
        from specquiz.banks.primers import read_primers

        return read_primers(self.folders)

    @cached_property
    def _by_id(self) -> dict[str, Bank]:
        return {bank.id: bank for bank in self.banks}

    @cached_property
    def _questions(self) -> dict[tuple[str, str], AnyQuestion]:
        return {(bank.id, question.id): question for bank in self.banks for question in bank.questions}

    def _no_bank(self, id: str) -> SpecquizError:
        for problem in self.problems:
            if problem.path.stem == id:
                what = f"the bank {id} could not be read: {problem}"
                return SpecquizError(what, remedy=f"`specquiz bank lint {problem.path}` says everything that is wrong.")
        close = closest(id, self._by_id)
        if close:
            return SpecquizError(f"there is no bank {id!r}.", remedy=f"Did you mean {close}?")
        return SpecquizError(f"there is no bank {id!r}.", remedy=f"There are: {', '.join(self._by_id) or 'none'}.")


def open_library(extra: Sequence[Path] = ()) -> Library:
    """Read the shipped banks, the person's own folder, and the files and folders in `extra`.

    Raises:
        UsageError: something in `extra` does not exist.
    """
    problems: list[Problem] = []
    concepts: dict[str, Concept] = {}
    shelf = _Shelf(problems)
    own = (places.shipped_questions(), places.own_banks())
    for path in bank_files(own, extra, problems):
        if path.name == CONCEPTS:
            listed = _read(path, ConceptList, _load_concepts, problems)
            for concept in listed.concepts if listed else ():
                concepts.setdefault(concept.slug, concept)
        else:
            placed = _read(path, PlacedBank, _load_placed, problems)
            if placed is not None:
                shelf.add(path, placed)
    for bank in shelf.banks.values():
        for slug, name in bank.concepts.items():
            concepts.setdefault(slug, Concept(slug=slug, name=name, group=bank.title))
    folders = (*own, *(path for path in extra if path.is_dir()))
    banks = tuple(sorted(shelf.banks.values(), key=lambda bank: (bank.order, bank.title)))
    return Library(banks, concepts, in_order(problems), shelf.files, folders)


def bank_files(folders: Iterable[Path], extra: Iterable[Path], problems: list[Problem]) -> list[Path]:
    """The YAML files in `folders` (which need not exist) and in `extra` (files or folders), each once."""
    found: dict[Path, Path] = {}
    for folder in folders:
        for path in _yaml_files(folder, problems):
            found.setdefault(path.resolve(), path)
    for path in extra:
        if not path.exists():
            raise UsageError(
                "there is no such file or folder.", where=str(path), remedy="Give a YAML bank or a folder."
            )
        for file in _yaml_files(path, problems) if path.is_dir() else [path]:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _yaml_files(folder: Path, problems: list[Problem]) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if p.suffix in (".yaml", ".yml") and not p.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(Problem(folder, 1, 1, "SQ102", "error", f"the folder cannot be read: {error.strerror}"))
        return []


def _read(
    path: Path, kind: type[T], load: Callable[[Path], tuple[T | None, tuple[Problem, ...]]], problems: list[Problem]
) -> T | None:
    """The file's content, from the cache where it holds this state of the file."""
    state = cache.state_of(path)
    kept = cache.recall(path, state, kind)
    if kept is not None:
        return kept
    content, found = load(path)
    problems.extend(found)
    if content is not None and not found:
        cache.keep(path, state, content)
    return content


def _load_concepts(path: Path) -> tuple[ConceptList | None, tuple[Problem, ...]]:
    from specquiz.banks.loading import load_concepts

    return load_concepts(path)


def _load_placed(path: Path) -> tuple[PlacedBank | None, tuple[Problem, ...]]:
    from specquiz.banks.formula_rules import read_formulas
    from specquiz.banks.loading import read_bank
    from specquiz.banks.parsing import Report, node_at

    reading = read_bank(path)
    if reading.bank is None or reading.problems:
        return None, reading.problems
    report = Report(path)
    report.text = reading.text
    for question, node in reading.questions:
        if isinstance(question, NumericQuestion | SymbolicQuestion):
            read_formulas(question, node, report)
    if report.problems:
        return None, tuple(report.problems)
    marks = [node_at(node, "id").start for _, node in reading.questions]
    return PlacedBank(reading.bank, tuple((mark.line + 1, mark.column + 1) for mark in marks)), ()


class _Shelf:
    """Banks by id, put together from their files."""

    def __init__(self, problems: list[Problem]) -> None:
        self.banks: dict[str, Bank] = {}
        self.files: dict[str, tuple[Path, ...]] = {}
        self._problems = problems
        self._where: dict[tuple[str, str], tuple[Path, Place]] = {}

    def add(self, path: Path, placed: PlacedBank) -> None:
        """Put a file's questions on the shelf, or none of them if one is there already."""
        bank = placed.bank
        keys = [(bank.id, question.id) for question in bank.questions]
        twice = [(key, place) for key, place in zip(keys, placed.places, strict=True) if key in self._where]
        for key, (line, column) in twice:
            other, (other_line, other_column) = self._where[key]
            message = f"the question {key[1]!r} of bank {key[0]!r} is already in {other}:{other_line}:{other_column}"
            self._problems.append(Problem(path, line, column, "SQ208", "error", message))
        if twice:
            return
        self._where.update((key, (path, place)) for key, place in zip(keys, placed.places, strict=True))
        first = self.banks.get(bank.id)
        self.banks[bank.id] = bank if first is None else _joined(first, bank)
        self.files[bank.id] = (*self.files.get(bank.id, ()), path)


def _joined(first: Bank, second: Bank) -> Bank:
    return msgspec.structs.replace(
        first,
        description=first.description or second.description,
        order=min(first.order, second.order),
        questions=first.questions + second.questions,
        concepts={**second.concepts, **first.concepts},
    )
