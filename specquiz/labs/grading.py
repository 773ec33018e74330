"""Grade a lab run from its evidence alone: pure, and the same on every machine, with vLLM or without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from specquiz.labs.evidence import Evidence
from specquiz.labs.model import Lab, Quantity

if TYPE_CHECKING:
    from specquiz.labs.broken import Broken


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured quantity, with its 95 % interval and the prediction beside it."""

    arm: str
    workload: str
    quantity: Quantity
    value: float | None
    """None where there is no data (never 0 for "nothing was drafted")."""
    low: float | None
    high: float | None
    predicted: float | None
    note: str = ""
    """Why there is no data or no interval."""
    interval: tuple[float, float] | None = None
    """The interval that was predicted."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share at one draft position, with its 95 % interval."""

    value: float | None
    """None where no draft reached the position."""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Positions:
    """Acceptance by draft position, from the first to the K-th."""

    arm: str
    workload: str
    of_all: tuple[Rate, ...]
    """Share of all drafts that were accepted up to this position, as vLLM logs it."""
    given_before: tuple[Rate, ...]
    """Share accepted here among the drafts accepted up to here."""


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What one rule of the lab came to."""

    id: str
    check: str
    outcome: Literal["passed", "failed", "no_data"]
    observed: str
    """What was observed, in a sentence with its figures."""
    why: str
    learn: str = ""
    """What this way of failing teaches."""


@dataclass(frozen=True, slots=True)
class Graded:
    """The evidence holds together; each rule has its verdict."""

    quantities: tuple[Observation, ...]
    positions: tuple[Positions, ...]
    rules: tuple[RuleVerdict, ...]
    advice: str = ""
    """Why the verdict is only advice on this profile; empty where it counts."""

    @property
    def passed(self) -> bool:
        """Whether every rule passed."""
        return all(rule.outcome == "passed" for rule in self.rules)


@dataclass(frozen=True, slots=True)
class NotGradable:
    """The evidence is not good enough to grade, for these reasons."""

    broken: tuple[Broken, ...]


Grade = Graded | NotGradable


def grade(lab: Lab, evidence: Evidence) -> Grade:
    """Check that the evidence holds together, then measure, and judge each rule of the lab."""
    # NumPy comes along with these; the verdicts above are needed by screens that grade nothing.
    from specquiz.labs.invariants import broken_invariants
    from specquiz.labs.judging import observe, observe_positions, verdict
    from specquiz.labs.tailoring import tailored

    broken = broken_invariants(lab, evidence)
    if broken:
        return NotGradable(broken)
    here = tailored(lab, evidence.profile, evidence.written)
    return Graded(
        quantities=observe(here, evidence),
        positions=observe_positions(here, evidence),
        rules=tuple(verdict(here, evidence, rule) for rule in here.grade),
        advice=lab.advisory.get(evidence.profile, ""),
    )
