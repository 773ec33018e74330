"""A lab on a vLLM server that runs already: graded, disturbed by others, and not what was asked for."""

from __future__ import annotations

import json
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import msgspec
import pytest
from served import serve_command, served  # type: ignore[import-not-found]

from specquiz.labs.engines.ports import listener
from specquiz.labs.environment import Environment
from specquiz.labs.grading import Graded
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab, Rule, Sampling
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


@pytest.fixture(scope="module")
def lab(lab: Lab) -> Lab:
    """The n-gram lab without the arm that decodes plainly: one server, one configuration."""
    rules = tuple(rule for rule in lab.grade if "vanilla" not in rule.check)
    return replace(lab, arms={"ngram": lab.arms["ngram"]}, grade=rules)


@pytest.fixture(scope="module")
def server(vllm: Environment, lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server of the arm's configuration on a free port, and nothing of it afterwards."""
    folder = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPECQUIZ_HOME", str(folder / "home"))
        with served(vllm, lab.id, "ngram", folder) as found:
            yield found.url


def run(
    lab: Lab,
    server: str,
    report: Report = lambda _: None,
    cancel: threading.Event | None = None,
    environment: Environment | None = None,
) -> LabRun:
    predictions = {each.id: PREDICTIONS[each.id] for each in lab.predict}
    return run_lab(
        lab,
        "cpu",
        predictions,
        environment=environment,
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


def test_a_server_samples_as_theory_says(vllm: Environment, lab: Lab, server: str) -> None:
    """Its worker's sampler is repaired where it is broken, without which the tokens would be noise."""
    law = Rule(id="law", check="abs(ngram.novel.reference_z) <= 4", why="-")
    workloads = {"novel": lab.workloads["novel"]}
    hot = replace(lab, workloads=workloads, predict=(), waive=(), grade=(law,), sampling=Sampling(temperature=1.0))

    done = run(hot, server, environment=vllm)

    assert isinstance(done.grade, Graded), (done.reason, done.grade)
    assert done.grade.passed, done.grade.rules
    assert done.record.arms["ngram"].config["cpu_sampler"]["outcome"] in ("sound", "repaired")


def test_a_second_server_on_its_port_is_refused_with_the_process_that_has_it(vllm: Environment, server: str) -> None:
    port = urlsplit(server).port
    assert port is not None

    second = subprocess.run(serve_command(vllm, "ngram-echo", "vanilla", port), capture_output=True, text=True)

    assert second.returncode == 1
    assert f"Port {port} on 127.0.0.1 is taken by process {listener(port)} " in second.stderr


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
