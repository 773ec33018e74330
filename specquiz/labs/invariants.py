"""What must hold of any honest evidence, whatever was measured. A broken one means "not gradable", with the reason.

I1 to I11 are numbered as in the lab handbook (docs/graders.md lists them); the others have names.
"""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.errors import UsageError
from specquiz.labs.arithmetic import of_the_counters, of_the_endings, of_the_requests, of_the_theory
from specquiz.labs.broken import Broken
from specquiz.labs.chronology import of_the_clock, of_the_order
from specquiz.labs.completeness import of_the_pages, of_the_record
from specquiz.labs.configuration import of_the_configuration
from specquiz.labs.copying import of_the_copies
from specquiz.labs.counting import NoCounter, tally
from specquiz.labs.evidence import ArmRun, Evidence, WorkloadRun, digest, plain
from specquiz.labs.latencies import of_the_latencies
from specquiz.labs.model import Lab, Setting, fingerprint
from specquiz.labs.plausibility import (
    degenerate,
    disturbed,
    of_the_outputs,
    of_the_throughput,
    of_the_times,
    too_perfect,
)
from specquiz.labs.predictions import read_predictions
from specquiz.labs.quantities import draft_tokens
from specquiz.labs.recital import of_the_tokens
from specquiz.labs.reference import rule_of
from specquiz.labs.tailoring import failed_as_expected, misfit, sampling_of, tailored, workloads_of


def broken_invariants(lab: Lab, evidence: Evidence) -> tuple[Broken, ...]:
    """Everything that keeps `evidence` from being graded by `lab`."""
    found = tuple(_of_the_run(lab, evidence))
    if found:
        return found
    here = tailored(lab, evidence.profile, evidence.written)
    found = (*_of_the_prediction(here, evidence), *_of_the_arms(here, evidence), *of_the_record(here, evidence))
    found = found or (*of_the_order(here, evidence), *of_the_clock(evidence))
    if found:
        return found
    return (
        *(broken for arm in here.arms for broken in _of_an_arm(here, arm, evidence)),
        *of_the_tokens(here, evidence),
        *(broken for broken in of_the_outputs(here, evidence) if not _waived(here, broken)),
    )


def _of_the_run(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    if digest(plain(evidence)) != evidence.digest:
        yield Broken("digest", "the evidence does not match its digest: it was changed after it was written")
    if evidence.lab.id != lab.id:
        yield Broken("lab", f"the evidence is of the lab {evidence.lab.id}, not of {lab.id}")
    elif evidence.lab.fingerprint != fingerprint(lab):
        yield Broken("lab", "the lab's task has changed since this run; run it again to be graded by the new one")
    if evidence.profile not in lab.profiles:
        yield Broken("lab", f"the lab has no profile {evidence.profile}")
    elif problem := misfit(lab, evidence.profile, evidence.written):
        yield Broken("lab", problem)


def _of_the_prediction(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    try:
        read_predictions(lab, evidence.predictions)
    except UsageError as error:
        yield Broken("prediction", f"the committed predictions cannot be read: {error.what}")
    begun = [evidence.started_at, *(arm.started for arm in evidence.arms.values())]
    begun += [run.started for arm in evidence.arms.values() for name in arm.workloads for run in arm.runs(name)]
    if evidence.predicted_at > min(begun):
        yield Broken("prediction", "the prediction is later than the run's start; it must be committed before")
    if max(begun) > evidence.finished_at:
        yield Broken("times", "a part of the run began after the run's end")
    for arm, at in evidence.predicted_after.items():
        later = evidence.order[evidence.order.index(arm) + 1 :] if arm in evidence.order else ()
        if any(evidence.arms[name].started < at for name in later if name in evidence.arms):
            yield Broken("prediction", f"what was to be predicted after {arm} is later than the next arm's start")


def _of_the_arms(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    for name in lab.arms:
        if name not in evidence.arms:
            yield Broken("arms", f"the arm {name} was not run")
        elif evidence.arms[name].status != "finished" and not failed_as_expected(lab, name, evidence.arms[name]):
            yield Broken("arms", f"the arm {name} failed: {evidence.arms[name].reason}")
    for name, arm in evidence.arms.items():
        if name not in lab.arms:
            yield Broken("arms", f"the lab has no arm {name}")
        elif further := {*arm.workloads, *arm.repeats} - {*workloads_of(lab, name)}:
            yield Broken("arms", f"the arm {name} has no workload {min(further)} in this lab")


def _of_an_arm(lab: Lab, name: str, evidence: Evidence) -> Iterator[Broken]:
    arm = evidence.arms[name]
    if arm.status != "finished":
        return
    for broken in of_the_configuration(lab, evidence.profile, name, arm, own=name in evidence.written):
        if not _waived(lab, broken, name):
            yield broken
    yield from of_the_pages(lab, name, arm)
    for workload in workloads_of(lab, name):
        if sampling_of(lab, name, workload).temperature > 0 and _sampler(arm) == "broken":
            yield Broken("sampler", f"{name} sampled with a broken CPU sampler: its tokens are noise")
        if workload not in arm.workloads:
            yield Broken("arms", f"the arm {name} has no figures for {workload}")
            continue
        where = f"{name}/{workload}"
        for run in arm.runs(workload):
            yield from (each for each in _of_a_run(lab, name, workload, run, evidence) if not _waived(lab, each, where))
        if len(arm.runs(workload)) != (lab.pairs or 1):
            yield Broken("pairs", f"{where} was run {len(arm.runs(workload))} times; the lab asks for {lab.pairs or 1}")


def _of_a_run(lab: Lab, name: str, workload: str, run: WorkloadRun, evidence: Evidence) -> Iterator[Broken]:
    where, k = f"{name}/{workload}", draft_tokens(lab, name)
    first = next(each for each in lab.arms if workload in evidence.arms[each].workloads)
    others = evidence.arms[first].workloads[workload].requests
    if [each.prompt for each in others] != [each.prompt for each in run.requests]:
        yield Broken("prompts", f"{where} had other prompts than the first arm")
    try:
        counted = tally(run, k)
    except NoCounter as missing:
        yield Broken("counters", f"{where}: {missing}")
        return
    sampling, config = sampling_of(lab, name, workload), evidence.arms[name].config
    told = config.get("model", {}).get("max_model_len")
    longest = told if isinstance(told, int) else lab.profiles[evidence.profile].max_model_len
    yield from of_the_counters(where, counted, k)
    yield from of_the_requests(where, counted, run, k)
    yield from of_the_endings(where, run, sampling, longest)
    yield from of_the_theory(where, run, sampling.temperature)
    rule = rule_of(config.get("speculative", {}))
    if run.theory is not None and run.theory.rule != rule:
        yield Broken("theory", f"{where}: theory was computed for the rule {run.theory.rule}, and this arm has {rule}")
    speculation = {**lab.arms[name].speculative_config, **config.get("speculative", {})}
    shortest = speculation.get("prompt_lookup_min")
    if speculation.get("method") == "ngram" and isinstance(shortest, int) and shortest > 0:
        yield from of_the_copies(where, run, shortest)
    yield from of_the_latencies(where, run, attached="server" in config)
    yield from of_the_times(where, counted, run)
    yield from of_the_throughput(where, run, _together(lab, name, workload, evidence, run))
    yield from too_perfect(where, counted)
    yield from degenerate(where, run.requests)
    yield from disturbed(where, run)


def _sampler(arm: ArmRun) -> object:
    """What became of the CPU's sampler: `sound`, `repaired` or `broken`; None where there was none to test."""
    return arm.config.get("cpu_sampler", {}).get("outcome")


def _together(lab: Lab, name: str, workload: str, evidence: Evidence, run: WorkloadRun) -> int:
    """Requests that were decoded together at most."""
    most = evidence.arms[name].config.get("scheduler", {}).get("max_num_seqs")
    asked = lab.settings.get(workload, Setting()).together or len(run.requests)
    return min(asked, len(run.requests), most if isinstance(most, int) else asked)


def _waived(lab: Lab, broken: Broken, where: str = "") -> bool:
    """Whether the lab waives an invariant at a place (default: the one that the reason begins with)."""
    place = where or broken.reason.partition(":")[0]
    return any(each.invariant == broken.invariant and each.of in (place, place.partition("/")[0]) for each in lab.waive)
