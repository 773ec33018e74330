"""The shipped banks, for tests that hold them to rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from msgspec.structs import replace

from specquiz import places
from specquiz.banks.loading import load_bank, load_concepts
from specquiz.banks.model import (
    Bank,
    Concept,
    NumericQuestion,
    SymbolicQuestion,
)


def shipped(name: str) -> Bank:
    bank, problems = load_bank(places.shipped_questions() / f"{name}.yaml")
    assert not problems, "\n".join(map(str, problems))
    assert bank is not None
    return bank


def shipped_concepts() -> tuple[Concept, ...]:
    listed, problems = load_concepts(places.shipped_questions() / "concepts.yaml")
    assert not problems, "\n".join(map(str, problems))
    assert listed is not None
    return listed.concepts


def shipped_banks() -> dict[str, Bank]:
    """The banks by id; files with the same id make one bank."""
    banks: dict[str, Bank] = {}
    for path in sorted(places.shipped_questions().glob("*.yaml")):
        if path.name != "concepts.yaml":
            bank = shipped(path.stem)
            earlier = banks[bank.id].questions if bank.id in banks else ()
            banks[bank.id] = replace(bank, questions=(*earlier, *bank.questions))
    return banks


BANKS = shipped_banks()
ALL = [(bank.id, question) for bank in BANKS.values() for question in bank.questions]
QUESTIONS = [question for _, question in ALL]
NUMERIC = [question for question in QUESTIONS if isinstance(question, NumericQuestion)]
FORMULAS = [question for question in QUESTIONS if isinstance(question, NumericQuestion | SymbolicQuestion)]


class Identified(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=Identified)


def expect_no_faults(things: Iterable[T], faults: Callable[[T], Iterable[str]]) -> None:
    """Fail with a line for every fault, which begins with the id of the question or bank."""
    found = [f"{thing.id}: {fault}" for thing in things for fault in faults(thing)]
    assert not found, "\n".join(["", *found])
