"""What goes wrong with a real vLLM ends with the cause by name, the way out, and no process left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import msgspec
import pytest
from machine import children, members, wait_until  # type: ignore[import-not-found]

from specquiz.labs import plan
from specquiz.labs.engines import process
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import read_evidence
from specquiz.labs.model import Arm, Lab
from specquiz.labs.running import LabRun, Progress, run_lab
from specquiz.sessions.events import AnyEvent, LabFinished

pytestmark = pytest.mark.vllm

PREDICTIONS = {
    "echo_rate": "0.9",
    "echo_length": "4.4 to 5",
    "echo_coverage": "80 % to 95 %",
    "echo_tokens": "4 to 4.8",
    "novel_tokens": "1 to 1.3",
}


def with_engine(lab: Lab, **engine: str | int) -> Lab:
    """The lab whose first arm starts its engine with these arguments."""
    return msgspec.structs.replace(lab, arms={**lab.arms, "vanilla": Arm(engine=dict(engine))})


def broken_run(lab: Lab, vllm: Environment, report: Callable[[Progress], None] = lambda _: None) -> LabRun:
    """A run that is to break in its first arm; it is recorded, and nothing of it is alive."""
    events: list[AnyEvent] = []
    groups: set[int] = set()

    def watch(progress: Progress) -> None:
        groups.update(children(os.getpid()))
        report(progress)

    done = run_lab(lab, "cpu", PREDICTIONS, environment=vllm, record=events.append, report=watch)
    assert done.grade is None
    assert isinstance(events[-1], LabFinished)
    assert events[-1].outcome == "broken"
    assert read_evidence(done.evidence).arms["vanilla"].status == "failed"
    assert groups
    assert wait_until(lambda: not any(members(group) for group in groups), seconds=5)
    return done


def engine_process() -> int:
    """The process that holds the engine: the supervisor's child."""
    (supervisor,) = children(os.getpid())
    return next(iter(children(supervisor)))


def test_a_checkpoint_that_is_not_quantised_as_asked_is_named(lab: Lab, vllm: Environment) -> None:
    done = broken_run(with_engine(lab, quantization="awq"), vllm)

    assert "Use a checkpoint that is quantised with AWQ" in done.reason


def test_a_cache_larger_than_the_memory_is_named(lab: Lab, vllm: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "KV_CACHE_GIB", 4000)

    done = broken_run(lab, vllm)

    assert "lower max_model_len" in done.reason


def test_a_crash_in_mid_arm_is_named(lab: Lab, vllm: Environment) -> None:
    struck = []

    def strike(progress: Progress) -> None:
        if progress.stage == "start" and progress.kind == "running" and not struck:
            struck.append(engine_process())
            os.kill(struck[0], signal.SIGSEGV)

    done = broken_run(lab, vllm, strike)

    assert struck
    assert "The engine crashed (SIGSEGV)" in done.reason


def test_an_engine_that_hangs_is_ended_after_its_time(
    lab: Lab, vllm: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(process.STAGE_LIMITS, "start", 6.0)
    since = []

    def stop(progress: Progress) -> None:
        if progress.stage == "start" and progress.kind == "running" and not since:
            since.append(time.monotonic())
            os.kill(engine_process(), signal.SIGSTOP)

    done = broken_run(lab, vllm, stop)

    assert since
    assert "The engine hung: start did not end within 6 s" in done.reason
    assert time.monotonic() - since[0] < 30
