"""The tree that a lab's rule is read into. `expressions.py` reads it, `evaluating.py` and `judging.py` work it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from specquiz.labs.model import Quantity


@dataclass(frozen=True, slots=True)
class Literally:
    """A number as written."""

    value: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured quantity."""

    arm: str
    workload: str
    quantity: Quantity
    column: int
    position: int = 0
    """The draft position, from 1, of a rate by position."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """A committed number."""

    id: str
    column: int


@dataclass(frozen=True, slots=True)
class Place:
    """A workload of an arm."""

    arm: str
    workload: str
    column: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two numbers combined."""

    operator: Literal["+", "-", "*", "/"]
    left: Number
    right: Number


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus a number."""

    of: Number


@dataclass(frozen=True, slots=True)
class Absolute:
    """The size of a number."""

    of: Number


@dataclass(frozen=True, slots=True)
class Bound:
    """An end of a number's 95 % interval."""

    end: Literal["lower", "upper"]
    of: Number


@dataclass(frozen=True, slots=True)
class CommittedEnd:
    """An end of an interval that was committed to."""

    end: Literal["low", "high"]
    interval: Committed


@dataclass(frozen=True, slots=True)
class ExpectedLength:
    """Tokens per pass that a constant α gives for K drafted tokens."""

    alpha: Number
    k: int


@dataclass(frozen=True, slots=True)
class Speedup:
    """TPOT of one place over that of another, paired run by run."""

    base: Place
    fast: Place
    clock: Literal["tpot", "processor"] = "tpot"
    """`processor`: processor time per token in place of TPOT."""


@dataclass(frozen=True, slots=True)
class Parted:
    """How many requests got other tokens in one place than in the other."""

    first: Place
    second: Place
    gap: float | None = None
    """Only those that part where the first place's best token lay further than this (in nats) above its second."""


@dataclass(frozen=True, slots=True)
class MoreOften:
    """Fisher's one-sided p that requests part more often in `test` than in `control`."""

    control: Parted
    test: Parted


Number = (
    Literally
    | Measured
    | Predicted
    | Arithmetic
    | Negative
    | Absolute
    | Bound
    | CommittedEnd
    | ExpectedLength
    | Speedup
    | Parted
    | MoreOften
)


@dataclass(frozen=True, slots=True)
class OutputsEqual:
    """Two arms gave the same tokens."""

    first: str
    second: str
    column: int


@dataclass(frozen=True, slots=True)
class Within:
    """Two numbers differ by at most a tolerance."""

    left: Number
    right: Number
    tolerance: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One number lies beyond another."""

    left: Number
    operator: Literal["<", "<=", ">", ">="]
    right: Number


@dataclass(frozen=True, slots=True)
class Committed:
    """A prediction that is no plain number, and what it may name."""

    id: str
    kind: Literal["interval", "choice", "order"]
    column: int
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NearBest:
    """The choice made is the greatest of these numbers, or at most a share `slack` below it."""

    choice: Committed
    slack: float
    options: tuple[tuple[str, Number], ...]


@dataclass(frozen=True, slots=True)
class Ordered:
    """The numbers fall in the order committed to; a rise of at most the share `slack` is let pass."""

    order: Committed
    slack: float
    options: tuple[tuple[str, Number], ...]


@dataclass(frozen=True, slots=True)
class Says:
    """The choice made is this one."""

    choice: Committed
    answer: str


@dataclass(frozen=True, slots=True)
class Covers:
    """The interval committed to holds a number."""

    interval: Committed
    of: Number


@dataclass(frozen=True, slots=True)
class Falling:
    """Each number is less than the one before."""

    numbers: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Fails:
    """The arm failed at its start as the lab expects."""

    arm: str
    column: int


@dataclass(frozen=True, slots=True)
class AtLeast:
    """So many of these hold."""

    count: int
    checks: tuple[Check, ...]


Check = OutputsEqual | Within | Comparison | NearBest | Ordered | Says | Covers | Falling | Fails | AtLeast

Leaf = Measured | Predicted | Place | OutputsEqual | Committed | Fails


def leaves(tree: Check | Number | Place | Committed) -> Iterator[Leaf]:
    """The things that a rule is about, in the order written."""
    match tree:
        case Measured() | Predicted() | OutputsEqual() | Place() | Committed() | Fails():
            yield tree
        case Literally():
            return
        case _:
            for part in _parts(tree):
                yield from leaves(part)


def _parts(tree: Check | Number) -> tuple[Check | Number | Place | Committed, ...]:
    match tree:
        case Arithmetic(_, left, right) | Comparison(left, _, right) | Within(left, right, _):
            return left, right
        case Negative(of) | Absolute(of) | Bound(_, of):
            return (of,)
        case ExpectedLength(alpha, _):
            return (alpha,)
        case Speedup(first, second) | Parted(first, second):
            return first, second
        case MoreOften(control, test):
            return control, test
        case NearBest(committed, _, options) | Ordered(committed, _, options):
            return committed, *(number for _, number in options)
        case Says(committed, _) | CommittedEnd(_, committed):
            return (committed,)
        case Covers(committed, of):
            return committed, of
        case Falling(numbers):
            return numbers
        case AtLeast(_, checks):
            return checks
    return ()
