"""What a question bank holds, as typed immutable records. `loading.py` makes them from YAML; nothing here reads files.

The sentence under a field is also what an editor shows of it (`schema.py`). Numbers stay text (`"0.6"`) until the
checker reads them, so that they are exact rationals as written.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Task = Literal["spot-the-bug", "read-the-log", "estimate", "prove", "diagnose"]
"""What a question has one do, where that has a name of its own."""

Grade = Literal["weak", "ok", "strong"]
"""How a spoken or written answer was graded by a person."""

ConfigValue = Any
"""A value of a configuration: a text, number or truth value, or a list of values; None says that it is left out."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """An immutable record in which an unknown key is an error.

    Records cannot form cycles, so the garbage collector need not look at them (it would take half the time of reading
    ten thousand questions).
    """


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
    """The wrong answer, written as the question's own answer is."""
    say: str
    """What the mistake is, told to whoever makes it."""


class Step(Record, frozen=True, kw_only=True):
    """One step of a derivation. The last one is usually the answer itself."""

    form: str
    """The answer as this step writes it; lint and `bank verify` hold it equal to the answer."""
    say: str
    """What was done to get here."""


class Choice(Record, frozen=True, kw_only=True):
    """One option of a choice question. In YAML a bare string stands for `{text: …}`."""

    id: str = ""
    """Stable within the question; an author may give it, else it is `a`, `b`, … in the order written."""
    text: str
    """What the option says."""
    say: str = ""
    """What choosing it reveals (on a wrong option), or why it is right."""
    pin: Literal["last"] | None = None
    """Keeps the option last when the order is shuffled."""


class Question(Record, frozen=True, kw_only=True):
    """What every question has."""

    id: str
    """A slug that never changes: a learner's history follows it."""
    concepts: tuple[str, ...]
    """Slugs of the concepts it exercises, the main one first."""
    level: int
    """1 warm-up, 2 solid, 3 strong, 4 staff."""
    prompt: str
    """What is asked. In a numeric question `{name}` stands for a variable's number."""
    explanation: str
    """Why the answer is right, shown after the verdict."""
    hints: tuple[str, ...] = ()
    """Steps towards the answer, shown one at a time on request."""
    source: str = ""
    """Where the fact or the formula comes from."""
    seconds: int = 90
    """Target time in seconds."""
    applies_to: str = ""
    """The versions for which the facts hold, such as `vllm>=0.26`."""
    task: Task | None = None
    """What the question has one do, where that has a name; a bank's inventory counts by it."""


class SingleQuestion(Question, frozen=True, kw_only=True, tag="single", tag_field="type"):
    """Choose one option. `answer` is the id of the right choice."""

    choices: tuple[Choice, ...]
    """The options, each a text or keys with values."""
    answer: str
    """The id or the exact text of the right choice."""


class MultiQuestion(Question, frozen=True, kw_only=True, tag="multi", tag_field="type"):
    """Choose every right option. `answer` holds the ids of the right choices."""

    choices: tuple[Choice, ...]
    """The options, each a text or keys with values."""
    answer: tuple[str, ...]
    """The ids or the exact texts of the right choices."""


class NumericQuestion(Question, frozen=True, kw_only=True, tag="numeric", tag_field="type"):
    """Give a number, or the formula that yields it. `{name}` in texts is replaced by the variant's value."""

    answer: str
    """The formula in the variables, or the number."""
    vars: dict[str, Variable] = {}
    """The variables whose numbers are drawn, by name."""
    also: tuple[str, ...] = ()
    """Other forms of the answer; lint holds them equal to it."""
    derivation: tuple[Step, ...] = ()
    """The answer derived step by step, from a form that is plainly right to the closed one; shown on request."""
    tolerance: str = "sig:3"
    """`exact`, `places:n`, `sig:n`, `rel:x`, `abs:x` or `decades:x`."""
    unit: str = ""
    """The unit the answer is in, such as `ms`, `GB/s` or `%`; empty for a plain number."""
    form: str = ""
    """A form the answer must have besides its value, such as `closed` or `lowest-terms`."""
    quantity: str = ""
    """The field name of what is asked, such as `tokens_per_pass`."""
    misconceptions: tuple[Misconception, ...] = ()
    """Wrong formulas in the same variables that reveal a known mistake."""


class SymbolicQuestion(Question, frozen=True, kw_only=True, tag="symbolic", tag_field="type"):
    """Give a closed form in the question's variables; it is compared on their domain."""

    answer: str
    """The formula in the variables."""
    vars: dict[str, Variable]
    """The variables, by name, each with its domain."""
    also: tuple[str, ...] = ()
    """Other forms of the answer; lint holds them equal to it."""
    derivation: tuple[Step, ...] = ()
    """The answer derived step by step, from a form that is plainly right to the closed one; shown on request."""
    form: str = ""
    """A form the answer must have besides its value, such as `closed` or `lowest-terms`."""
    quantity: str = ""
    """The field name of what is asked, such as `tokens_per_pass`."""
    misconceptions: tuple[Misconception, ...] = ()
    """Wrong formulas in the same variables that reveal a known mistake."""


class TraceQuestion(Question, frozen=True, kw_only=True, tag="trace", tag_field="type"):
    """Type the tokens that come out, in order, separated by spaces or commas."""

    answer: tuple[str, ...]
    """The tokens in order, as a list or as one text with spaces between them."""
    misconceptions: tuple[Misconception, ...] = ()
    """Wrong token sequences that reveal a known mistake; `answer` is written as the question's own."""


class OrderItem(Record, frozen=True, kw_only=True):
    """One of the things to put in order. In YAML a bare string stands for `{text: …}`."""

    id: str = ""
    """Stable within the question; an author may give it, else it is `a`, `b`, … in the order written."""
    text: str
    """What the item says."""


class OrderQuestion(Question, frozen=True, kw_only=True, tag="order", tag_field="type"):
    """Put the items in order. They are written in the right one and shown shuffled."""

    items: tuple[OrderItem, ...]
    """The items in the right order, each a text or keys with values."""
    misconceptions: tuple[Misconception, ...] = ()
    """Wrong orders that reveal a known mistake; `answer` holds the ids of all items."""

    @property
    def answer(self) -> tuple[str, ...]:
        """The ids in the right order."""
        return tuple(item.id for item in self.items)


class ConfigMisconception(Record, frozen=True, kw_only=True):
    """A part of a configuration that reveals a known mistake, with the sentence that names it."""

    where: dict[str, ConfigValue]
    """Keys with the values that show the mistake; `absent` where it is shown by a key that is not there."""
    say: str
    """What the mistake is, told to whoever makes it."""


class ConfigQuestion(Question, frozen=True, kw_only=True, tag="config", tag_field="type"):
    """Write a configuration of vLLM. It is judged by vLLM's own rules, then key by key."""

    of: Literal["speculative_config", "engine_args"]
    """What is written; among engine arguments a `speculative_config` may be nested."""
    answer: dict[str, ConfigValue]
    """The keys and values of a right configuration."""
    given: dict[str, int] = {}
    """Facts that vLLM's rules need: `target_vocab_size`, `draft_vocab_size`, `n_predict`, `tensor_parallel_size`."""
    start: str = ""
    """A text to repair, shown with the prompt."""
    accept: dict[str, Literal["any"] | tuple[ConfigValue, ...]] = {}
    """Other values that are right for a key: a list of them, or `any`."""
    optional: tuple[str, ...] = ()
    """Keys that may be there or not."""
    misconceptions: tuple[ConfigMisconception, ...] = ()
    """Parts of a configuration that reveal a known mistake."""


class RubricPoint(Record, frozen=True, kw_only=True):
    """One thing that a good answer says."""

    point: str
    """What the answer says, so that a listener can tell whether it was said."""
    weight: int = 1
    """How much the point counts, from 1."""
    must: bool = False
    """Whether an answer without it cannot be right."""


class ModelAnswerSet(Record, frozen=True, kw_only=True):
    """What good answers sound like at three seniorities."""

    junior: str
    """What someone says who has understood it."""
    senior: str
    """What someone says who has built with it."""
    staff: str
    """What someone says who has decided about it."""


class FollowUp(Record, frozen=True, kw_only=True):
    """A question to go on with, and what to ask after that."""

    grades: tuple[Grade, ...] = msgspec.field(name="if")
    """How the answer before was graded for this to be asked: `weak`, `ok` or `strong`, or a list of them."""
    ask: str
    """The question."""
    listen_for: str
    """What a good reply contains."""
    follow_ups: tuple[FollowUp, ...] = ()
    """What to ask after the reply, three levels in all."""


class ShortQuestion(Question, frozen=True, kw_only=True, tag="short", tag_field="type"):
    """Answer in a few sentences; a person marks them against the rubric."""

    rubric: tuple[RubricPoint, ...]
    """What a good answer says, 3 to 6 points."""
    answers: ModelAnswerSet
    """Model answers at three seniorities."""
    follow_ups: tuple[FollowUp, ...] = ()
    """Questions to go on with, depending on how the answer was graded."""


AnyQuestion = (
    SingleQuestion
    | MultiQuestion
    | NumericQuestion
    | SymbolicQuestion
    | TraceQuestion
    | OrderQuestion
    | ConfigQuestion
    | ShortQuestion
)


class Bank(Record, frozen=True, kw_only=True):
    """A question bank."""

    id: str = msgspec.field(name="bank")
    """The bank's id, a slug that never changes. Files with the same id make one bank."""
    title: str
    """What people call the bank."""
    questions: tuple[AnyQuestion, ...]
    """The questions. Sessions choose and order them."""
    description: str = ""
    """One sentence on what the bank is about."""
    order: int = 100
    """Its place among the banks: lower comes first, equal ones by title."""
    concepts: dict[str, str] = {}
    """Concepts that this bank brings along, slug to name; the shipped ones are in `concepts.yaml`."""


class Concept(Record, frozen=True, kw_only=True):
    """A concept of `concepts.yaml`: what mastery is counted by."""

    slug: str
    """What questions call it: lower-case letters, digits and single hyphens."""
    name: str
    """What people call it."""
    group: str
    """One of the twelve groups, such as `Acceptance in practice`."""


class ConceptList(Record, frozen=True, kw_only=True):
    """The file `concepts.yaml`."""

    concepts: tuple[Concept, ...]
    """All concepts, grouped."""
