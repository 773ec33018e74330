"""What an answer is checked against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

NOTHING: Mapping[str, str] = {}


class Misconception(NamedTuple):
    """A wrong answer that reveals a known mistake, with the sentence that names it."""

    answer: str
    say: str


class Question(NamedTuple):
    """A closed form and how an answer to it is judged. Numbers are text and are read as exact rationals."""

    reference: str
    """The closed form, in the grammar that learners use; in `unit` where one is declared."""
    domain: str = ""
    """Parts joined by `;`, each `lo < name < hi`, `name > lo` or `name integer >= lo`."""
    kind: Literal["numeric", "symbolic"] = "symbolic"
    """`numeric`: one value, at `values`. `symbolic`: a formula, equal on the whole domain."""
    tolerance: str = "exact"
    """`exact`, `places:n`, `sig:n` (within half a unit of that place), `rel:x` or `abs:x`."""
    unit: str = ""
    """Such as `ms`, `GB/s`, `FLOP/B` or `%`; empty for a plain number."""
    form: str = ""
    """`closed`, `expanded`, `fraction`, `lowest-terms`, `decimal` or `max-nodes:n`; empty for any."""
    aliases: Mapping[str, str] = NOTHING
    """Further spellings of variables: alias to name."""
    values: Mapping[str, str] = NOTHING
    """A numeric variant's numbers, by variable."""
    also: tuple[str, ...] = ()
    """Other ways of writing the reference, kept for proofs and lint."""
    misconceptions: tuple[Misconception, ...] = ()
    """Known wrong answers; the first that matches gives its sentence."""
