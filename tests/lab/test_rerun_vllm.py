"""A real run that breaks is taken to its end, and a whole one is run again and says the same."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from specquiz.labs.environment import Environment
from specquiz.labs.evidence import Evidence, read_evidence
from specquiz.labs.grading import Graded, grade
from specquiz.labs.history import contradictions
from specquiz.labs.model import Lab
from specquiz.labs.running import Progress, run_lab
from specquiz.store.log import open_log

pytestmark = pytest.mark.vllm

PREDICTIONS = {
    "echo_rate": "0.9",
    "echo_length": "4.4 to 5",
    "echo_coverage": "80 % to 95 %",
    "echo_tokens": "4 to 4.8",
    "novel_tokens": "1 to 1.3",
}


def specquiz_lab(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "specquiz", "lab", *words], capture_output=True, text=True, timeout=300, check=False
    )


def stopped_after_the_first_arm(lab: Lab, vllm: Environment) -> Path:
    """A run that is stopped as the second arm starts; the log knows it."""
    cancel = threading.Event()

    def stop(progress: Progress) -> None:
        if progress.arm == "ngram":
            cancel.set()

    with open_log() as log:
        done = run_lab(lab, "cpu", PREDICTIONS, environment=vllm, record=log.append, report=stop, cancel=cancel)
    assert done.grade is None
    return done.evidence


def finished_arms(evidence: Evidence) -> dict[str, float]:
    return {name: arm.started for name, arm in evidence.arms.items() if arm.status == "finished"}


def test_only_what_is_missing_runs_and_a_whole_run_says_the_same_again(vllm: Environment, lab: Lab) -> None:
    partial = stopped_after_the_first_arm(lab, vllm)
    before = finished_arms(read_evidence(partial))
    assert list(before) == ["vanilla"]

    told = specquiz_lab("rerun", str(partial), "--plain", "--python", str(vllm.python))

    assert told.returncode == 0, told.stdout + told.stderr
    assert "Finished arms are kept" in told.stdout
    assert "vanilla  import" not in told.stdout.split("run ngram-echo")[0]
    assert not partial.exists()
    whole = read_evidence(partial.with_name("evidence.json"))
    after = finished_arms(whole)
    assert after["vanilla"] == before["vanilla"]
    assert list(after) == ["vanilla", "ngram"]
    assert len(whole.resumed_at) == 1
    assert isinstance(grade(lab, whole), Graded)
    with open_log() as log:
        assert contradictions(whole, log.events()) == ()

    again = specquiz_lab("rerun", str(partial.with_name("evidence.json")), "--plain", "--python", str(vllm.python))

    assert again.returncode == 0, again.stdout + again.stderr
    assert "12 of 12 figures agree within their intervals." in again.stdout
