"""What evidence has to tell at all. A figure that was taken out must not count for one that is in order."""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.labs.broken import Broken
from specquiz.labs.configuration import SECTIONS
from specquiz.labs.counting import NoCounter, check_pages
from specquiz.labs.evidence import ArmRun, Evidence, RequestRun, WorkloadRun
from specquiz.labs.model import Lab
from specquiz.labs.quantities import draft_tokens
from specquiz.labs.tailoring import is_sampled, schedule, workloads_of


def of_the_record(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    """Everything that a real run would have told and this one does not. `lab` is tailored to the profile."""
    finished = {name: arm for name, arm in evidence.arms.items() if arm.status == "finished" and name in lab.arms}
    for name, arm in finished.items():
        if "server" in arm.config:
            yield from _of_a_server(lab, name, arm)
        else:
            yield from _of_an_engine(lab, name, arm)
            yield from _of_the_steps(lab, name, arm)
        if evidence.profile == "cpu":
            yield from _of_the_sampler(lab, name, arm)
    if finished and not any("server" in arm.config for arm in finished.values()) and "cores" not in evidence.machine:
        yield Broken("machine", "the evidence does not tell the machine's cores")
    versions = {arm.versions["vllm"] for arm in finished.values() if "vllm" in arm.versions}
    if len(versions) > 1:
        yield Broken("versions", f"its arms ran on different versions of vLLM: {', '.join(sorted(versions))}")
    if any(not evidence.started_at <= at <= evidence.finished_at for at in evidence.resumed_at):
        yield Broken("times", "it was taken up again at a time that lies outside the run")


def of_the_pages(lab: Lab, name: str, arm: ArmRun) -> Iterator[Broken]:
    """An engine's counters only grow, within a workload and from one to the next. `lab` is tailored to the profile."""
    for runs in _starts(lab, name, arm):
        try:
            check_pages([page for run in runs for page in (run.before, run.after)])
        except NoCounter as fault:
            yield Broken("counters", f"{name}: {fault}")


def _of_a_server(lab: Lab, name: str, arm: ArmRun) -> Iterator[Broken]:
    """A server tells its vLLM's version over HTTP; neither the packages below it nor how its process was busy."""
    if "torch" in arm.versions or any(run.processor_seconds or run.peak_memory for run in _runs(lab, name, arm)):
        yield Broken("config", f"{name} claims a server that ran already, and tells what only an engine of ours tells")


def _of_an_engine(lab: Lab, name: str, arm: ArmRun) -> Iterator[Broken]:
    for section in SECTIONS:
        if not arm.config.get(section):
            yield Broken("config", f"{name} does not tell the {section} part of vLLM's configuration")
    if arm.config.get("model") and "dtype" not in arm.config["model"]:
        yield Broken("config", f"{name} does not tell the model's dtype")
    if draft_tokens(lab, name) and "rejection_sample_method" not in arm.config.get("speculative", {}):
        yield Broken("config", f"{name} does not tell how drafted tokens were accepted")
    if "vllm" not in arm.versions:
        yield Broken("versions", f"{name} does not tell the version of vLLM")


def _of_the_sampler(lab: Lab, name: str, arm: ArmRun) -> Iterator[Broken]:
    if is_sampled(lab, name) and draft_tokens(lab, name) and "cpu_sampler" not in arm.config:
        yield Broken("sampler", f"{name} does not tell whether the CPU's sampler was tested")


def _of_the_steps(lab: Lab, name: str, arm: ArmRun) -> Iterator[Broken]:
    """An engine of ours tells all passes and times; its drafts of all requests, or with an older vLLM of none."""
    requests = [each for run in _runs(lab, name, arm) for each in run.requests]
    if any(time is None for each in requests for time in (each.arrived, each.first, each.last)):
        yield Broken("detail", f"{name} does not tell when every request arrived and got its tokens")
    if not all(each.steps for each in requests):
        yield Broken("detail", f"{name} does not tell the passes of every request")
    if len({_tells_drafts(each) for each in requests}) > 1:
        yield Broken("detail", f"{name} tells the drafts of some requests and not of others")


def _tells_drafts(request: RequestRun) -> tuple[bool, bool]:
    return request.accepted is not None, request.drafted is not None


def _runs(lab: Lab, name: str, arm: ArmRun) -> Iterator[WorkloadRun]:
    return (run for workload in workloads_of(lab, name) if workload in arm.workloads for run in arm.runs(workload))


def _starts(lab: Lab, name: str, arm: ArmRun) -> Iterator[list[WorkloadRun]]:
    """The runs of each start of an arm's engine, in order."""
    begun = 0
    for leg in schedule(lab):
        if leg.arm == name:
            turns = range(begun, begun + leg.repeats)
            names = [each for each in workloads_of(lab, name) if each in arm.workloads]
            yield [run for turn in turns for each in names for run in arm.runs(each)[turn : turn + 1]]
            begun += leg.repeats
