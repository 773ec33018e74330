"""The reference computation of a run: what is asked of it, and where its figures go. `engines/reference.py` does it.

It is asked for what the lab's rules and predictions name, and for the margins of the arms that want them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from specquiz.labs.counting import NoCounter, tally
from specquiz.labs.evidence import ArmRun, Evidence, Judged, Theory, WorkloadRun
from specquiz.labs.expressions import parse
from specquiz.labs.model import Lab, ProfileName
from specquiz.labs.plan import device
from specquiz.labs.rules import Measured, leaves
from specquiz.labs.tailoring import sampling_of, workloads_of
from specquiz.labs.unreported import Steps, worked_out

replace = msgspec.structs.replace

QUANTITIES = ("reference_acceptance", "reference_z")

Rule = Literal["overlap", "argmax", "lookup"]


def plan_reference(lab: Lab, profile: ProfileName, evidence: Evidence) -> dict[str, Any] | None:
    """The job of `engines/reference.py` on what the arms did, or None if nothing is asked. `lab` is tailored."""
    tests = [_plan_test(lab, profile, evidence, arm, workload) for arm, workload in _asked(lab, evidence)]
    margins = [
        {
            "arm": name,
            "workload": workload,
            "target": arm.model or lab.profiles[profile].model,
            "requests": [_tokens(request) for request in evidence.arms[name].workloads[workload].requests],
        }
        for name, arm in lab.arms.items()
        if arm.margins
        for workload in workloads_of(lab, name)
        if workload in evidence.arms[name].workloads and not _has_margins(evidence.arms[name].workloads[workload])
    ]
    if not tests and not margins:
        return None
    return {"device": device(profile), "dtype": lab.profiles[profile].dtype, "tests": tests, "margins": margins}


def _asked(lab: Lab, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """(arm, workload) of each reference quantity that is named and can be computed, once."""
    measured = [leaf for rule in lab.grade for leaf in leaves(parse(rule.check)) if isinstance(leaf, Measured)]
    named = [(each.arm, each.workload) for each in measured if each.quantity in QUANTITIES]
    named += [(each.arm, each.workload) for each in lab.predict if each.quantity in QUANTITIES]
    for arm, workload in dict.fromkeys(named):
        run = evidence.arms[arm].workloads.get(workload)
        if lab.arms[arm].speculative_config and run is not None and _steps(evidence.arms[arm], run) is not None:
            yield arm, workload


def _steps(arm: ArmRun, run: WorkloadRun) -> Sequence[Steps] | None:
    """(accepted, drafted) of each request's steps, as reported or worked out from its tokens; None where neither is."""
    if _is_reported(run):
        return [list(zip(each.accepted or (), each.drafted or (), strict=True)) for each in run.requests]
    k = arm.config.get("speculative", {}).get("num_speculative_tokens")
    try:
        return worked_out(arm, run, tally(run, int(str(k))))
    except NoCounter:
        return None


def _has_margins(run: WorkloadRun) -> bool:
    """Whether the engine told them itself."""
    return all(each.margins is not None for each in run.requests)


def _is_reported(run: WorkloadRun) -> bool:
    return all(each.accepted is not None and each.drafted is not None for each in run.requests)


def _plan_test(lab: Lab, profile: ProfileName, evidence: Evidence, arm: str, workload: str) -> dict[str, Any]:
    config = evidence.arms[arm].config.get("speculative", {})
    rule, run = rule_of(config), evidence.arms[arm].workloads[workload]
    steps = _steps(evidence.arms[arm], run) or ()
    lookup = {
        "min": config.get("prompt_lookup_min"),
        "max": config.get("prompt_lookup_max"),
        "num_tokens": config.get("num_speculative_tokens"),
        "max_model_len": evidence.arms[arm].config.get("model", {}).get("max_model_len"),
    }
    return {
        "arm": arm,
        "workload": workload,
        "rule": rule,
        "temperature": sampling_of(lab, arm, workload).temperature,
        "target": lab.arms[arm].model or lab.profiles[profile].model,
        "draft": "" if rule == "lookup" else lab.arms[arm].speculative_config["model"],
        "lookup": lookup if rule == "lookup" else None,
        "worked_out": not _is_reported(run),
        "requests": [
            {**_tokens(each), "accepted": [got for got, _ in told], "drafted": [offered for _, offered in told]}
            for each, told in zip(run.requests, steps, strict=True)
        ],
    }


def _tokens(request: Any) -> dict[str, Any]:
    return {"prompt": request.prompt, "output": request.output}


def rule_of(config: Mapping[str, object]) -> Rule:
    """What decides over a drafted token: vLLM's default is a greedy draft, accepted with the target's probability."""
    if config.get("method") == "ngram":
        return "lookup"
    return "overlap" if config.get("draft_sample_method") == "probabilistic" else "argmax"


def with_reference(lab: Lab, evidence: Evidence, told: Iterable[Mapping[str, Any]]) -> Evidence:
    """The evidence with the figures of the reference computation (its events) in their places."""
    arms = dict(evidence.arms)
    for event in told:
        name, workload = event["arm"], event["workload"]
        run = arms[name].workloads[workload]
        if event["event"] == "margins":
            requests = zip(run.requests, event["requests"], strict=True)
            run = replace(run, requests=tuple(replace(each, margins=tuple(found)) for each, found in requests))
        else:
            theory = Theory(
                rule=rule_of(arms[name].config.get("speculative", {})),
                temperature=sampling_of(lab, name, workload).temperature,
                requests=tuple(msgspec.convert(each, Judged) for each in event["requests"]),
            )
            run = replace(run, theory=theory)
        arms[name] = _with_run(arms[name], workload, run)
    return replace(evidence, arms=arms)


def _with_run(arm: ArmRun, workload: str, run: WorkloadRun) -> ArmRun:
    return replace(arm, workloads={**arm.workloads, workload: run})
