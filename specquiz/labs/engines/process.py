"""Run one arm as a child of another Python, and be sure that nothing of it is left afterwards."""

from __future__ import annotations

import json
import math
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from specquiz.labs.engines import causes

_HERE = Path(__file__).parent
_POLL_SECONDS = 0.25
_LAST_SECONDS = 10.0
_GRACE = {"server": 7.0}
"""Seconds that a child is given to end in order before it is killed; a little more than its supervisor gives it."""

STAGE_LIMITS = {
    "connect": 300.0,
    "metrics": 150.0,
    "import": 300.0,
    "start": 900.0,
    "serve": math.inf,
    "warm-up": 300.0,
    "compare": 1800.0,
}
"""Seconds after which a stage counts as hung; generous, for slow disks and first-time compilation."""
WORKLOAD_LIMIT = 900.0


class ArmFailed(Exception):
    """The arm did not finish; the text says why and what to do."""


class Cancelled(Exception):
    """The run was asked to stop."""


@dataclass(slots=True)
class ArmOutput:
    """What an arm reported, collected as it came."""

    stages: dict[str, float] = field(default_factory=dict)
    engine: dict[str, Any] = field(default_factory=dict)
    workloads: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The runs of each workload, in their order."""
    reference: list[dict[str, Any]] = field(default_factory=list)
    """What the reference computation says of each workload of each arm: its `reference` and `margins` events."""


Tick = Callable[[Literal["started", "running", "finished"], str, float, int, tuple[float, ...]], None]
"""Called with what happened (`started`, `running`, `finished`), the stage, its seconds so far, its tokens, and the
share of its drafts accepted up to each position."""


def run_arm(
    python: Path,
    job: Mapping[str, object],
    output: ArmOutput,
    *,
    log: Path,
    folder: Path,
    variables: Mapping[str, str],
    tick: Tick,
    cancel: threading.Event,
    child: Literal["arm", "reference", "server"] = "arm",
) -> None:
    """Run `job` with the vLLM of `python`, filling `output` as it goes. Every process of it is gone afterwards.

    Args:
        log: file that takes what vLLM prints.
        folder: the child's working directory; a job may name a model relative to it.
        variables: environment variables set for the child.
        child: what is run: an arm of a lab, the reference computation, or a server, which runs until it is stopped.

    Raises:
        ArmFailed: it crashed, hung or refused the job.
        Cancelled: `cancel` was set.
    """
    with _Arm(python, child, log, folder, variables) as arm:
        arm.give(job)
        _follow(arm, output, tick, cancel)


def _follow(arm: _Arm, output: ArmOutput, tick: Tick, cancel: threading.Event) -> None:
    stage, since, tokens, rates = "import", time.monotonic(), 0, ()
    while True:
        if cancel.is_set():
            raise Cancelled
        seconds = time.monotonic() - since
        if seconds > STAGE_LIMITS.get(stage, WORKLOAD_LIMIT):
            raise ArmFailed(causes.hung(stage, seconds))
        lines = arm.read_lines(_POLL_SECONDS)
        if lines is None:
            raise ArmFailed(causes.died(arm.exit_code, arm.log_tail()))
        for line in lines:
            event = json.loads(line)
            match event["event"]:
                case "stage":
                    stage, since, tokens, rates = event["stage"], time.monotonic(), 0, ()
                    tick("started", stage, 0.0, 0, ())
                case "ready":
                    output.stages[event["stage"]] = output.stages.get(event["stage"], 0.0) + event["seconds"]
                    tick("finished", event["stage"], event["seconds"], tokens, rates)
                case "tokens":
                    tokens, rates = event["tokens"], tuple(event.get("rates", ()))
                case "engine":
                    output.engine = event
                case "workload":
                    output.workloads.setdefault(event["workload"], []).append(event["run"])
                    tokens = sum(len(request["output"]) for request in event["run"]["requests"])
                case "reference" | "margins":
                    output.reference.append(event)
                case "failed":
                    raise ArmFailed(causes.explain(event["type"], event["message"], arm.log_tail()))
                case "refused":
                    raise ArmFailed(event["reason"])
                case "exit":
                    arm.exit_code = event["code"]
                case "done":
                    return
        if not lines:
            tick("running", stage, time.monotonic() - since, tokens, rates)


class _Arm:
    """The supervisor, the arm under it, and the pipes to both."""

    def __init__(self, python: Path, child: str, log: Path, folder: Path, variables: Mapping[str, str]) -> None:
        self.exit_code: int | None = None
        self._grace = _GRACE.get(child, 0.0)
        self._log = log
        self._rest = b""
        lifeline, self._lifeline = os.pipe()
        self._events, events = os.pipe()
        try:
            with log.open("wb") as sink:
                self._process = subprocess.Popen(
                    [
                        *(sys.executable, "-I", "-S", str(_HERE / "supervisor.py"), str(lifeline), str(events)),
                        *(str(python), str(_HERE), child),
                    ],
                    stdin=subprocess.PIPE,
                    stdout=sink,
                    stderr=subprocess.STDOUT,
                    pass_fds=(lifeline, events),
                    start_new_session=True,
                    cwd=folder,
                    env=_child_environment(variables),
                )
        except BaseException:
            os.close(self._lifeline)
            os.close(self._events)
            raise
        finally:
            os.close(lifeline)
            os.close(events)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._events, selectors.EVENT_READ)

    def __enter__(self) -> _Arm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the whole process group. The leader is not reaped before, so its number cannot be another's."""
        os.close(self._lifeline)  # at which the supervisor ends it in order
        try:
            self._wait_for_the_last(self._grace)
        finally:  # also for whoever stops us once more, and will not wait
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._wait_for_the_last(_LAST_SECONDS)
            self._selector.close()
            os.close(self._events)

    def _wait_for_the_last(self, seconds: float) -> None:
        """Return when the last process is gone, or `seconds` are: one that is killed gives its memory back first."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.read_lines(max(0.0, end - time.monotonic())) is not None:
            continue

    def give(self, job: Mapping[str, object]) -> None:
        """Hand over the job, without waiting for it to be read: a child may hang before that, and a pipe is small."""
        threading.Thread(target=self._write, args=(json.dumps(job).encode(),), daemon=True).start()

    def _write(self, job: bytes) -> None:
        """An arm that died already is noticed when its events are read."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(job)

    def read_lines(self, seconds: float) -> list[bytes] | None:
        """The event lines that came within `seconds`, or None when the arm and its supervisor are gone."""
        if not self._selector.select(seconds):
            return []
        chunk = os.read(self._events, 1 << 16)
        if not chunk:
            return None
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return lines

    def log_tail(self) -> str:
        """The end of what vLLM printed, with the first of the failures that followed from one another."""
        return tail(self._log, 1000)


def tail(log: Path, lines: int = 40) -> str:
    """The last lines of a log file."""
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 262_144))
        text = file.read().decode("utf-8", errors="replace")
    return "\n".join(text.splitlines()[-lines:])


def _child_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Our environment without what would lead the other Python to our packages."""
    ours = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
    return {key: value for key, value in os.environ.items() if key not in ours} | dict(variables)
