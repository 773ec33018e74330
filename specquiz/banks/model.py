"""What a question bank holds, as typed immutable records. `loading.py` makes them from YAML; nothing here reads files.

Numbers stay text (`"0.6"`) until the checker reads them, so that they are exact rationals as written.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An immutable record in which an unknown key is an error."""


class Variable(Record, frozen=True, kw_only=True):
    """A variable of a question: the values a variant may take and the domain on which formulas are compared."""

    values: tuple[str, ...] = msgspec.field(name="in", default=())
    """The numbers that seeded variants draw from, as written. Empty in a symbolic question."""
    domain: str
    """`lo < name < hi`, `name > lo` or `name integer >= lo`."""
    say: str = ""
    """What the variable means, in a few words."""
    aliases: tuple[str, ...] = ()
    """Other spellings a learner may use."""


class Misconception(Record, frozen=True, kw_only=True):
    """A wrong answer that reveals a known mistake, with the sentence that names it."""

    answer: str
    say: str


class Choice(Record, frozen=True, kw_only=True):
    """One option of a choice question. In YAML a bare string stands for `{text: …}`."""

    id: str = ""
    """Stable within the question; an author may give it, else it is `a`, `b`, … in the order written."""
    text: str
    say: str = ""
    """What choosing it reveals (on a wrong option), or why it is right."""
    pin: Literal["last"] | None = None
    """Keeps the option last when the order is shuffled."""


class Question(Record, frozen=True, kw_only=True):
    """What every question has."""

    id: str
    concepts: tuple[str, ...]
    level: int
    """1 warm-up, 2 solid, 3 strong, 4 staff."""
    prompt: str
    explanation: str
    hints: tuple[str, ...] = ()
    source: str = ""
    seconds: int = 90
    """Target time."""
    applies_to: str = ""
    """The versions for which the facts hold, such as `vllm>=0.26`."""


class SingleQuestion(Question, frozen=True, kw_only=True, tag="single", tag_field="type"):
    """Choose one option. `answer` is the id of the right choice."""

    choices: tuple[Choice, ...]
    answer: str


class MultiQuestion(Question, frozen=True, kw_only=True, tag="multi", tag_field="type"):
    """Choose every right option. `answer` holds the ids of the right choices."""

    choices: tuple[Choice, ...]
    answer: tuple[str, ...]


class NumericQuestion(Question, frozen=True, kw_only=True, tag="numeric", tag_field="type"):
    """Give a number, or the formula that yields it. `{name}` in texts is replaced by the variant's value."""

    answer: str
    vars: dict[str, Variable] = {}
    also: tuple[str, ...] = ()
    tolerance: str = "sig:3"
    unit: str = ""
    form: str = ""
    quantity: str = ""
    """The field name of what is asked, such as `tokens_per_pass`."""
    misconceptions: tuple[Misconception, ...] = ()


class SymbolicQuestion(Question, frozen=True, kw_only=True, tag="symbolic", tag_field="type"):
    """Give a closed form in the question's variables; it is compared on their domain."""

    answer: str
    vars: dict[str, Variable]
    also: tuple[str, ...] = ()
    form: str = ""
    quantity: str = ""
    misconceptions: tuple[Misconception, ...] = ()


class TraceQuestion(Question, frozen=True, kw_only=True, tag="trace", tag_field="type"):
    """Type the tokens that come out, in order, separated by spaces or commas."""

    answer: tuple[str, ...]
    misconceptions: tuple[Misconception, ...] = ()
    """`answer` is the wrong token sequence, separated by spaces."""


AnyQuestion = SingleQuestion | MultiQuestion | NumericQuestion | SymbolicQuestion | TraceQuestion


class Bank(Record, frozen=True, kw_only=True):
    """A question bank."""

    id: str = msgspec.field(name="bank")
    title: str
    questions: tuple[AnyQuestion, ...]
    description: str = ""
    concepts: dict[str, str] = {}
    """Concepts that this bank brings along, slug to name; the shipped ones are in `concepts.yaml`."""


class Concept(Record, frozen=True, kw_only=True):
    """A concept of `concepts.yaml`: what mastery is counted by."""

    slug: str
    name: str
    group: str
    """One of the twelve groups, such as `Acceptance in practice`."""


class ConceptList(Record, frozen=True, kw_only=True):
    """The file `concepts.yaml`."""

    concepts: tuple[Concept, ...]
