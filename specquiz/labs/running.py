"""Run a lab: commit the predictions, launch each arm, keep the evidence, grade it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from specquiz.labs.environment import Environment
from specquiz.labs.evidence import Evidence
from specquiz.labs.grading import Grade
from specquiz.labs.model import Lab, ProfileName
from specquiz.sessions.events import AnyEvent


@dataclass(frozen=True, slots=True)
class Progress:
    """Something to show while a lab runs."""

    kind: Literal["started", "running", "finished", "failed"]
    """A stage began, goes on (`tokens` so far), or ended (`seconds` it took)."""
    arm: str
    """Empty for what concerns the whole run."""
    stage: str
    """`import`, `start`, `warm-up`, or a workload's name."""
    seconds: float
    """Since the stage began."""
    tokens: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class LabRun:
    """What a run came to. Finished arms are kept even when the run broke."""

    run: str
    evidence: Path
    """The evidence file; `evidence.partial.json` when the run broke."""
    record: Evidence
    grade: Grade | None
    """None when the run broke."""
    reason: str = ""
    """Why the run broke, with the way out."""


def run_lab(
    lab: Lab,
    profile: ProfileName,
    predictions: Mapping[str, str],
    *,
    environment: Environment,
    record: Callable[[AnyEvent], None],
    report: Callable[[Progress], None] = lambda _: None,
    cancel: threading.Event | None = None,
    unlocked_by: Literal["mastery", "override"] = "mastery",
    download: bool = False,
) -> LabRun:
    """Run `lab` on this machine and grade what was observed. Blocks; safe in a worker thread.

    Args:
        predictions: prediction id to the number as typed; see `predictions.read_prediction`.
        environment: the vLLM to use (`environment.find`).
        record: called with `LabPredicted` before anything is launched and with `LabFinished` at the end.
        report: called from the calling thread for every stage, and about four times a second while one goes on.
        cancel: set it from any thread to stop; every process of the run is gone when this returns.
        unlocked_by: how the lab was opened; the evidence says so.
        download: let vLLM fetch a model that is not on this machine.

    Raises:
        SpecquizError: another lab is running, the predictions do not fit, or the folder cannot be written.
        KeyboardInterrupt: passed on after every process of the run was ended.
    """
    raise NotImplementedError
