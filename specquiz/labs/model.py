"""What a lab task holds, as typed immutable records. `loading.py` makes them from YAML; nothing here reads files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Literal

import msgspec

from specquiz.banks.model import Record

ProfileName = Literal["cpu", "rtx4090"]
"""A machine a lab can run on: any laptop's processor, or one 24 GB card."""

Quantity = Literal[
    "draft_acceptance_rate",
    "mean_acceptance_length",
    "draft_coverage",
    "tokens_per_pass",
    "alpha",
    "model_acceptance_length",
    "drafted_per_pass",
    "unconditional_rate",
    "conditional_rate",
    "tpot",
    "itl",
    "ttft",
    "processor_time",
    "kv_tokens",
    "peak_memory",
    "reference_acceptance",
    "reference_z",
]
"""What a lab measures; `metrics.py` says how and in which unit. The two rates are asked of a draft position.

Where a rule or a prediction names one of the reference quantities, it is computed after the arms (`reference.py`).
"""

Scalar = str | int | float | bool


class Unlock(Record, frozen=True, kw_only=True):
    """What opens a lab."""

    mastery: dict[str, float] = msgspec.field(default_factory=dict)
    """Concept slug to the share of it that must be mastered, 0 to 1."""


class Profile(Record, frozen=True, kw_only=True):
    """The target model and how it is loaded on one kind of machine."""

    model: str
    """A folder below `labs/`, an absolute path, or a model repository's id."""
    dtype: str = "auto"
    max_model_len: int
    """Tokens, prompt and output together."""
    chat_template: bool = False
    """Send the prompts' chat texts through the model's chat template instead of their bare token ids."""
    max_num_seqs: int = 32
    """Requests decoded together."""
    gpu_memory_utilization: float = 0.9
    """Share of the card's memory that vLLM may take; not used on a CPU."""
    seconds: float = 120.0
    """About how long a run takes, told before it starts."""
    models: dict[str, str] = msgspec.field(default_factory=dict)
    """Further models by the name that arms call them, as `{name}`."""
    pairs: int = 0
    """Where time is graded on such a machine: as `Lab.pairs`, which it stands in for."""


class Failure(Record, frozen=True, kw_only=True):
    """The arm is to fail at its start, and vLLM says this."""

    failure: str
    """A part of vLLM's message."""


class Arm(Record, frozen=True, kw_only=True):
    """One configuration of the engine."""

    speculative_config: dict[str, Scalar] = msgspec.field(default_factory=dict)
    """Handed to vLLM as it is, but for `{name}`, a model of the profile; empty means plain decoding."""
    engine: dict[str, Scalar] = msgspec.field(default_factory=dict)
    """Further engine arguments, such as `max_num_seqs`; these win over the profile's."""
    model: str = ""
    """The target of this arm, such as `{draft}` to time the draft by itself; empty for the profile's."""
    sampling: SamplingChange | None = None
    """What this arm samples in its own way."""
    workloads: tuple[str, ...] = ()
    """The workloads that it runs; empty for all."""
    margins: bool = False
    """Also compute how far the best token lay above the second (in nats), for every token of the output."""
    expect: Failure | None = None
    profiles: tuple[ProfileName, ...] = ()
    """The profiles that have this arm; empty for all."""


class Sampling(Record, frozen=True, kw_only=True):
    """How tokens are chosen and when a request ends."""

    temperature: float = 0.0
    max_tokens: int = 100
    ignore_eos: bool = True
    """Run to `max_tokens`, so that every request has the same length and no draft reaches past the end of a text."""


class SamplingChange(Record, frozen=True, kw_only=True):
    """What is sampled otherwise than the lab says."""

    temperature: float | None = None
    max_tokens: int | None = None
    ignore_eos: bool | None = None


class Setting(Record, frozen=True, kw_only=True):
    """How a workload is run, where that differs from all prompts at once with the lab's sampling."""

    together: int = 0
    """Requests decoded together; 0 for all."""
    take: int = 0
    """Only the first so many prompts; 0 for all."""
    sampling: SamplingChange | None = None


class Expected(Record, frozen=True, kw_only=True):
    """Where an observation is expected to lie, and why. Shown after the run, never graded."""

    low: float
    high: float
    why: str


class Prediction(Record, frozen=True, kw_only=True):
    """What the learner commits to before the run: a number, an interval, one of several choices, or their order."""

    id: str
    quantity: Quantity | None = None
    """The measured quantity that the number is of; None for a question of the lab's own (`ask`)."""
    of: str = ""
    """`arm/workload`."""
    position: int = 0
    """The draft position, from 1, of a rate by position."""
    kind: Literal["number", "interval", "choice", "order"] = "number"
    ask: str = ""
    """The question, where no quantity says it."""
    low: float = 0.0
    """The least number it can be, where no quantity says it."""
    high: float = 1.0
    width: float = 0.0
    """The greatest width of an interval."""
    choices: tuple[str, ...] = ()
    after: str = ""
    """Asked when this arm has finished and its figures are shown, before a later arm starts."""
    expect: Expected | None = None
    profiles: tuple[ProfileName, ...] = ()
    """The profiles that it is asked on; empty for all."""

    @property
    def arm(self) -> str:
        """The arm that the number is about."""
        return self.of.partition("/")[0]

    @property
    def workload(self) -> str:
        """The workload that the number is about."""
        return self.of.partition("/")[2]


class Rule(Record, frozen=True, kw_only=True):
    """One condition for passing, in the small language of `expressions.py`."""

    id: str
    check: str
    why: str
    """What the rule shows, and what failing it teaches."""
    profiles: tuple[ProfileName, ...] = ()
    """The profiles that it grades; empty for all."""
    above: str = ""
    """What failing it teaches whose left side lies too far above the right."""
    below: str = ""
    """What failing it teaches whose left side lies too far below the right."""


class Waiver(Record, frozen=True, kw_only=True):
    """An invariant that does not hold somewhere in this lab, by design."""

    invariant: Literal["I5", "I6", "I7", "I8", "I9", "I10", "I11"]
    """I1 to I4 are arithmetic: no honest run breaks them, so no lab can waive them."""
    of: str
    """`arm/workload`, or an arm for all its workloads."""
    why: str


class Prompt(Record, frozen=True, kw_only=True):
    """One request of a workload."""

    id: str
    text: str
    """What a base model continues."""
    chat: str = ""
    """What a chat model is asked, as the user's message."""


class Workload(Record, frozen=True, kw_only=True):
    """The prompts of one workload, from a file of their own."""

    prompts: tuple[Prompt, ...]


class Lab(Record, frozen=True, kw_only=True):
    """A lab task: predict, run, be graded on what was observed."""

    id: str
    title: str
    goal: str
    """What it is for, in a paragraph the learner reads first."""
    unlock: Unlock = Unlock()
    profiles: dict[str, Profile]
    """By `ProfileName`."""
    arms: dict[str, Arm]
    workloads: dict[str, str]
    """Workload name to its prompt file, relative to the lab's own file."""
    sampling: Sampling = Sampling()
    predict: tuple[Prediction, ...] = ()
    grade: tuple[Rule, ...]
    waive: tuple[Waiver, ...] = ()
    number: str = ""
    """Its place in the curriculum, `L00` to `L13`."""
    settings: dict[str, Setting] = msgspec.field(default_factory=dict)
    """Workload name to how it is run."""
    pairs: int = 0
    """Where time is graded: how often each arm is run, in the order A B B A; 0 for once, in the order of the file."""
    challenge: Challenge | None = None
    advisory: dict[str, str] = msgspec.field(default_factory=dict)
    """Profile to why its verdict is only advice."""


class Challenge(Record, frozen=True, kw_only=True):
    """The learner writes the configuration of one arm, in several tries."""

    arm: str
    runs: int
    """Tries."""
    score: str
    """The number to raise, in the language of `expressions.py`."""
    target: float
    """The score that is wanted."""


ADDED: dict[str, frozenset[str]] = {
    "Profile": frozenset({"models", "pairs"}),
    "Arm": frozenset({"engine", "model", "sampling", "workloads", "margins", "expect", "profiles"}),
    "Prediction": frozenset(
        {"position", "kind", "ask", "low", "high", "width", "choices", "after", "expect", "profiles"},
    ),
    "Rule": frozenset({"above", "below"}),
    "Lab": frozenset({"number", "settings", "pairs", "challenge", "advisory"}),
}
"""Record to the fields that came after the first runs were recorded.

A fingerprint leaves them out while they hold their default, so that those runs stay gradable.
"""


def fingerprint(lab: Lab) -> str:
    """SHA-256 over what decides a run and its grade: everything but the texts and the lock.

    Rewording a goal keeps old evidence gradable; another threshold, model or sampling does not.
    """
    replace = msgspec.structs.replace
    bare = replace(
        lab,
        title="",
        goal="",
        number="",
        unlock=Unlock(),
        profiles={name: replace(profile, seconds=0.0) for name, profile in lab.profiles.items()},
        predict=tuple(replace(prediction, ask="", expect=None) for prediction in lab.predict),
        grade=tuple(replace(rule, why="", above="", below="") for rule in lab.grade),
        waive=tuple(replace(waiver, why="") for waiver in lab.waive),
        advisory={},
    )
    return hashlib.sha256(msgspec.json.encode(as_plain(bare, ADDED), order="sorted")).hexdigest()


def as_plain(value: object, added: Mapping[str, frozenset[str]]) -> object:
    """A record as plain JSON values, without the fields named by `added` that hold their default."""
    match value:
        case msgspec.Struct():
            late = added.get(type(value).__name__, frozenset())
            return {
                field.encode_name: as_plain(here, added)
                for field in msgspec.structs.fields(value)
                if (here := getattr(value, field.name)) != _default(field) or field.name not in late
            }
        case dict():
            return {key: as_plain(each, added) for key, each in value.items()}
        case tuple() if value and isinstance(value[0], msgspec.Struct):
            return [as_plain(each, added) for each in value]
    return value


def _default(field: msgspec.structs.FieldInfo) -> object:
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else field.default
