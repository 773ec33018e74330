"""What a lab task holds, as typed immutable records. `loading.py` makes them from YAML; nothing here reads files."""

from __future__ import annotations

import hashlib
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
]
"""What a lab measures; `metrics.py` says how and in which unit."""

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


class Arm(Record, frozen=True, kw_only=True):
    """One configuration of the engine."""

    speculative_config: dict[str, Scalar] = msgspec.field(default_factory=dict)
    """Handed to vLLM as it is; empty means plain decoding."""


class Sampling(Record, frozen=True, kw_only=True):
    """How tokens are chosen and when a request ends."""

    temperature: float = 0.0
    max_tokens: int = 100
    ignore_eos: bool = True
    """Run to `max_tokens`, so that every request has the same length and no draft reaches past the end of a text."""


class Prediction(Record, frozen=True, kw_only=True):
    """One number that the learner commits to before the run."""

    id: str
    quantity: Quantity
    of: str
    """`arm/workload`."""

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


class Waiver(Record, frozen=True, kw_only=True):
    """An invariant that does not hold somewhere in this lab, by design."""

    invariant: Literal["I7"]
    """Only the alarm against too perfect acceptance can be waived; the others are arithmetic."""
    of: str
    """`arm/workload`."""
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


def fingerprint(lab: Lab) -> str:
    """SHA-256 over what decides a run and its grade: everything but the texts and the lock.

    Rewording a goal keeps old evidence gradable; another threshold, model or sampling does not.
    """
    replace = msgspec.structs.replace
    bare = replace(
        lab,
        title="",
        goal="",
        unlock=Unlock(),
        profiles={name: replace(profile, seconds=0.0) for name, profile in lab.profiles.items()},
        grade=tuple(replace(rule, why="") for rule in lab.grade),
        waive=tuple(replace(waiver, why="") for waiver in lab.waive),
    )
    return hashlib.sha256(msgspec.json.encode(bare, order="sorted")).hexdigest()
