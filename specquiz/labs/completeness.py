"""What evidence has to tell at all. A figure that was taken out must not count for one that is in order."""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.labs.broken import Broken
from specquiz.labs.evidence import ArmRun, Evidence
from specquiz.labs.model import Lab
from specquiz.labs.quantities import draft_tokens
from specquiz.labs.tailoring import sampling_of, workloads_of

SECTIONS = ("model", "cache", "scheduler", "parallel")
"""Parts of the configuration that every engine resolves, whatever its version."""


def of_the_record(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    """Everything that a real run would have told and this one does not. `lab` is tailored to the profile."""
    finished = {name: arm for name, arm in evidence.arms.items() if arm.status == "finished" and name in lab.arms}
    for name, arm in finished.items():
        if "server" in arm.config:
            yield from _of_a_server(name, arm)
        else:
            yield from _of_an_engine(lab, name, arm, evidence.profile)
    versions = {arm.versions["vllm"] for arm in finished.values() if "vllm" in arm.versions}
    if len(versions) > 1:
        yield Broken("versions", f"its arms ran on different versions of vLLM: {', '.join(sorted(versions))}")
    if any(not evidence.started_at <= at <= evidence.finished_at for at in evidence.resumed_at):
        yield Broken("times", "it was taken up again at a time that lies outside the run")


def _of_a_server(name: str, arm: ArmRun) -> Iterator[Broken]:
    """A server tells its vLLM's version over HTTP, and cannot tell those of the packages below it."""
    if "torch" in arm.versions:
        yield Broken("config", f"{name} claims a server that ran already, and tells what only an engine of ours tells")


def _of_an_engine(lab: Lab, name: str, arm: ArmRun, profile: str) -> Iterator[Broken]:
    for section in SECTIONS:
        if not arm.config.get(section):
            yield Broken("config", f"{name} does not tell the {section} part of vLLM's configuration")
    if arm.config.get("model") and "dtype" not in arm.config["model"]:
        yield Broken("config", f"{name} does not tell the model's dtype")
    if "vllm" not in arm.versions:
        yield Broken("versions", f"{name} does not tell the version of vLLM")
    sampled = any(sampling_of(lab, name, workload).temperature > 0 for workload in workloads_of(lab, name))
    if profile == "cpu" and sampled and draft_tokens(lab, name) and "cpu_sampler" not in arm.config:
        yield Broken("sampler", f"{name} does not tell whether the CPU's sampler was tested")
