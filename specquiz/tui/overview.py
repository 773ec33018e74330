"""What the home screen shows, computed from the library, the labs and the log. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from specquiz.sessions.engine import Session
from specquiz.sessions.events import AnyEvent
from specquiz.sessions.history import QuestionKey, latest_attempts
from specquiz.sessions.mastery import ConceptMastery, mastery
from specquiz.store.projections import lab_standing, open_sessions

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.banks.model import Bank
    from specquiz.banks.problems import Problem
    from specquiz.labs.model import Lab
    from specquiz.labs.unlocking import Lock


OPEN_SHOWN = 3
"""So many open sessions are offered; older ones are in the log."""


@dataclass(frozen=True)
class BankEntry:
    """A bank and how far the learner is with it."""

    bank: Bank
    right: int
    """Questions whose latest answer is right."""
    answered: int
    concepts: tuple[tuple[str, ConceptMastery], ...]
    """Its concepts, by name, with the mastery of each over all banks."""


@dataclass(frozen=True)
class LabEntry:
    """A lab, whether it is open, and how its runs ended."""

    lab: Lab
    lock: Lock
    standing: Literal["", "passed", "failed", "not_gradable", "broken"]
    """`passed` once a run has passed, else how the latest ended; empty if it never ran."""


@dataclass(frozen=True)
class Overview:
    """Everything on the home screen."""

    library: Library
    banks: tuple[BankEntry, ...]
    labs: tuple[LabEntry, ...]
    open: tuple[Session, ...]
    """Sessions that can be resumed, the latest touched first."""
    missed: frozenset[QuestionKey]
    """Questions whose latest answer is not right."""
    problems: tuple[Problem, ...]
    """What is wrong with bank files that are left out."""


def survey(library: Library, labs: Sequence[Lab], events: Sequence[AnyEvent]) -> Overview:
    """Compute the overview."""
    from specquiz.labs.unlocking import lock

    attempts = latest_attempts(events)
    mastered = mastery(events, library)
    standing = lab_standing(events)
    known = {(bank.id, question.id) for bank in library.banks for question in bank.questions}

    def entry(bank: Bank) -> BankEntry:
        mine = [attempts[key] for question in bank.questions if (key := (bank.id, question.id)) in attempts]
        slugs = dict.fromkeys(slug for question in bank.questions for slug in question.concepts)
        return BankEntry(
            bank=bank,
            right=sum(attempt.right for attempt in mine),
            answered=len(mine),
            concepts=tuple((library.concept_name(slug), mastered[slug]) for slug in slugs),
        )

    return Overview(
        library=library,
        banks=tuple(entry(bank) for bank in library.banks),
        labs=tuple(LabEntry(lab, lock(lab, mastered, events), standing.get(lab.id, "")) for lab in labs),
        open=open_sessions(events)[:OPEN_SHOWN],
        missed=frozenset(key for key, attempt in attempts.items() if not attempt.right and key in known),
        problems=tuple(problem for problem in library.problems if problem.severity == "error"),
    )
