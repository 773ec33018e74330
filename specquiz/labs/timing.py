"""Times, and speed-ups as paired ratios. What the machine does meanwhile is in them, so they are graded in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from specquiz.labs.counting import NoCounter, rise, rise_sum
from specquiz.labs.estimates import RESAMPLES, SEED, Estimate, resamples
from specquiz.labs.evidence import ArmRun, WorkloadRun

Time = Literal["tpot", "itl", "ttft"]
Clock = Literal["tpot", "processor"]

_HISTOGRAMS: dict[Time, tuple[str, ...]] = {
    "tpot": ("request_time_per_output_token_seconds", "time_per_output_token_seconds"),
    "itl": ("inter_token_latency_seconds",),
    "ttft": ("time_to_first_token_seconds",),
}


def mean_time(runs: Sequence[WorkloadRun], time: Time) -> Estimate:
    """A time in milliseconds, averaged over the runs of a workload; with an interval over requests where it can be."""
    try:
        value = float(np.mean([1000 * one_time(run, time) for run in runs]))
    except NoCounter as missing:
        return Estimate(None, note=str(missing))
    pace = _pace(runs[0])
    if time != "tpot" or pace is None:
        return Estimate(value, note="" if time != "tpot" else "no interval: no times by request")
    drawn = pace[resamples(len(pace))].mean(axis=1)
    return Estimate(value, value * drawn / pace.mean())


def processor_time(runs: Sequence[WorkloadRun]) -> Estimate:
    """Milliseconds of processor time for each generated token, averaged over the runs of a workload."""
    try:
        return Estimate(float(np.mean([1000 * _processor_time(run) for run in runs])))
    except NoCounter as missing:
        return Estimate(None, note=f"no data: {missing}")


def one_time(run: WorkloadRun, time: Time) -> float:
    """Seconds in one run, from vLLM's own histograms.

    Raises:
        NoCounter: vLLM did not report it, or nothing was observed.
    """
    names = _HISTOGRAMS[time]
    name = next((each for each in names if f"vllm:{each}#count" in run.after), names[0])
    observed = rise(run, f"{name}#count")
    if observed == 0:
        raise NoCounter(f"vLLM observed no {name}")
    return rise_sum(run, name) / observed


def speedup(base: ArmRun, fast: ArmRun, workload: str, clock: Clock = "tpot") -> Estimate:
    """How many times as fast `fast` is: the geometric mean over pairs of runs of TPOT(base) / TPOT(fast).

    Its interval is Student's, over the pairs: the requests of one run share what the machine did meanwhile.

    Args:
        clock: `processor` compares processor time per token instead, which other programs on the machine do not touch.
    """
    pace = _processor_time if clock == "processor" else _tpot
    try:
        logs = np.log([pace(a) / pace(b) for a, b in _pairs(base, fast, workload)])
    except (NoCounter, KeyError) as missing:
        return Estimate(None, note=f"no data: {missing}")
    value = float(np.exp(logs.mean()))
    if len(logs) < 2:
        return Estimate(value, note="no interval: one pair of runs does not show its own scatter")
    error = logs.std(ddof=1) / np.sqrt(len(logs))
    tails = np.random.default_rng(SEED).standard_t(len(logs) - 1, size=RESAMPLES)
    return Estimate(value, np.exp(logs.mean() + error * tails))


def _tpot(run: WorkloadRun) -> float:
    return one_time(run, "tpot")


def _processor_time(run: WorkloadRun) -> float:
    """Seconds of processor time for each generated token."""
    if not run.processor_seconds:
        raise NoCounter("no processor time was recorded")
    return run.processor_seconds / sum(len(each.output) for each in run.requests)


def total_seconds(arm: ArmRun, workload: str) -> float:
    """Seconds that all runs of a workload took together."""
    return sum(run.seconds for run in arm.runs(workload))


def _pairs(base: ArmRun, fast: ArmRun, workload: str) -> list[tuple[WorkloadRun, WorkloadRun]]:
    return list(zip(base.runs(workload), fast.runs(workload), strict=False))


def _pace(run: WorkloadRun) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """Seconds per token after the first, of each request; None where the times are not there."""
    if len(run.requests) < 2:
        return None
    found = []
    for each in run.requests:
        if each.first is None or each.last is None or len(each.output) < 2:
            return None
        found.append((each.last - each.first) / (len(each.output) - 1))
    return np.asarray(found, dtype=np.float64)
