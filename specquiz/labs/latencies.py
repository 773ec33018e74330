"""vLLM's own clock against the requests': its histograms of latencies and the times at which the tokens came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from specquiz.labs.broken import Broken
from specquiz.labs.counting import NoCounter, rise, rise_sum
from specquiz.labs.evidence import WorkloadRun

BY_REQUEST = (
    "time_to_first_token_seconds",
    "e2e_request_latency_seconds",
    "request_decode_time_seconds",
    "request_time_per_output_token_seconds",
)
"""Histograms that observe each request once."""
BY_PASS = "inter_token_latency_seconds"
SHARE = 0.5
"""By how much vLLM's time of a request may differ from that of its tokens as they were taken from it: half, and"""
STALL = 0.25
"""the seconds that a machine may stand still between two readings of one clock, or"""
STEP = 1.0
"""the seconds by which the wall clock may be set meanwhile, which vLLM takes the time to first token with."""


def of_the_latencies(where: str, run: WorkloadRun, *, attached: bool) -> Iterator[Broken]:
    """What was observed took time, once for each request, and as long as its tokens took.

    Args:
        attached: the counters were read while a server may still have written them, and the tokens came over a network,
            which may hold them back and hand them over at once.
    """
    decoded = any(len(each.steps or each.output) > 1 for each in run.requests)
    for name in (*BY_REQUEST, BY_PASS):
        with suppress(NoCounter):  # not every vLLM has each of them
            observed, seconds = rise(run, f"{name}#count"), rise_sum(run, name)
            if not attached and name in BY_REQUEST and observed != len(run.requests):
                yield Broken("times", f"{where}: {observed} requests have a {name}, of {len(run.requests)}")
            takes_time = decoded or name in BY_REQUEST[:2]
            if observed and takes_time and not seconds > 0:
                yield Broken("times", f"{where}: {observed} times of {name} add up to {seconds:g} s")
    if not attached:
        waits = [(each.arrived, each.first) for each in run.requests]
        spans = [(each.first, each.last) for each in run.requests]
        yield from _as_long(where, run, "time_to_first_token_seconds", "first tokens", waits, STEP)
        yield from _as_long(where, run, BY_PASS, "further tokens", spans, STALL)


def _as_long(
    where: str, run: WorkloadRun, name: str, what: str, times: Sequence[tuple[float | None, float | None]], slack: float
) -> Iterator[Broken]:
    spans = [end - begin for begin, end in times if begin is not None and end is not None]
    if len(spans) < len(times):
        return
    with suppress(NoCounter):
        told, seen = rise_sum(run, name), sum(spans)
        if abs(told - seen) > SHARE * max(told, seen) + slack * len(spans):
            yield Broken("times", f"{where}: vLLM says {told:.3f} s for the {what}, and they took {seen:.3f} s")
