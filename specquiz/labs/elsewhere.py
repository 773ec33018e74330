"""Figures from elsewhere: a result of `vllm bench serve`, or two pages of /metrics. Graded with what they hold.

They hold counters and no tokens: nothing proves which model, prompts or settings were at work, and there are no
intervals. A rule that needs more has no data, which is never a pass; and such a grade is not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from specquiz import __version__
from specquiz.errors import SpecquizError, UsageError
from specquiz.labs.arithmetic import of_the_counters
from specquiz.labs.broken import Broken
from specquiz.labs.counting import NoCounter, tally
from specquiz.labs.evidence import ArmRun, Counters, Evidence, LabReference, WorkloadRun
from specquiz.labs.exposition import ListedTwice, Sample, cache_config, counters, draft_tokens, samples
from specquiz.labs.expressions import parse
from specquiz.labs.grading import Grade, Graded, NotGradable, RuleVerdict
from specquiz.labs.handed import handed_bytes, handed_json
from specquiz.labs.judging import observe, observe_positions, verdict
from specquiz.labs.model import Lab, ProfileName, Rule, Scalar, fingerprint
from specquiz.labs.plausibility import disturbed, too_perfect
from specquiz.labs.rules import Measured, leaves
from specquiz.labs.tailoring import tailored, workloads_of

replace = msgspec.structs.replace

_BENCH = {
    "spec_decode_num_drafts": "spec_decode_num_drafts",
    "spec_decode_num_draft_tokens": "spec_decode_draft_tokens",
    "spec_decode_num_accepted_tokens": "spec_decode_accepted_tokens",
    "generation_tokens": "total_output_tokens",
    "prompt_tokens": "total_input_tokens",
}
"""vLLM's counter to the key of a benchmark's result."""

_BENCH_TIMES = {"request_time_per_output_token_seconds": "mean_tpot_ms", "time_to_first_token_seconds": "mean_ttft_ms"}
"""vLLM's histogram to the key of a benchmark's result. Its ITL is the time between chunks, not passes: left out."""


def from_metrics(before: Path, after: Path) -> ArmRun:
    """The arm behind two pages of /metrics, one from before a workload and one from after it.

    Raises:
        SpecquizError: a file cannot be read, or is no page of vLLM's.
    """
    pages = [_page(path) for path in (before, after)]
    first, last = (counters(page) for page in pages)
    return _arm(first, last, {"cache": cache_config(pages[1])})


def from_bench(path: Path) -> ArmRun:
    """The arm behind the result of `vllm bench serve --save-result`.

    Raises:
        SpecquizError: the file cannot be read, or is no such result.
    """
    told = handed_json(path, "The file")
    if not isinstance(told, dict) or not {"completed", "total_output_tokens"} <= told.keys():
        raise SpecquizError(
            "This is no result of vllm bench serve.",
            where=str(path),
            remedy="Run it with --save-result, and name the JSON file that it writes.",
        )
    try:
        after: Counters = dict(_of_the_bench(told))
    except (TypeError, ValueError, OverflowError) as error:
        raise SpecquizError(
            f"A figure in this result of vllm bench serve is none: {error}.", where=str(path)
        ) from error
    before: Counters = {name: (0.0,) * len(value) if isinstance(value, tuple) else 0.0 for name, value in after.items()}
    return _arm(before, after, {"model": {"model": str(told.get("model_id"))}})


def _of_the_bench(told: Mapping[str, Any]) -> Iterator[tuple[str, float | tuple[float, ...]]]:
    completed = float(told["completed"])
    yield 'vllm:request_success{finished_reason="length"}', completed
    for counter, key in _BENCH.items():
        if told.get(key) is not None:
            yield f"vllm:{counter}", float(told[key])
    drafts, rates = told.get("spec_decode_num_drafts"), told.get("spec_decode_per_position_acceptance_rates")
    if drafts is not None and rates:
        # Written as shares of all drafts, which were whole numbers before.
        yield "vllm:spec_decode_num_accepted_tokens_per_pos", tuple(float(round(rate * drafts)) for rate in rates)
    for histogram, key in _BENCH_TIMES.items():
        if told.get(key) is not None:
            yield f"vllm:{histogram}#count", completed
            yield f"vllm:{histogram}#sum", completed * float(told[key]) / 1000


def _page(path: Path) -> tuple[Sample, ...]:
    try:
        page = samples(handed_bytes(path, "The file").decode("utf-8", errors="replace"))
    except ListedTwice as twice:
        raise SpecquizError(
            f"This is not one /metrics page: {twice}.", where=str(path), remedy="Save each page in a file of its own."
        ) from twice
    if not page:
        raise SpecquizError("This is no /metrics page of vLLM.", where=str(path), remedy="Save it with curl.")
    return page


def _arm(before: Counters, after: Counters, config: dict[str, dict[str, Any]]) -> ArmRun:
    run = WorkloadRun(started=0.0, seconds=0.0, before=before, after=after, requests=())
    if k := draft_tokens(after):
        config["speculative"] = {"num_speculative_tokens": k}
    return ArmRun(status="finished", started=0.0, config=config, workloads={"all": run})


def place_in(lab: Lab, named: str | None) -> tuple[str, str]:
    """The arm and workload that figures from elsewhere are of. `lab` is tailored to the profile.

    Raises:
        UsageError: there is no such place, or none was named and several are possible.
    """
    known = [f"{arm}/{name}" for arm in lab.arms if lab.arms[arm].expect is None for name in workloads_of(lab, arm)]
    if named is None and len(known) == 1:
        named = known[0]
    if named not in known:
        what = f"There is no {named!r} in {lab.id}." if named else "These figures can be of several places."
        raise UsageError(what, remedy=f"Say which with --of: {', '.join(known)}.")
    arm, _, workload = named.partition("/")
    return arm, workload


def grade_elsewhere(
    lab: Lab, profile: ProfileName, place: tuple[str, str], arm: ArmRun, config: Mapping[str, Scalar] | None
) -> Grade:
    """Grade one place of a lab on figures from elsewhere.

    Args:
        place: the arm and the workload.
        config: the speculative config that they were made with, where it is known.
    """
    here = tailored(lab, profile)
    name, workload = place
    arm = replace(arm, workloads={workload: arm.workloads["all"]})
    broken = tuple(_broken(here, name, workload, arm, config))
    if broken:
        return NotGradable(broken)
    only = replace(
        here,
        arms={name: replace(here.arms[name], workloads=())},
        workloads={workload: here.workloads[workload]},
        predict=(),
        grade=tuple(rule for rule in here.grade if not _missing(rule, place)),
    )
    evidence = _evidence(lab, profile, name, arm)
    return Graded(
        quantities=observe(only, evidence),
        positions=observe_positions(only, evidence),
        rules=tuple(_verdict(only, evidence, rule, place) for rule in here.grade),
    )


def _broken(lab: Lab, name: str, workload: str, arm: ArmRun, config: Mapping[str, Scalar] | None) -> Iterator[Broken]:
    wanted, where, run = lab.arms[name].speculative_config, f"{name}/{workload}", arm.workloads[workload]
    k, told = int(wanted.get("num_speculative_tokens", 0)), arm.config.get("speculative", {})
    found = told.get("num_speculative_tokens", 0)
    if found != k:
        yield Broken("I8", f"{where}: the figures are of {found} draft tokens a step, and the lab asks for {k}")
        return
    if config is not None:
        method = config.get("rejection_sample_method", "standard")
        if method != "standard" and "rejection_sample_method" not in wanted:
            yield Broken("I8", f"{where} ran with rejection_sample_method {method}; only standard acceptance is graded")
        for key in wanted.keys() - {"model"}:
            if config.get(key) != wanted[key]:
                yield Broken("I8", f"{where} ran with {key} = {config.get(key)}; the lab asks for {wanted[key]}")
    try:
        counted = tally(run, k)
    except NoCounter as missing:
        yield Broken("counters", f"{where}: {missing}")
        return
    yield from of_the_counters(where, counted, k)
    yield from disturbed(where, run)
    if counted.generated == 0:
        yield Broken("counters", f"{where}: no token was generated between the two pages")
    if not any(each.invariant == "I7" and each.of == where for each in lab.waive):
        yield from too_perfect(where, counted)


def _missing(rule: Rule, place: tuple[str, str]) -> str:
    """What a rule needs that counters of one place do not hold; empty where they hold it all."""
    for leaf in leaves(parse(rule.check)):
        if not isinstance(leaf, Measured):
            return "it needs a prediction or the tokens of a run"
        if (leaf.arm, leaf.workload) != place:
            return f"it needs {leaf.arm} on {leaf.workload}"
    return ""


def _verdict(lab: Lab, evidence: Evidence, rule: Rule, place: tuple[str, str]) -> RuleVerdict:
    missing = _missing(rule, place)
    if missing:
        return RuleVerdict(rule.id, rule.check, "no_data", f"no data: {missing}.", rule.why)
    return verdict(lab, evidence, rule)


def _evidence(lab: Lab, profile: ProfileName, name: str, arm: ArmRun) -> Evidence:
    """Evidence enough to measure on; it is never written."""
    return Evidence(
        specquiz=__version__,
        run="from elsewhere",
        nonce="",
        lab=LabReference(id=lab.id, fingerprint=fingerprint(lab)),
        profile=profile,
        unlocked_by="override",
        predictions={},
        predicted_at=0.0,
        started_at=0.0,
        finished_at=0.0,
        machine={},
        model=str(arm.config.get("model", {}).get("model", "")),
        model_files={},
        prompts={},
        order=(name,),
        arms={name: arm},
    )
