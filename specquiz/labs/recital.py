"""Token ids of the shipped models: which there are, which the target reads and says, which the drafts do not guess.

A prompt's ids are the tokenizer's matter alone. At temperature 0 what follows is the models': where no second token
comes near the best, neither a processor's rounding nor a precision changes it. `labs/tiny/recital.py` wrote it down for
the shipped prompts; models and prompts of the learner's own stay unchecked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

import msgspec

from specquiz import places
from specquiz.banks.model import Record
from specquiz.labs.broken import Broken
from specquiz.labs.evidence import Evidence, RequestRun, WorkloadRun
from specquiz.labs.model import Lab
from specquiz.labs.plausibility import judged_by_a_rule
from specquiz.labs.tailoring import sampling_of, workloads_of


class Recited(Record, frozen=True, kw_only=True):
    """One prompt and what the model says to it, as token ids."""

    prompt: tuple[int, ...]
    output: tuple[int, ...]
    missed: dict[str, frozenset[int]]
    """Draft model to the places of the output, from 0, at which it drafts another token."""


@cache
def recital() -> dict[str, dict[str, tuple[Recited, ...]]]:
    """Model to prompt file to its prompts, in the file's order."""
    path = places.shipped_labs() / "tiny" / "recital.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, tuple[Recited, ...]]])


@cache
def vocabulary_size(model: str) -> int | None:
    """How many token ids a shipped model has; None for any other model."""
    path = places.shipped_labs() / model / "config.json"
    if not model.startswith("tiny/") or not path.is_file():
        return None
    return int(json.loads(path.read_text(encoding="utf-8"))["vocab_size"])


def of_the_tokens(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    """Token ids that a model does not have, and what the shipped models do not read, say or draft.

    `lab` is tailored to the profile. Where a rule of the lab judges whether speculation changes the outputs of an arm,
    these are left to it.
    """
    profile, judged = lab.profiles[evidence.profile], judged_by_a_rule(lab)
    for name, arm in lab.arms.items():
        model = arm.model or profile.model
        told = {} if profile.chat_template else recital().get(model, {})
        for workload in workloads_of(lab, name):
            if workload not in evidence.arms[name].workloads:
                continue
            where, known = f"{name}/{workload}", told.get(lab.workloads[workload], ())
            determined = sampling_of(lab, name, workload).temperature == 0
            for run in evidence.arms[name].runs(workload):
                yield from _unknown(where, run, model)
                yield from _misread(where, run, known, model)
                if determined and not (arm.speculative_config and name in judged):
                    yield from _missaid(where, run, known, model)
                if determined and arm.speculative_config.get("method") == "draft_model":
                    yield from _undrafted(where, run, known, str(arm.speculative_config.get("model")))


def _unknown(where: str, run: WorkloadRun, model: str) -> Iterator[Broken]:
    size = vocabulary_size(model)
    for index, each in enumerate(run.requests, start=1):
        ids = (*each.prompt, *each.output)
        if ids and (min(ids) < 0 or (size is not None and max(ids) >= size)):
            yield Broken("tokens", f"{where}: request {index} has a token id that {model} does not have")


def _misread(where: str, run: WorkloadRun, known: Sequence[Recited], model: str) -> Iterator[Broken]:
    for index, (each, told) in enumerate(zip(run.requests, known, strict=False), start=1):
        if each.prompt != told.prompt:
            yield Broken("prompts", f"{where}: request {index} was not given the lab's prompt as {model} reads it")


def _missaid(where: str, run: WorkloadRun, known: Sequence[Recited], model: str) -> Iterator[Broken]:
    for index, (each, told) in enumerate(zip(run.requests, known, strict=False), start=1):
        if not _recites(each, told):
            yield Broken("tokens", f"{where}: request {index} has another text than {model} gives")


def _undrafted(where: str, run: WorkloadRun, known: Sequence[Recited], draft: str) -> Iterator[Broken]:
    """A pass accepted what stands before its last token; what no draft can have offered cannot have been accepted."""
    for index, (each, told) in enumerate(zip(run.requests, known, strict=False), start=1):
        ends = set(accumulate(each.steps))
        accepted = [place for place in range(len(each.output)) if place + 1 not in ends]
        if each.steps and _recites(each, told) and not told.missed.get(draft, frozenset()).isdisjoint(accepted):
            yield Broken("tokens", f"{where}: request {index} accepted tokens that {draft} does not draft")


def _recites(request: RequestRun, told: Recited) -> bool:
    return all(one == other for one, other in zip(request.output, told.output, strict=False))
