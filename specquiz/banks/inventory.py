"""What banks hold, counted: types, levels, concepts, tasks; whether choices give themselves away; what is short.

The minimums are those of a collection that covers the whole subject. An author's own banks need not reach them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar, get_args

from specquiz.banks.model import AnyQuestion, Bank, Concept, SingleQuestion, Task

Name = TypeVar("Name")

LEAST_QUESTIONS, LEAST_BANKS = 160, 8
LEAST_OF_TYPE: Mapping[str, int] = {"config": 10, "trace": 10, "short": 20, "order": 3}
LEAST_OF_TASK: Mapping[str, int] = {"spot-the-bug": 8, "read-the-log": 10, "estimate": 6}
THOROUGH_GROUPS = frozenset(("Speculation basics", "Exactness", "Acceptance in practice", "KV cache"))
"""Groups each of whose concepts is asked about in several ways."""
LEAST_OF_CONCEPT, LEAST_OF_THOROUGH_CONCEPT = 1, 3
ARGUED_GROUPS = ("Exactness", "In a serving engine")
"""Groups in which something is proved and something diagnosed."""

FAIR_SHARE = 0.35
"""The right choice may be the longest in this share of single-choice questions."""
ENOUGH = 8
"""Fewer single-choice questions than these show no tendency."""
_CRITICAL = {1: 6.635, 2: 9.210, 3: 11.345, 4: 13.277, 5: 15.086}
"""Degrees of freedom to what chi-squared exceeds by chance once in a hundred times."""

TYPES: tuple[str, ...] = tuple(str(kind.__struct_config__.tag) for kind in get_args(AnyQuestion))
TASKS: tuple[str, ...] = get_args(Task)


class Fairness(NamedTuple):
    """Whether the right choice of single-choice questions can be told without knowing."""

    questions: int
    longest: int
    """In how many of them the right choice is longer than every wrong one."""
    places: Mapping[int, tuple[int, ...]]
    """Number of choices, to how often the right one was written first, second, and so on."""

    @property
    def share(self) -> float:
        """The share in which the right choice is the longest."""
        return self.longest / self.questions if self.questions else 0.0


class Inventory(NamedTuple):
    """Banks, counted. A question counts for each of its concepts."""

    banks: Mapping[str, int]
    types: Mapping[str, int]
    levels: Mapping[int, int]
    tasks: Mapping[str, int]
    concepts: Mapping[str, int]
    """Every concept there is, by slug, also those that no question is about."""
    groups: Mapping[str, tuple[str, ...]]
    """Group to the slugs of its concepts."""
    group_tasks: Mapping[str, Mapping[str, int]]
    """Group to how many of its questions have each task."""
    fairness: Mapping[str, Fairness]
    """Bank id to the fairness of its choices; the empty id is all banks together."""

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return sum(self.banks.values())


def take_inventory(banks: Sequence[Bank], concepts: Mapping[str, Concept]) -> Inventory:
    """Count what these banks hold.

    Args:
        banks: the banks, each id once.
        concepts: slug to concept, all there are.
    """
    questions = [question for bank in banks for question in bank.questions]
    groups: dict[str, list[str]] = {}
    for concept in concepts.values():
        groups.setdefault(concept.group, []).append(concept.slug)
    asked = Counter(slug for question in questions for slug in question.concepts)
    by_group = {name: [q for q in questions if set(q.concepts) & set(slugs)] for name, slugs in groups.items()}
    return Inventory(
        banks={bank.id: len(bank.questions) for bank in banks},
        types=_counted(TYPES, (type_of(question) for question in questions)),
        levels=_counted(range(1, 5), (question.level for question in questions)),
        tasks=_counted(TASKS, (question.task for question in questions if question.task)),
        concepts=_counted(concepts, asked.elements()),
        groups={name: tuple(slugs) for name, slugs in groups.items()},
        group_tasks={name: _counted(TASKS, (q.task for q in group if q.task)) for name, group in by_group.items()},
        fairness={"": fairness(questions), **{bank.id: fairness(bank.questions) for bank in banks}},
    )


def type_of(question: AnyQuestion) -> str:
    """What a bank calls the question's type."""
    return str(type(question).__struct_config__.tag)


def fairness(questions: Iterable[AnyQuestion]) -> Fairness:
    """How the right choices of the single-choice questions among these stand out."""
    singles = [question for question in questions if isinstance(question, SingleQuestion)]
    longest = 0
    places: dict[int, list[int]] = {}
    for question in singles:
        right = next(place for place, choice in enumerate(question.choices) if choice.id == question.answer)
        lengths = [len(choice.text) for choice in question.choices]
        longest += all(lengths[right] > length for place, length in enumerate(lengths) if place != right)
        places.setdefault(len(lengths), [0] * len(lengths))[right] += 1
    return Fairness(len(singles), longest, {count: tuple(found) for count, found in sorted(places.items())})


def unfair(inventory: Inventory) -> Iterator[str]:
    """A sentence for each way in which right choices can be guessed.

    The right one is the longest in at most 35 % of the questions. Over its places it is spread evenly: were each as
    likely as the others, so uneven a spread (chi-squared) would come about more often than once in a hundred times.
    """
    for bank, found in inventory.fairness.items():
        name = f"In {bank}" if bank else "Over all banks"
        if found.questions >= ENOUGH and found.share > FAIR_SHARE:
            yield f"{name} the right choice is the longest in {found.longest} of {found.questions} questions."
        for count, places in found.places.items():
            if sum(places) >= ENOUGH and _chi_squared(places) > _CRITICAL.get(count - 1, float("inf")):
                yield f"{name} the right one of {count} choices is written in places 1 to {count} {places} times."


def _chi_squared(counts: Sequence[int]) -> float:
    """How far counts are from being equal; 0 is equal."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def short_of(inventory: Inventory) -> Iterator[str]:
    """A sentence for each minimum of a whole collection that is not reached."""
    if inventory.questions < LEAST_QUESTIONS:
        yield f"{inventory.questions} of {LEAST_QUESTIONS} questions."
    if len(inventory.banks) < LEAST_BANKS:
        yield f"{len(inventory.banks)} of {LEAST_BANKS} banks."
    for what, least, counts in (
        ("of type", LEAST_OF_TYPE, inventory.types),
        ("with the task", LEAST_OF_TASK, inventory.tasks),
    ):
        for name, number in least.items():
            if counts[name] < number:
                yield f"{counts[name]} of {number} questions {what} {name}."
    for group, slugs in inventory.groups.items():
        wanted = LEAST_OF_THOROUGH_CONCEPT if group in THOROUGH_GROUPS else LEAST_OF_CONCEPT
        for slug in slugs:
            if inventory.concepts[slug] < wanted:
                yield f"{inventory.concepts[slug]} of {wanted} questions about {slug} ({group})."
    for group in ARGUED_GROUPS:
        for task in ("prove", "diagnose"):
            if not inventory.group_tasks.get(group, {}).get(task):
                yield f"No question of the group {group} has the task {task}."


def _counted(names: Iterable[Name], found: Iterable[Name]) -> dict[Name, int]:
    """How often each of these names is found, also those that are not."""
    counts = Counter(found)
    return {name: counts[name] for name in names}
