"""Times of a run: vLLM's own value, and an interval from the requests' own times."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.labs.evidence import Counters, Evidence, RequestRun, WorkloadRun
from specquiz.labs.metrics import estimate
from specquiz.labs.timing import Time, mean_time, processor_time

replace = msgspec.structs.replace
EVERY_TIME: tuple[Time, ...] = ("tpot", "itl", "ttft")
HISTOGRAMS = {
    "tpot": "vllm:request_time_per_output_token_seconds",
    "itl": "vllm:inter_token_latency_seconds",
    "ttft": "vllm:time_to_first_token_seconds",
}


def request(arrived: float, first: float, last: float, steps: tuple[int, ...] = (1, 2, 2)) -> RequestRun:
    output = tuple(range(sum(steps)))
    return RequestRun(prompt=(1,), output=output, steps=steps, finish="length", arrived=arrived, first=first, last=last)


def run_of(*requests: RequestRun, processor: float = 0.0) -> WorkloadRun:
    """A run in which vLLM observed what the requests' own times say."""
    passes = [len(each.steps) - 1 for each in requests]
    spans = [(each.last or 0) - (each.first or 0) for each in requests]
    observed = {
        "tpot": (len(requests), sum(span / (len(each.output) - 1) for span, each in zip(spans, requests, strict=True))),
        "itl": (sum(passes), sum(spans)),
        "ttft": (len(requests), sum((each.first or 0) - (each.arrived or 0) for each in requests)),
    }
    before: Counters = {f"{name}#{end}": 0 for name in HISTOGRAMS.values() for end in ("count", "sum")}
    after: Counters = {}
    for time, (count, total) in observed.items():
        after |= {f"{HISTOGRAMS[time]}#count": count, f"{HISTOGRAMS[time]}#sum": total}
    return WorkloadRun(
        started=0.0, seconds=10.0, before=before, after=after, requests=requests, processor_seconds=processor
    )


def uneven() -> WorkloadRun:
    return run_of(*(request(0.1 * at, 0.2 + 0.3 * at, 1.0 + 0.5 * at) for at in range(8)))


@pytest.mark.parametrize("time", EVERY_TIME)
def test_a_time_has_an_interval_over_requests_around_its_value(time: Time) -> None:
    found = mean_time([uneven()], time)

    interval = found.interval()
    assert found.value is not None
    assert interval is not None
    assert interval[0] < found.value < interval[1]


@pytest.mark.parametrize("time", EVERY_TIME)
def test_requests_that_are_alike_leave_no_width(time: Time) -> None:
    found = mean_time([run_of(*(request(0.1, 0.2, 1.0) for _ in range(6)))], time)

    assert found.interval() == pytest.approx((found.value, found.value))


def test_what_requests_waited_before_they_were_handed_over_is_no_time_to_first_token() -> None:
    found = mean_time([run_of(request(0.0, 0.5, 1.0), request(2.0, 2.5, 3.0))], "ttft")

    assert found.interval() == pytest.approx((500.0, 500.0))


@pytest.mark.parametrize(
    ("time", "unknown"),
    [
        ("ttft", {"arrived": None}),
        ("itl", {"steps": ()}),
        ("tpot", {"first": None, "last": None}),
        ("tpot", {"output": (1,)}),
    ],
)
def test_without_the_times_of_every_request_the_value_stays_and_the_interval_goes(
    time: Time, unknown: dict[str, object]
) -> None:
    run = uneven()
    bare = replace(run, requests=(replace(run.requests[0], **unknown), *run.requests[1:]))

    found = mean_time([bare], time)

    assert found.value == mean_time([run], time).value
    assert found.interval() is None
    assert found.note == "no interval: no times by request"


def test_tokens_that_all_came_at_once_have_no_time_between_them() -> None:
    found = mean_time([run_of(request(0.0, 0.5, 0.5), request(0.0, 0.5, 0.5))], "itl")

    assert found.interval() is None
    assert "too short to tell" in found.note


@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=2, max_size=8))
def test_drawing_all_requests_once_gives_the_value_again(times: list[tuple[float, float]]) -> None:
    run = run_of(*(request(0.0, wait, wait + span) for wait, span in times))

    for time in EVERY_TIME:
        found = mean_time([run, run], time)
        assert found.value is not None
        assert found.draws is not None
        assert np.nanmin(found.draws) <= found.value * (1 + 1e-9)
        assert np.nanmax(found.draws) >= found.value * (1 - 1e-9)


def test_processor_time_is_of_a_whole_run_so_only_runs_show_its_scatter() -> None:
    runs = [run_of(request(0.0, 0.5, 1.0), processor=seconds) for seconds in (1.0, 1.2, 1.1)]

    alone, together = processor_time(runs[:1]), processor_time(runs)

    assert (alone.value, alone.interval()) == (200.0, None)
    assert "one run does not show its own scatter" in alone.note
    interval = together.interval()
    assert interval is not None
    assert interval[0] < 220.0 < interval[1]


def test_a_real_run_has_an_interval_for_every_time_of_every_arm(evidence: Evidence) -> None:
    for arm in evidence.arms.values():
        for workload in arm.workloads:
            for time in EVERY_TIME:
                found = estimate(arm, workload, time)
                interval = found.interval()
                assert found.value is not None
                assert interval is not None, found.note
                assert interval[0] <= found.value <= interval[1]


def test_memory_is_one_figure_of_the_engine_and_says_so(evidence: Evidence) -> None:
    for quantity in ("peak_memory", "kv_tokens"):
        found = estimate(evidence.arms["ngram"], "echo", quantity)
        assert found.value is not None
        assert found.value > 0
        assert found.note == "no interval: one figure of the engine"
