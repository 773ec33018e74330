"""The lab for real: a vLLM is launched, graded, and killed in every way. `make lab-test` runs this."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from machine import children, heed_the_terminal, members, wait_until  # type: ignore[import-not-found]

from specquiz import places
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import read_evidence
from specquiz.labs.grading import Graded, grade
from specquiz.labs.loading import load_workload
from specquiz.labs.model import Lab, Rule
from specquiz.labs.recorded import recorded_run
from specquiz.labs.running import Progress, run_lab
from specquiz.sessions.events import AnyEvent, LabFinished, LabPredicted, LabUnlocked
from specquiz.store.log import open_log

pytestmark = pytest.mark.vllm

replace = msgspec.structs.replace

PREDICTIONS = {
    "echo_rate": "0.9",
    "echo_length": "4.4 to 5",
    "echo_coverage": "80 % to 95 %",
    "echo_tokens": "4 to 4.8",
    "novel_tokens": "1 to 1.3",
}


def lab_command(vllm: Environment, *words: str) -> list[str]:
    program = [sys.executable, "-m", "specquiz", "lab", "run", "ngram-echo", "--python", str(vllm.python), "--unlock"]
    return [*program, *words, *(f"--predict={name}={text}" for name, text in PREDICTIONS.items())]


def test_a_run_is_predicted_launched_measured_and_graded(home: Path, vllm: Environment, lab: Lab) -> None:
    begun = time.monotonic()
    done = subprocess.run(lab_command(vllm, "--plain"), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    seconds = time.monotonic() - begun

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed: 6 of 6 rules hold." in done.stdout
    with open_log() as log:
        unlocked, predicted, finished = log.events()
    assert isinstance(unlocked, LabUnlocked)
    assert isinstance(predicted, LabPredicted)
    assert isinstance(finished, LabFinished)
    assert (unlocked.how, predicted.predictions, finished.outcome) == ("override", PREDICTIONS, "passed")

    evidence = read_evidence(Path(finished.evidence))
    assert finished.digest == evidence.digest
    assert predicted.at == evidence.predicted_at <= evidence.started_at
    assert evidence.unlocked_by == "override"
    assert not list(home.rglob("*.partial.json"))

    # What the counters say here is what they said in the recorded run: at temperature 0 nothing is left to chance.
    fresh, recorded = grade(lab, evidence), grade(lab, recorded_run(lab))
    assert isinstance(fresh, Graded)
    assert isinstance(recorded, Graded)
    for here, there in zip(fresh.quantities, recorded.quantities, strict=True):
        if here.quantity not in ("tpot", "itl", "ttft"):
            assert here.value == pytest.approx(there.value, rel=0.15), here

    graded = subprocess.run(
        [sys.executable, "-m", "specquiz", "lab", "grade", finished.evidence, "--json"], capture_output=True, text=True
    )
    assert (graded.returncode, json.loads(graded.stdout)["passed"]) == (0, True)

    engine = sum(sum(arm.stages.values()) for arm in evidence.arms.values())
    assert engine / seconds >= 0.9, f"the whole run took {seconds:.1f} s, of which vLLM {engine:.1f} s"
    assert seconds <= 90


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda each: each.name)
def test_nothing_of_the_engine_outlives_its_run(vllm: Environment, number: signal.Signals) -> None:
    parent = subprocess.Popen(
        lab_command(vllm, "--plain"),
        preexec_fn=heed_the_terminal,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    wait_for_line(parent, "vanilla  import", seconds=300)
    (group,) = children(parent.pid)
    time.sleep(1.5)  # into the engine's start, where native code is busy
    assert len(members(group)) >= 2

    parent.send_signal(number)
    code = parent.wait(timeout=20)

    assert wait_until(lambda: not members(group), seconds=5), members(group)
    with open_log() as log:
        events = log.events()
    if number == signal.SIGKILL:
        assert code == -signal.SIGKILL
        assert isinstance(events[-1], LabPredicted)
    else:
        assert code == 130
        assert isinstance(events[-1], LabFinished)
        assert (events[-1].outcome, events[-1].reason) == ("broken", "interrupted")


def test_a_run_is_stopped_from_another_thread(vllm: Environment, lab: Lab) -> None:
    cancel = threading.Event()
    groups: list[int] = []

    def stop_at_start(progress: Progress) -> None:
        if progress.stage == "start":
            groups.extend(children(os.getpid()))
            cancel.set()

    events: list[AnyEvent] = []
    done = run_lab(lab, "cpu", PREDICTIONS, environment=vllm, record=events.append, report=stop_at_start, cancel=cancel)

    assert done.grade is None
    assert "stopped" in done.reason
    assert groups
    assert wait_until(lambda: not members(groups[0]), seconds=1)


def test_a_model_that_is_not_there_is_named_and_what_finished_is_kept(vllm: Environment, lab: Lab) -> None:
    profiles = {"cpu": replace(lab.profiles["cpu"], model="tiny/none")}
    events: list[AnyEvent] = []
    done = run_lab(replace(lab, profiles=profiles), "cpu", PREDICTIONS, environment=vllm, record=events.append)

    assert done.grade is None
    assert done.reason.startswith("vanilla: vLLM stopped")
    assert "model" in done.reason
    assert isinstance(events[-1], LabFinished)
    assert events[-1].outcome == "broken"
    assert read_evidence(done.evidence).arms["vanilla"].stages["import"] > 0


def test_a_chat_model_is_asked_through_its_template(vllm: Environment, lab: Lab, tmp_path: Path) -> None:
    """The path of the card profile, with the tiny model in the part of a chat model; only `novel`, to be brief."""
    model = shutil.copytree(places.shipped_labs() / "tiny" / "target", tmp_path / "chat")
    settings = json.loads((model / "tokenizer_config.json").read_text())
    template = "{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}[assistant]"
    (model / "tokenizer_config.json").write_text(json.dumps({**settings, "chat_template": template}))
    profile = replace(lab.profiles["cpu"], model=str(model), chat_template=True)
    chat = replace(
        lab,
        profiles={"cpu": profile},
        arms={"ngram": lab.arms["ngram"]},
        workloads={"novel": lab.workloads["novel"]},
        sampling=replace(lab.sampling, max_tokens=8),
        predict=(),
        waive=(),
        grade=(Rule(id="passes", check="ngram.novel.tokens_per_pass >= 1", why="-"),),
    )
    done = run_lab(chat, "cpu", {}, environment=vllm, record=lambda _: None)

    assert isinstance(done.grade, Graded), (done.reason, done.grade)
    requests = done.record.arms["ngram"].workloads["novel"].requests
    prompts = load_workload(lab.workloads["novel"]).prompts
    assert all(len(each.prompt) > len(prompt.chat) / 10 for each, prompt in zip(requests, prompts, strict=True))
    assert len({each.prompt[:3] for each in requests}) == 1, "each begins with the template's own tokens"


def wait_for_line(process: subprocess.Popen[str], wanted: str, seconds: float) -> None:
    """Read a program's output until a line holds `wanted`, and go on reading it in the background."""
    found, stream = threading.Event(), process.stdout
    assert stream is not None

    def read() -> None:
        with stream:
            for line in stream:
                if wanted in line:
                    found.set()

    threading.Thread(target=read, daemon=True).start()
    assert found.wait(seconds)
