"""Times, and speed-ups as paired ratios. What the machine does meanwhile is in them, so they are graded in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from specquiz.labs.counting import NoCounter, rise, rise_sum
from specquiz.labs.estimates import RESAMPLES, SEED, Estimate, Floats, resamples
from specquiz.labs.evidence import ArmRun, WorkloadRun

Time = Literal["tpot", "itl", "ttft"]
Clock = Literal["tpot", "processor"]

_HISTOGRAMS: dict[Time, tuple[str, ...]] = {
    "tpot": ("request_time_per_output_token_seconds", "time_per_output_token_seconds"),
    "itl": ("inter_token_latency_seconds",),
    "ttft": ("time_to_first_token_seconds",),
}


def mean_time(runs: Sequence[WorkloadRun], time: Time) -> Estimate:
    """A time in milliseconds, averaged over the runs of a workload, with its interval over requests.

    The value is vLLM's own; the interval has the relative width that the requests' own times show when requests are
    drawn again (one request's runs together). What the machine did meanwhile is in all of them alike, and not in it.
    """
    try:
        value = float(np.mean([1000 * one_time(run, time) for run in runs]))
    except NoCounter as missing:
        return Estimate(None, note=str(missing))
    spans = [_spans(run, time) for run in runs]
    if any(each is None for each in spans):
        return Estimate(value, note="no interval: no times by request")
    if any(each is not None and len(each) < 2 for each in spans):
        return Estimate(value, note="no interval: there was one request")
    totals = np.sum(np.stack([each for each in spans if each is not None]), axis=0)
    if totals[:, 0].sum() <= 0:
        return Estimate(value, note="no interval: the requests' own times are too short to tell")
    drawn = totals[resamples(len(totals))].sum(axis=1)
    middle = totals[:, 0].sum() / totals[:, 1].sum()
    return Estimate(value, value * (drawn[:, 0] / drawn[:, 1]) / middle)


def _spans(run: WorkloadRun, time: Time) -> Floats | None:
    """Of each request the seconds that make up a time, and what divides them, shape (requests, 2); None if unknown.

    TTFT and TPOT are means over requests, so each counts once; an ITL is a mean over passes.
    """
    found = []
    for each in run.requests:
        if each.first is None or each.last is None:
            return None
        match time:
            case "ttft" if each.arrived is not None:
                found.append((each.first - each.arrived, 1.0))
            case "tpot" if len(each.output) > 1:
                found.append(((each.last - each.first) / (len(each.output) - 1), 1.0))
            case "itl" if len(each.steps) > 1:
                found.append((each.last - each.first, len(each.steps) - 1.0))
            case _:
                return None
    return np.asarray(found, dtype=np.float64)


def processor_time(runs: Sequence[WorkloadRun]) -> Estimate:
    """Milliseconds of processor time for each generated token, averaged over the runs of a workload.

    A process has one processor time for all its requests, so the interval is Student's over the runs.
    """
    try:
        times = np.asarray([1000 * _processor_time(run) for run in runs])
    except NoCounter as missing:
        return Estimate(None, note=f"no data: {missing}")
    if len(times) < 2:
        return Estimate(float(times[0]), note="no interval: one run does not show its own scatter")
    return Estimate(float(times.mean()), _student(times))


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
    return Estimate(value, np.exp(_student(logs)))


def _student(values: Floats) -> Floats:
    """Draws of the mean of a few values, by Student's t."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    tails = np.random.default_rng(SEED).standard_t(len(values) - 1, size=RESAMPLES)
    return np.asarray(values.mean() + error * tails)


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
