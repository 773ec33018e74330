"""Quantities from raw figures: counter differences for the value, resampled requests for the interval.

Coverage and tokens per pass divide by all decode passes, with a draft or without; see `counting.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from specquiz.labs.agreement import reference_acceptance, reference_z
from specquiz.labs.counting import NoCounter, Tally, tally
from specquiz.labs.estimates import Estimate, Floats, resamples
from specquiz.labs.evidence import ArmRun, RequestRun, WorkloadRun
from specquiz.labs.model import Quantity
from specquiz.labs.timing import mean_time, processor_time
from specquiz.labs.unreported import worked_out
from specquiz.theory.acceptance import alpha_from_counters, alpha_from_steps
from specquiz.theory.closed_forms import tokens_per_pass

_UNTOLD = "vLLM did not report on each request by itself"
_NO_DETAIL = f"no interval: {_UNTOLD}"
_OF_THE_ENGINE = "no interval: one figure of the engine"


class _Drawn(NamedTuple):
    """A sum over requests, and the values it takes when they are drawn again."""

    total: float
    draws: Floats
    """Shape (`RESAMPLES`,)."""


def estimate(arm: ArmRun, workload: str, quantity: Quantity, position: int = 0) -> Estimate:
    """Measure `quantity` on one workload of one arm.

    The value comes from the counters, the interval from drawing the requests again, with the same draws for every
    quantity of as many requests (so that a difference of two has its own interval).

    Args:
        position: the draft position, from 1, of a rate by position.
    """
    if quantity == "kv_tokens":
        return _kv_tokens(arm)
    if workload not in arm.workloads:
        return Estimate(None, note="no data: this arm did not run this workload")
    run = arm.workloads[workload]
    if quantity == "peak_memory":
        return _peak_memory(run)
    if quantity == "reference_acceptance":
        return reference_acceptance(run)
    if quantity == "reference_z":
        return reference_z(run)
    if quantity == "tpot" or quantity == "itl" or quantity == "ttft":
        return mean_time(arm.runs(workload), quantity)
    if quantity == "processor_time":
        return processor_time(arm.runs(workload))
    k = int(arm.config.get("speculative", {}).get("num_speculative_tokens") or 0)
    try:
        counted = tally(run, k)
    except NoCounter as missing:
        return Estimate(None, note=str(missing))
    drawn = _resampled(arm, run, counted)
    match quantity:
        case "tokens_per_pass":
            return _ratio(
                counted.generated - counted.requests, counted.passes, drawn, "tokens", "passes", "decode pass"
            )
        case "draft_coverage":
            return _ratio(counted.drafts, counted.passes, drawn, "drafts", "passes", "decode pass")
        case "drafted_per_pass":
            return _ratio(counted.drafted, counted.passes, drawn, "drafted", "passes", "decode pass")
        case "draft_acceptance_rate":
            return _ratio(counted.accepted, counted.drafted, drawn, "accepted", "drafted", "drafted token")
        case "mean_acceptance_length":
            return _ratio(counted.accepted, counted.drafts, drawn, "accepted", "drafts", "draft").mapped(
                lambda x: 1 + x
            )
        case "alpha":
            return _alpha(counted, run, drawn, k)
        case "model_acceptance_length":
            return expected_length(_alpha(counted, run, drawn, k), k)
        case "unconditional_rate" | "conditional_rate":
            return _at_position(counted, run, position, given_before=quantity == "conditional_rate")


def _kv_tokens(arm: ArmRun) -> Estimate:
    cache = arm.config.get("cache", {})
    told = cache.get("kv_cache_size_tokens")
    if told is None and cache.get("num_gpu_blocks") and cache.get("block_size"):
        told = int(str(cache["num_gpu_blocks"])) * int(str(cache["block_size"]))
    return (
        Estimate(float(told), note=_OF_THE_ENGINE)
        if told
        else Estimate(None, note="no data: vLLM did not say how large the KV cache is")
    )


def _peak_memory(run: WorkloadRun) -> Estimate:
    if not run.peak_memory:
        return Estimate(None, note="no data: no peak of memory was recorded")
    return Estimate(run.peak_memory / 2**30, note=_OF_THE_ENGINE)


def _ratio(above: float, below: float | None, drawn: dict[str, _Drawn], top: str, bottom: str, unit: str) -> Estimate:
    if below is None:
        return Estimate(None, note=f"no data: these figures do not count every {unit}")
    if below == 0:
        return Estimate(None, note=f"no data: there was no {unit}")
    if not {top, bottom} <= drawn.keys():
        return Estimate(above / below, note=_NO_DETAIL)
    over, under = drawn[top], drawn[bottom]
    # 1 where every step is reported; else what was worked out misses a little, and the draws keep the value's middle.
    scale = (above * under.total) / (below * over.total) if over.total else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = np.where(under.draws > 0, scale * over.draws / under.draws, np.nan)
    return Estimate(above / below, draws)


def _alpha(counted: Tally, run: WorkloadRun, drawn: dict[str, _Drawn], k: int) -> Estimate:
    """α as accepted among judged tokens; from the steps where they are known, else from the counters if they do."""
    if counted.drafts == 0:
        return Estimate(None, note="no data: there was no draft")
    if all(each.accepted is not None for each in run.requests) and run.requests:
        steps = [(got, offered) for each in run.requests for got, offered in _steps(each)]
        judged = alpha_from_steps(*zip(*steps, strict=True)).judged or 0
        return _ratio(counted.accepted, judged, drawn, "accepted", "judged", "judged token")
    by_counters = alpha_from_counters(
        counted.drafts, counted.drafted, counted.accepted, counted.per_position, num_speculative_tokens=k
    )
    if by_counters.alpha is None:
        return Estimate(None, note=f"no α: some drafts were shorter than K, and {_UNTOLD}")
    return _ratio(by_counters.alpha, 1, drawn, "accepted", "judged", "judged token")


def _steps(request: RequestRun) -> list[tuple[int, int]]:
    """(accepted, drafted) of each step that had a draft."""
    return list(zip(request.accepted or (), request.drafted or (), strict=True))


def expected_length(alpha: Estimate, k: int) -> Estimate:
    """Tokens per pass that a constant α gives for K drafted tokens."""
    return alpha.mapped(lambda x: np.asarray(tokens_per_pass(np.where(np.isnan(x), 0.0, x), k)) + 0 * x)


def _at_position(counted: Tally, run: WorkloadRun, position: int, *, given_before: bool) -> Estimate:
    """A rate by position; drafts that were too short to reach it are no tests of it."""
    if not 1 <= position <= len(counted.per_position):
        return Estimate(None, note=f"no data: there is no draft position {position}")
    reached = (counted.drafts, *counted.per_position)
    below = reached[position - 1] if given_before else counted.drafts
    if below == 0:
        return Estimate(None, note=f"no data: no draft reached position {position}")
    value = reached[position] / below
    if len(run.requests) < 2 or any(each.accepted is None for each in run.requests):
        return Estimate(value, note=_NO_DETAIL)
    steps = [_steps(each) for each in run.requests]
    hits = [sum(got >= position for got, _ in each) for each in steps]
    tests = [sum(got >= position - 1 or not given_before for got, _ in each) for each in steps]
    chosen = resamples(len(run.requests))
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = np.asarray(hits, dtype=np.float64)[chosen].sum(axis=1) / np.asarray(tests)[chosen].sum(axis=1)
    return Estimate(value, np.where(np.isfinite(draws), draws, np.nan))


def _resampled(arm: ArmRun, run: WorkloadRun, counted: Tally) -> dict[str, _Drawn]:
    """Sums over resampled requests; without those whose detail by request is missing."""
    if len(run.requests) < 2:
        return {}
    sums: dict[str, Sequence[float]] = {"tokens": [len(request.output) - 1 for request in run.requests]}
    if (passes := _passes(run, counted)) is not None:
        sums["passes"] = passes
    if (steps := _steps_by_request(arm, run, counted)) is not None:
        sums["drafts"] = [len(each) for each in steps]
        sums["drafted"] = [sum(offered for _, offered in each) for each in steps]
        sums["accepted"] = [sum(got for got, _ in each) for each in steps]
        sums["judged"] = [sum(min(got + 1, offered) for got, offered in each) for each in steps]
    chosen = resamples(len(run.requests))
    return {
        name: _Drawn(float(sum(values)), np.asarray(values, dtype=np.float64)[chosen].sum(axis=1))
        for name, values in sums.items()
    }


def _steps_by_request(arm: ArmRun, run: WorkloadRun, counted: Tally) -> Sequence[list[tuple[int, int]]] | None:
    """(accepted, drafted) of the steps of each request; None where they cannot be told."""
    if counted.drafts == 0 or all(request.accepted is not None for request in run.requests):
        return [_steps(request) for request in run.requests]
    return worked_out(arm, run, counted)


def _passes(run: WorkloadRun, counted: Tally) -> Sequence[float] | None:
    """Decode passes of each request; None where they cannot be told.

    Where a server put several passes into one chunk, they are the request's tokens less the accepted ones, and an equal
    share of the accepted tokens that were cut off at the requests' ends (at most K each).
    """
    if all(each.steps for each in run.requests):
        return [len(each.steps) - 1 for each in run.requests]
    if counted.passes is None or any(each.accepted is None for each in run.requests):
        return None
    cut = counted.passes + counted.accepted - (counted.generated - counted.requests)
    return [len(each.output) - 1 - sum(each.accepted or ()) + cut / counted.requests for each in run.requests]
