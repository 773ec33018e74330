"""The record of one lab run: everything that a grade is computed from, in one JSON file with its own digest.

Raw figures only (counters before and after, tokens of each request and step); no rate or verdict is stored, so that
whoever doubts a grade recomputes it.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from specquiz.banks.model import Record
from specquiz.errors import SpecquizError
from specquiz.labs.handed import handed_json
from specquiz.labs.model import Scalar, as_plain

FORMAT = 1

Counters = dict[str, float | tuple[float, ...] | None]
"""vLLM's counters as it reports them: name (with the labels that tell series apart) to a number, or one number for
each draft position. `None` stands for a figure that is not a finite number."""


class RequestRun(Record, frozen=True, kw_only=True):
    """One request: what went in, what came out, step by step."""

    prompt: tuple[int, ...]
    """Token ids."""
    output: tuple[int, ...]
    """Token ids."""
    steps: tuple[int, ...]
    """Tokens that each pass of the target gave this request; the first is the prompt's own pass. Empty where a
    server put several passes into one chunk, so that it cannot be told."""
    finish: str
    accepted: tuple[int, ...] | None = None
    """Accepted draft tokens of each step that had a draft; None where this vLLM cannot tell (before 0.29)."""
    drafted: tuple[int, ...] | None = None
    """Draft tokens of each step that had a draft."""
    arrived: float | None = None
    """Seconds from the workload's start to when the request was handed over."""
    first: float | None = None
    """Seconds from the workload's start to the first token."""
    last: float | None = None
    """Seconds from the workload's start to the last token."""
    margins: tuple[float, ...] | None = None
    """By how much the best token's log probability lay above the second's (in nats), for every token, from the target's
    own logits; None if not asked for."""


class Judged(Record, frozen=True, kw_only=True):
    """The drafted tokens of one request that the target judged, in order, and what theory said of each."""

    at: tuple[int, ...]
    """Where in the output each stands, from 0."""
    depth: tuple[int, ...]
    """Where in its draft each stood, from 0."""
    accepted: tuple[int, ...]
    """1 for accepted, 0 for rejected."""
    predicted: tuple[float, ...]
    """The probability of acceptance, from the two models' own logits on the true prefix."""


class Theory(Record, frozen=True, kw_only=True):
    """What theory says of one workload of one arm, computed apart from vLLM (`engines/reference.py`)."""

    rule: Literal["overlap", "argmax", "lookup"]
    """What a token is accepted with: Σ min(p, q), p of the draft's first choice, or p of the looked-up token."""
    temperature: float
    requests: tuple[Judged, ...]


class WorkloadRun(Record, frozen=True, kw_only=True):
    """One workload on one arm."""

    started: float
    """Seconds since the epoch."""
    seconds: float
    before: Counters
    after: Counters
    requests: tuple[RequestRun, ...]
    processor_seconds: float = 0.0
    """Seconds that the engine's process was at work on a processor meanwhile; 0 if not known."""
    peak_memory: int = 0
    """Bytes at their highest when the workload ended; 0 if not known."""
    theory: Theory | None = None
    """What theory says of its acceptances; None where the lab does not ask."""


class ArmRun(Record, frozen=True, kw_only=True):
    """What became of one arm."""

    status: Literal["finished", "failed"]
    started: float
    reason: str = ""
    """Why it failed, with the way out."""
    stages: dict[str, float] = msgspec.field(default_factory=dict)
    """Stage to the seconds it took."""
    config: dict[str, dict[str, Scalar | None]] = msgspec.field(default_factory=dict)
    """The configuration as vLLM resolved it, by section."""
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    """Environment variables that steer vLLM."""
    workloads: dict[str, WorkloadRun] = msgspec.field(default_factory=dict)
    log_tail: str = ""
    repeats: dict[str, tuple[WorkloadRun, ...]] = msgspec.field(default_factory=dict)
    """The further runs of each workload, where arms take turns."""

    def runs(self, workload: str) -> tuple[WorkloadRun, ...]:
        """Every run of a workload, in order of time."""
        return (self.workloads[workload], *self.repeats.get(workload, ()))


class LabReference(Record, frozen=True, kw_only=True):
    """Which lab was run: its id and the fingerprint of its task (`model.fingerprint`)."""

    id: str
    fingerprint: str


class Evidence(Record, frozen=True, kw_only=True):
    """One run of one lab. `digest` is the SHA-256 of all the rest as canonical JSON."""

    format: int = FORMAT
    specquiz: str
    run: str
    nonce: str
    """Drawn before the run; what tells two runs apart even where every count agrees."""
    lab: LabReference
    profile: str
    unlocked_by: Literal["mastery", "override"]
    predictions: dict[str, str]
    """Prediction id to the number as typed."""
    predicted_at: float
    started_at: float
    finished_at: float
    machine: dict[str, Scalar]
    model: str
    model_files: dict[str, str]
    """File name to SHA-256 (for a downloaded repository: `revision` to its commit)."""
    prompts: dict[str, str]
    """Workload to the SHA-256 of its prompts as the lab ships them."""
    order: tuple[str, ...]
    """The arms in the order they ran."""
    arms: dict[str, ArmRun]
    digest: str = ""
    predicted_after: dict[str, float] = msgspec.field(default_factory=dict)
    """Arm to when the predictions that are asked after it were stored."""
    written: dict[str, dict[str, Scalar]] = msgspec.field(default_factory=dict)
    """Arm to the speculative config that the learner wrote."""
    further_files: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    """Further models (drafts) to their files' SHA-256, as in `model_files`."""
    resumed_at: tuple[float, ...] = ()
    """When the run was taken up again after it broke; arms that had finished were kept."""
    reference: ReferenceRun | None = None
    """What became of the reference computation; None where the lab asks for none."""


class ReferenceRun(Record, frozen=True, kw_only=True):
    """The computation apart from vLLM whose figures stand as `theory` and `margins` in the arms' workloads."""

    stages: dict[str, float] = msgspec.field(default_factory=dict)
    """Stage to the seconds it took."""
    problem: str = ""
    """Why it has no figures, with the way out."""


ADDED: dict[str, frozenset[str]] = {
    "RequestRun": frozenset({"arrived", "first", "last", "margins"}),
    "WorkloadRun": frozenset({"processor_seconds", "peak_memory", "theory"}),
    "ArmRun": frozenset({"repeats"}),
    "Evidence": frozenset({"predicted_after", "written", "further_files", "resumed_at", "reference"}),
}
"""Record to the fields that came after the first runs were recorded: left out while they hold their default, so that
the digest of those runs still fits."""


def canonical(value: object) -> bytes:
    """`value` as JSON with sorted keys and no spaces: equal values give equal bytes. NaN and infinity are refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest(values: dict[str, object]) -> str:
    """SHA-256 over evidence as plain JSON values, without its `digest`."""
    return hashlib.sha256(canonical({key: value for key, value in values.items() if key != "digest"})).hexdigest()


def observed(evidence: Evidence) -> str:
    """SHA-256 over the arms alone: what was observed, whatever was predicted."""
    return hashlib.sha256(canonical(plain(evidence)["arms"])).hexdigest()


def sealed(evidence: Evidence) -> Evidence:
    """`evidence` with its digest filled in."""
    return msgspec.structs.replace(evidence, digest=digest(plain(evidence)))


def plain(evidence: Evidence) -> dict[str, object]:
    """Evidence as plain JSON values, as it is written and as its digest is taken."""
    found = as_plain(evidence, ADDED)
    assert isinstance(found, dict)
    return found


def write_evidence(path: Path, evidence: Evidence) -> Evidence:
    """Seal `evidence` and put it at `path` in one step: a reader finds the old file or the new one, never half.

    Raises:
        SpecquizError: the disk is full or the folder cannot be written.
    """
    evidence = sealed(evidence)
    text = json.dumps(plain(evidence), indent=None, separators=(",", ":"), allow_nan=False)
    beside = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise SpecquizError(
            f"The evidence could not be written: {error.strerror or error}.",
            where=str(path),
            remedy="Make room or choose another folder with SPECQUIZ_HOME, then run the lab again.",
        ) from error
    return evidence


def read_evidence(path: Path) -> Evidence:
    """Read evidence and hold it against its digest.

    Raises:
        UsageError: the file cannot be read.
        SpecquizError: it is no evidence, has a newer format, or differs from its digest.
    """
    return decode_evidence(handed_json(path, "The evidence"), where=str(path))


def decode_evidence(values: object, *, where: str) -> Evidence:
    """Evidence from plain JSON values, held against its digest.

    Raises:
        SpecquizError: as `read_evidence`.
    """
    if not isinstance(values, dict) or "format" not in values or "digest" not in values:
        raise SpecquizError(
            "This is not the evidence of a lab run.",
            where=where,
            remedy="`specquiz lab run` writes an evidence.json and says where.",
        )
    if values["format"] != FORMAT:
        raise SpecquizError(
            f"This evidence has format {values['format']!r}; this specquiz reads format {FORMAT}.",
            where=where,
            remedy="Grade it with the specquiz that made it, or with a newer one.",
        )
    try:
        found = digest(values)
        evidence = msgspec.convert(values, Evidence)
    except (ValueError, OverflowError, RecursionError, msgspec.ValidationError) as error:
        raise SpecquizError(f"This evidence is damaged: {error}.", where=where) from error
    if found != values["digest"]:
        raise SpecquizError(
            "The evidence was changed after it was written: its content no longer matches its digest.",
            where=where,
            remedy="Run the lab again; changed evidence is not graded.",
        )
    return evidence
