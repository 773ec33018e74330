"""Run a lab: commit the predictions, launch each arm, keep the evidence, grade it."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from specquiz import __version__, places
from specquiz.errors import SpecquizError
from specquiz.labs.engines.process import ArmFailed, ArmOutput, Cancelled, run_arm, tail
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import ArmRun, Evidence, LabReference, WorkloadRun, write_evidence
from specquiz.labs.grading import Grade, Graded, NotGradable, grade
from specquiz.labs.loading import load_workload
from specquiz.labs.model import Lab, ProfileName, Workload, fingerprint
from specquiz.labs.plan import child_variables, file_hashes, plan_job, prompts_hash
from specquiz.labs.predictions import read_predictions
from specquiz.sessions.events import AnyEvent, LabFinished, LabPredicted


@dataclass(frozen=True, slots=True)
class Progress:
    """Something to show while a lab runs."""

    kind: Literal["started", "running", "finished", "failed"]
    """A stage began, goes on (`tokens` so far), ended (`seconds` it took), or the arm failed (`message`)."""
    arm: str
    stage: str
    """`import`, `start`, `warm-up`, or a workload's name."""
    seconds: float
    """Since the stage began."""
    tokens: int = 0
    """Generated so far, over all requests of the workload."""
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


Report = Callable[[Progress], None]


def run_lab(
    lab: Lab,
    profile: ProfileName,
    predictions: Mapping[str, str],
    *,
    environment: Environment,
    record: Callable[[AnyEvent], None],
    report: Report = lambda _: None,
    cancel: threading.Event | None = None,
    unlocked_by: Literal["mastery", "override"] = "mastery",
    download: bool = False,
) -> LabRun:
    """Run `lab` on this machine and grade what was observed. Blocks; safe in a worker thread.

    Args:
        predictions: prediction id to the number as typed; see `predictions.read_prediction`.
        environment: the vLLM to use (`environment.find`).
        record: called in this thread with `LabPredicted` before anything is launched, and with `LabFinished`.
        report: called in this thread for every stage, and about four times a second while one goes on.
        cancel: set it from any thread to stop; every process of the run is gone when this returns.
        unlocked_by: how the lab was opened; the evidence says so.
        download: let vLLM fetch a model that is not on this machine.

    Raises:
        SpecquizError: another lab is running, the predictions do not fit, or the folder cannot be written.
        KeyboardInterrupt: passed on after every process of the run was ended and the run was recorded.
    """
    _check_system()
    read_predictions(lab, predictions)
    workloads = {name: load_workload(path) for name, path in lab.workloads.items()}
    stop = cancel or threading.Event()
    with _only_one_run():
        folder = _new_folder(lab)
        predicted_at = time.time()
        record(
            LabPredicted(at=predicted_at, run=folder.name, lab=lab.id, profile=profile, predictions=dict(predictions))
        )
        evidence = Evidence(
            specquiz=__version__,
            run=folder.name,
            nonce=secrets.token_hex(16),
            lab=LabReference(id=lab.id, fingerprint=fingerprint(lab)),
            profile=profile,
            unlocked_by=unlocked_by,
            predictions=dict(predictions),
            predicted_at=predicted_at,
            started_at=time.time(),
            finished_at=0.0,
            machine={},
            model=lab.profiles[profile].model,
            model_files=file_hashes(lab.profiles[profile].model),
            prompts={name: prompts_hash(workload) for name, workload in workloads.items()},
            order=tuple(lab.arms),
            arms={},
        )
        run = _Run(lab, profile, workloads, environment, folder, report, stop, download)
        try:
            done = run.arms(evidence)
        except OSError as error:
            record(LabFinished(at=time.time(), run=folder.name, lab=lab.id, outcome="broken", reason=str(error)))
            raise _unwritable(folder, error) from error
        except BaseException as error:
            reason = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
            record(LabFinished(at=time.time(), run=folder.name, lab=lab.id, outcome="broken", reason=reason))
            raise
        record(_finished(lab, done))
        return done


@dataclass(frozen=True, slots=True)
class _Run:
    """One run in progress: where it writes and whom it tells."""

    lab: Lab
    profile: ProfileName
    workloads: Mapping[str, Workload]
    environment: Environment
    folder: Path
    report: Report
    cancel: threading.Event
    download: bool

    def arms(self, evidence: Evidence) -> LabRun:
        """Run one arm after another; stop at the first that fails, keep what finished."""
        for name in self.lab.arms:
            arm, machine, revision, reason = self._arm(name)
            evidence = msgspec.structs.replace(
                evidence,
                arms={**evidence.arms, name: arm},
                machine=machine or evidence.machine,
                model_files=evidence.model_files or ({"revision": revision} if revision else {}),
                finished_at=time.time(),
            )
            partial = self.folder / "evidence.partial.json"
            evidence = write_evidence(partial, evidence)
            if reason:
                return LabRun(self.folder.name, partial, evidence, None, reason)
        path = self.folder / "evidence.json"
        evidence = write_evidence(path, evidence)
        partial.unlink()
        return LabRun(self.folder.name, path, evidence, grade(self.lab, evidence))

    def _arm(self, name: str) -> tuple[ArmRun, dict[str, Any], str, str]:
        """One arm: its record, the machine and the model's revision as it saw them, and why it failed."""
        output, log, started, reason = ArmOutput(), self.folder / f"{name}.log", time.time(), ""

        def tick(kind: Literal["started", "running", "finished"], stage: str, seconds: float, tokens: int) -> None:
            self.report(Progress(kind, name, stage, seconds, tokens))

        try:
            run_arm(
                self.environment.python,
                plan_job(self.lab, self.profile, name, self.workloads),
                output,
                log=log,
                folder=places.shipped_labs(),
                variables=child_variables(self.profile, download=self.download),
                tick=tick,
                cancel=self.cancel,
            )
        except ArmFailed as error:
            reason = str(error)
        except Cancelled:
            reason = "The run was stopped; finished arms are kept."
        if reason:
            self.report(Progress("failed", name, "", time.time() - started, message=reason))
        engine = output.engine
        arm = ArmRun(
            status="failed" if reason else "finished",
            started=started,
            reason=reason,
            stages=output.stages,
            config=engine.get("config", {}),
            versions=engine.get("versions", {}),
            environment=engine.get("environment", {}),
            workloads={name: msgspec.convert(figures, WorkloadRun) for name, figures in output.workloads.items()},
            log_tail=_without_places(tail(log), self.environment),
        )
        return arm, engine.get("machine", {}), engine.get("revision", ""), f"{name}: {reason}" if reason else ""


def _finished(lab: Lab, run: LabRun) -> LabFinished:
    outcome: Literal["passed", "failed", "not_gradable", "broken"]
    match run.grade:
        case None:
            outcome, reason = "broken", run.reason
        case NotGradable(broken):
            outcome, reason = "not_gradable", "; ".join(each.reason for each in broken)
        case Graded(rules=rules):
            missed = [rule.id for rule in rules if rule.outcome != "passed"]
            outcome, reason = ("failed" if missed else "passed"), ", ".join(missed)
    return LabFinished(
        at=time.time(),
        run=run.run,
        lab=lab.id,
        outcome=outcome,
        evidence=str(run.evidence),
        digest=run.record.digest,
        reason=reason,
    )


def _check_system() -> None:
    if os.name != "posix":
        raise SpecquizError(
            "Labs run on Linux and macOS.",
            remedy="On Windows run specquiz inside WSL; `specquiz lab show ID --recorded` works here too.",
        )


def _new_folder(lab: Lab) -> Path:
    folder = places.lab_runs() / f"{lab.id}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise _unwritable(folder, error) from error
    return folder


def _unwritable(path: Path, error: OSError) -> SpecquizError:
    return SpecquizError(
        f"The folder for lab runs cannot be written: {error.strerror or error}.",
        where=str(path),
        remedy="Make room or give yourself the right to write there, or choose another folder with SPECQUIZ_HOME.",
    )


@contextmanager
def _only_one_run() -> Iterator[None]:
    """Two labs at once would measure each other. The lock goes with this process, however it ends."""
    import fcntl

    path = places.lab_runs() / ".lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError as error:
        raise _unwritable(path.parent, error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SpecquizError(
                "Another lab is running; two at once would disturb each other's figures.",
                remedy="Wait until it is done, or stop it with Ctrl-C where it runs.",
            ) from None
        yield


def _without_places(text: str, environment: Environment) -> str:
    """A log without the person's own folders, so that evidence can be shown to anyone."""
    folders = {environment.python.parent.parent: "vllm", places.shipped_labs(): "labs", Path.home(): "~"}
    for folder, name in folders.items():
        text = text.replace(str(folder), name)
    return text
