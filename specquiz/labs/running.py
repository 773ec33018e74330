"""Run a lab: commit the predictions, launch each arm, keep the evidence, grade it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from specquiz import __version__
from specquiz.labs.engines.process import ArmFailed, ArmOutput, Cancelled, Tick, tail
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import (
    ArmRun,
    Evidence,
    LabReference,
    ReferenceRun,
    observed,
    read_evidence,
    write_evidence,
)
from specquiz.labs.grading import Grade, Graded, NotGradable, grade
from specquiz.labs.launching import Launcher, arm_run
from specquiz.labs.loading import load_workload
from specquiz.labs.model import Lab, Prediction, ProfileName, Scalar, Workload, fingerprint
from specquiz.labs.plan import file_hashes, further_models, plan_job, prompts_hash
from specquiz.labs.predictions import read_some
from specquiz.labs.reference import plan_reference, with_reference
from specquiz.labs.resuming import refuse_what_differs, settled
from specquiz.labs.runfolder import check_system, new_folder, only_one_run, unwritable, without_places
from specquiz.labs.tailoring import Leg, failed_as_expected, schedule, tailored
from specquiz.sessions.events import AnyEvent, LabFinished, LabPredicted

_STOPPED = "The run was stopped; finished arms are kept."


@dataclass(frozen=True, slots=True)
class Progress:
    """Something to show while a lab runs."""

    kind: Literal["started", "running", "finished", "failed"]
    """A stage began, goes on (`tokens` so far), ended (`seconds` it took), or the arm failed (`message`)."""
    arm: str
    """Its name, or `reference` for the computation that follows the arms."""
    stage: str
    """`import`, `start`, `warm-up`, a workload's name, or `compare`."""
    seconds: float
    """Since the stage began."""
    tokens: int = 0
    """Generated so far, over all requests of the workload."""
    message: str = ""
    rates: tuple[float, ...] = ()
    """Share of the workload's drafts so far that were accepted up to each position."""


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

Ask = Callable[[str, tuple[Prediction, ...], Evidence], Mapping[str, str]]
"""Asks for the predictions that come after an arm: gets the arm, these predictions and the evidence so far, and returns
prediction id to the text typed. `telling_asked.asking_lines` has what to show. Raises `Cancelled` to stop the run."""


def run_lab(
    lab: Lab,
    profile: ProfileName,
    predictions: Mapping[str, str],
    *,
    environment: Environment | None,
    record: Callable[[AnyEvent], None],
    report: Report = lambda _: None,
    ask: Ask | None = None,
    cancel: threading.Event | None = None,
    unlocked_by: Literal["mastery", "override"] = "mastery",
    download: bool = False,
    written: Mapping[str, Mapping[str, Scalar]] | None = None,
    attach: Mapping[str, str] | None = None,
) -> LabRun:
    """Run `lab` on this machine and grade what was observed. Blocks; safe in a worker thread.

    Args:
        predictions: prediction id to what was typed; see `predictions.read_prediction`. Those that come after an arm
            may be left out where there is an `ask`.
        environment: the vLLM to use (`environment.find`); None where every arm is attached to a server.
        record: called in this thread with `LabPredicted` before anything is launched, again for predictions that come
            after an arm, and with `LabFinished`.
        report: called in this thread for every stage, and about four times a second while one goes on.
        ask: called in this thread, between two arms, for predictions that come after the first of them.
        cancel: set it from any thread to stop; every process of the run is gone when this returns.
        unlocked_by: how the lab was opened; the evidence says so.
        download: let vLLM fetch a model that is not on this machine.
        written: arm to the speculative config that the learner wrote for it.
        attach: arm to the address of a server that runs already (`attaching.attachments`); such an arm starts none.

    Raises:
        SpecquizError: another lab is running, the predictions do not fit, or the folder cannot be written.
        KeyboardInterrupt: passed on after every process of the run was ended and the run was recorded.
    """
    check_system()
    here = tailored(lab, profile, written)
    read_some(here, [each for each in here.predict if not each.after or ask is None], predictions)
    workloads = {name: load_workload(path) for name, path in lab.workloads.items()}
    with only_one_run():
        folder = new_folder(lab)
        predicted_at, nonce = time.time(), secrets.token_hex(16)
        record(
            LabPredicted(
                at=predicted_at,
                run=folder.name,
                lab=lab.id,
                profile=profile,
                predictions=dict(predictions),
                written={arm: dict(config) for arm, config in (written or {}).items()},
                nonce=nonce,
            )
        )
        evidence = Evidence(
            specquiz=__version__,
            run=folder.name,
            nonce=nonce,
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
            further_files={
                model: files for model in further_models(lab, profile, written) if (files := file_hashes(model))
            },
            prompts={name: prompts_hash(workload) for name, workload in workloads.items()},
            order=tuple(leg.arm for leg in schedule(here)),
            arms={},
            written={arm: dict(config) for arm, config in (written or {}).items()},
        )
        launcher = Launcher(profile, environment, attach or {}, download, cancel or threading.Event())
        run = _Run(lab, here, profile, workloads, launcher, folder, record, report, ask)
        return run.to_the_end(evidence)


def finish_lab(
    lab: Lab,
    partial: Path,
    *,
    environment: Environment,
    record: Callable[[AnyEvent], None],
    report: Report = lambda _: None,
    ask: Ask | None = None,
    cancel: threading.Event | None = None,
    download: bool = False,
) -> LabRun:
    """Take a run that broke to its end: arms that finished are kept, the others are run. Else as `run_lab`.

    Args:
        partial: the `evidence.partial.json` of the run.

    Raises:
        SpecquizError: as `run_lab`; also where what goes in now is not what went into the finished arms.
    """
    check_system()
    before = read_evidence(partial)
    refuse_what_differs(lab, before, environment)
    profile: ProfileName = before.profile  # type: ignore[assignment]  # refused above where it is none
    here = tailored(lab, profile, before.written)
    kept = {name: arm for name, arm in before.arms.items() if settled(here, name, arm)}
    evidence = msgspec.structs.replace(before, arms=kept, resumed_at=(*before.resumed_at, time.time()))
    workloads = {name: load_workload(path) for name, path in lab.workloads.items()}
    with only_one_run():
        launcher = Launcher(profile, environment, {}, download, cancel or threading.Event())
        run = _Run(lab, here, profile, workloads, launcher, partial.parent, record, report, ask)
        return run.to_the_end(evidence)


@dataclass(frozen=True, slots=True)
class _Run:
    """One run in progress: where it writes and whom it tells."""

    lab: Lab
    here: Lab
    """The lab as it is on this profile."""
    profile: ProfileName
    workloads: Mapping[str, Workload]
    launcher: Launcher
    folder: Path
    record: Callable[[AnyEvent], None]
    report: Report
    ask: Ask | None

    def to_the_end(self, evidence: Evidence) -> LabRun:
        """Run the arms and record how it ended, however it ends."""
        try:
            done = self.arms(evidence)
        except OSError as error:
            self._record_broken(str(error))
            raise unwritable(self.folder, error) from error
        except BaseException as error:
            self._record_broken("interrupted" if isinstance(error, KeyboardInterrupt) else str(error))
            raise
        self.record(_finished(self.lab, done))
        return done

    def _record_broken(self, reason: str) -> None:
        self.record(LabFinished(at=time.time(), run=self.folder.name, lab=self.lab.id, outcome="broken", reason=reason))

    def arms(self, evidence: Evidence) -> LabRun:
        """Run one leg after another, but for arms that are there already; stop at the first that fails unasked."""
        partial, there = self.folder / "evidence.partial.json", set(evidence.arms)
        for index, leg in enumerate(schedule(self.here)):
            if leg.arm in there:
                evidence = self._ask_after(leg.arm, evidence)
                continue
            arm, machine, revision, reason = self._leg(leg, index, evidence.arms.get(leg.arm))
            evidence = msgspec.structs.replace(
                evidence,
                arms={**evidence.arms, leg.arm: arm},
                machine=machine or evidence.machine,
                model_files=evidence.model_files or ({"revision": revision} if revision else {}),
                finished_at=time.time(),
            )
            evidence = write_evidence(partial, evidence)
            if reason:
                return LabRun(self.folder.name, partial, evidence, None, reason)
            try:
                evidence = self._ask_after(leg.arm, evidence)
            except Cancelled:
                return LabRun(self.folder.name, partial, evidence, None, _STOPPED)
        try:
            evidence = self._compare(evidence)
        except Cancelled:
            return LabRun(self.folder.name, partial, evidence, None, _STOPPED)
        path = self.folder / "evidence.json"
        evidence = write_evidence(path, msgspec.structs.replace(evidence, finished_at=time.time()))
        partial.unlink(missing_ok=True)
        return LabRun(self.folder.name, path, evidence, grade(self.lab, evidence))

    def _ask_after(self, arm: str, evidence: Evidence) -> Evidence:
        """Have the predictions that come after `arm` made and stored, before a later arm starts."""
        due = tuple(each for each in self.here.predict if each.after == arm and each.id not in evidence.predictions)
        if not due or self.ask is None:
            return evidence
        answers = dict(self.ask(arm, due, evidence))
        read_some(self.here, due, answers)
        at = time.time()
        self.record(LabPredicted(at=at, run=evidence.run, lab=self.lab.id, profile=self.profile, predictions=answers))
        return msgspec.structs.replace(
            evidence,
            predictions={**evidence.predictions, **answers},
            predicted_after={**evidence.predicted_after, arm: at},
        )

    def _leg(self, leg: Leg, index: int, before: ArmRun | None) -> tuple[ArmRun, dict[str, Any], str, str]:
        """One start: the arm's record, the machine and the model's revision as it saw them, and why it failed."""
        name, output, started, reason = leg.arm, ArmOutput(), time.time(), ""
        log = self.folder / (f"{name}.log" if before is None else f"{name}-{index}.log")
        try:
            job = plan_job(self.here, self.profile, name, self.workloads, leg.repeats)
            self.launcher.arm(name, job, output, log, self._tick(name))
        except ArmFailed as error:
            reason = str(error)
        except Cancelled:
            reason = _STOPPED
        if reason:
            self.report(Progress("failed", name, "", time.time() - started, message=reason))
        arm = arm_run(output, started, reason, without_places(tail(log), self.launcher.environment), before)
        breaks = reason and not failed_as_expected(self.here, name, arm)
        engine = output.engine
        return arm, engine.get("machine", {}), engine.get("revision", ""), f"{name}: {reason}" if breaks else ""

    def _compare(self, evidence: Evidence) -> Evidence:
        """Have theory and margins computed apart from vLLM, where the lab asks for them.

        Raises:
            Cancelled: the run was asked to stop.
        """
        job = plan_reference(self.here, self.profile, evidence)
        if job is None:
            return evidence
        output, started = ArmOutput(), time.time()
        try:
            self.launcher.reference(job, output, self.folder / "reference.log", self._tick("reference"))
        except ArmFailed as error:
            problem = f"The reference computation broke off: {error}"
            self.report(Progress("failed", "reference", "", time.time() - started, message=problem))
            return msgspec.structs.replace(evidence, reference=ReferenceRun(stages=output.stages, problem=problem))
        return msgspec.structs.replace(
            with_reference(self.here, evidence, output.reference), reference=ReferenceRun(stages=output.stages)
        )

    def _tick(self, name: str) -> Tick:
        """Tells of the stages under `name`."""
        return lambda kind, stage, seconds, tokens, rates: self.report(
            Progress(kind, name, stage, seconds, tokens, rates=rates)
        )


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
        observed=observed(run.record),
        reason=reason,
        score=_score(lab, run),
    )


def _score(lab: Lab, run: LabRun) -> float | None:
    """What a run scored in a challenge; None where there is no grade, or no challenge."""
    if lab.challenge is None or not isinstance(run.grade, Graded):
        return None
    from specquiz.labs.challenge import score

    return score(lab, run.record).value
