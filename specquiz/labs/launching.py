"""Start what a run needs, one thing after another: the engine of an arm, or the computation that follows the arms."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from specquiz import places
from specquiz.labs.engines.attached import run_attached
from specquiz.labs.engines.process import ArmFailed, ArmOutput, Tick, run_arm
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import ArmRun, WorkloadRun
from specquiz.labs.model import ProfileName
from specquiz.labs.plan import child_variables


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts engines on this machine, or uses servers that run already."""

    profile: ProfileName
    environment: Environment | None
    """The vLLM of this machine; None where there is none and every arm is attached."""
    attach: Mapping[str, str]
    """Arm to the address of its server."""
    download: bool
    cancel: threading.Event

    def arm(self, name: str, job: Mapping[str, object], output: ArmOutput, log: Path, tick: Tick) -> None:
        """Run an arm's job to its end; raises as `process.run_arm`."""
        if name in self.attach:
            run_attached(self.attach[name], job, output, tick=tick, cancel=self.cancel)
        else:
            self._run("arm", job, output, log, tick)

    def reference(self, job: Mapping[str, object], output: ArmOutput, log: Path, tick: Tick) -> None:
        """Run the reference computation to its end; raises as `process.run_arm`."""
        self._run("reference", job, output, log, tick)

    def _run(
        self, child: Literal["arm", "reference"], job: Mapping[str, object], output: ArmOutput, log: Path, tick: Tick
    ) -> None:
        if self.environment is None:
            raise ArmFailed("There is no vLLM on this machine; `specquiz lab setup` finds or builds one.")
        run_arm(
            self.environment.python,
            job,
            output,
            log=log,
            folder=places.shipped_labs(),
            variables=child_variables(self.profile, download=self.download),
            tick=tick,
            cancel=self.cancel,
            child=child,
        )


def arm_run(output: ArmOutput, started: float, reason: str, log: str, before: ArmRun | None) -> ArmRun:
    """What became of an arm; the runs of a later start come after those of the first."""
    engine = output.engine
    runs = {name: tuple(msgspec.convert(run, WorkloadRun) for run in each) for name, each in output.workloads.items()}
    if before is None:
        return ArmRun(
            status="failed" if reason else "finished",
            started=started,
            reason=reason,
            stages=output.stages,
            config=engine.get("config", {}),
            versions=engine.get("versions", {}),
            environment=engine.get("environment", {}),
            workloads={name: each[0] for name, each in runs.items()},
            log_tail=log,
            repeats={name: each[1:] for name, each in runs.items() if each[1:]},
        )
    return msgspec.structs.replace(
        before,
        status="failed" if reason else before.status,
        reason=reason,
        stages={name: before.stages.get(name, 0.0) + seconds for name, seconds in output.stages.items()},
        log_tail=log,
        repeats={name: (*before.repeats.get(name, ()), *each) for name, each in runs.items()},
    )
