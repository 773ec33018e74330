"""An arm dies with its run, whatever happens. Real processes; the vLLM ones are killed in tests/lab."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from machine import children, members, wait_until  # type: ignore[import-not-found]

from specquiz.errors import SpecquizError
from specquiz.labs.engines import process, sampler, supervisor
from specquiz.labs.engines.causes import died, explain
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import read_evidence
from specquiz.labs.model import Lab
from specquiz.labs.running import LabRun, Progress, run_lab
from specquiz.sessions.events import AnyEvent, LabFinished, LabPredicted

PREDICTIONS = {
    "echo_rate": "0.9",
    "echo_length": "4.4 to 5",
    "echo_coverage": "80 % to 95 %",
    "echo_tokens": "4 to 4.8",
    "novel_tokens": "1 to 1.3",
}

# A parent that starts a supervisor over a program with a child of its own, tells its number, and waits.
PARENT = """
import os, subprocess, sys, time
lifeline, ours = os.pipe(); theirs, events = os.pipe()
sleep = "import time; time.sleep(60)"
arm = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{sleep}']); {sleep}"
command = ["-I", "-S", sys.argv[1], str(lifeline), str(events), sys.executable, "-c", arm]
child = subprocess.Popen([sys.executable, *command], pass_fds=(lifeline, events), start_new_session=True)
os.close(lifeline); os.close(events)
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_whole_group_dies_with_the_parent(number: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(supervisor.__file__)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert parent.stdout is not None
    group = int(parent.stdout.readline())
    assert wait_until(lambda: len(members(group)) == 3)

    parent.send_signal(number)
    parent.wait()
    parent.stdout.close()

    assert wait_until(lambda: not members(group))


# A program that says in a file when it is asked to end: `obey` ends then, `defy` does not.
ASKED = """
import pathlib, signal, sys, time
def asked(*_):
    pathlib.Path(sys.argv[1]).write_text("asked")
    if sys.argv[2] == "obey":
        sys.exit()
signal.signal(signal.SIGTERM, asked)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("manner", ["obey", "defy"])
def test_a_program_is_asked_to_end_before_it_is_killed(tmp_path: Path, manner: str) -> None:
    """A server that is killed leaves its shared memory behind."""
    asked = tmp_path / "asked"
    lifeline, ours = os.pipe()
    command = [sys.executable, str(supervisor.__file__), str(lifeline), "1", sys.executable, "-c", ASKED]
    process = subprocess.Popen(
        [*command, str(asked), manner], pass_fds=(lifeline,), start_new_session=True, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"

    os.close(lifeline)
    os.close(ours)
    process.stdout.close()

    assert wait_until(asked.exists)
    assert wait_until(lambda: not members(process.pid))
    assert process.wait() == -signal.SIGKILL


def run_here(
    lab: Lab,
    record: list[AnyEvent],
    report: Callable[[Progress], None] = lambda _: None,
    cancel: threading.Event | None = None,
) -> LabRun:
    """Run the lab with the app's own Python, which has no vLLM: a real failure of a real child."""
    environment = Environment(python=Path(sys.executable), vllm="none", source="given")
    return run_lab(lab, "cpu", PREDICTIONS, environment=environment, record=record.append, report=report, cancel=cancel)


def test_a_python_without_vllm_breaks_the_run_with_the_way_out(lab: Lab) -> None:
    events: list[AnyEvent] = []
    shown: list[Progress] = []
    done = run_here(lab, events, report=shown.append)

    assert done.grade is None
    assert "vanilla: vLLM stopped: No module named 'vllm'." in done.reason
    assert "specquiz lab setup" in done.reason
    predicted, finished = events
    assert isinstance(predicted, LabPredicted)
    assert isinstance(finished, LabFinished)
    assert (predicted.predictions, finished.outcome) == (PREDICTIONS, "broken")
    kept = read_evidence(Path(finished.evidence))
    assert kept.arms["vanilla"].status == "failed"
    assert shown[-1].kind == "failed"


def test_a_stopped_run_ends_at_once_and_is_recorded(lab: Lab) -> None:
    cancel = threading.Event()
    cancel.set()
    events: list[AnyEvent] = []
    done = run_here(lab, events, cancel=cancel)

    assert done.reason == "vanilla: The run was stopped; finished arms are kept."
    assert isinstance(events[-1], LabFinished)


def test_wrong_predictions_launch_nothing(lab: Lab) -> None:
    events: list[AnyEvent] = []
    environment = Environment(python=Path(sys.executable), vllm="none", source="given")
    with pytest.raises(SpecquizError, match="echo_rate"):
        run_lab(lab, "cpu", {}, environment=environment, record=events.append)
    assert events == []


def test_a_second_lab_at_once_is_refused(lab: Lab) -> None:
    second: list[str] = []

    def start_another(_: Progress) -> None:
        if not second:
            with pytest.raises(SpecquizError) as caught:
                run_here(lab, [])
            second.append(caught.value.what)

    run_here(lab, [], report=start_another)

    assert second == ["Another lab is running; two at once would disturb each other's figures."]


def test_an_interrupt_leaves_no_process_and_is_recorded(lab: Lab) -> None:
    events: list[AnyEvent] = []

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_here(lab, events, report=interrupt)

    assert isinstance(events[-1], LabFinished)
    assert (events[-1].outcome, events[-1].reason) == ("broken", "interrupted")
    assert children(os.getpid()) == []


def test_a_folder_that_cannot_be_written_is_told_before_anything_starts(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "file"))
    events: list[AnyEvent] = []
    with pytest.raises(SpecquizError, match="SPECQUIZ_HOME"):
        run_here(lab, events)
    assert events == []


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        (
            "1 validation error for VllmConfig\n  Value error, Cannot find the config file for awq [type=value_error]",
            "Use a checkpoint that is quantised with AWQ",
        ),
        ("Target and draft model should have the same vocabulary size. Target 1 Draft 2", "the target's vocabulary"),
        ("Available memory on node 0 (8.04/9.59 GiB) on kv cache allocation is less than", "lower max_model_len"),
        ("CUDA out of memory. Tried to allocate 2 GiB", "Close other programs that use the card"),
        ("Invalid repository ID or local directory specified: 'x'", "Check the model's path"),
    ],
)
def test_vllms_own_messages_come_with_the_way_out(message: str, remedy: str) -> None:
    said = explain("ValueError", message, log="")
    assert remedy in said
    assert "[type=" not in said


def test_a_failure_in_the_engines_own_process_is_told_by_the_first_that_was_logged() -> None:
    log = "\n".join(
        [
            "(Worker pid=7) ERROR 11-29 23:31:34 [worker.py:10] Traceback (most recent call last):",
            "(Worker pid=7) ERROR 11-29 23:31:34 [worker.py:10] ValueError: Available memory on node 0 is too little",
            *("(EngineCore pid=8) ERROR 11-29 23:31:34 [core.py:15] RuntimeError: Worker failed" for _ in range(99)),
        ]
    )
    said = explain("RuntimeError", "Engine core initialization failed. See root cause above.", log)

    assert said.startswith("vLLM stopped: Available memory on node 0 is too little. Free memory")


def test_an_arm_that_was_killed_says_what_usually_does_that() -> None:
    assert "out of memory" in died(-signal.SIGKILL, log="")
    assert "SIGSEGV" in died(-signal.SIGSEGV, log="")


def test_a_child_imports_nothing_of_ours() -> None:
    """It runs in a Python that has neither specquiz nor what specquiz needs."""
    bootstrap = Path(supervisor.__file__).with_name("__main__.py")
    program = (
        f"import runpy, sys; load = runpy.run_path({str(bootstrap)!r})['load'];"
        "[load(child) for child in ('arm', 'reference', 'server')];"
        "print([name for name in sys.modules if name.partition('.')[0] in ('specquiz', 'msgspec', 'numpy', 'torch')])"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_servers_worker_finds_the_repair_of_its_sampler_and_nothing_else_of_ours() -> None:
    folder = Path(supervisor.__file__).with_name("worker")
    module, name = sampler.EXTENSION.split(".")
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); from {module} import {name};"
        f"print({name}.{sampler.ASK_SAMPLER}.__name__, 'specquiz' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == f"{sampler.ASK_SAMPLER} False\n"
    assert [each.name for each in folder.glob("*.py")] == [f"{module}.py"]


def test_the_supervisor_imports_nothing_of_ours() -> None:
    path = Path(supervisor.__file__)
    program = f"import runpy, sys; runpy.run_path({str(path)!r}); print('specquiz' in sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_an_arm_that_never_reads_its_job_hangs_no_longer_than_its_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    monkeypatch.setitem(process.STAGE_LIMITS, "import", 0.5)
    larger_than_a_pipe = {"prompts": "x" * (1 << 20)}

    with pytest.raises(process.ArmFailed, match="The engine hung: import did not end within"):
        process.run_arm(
            python,
            larger_than_a_pipe,
            process.ArmOutput(),
            log=tmp_path / "arm.log",
            folder=tmp_path,
            variables={},
            tick=lambda *_: None,
            cancel=threading.Event(),
        )
