"""A lab on a vLLM server that runs already: graded, disturbed by others, and not what was asked for."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from specquiz import places
from specquiz.labs.environment import Environment, find
from specquiz.labs.grading import Graded
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab
from specquiz.labs.plan import child_variables
from specquiz.labs.recorded import recorded_run
from specquiz.labs.running import LabRun, Progress, Report, run_lab

pytestmark = pytest.mark.vllm

replace = msgspec.structs.replace

PREDICTIONS = {
    "echo_rate": "0.9",
    "echo_length": "4.4 to 5",
    "echo_coverage": "80 % to 95 %",
    "echo_tokens": "4 to 4.8",
    "novel_tokens": "1 to 1.3",
}
READY_SECONDS = 400.0


@pytest.fixture(scope="module")
def vllm() -> Environment:
    return find("cpu")


@pytest.fixture(scope="module")
def lab() -> Lab:
    """The n-gram lab without the arm that decodes plainly: one server, one configuration."""
    whole = find_lab(load_labs(), "ngram-echo")
    rules = tuple(rule for rule in whole.grade if "vanilla" not in rule.check)
    return replace(whole, arms={"ngram": whole.arms["ngram"]}, grade=rules)


@pytest.fixture(scope="module")
def server(vllm: Environment, lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server of the arm's configuration on a free port, and nothing of it afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "server.log"
    profile = lab.profiles["cpu"]
    words = ["--model", profile.model, "--dtype", profile.dtype, "--max-model-len", str(profile.max_model_len)]
    words += ["--host", "127.0.0.1", "--port", str(port), "--max-num-seqs", str(profile.max_num_seqs)]
    words += ["--enforce-eager", "--no-enable-prefix-caching", "--per-request-spec-decode-metrics", "detailed"]
    words += ["--speculative-config", json.dumps(lab.arms["ngram"].speculative_config)]
    variables = {**os.environ, **child_variables("cpu", download=False), "VLLM_SERVER_DEV_MODE": "1"}
    del variables["VLLM_ENABLE_V1_MULTIPROCESSING"]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [str(vllm.python), "-m", "vllm.entrypoints.openai.api_server", *words],
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=places.shipped_labs(),
            env=variables,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for_health(url, process, log)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        end = time.monotonic() + 20
        while members(process.pid) and time.monotonic() < end:
            time.sleep(0.1)
        assert members(process.pid) == []


def wait_for_health(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()[-3000:]
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.5)
    raise AssertionError(log.read_text()[-3000:])


def members(group: int) -> list[int]:
    """The living processes of a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended while we looked
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vllm: Environment) -> None:
    assert vllm.vllm
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))


def run(lab: Lab, server: str, report: Report = lambda _: None, cancel: threading.Event | None = None) -> LabRun:
    predictions = {each.id: PREDICTIONS[each.id] for each in lab.predict}
    return run_lab(
        lab,
        "cpu",
        predictions,
        environment=None,
        record=lambda _: None,
        report=report,
        cancel=cancel,
        attach=dict.fromkeys(lab.arms, server),
    )


def test_a_server_gives_what_an_engine_of_ones_own_gives(lab: Lab, server: str) -> None:
    done = run(lab, server)

    assert isinstance(done.grade, Graded), (done.reason, done.grade)
    assert done.grade.passed, done.grade.rules
    arm = done.record.arms["ngram"]
    assert arm.config["server"] == {"attached": True, "loopback": True, "unverified": ""}
    recorded = recorded_run(find_lab(load_labs(), "ngram-echo"), "cpu").arms["ngram"]
    for name, there in recorded.workloads.items():
        here = arm.workloads[name]
        assert [each.prompt for each in here.requests] == [each.prompt for each in there.requests]
        assert [each.output for each in here.requests] == [each.output for each in there.requests]
        assert all(0 < (each.first or 0) <= (each.last or 0) for each in here.requests)


def test_a_run_that_others_disturbed_is_refused(lab: Lab, server: str) -> None:
    asked = threading.Event()

    def disturb(progress: Progress) -> None:
        if (progress.kind, progress.stage) == ("running", "novel") and not asked.is_set():
            asked.set()
            complete(server, max_tokens=3)

    done = run(lab, server, report=disturb)

    assert asked.is_set()
    assert done.grade is None
    assert "Others used the server" in done.reason
    assert "ours were 24" in done.reason
    assert list(done.record.arms["ngram"].workloads) == ["echo"]


def test_a_server_of_another_configuration_is_refused_with_how_to_start_one(lab: Lab, server: str) -> None:
    whole = find_lab(load_labs(), "ngram-echo")
    plain = replace(lab, arms={"vanilla": whole.arms["vanilla"]}, grade=(), predict=(), waive=())
    longer = {**lab.arms["ngram"].speculative_config, "num_speculative_tokens": 6}
    other = replace(lab, arms={"ngram": replace(lab.arms["ngram"], speculative_config=longer)})
    draft = replace(lab, profiles={"cpu": replace(lab.profiles["cpu"], model="tiny/draft")})

    assert "this arm decodes plainly. Start one without" in run(plain, server).reason
    assert "num_speculative_tokens = 4. Start it with --speculative-config" in run(other, server).reason
    assert "serves tiny/target; the arm asks for tiny/draft" in run(draft, server).reason


def test_a_run_on_a_server_is_stopped_and_the_server_goes_on(lab: Lab, server: str) -> None:
    cancel = threading.Event()

    def stop(progress: Progress) -> None:
        if (progress.kind, progress.stage) == ("running", "echo"):
            cancel.set()

    begun = time.monotonic()
    done = run(lab, server, report=stop, cancel=cancel)

    assert "stopped" in done.reason
    assert time.monotonic() - begun < 60
    complete(server, max_tokens=1)


def complete(server: str, max_tokens: int) -> None:
    body = {"model": "tiny/target", "prompt": [52, 259, 497], "max_tokens": max_tokens, "ignore_eos": True}
    request = urllib.request.Request(
        f"{server}/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 200
