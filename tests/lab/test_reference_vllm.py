"""Acceptance against the two models' own logits, on real runs above temperature 0. `make lab-test` runs this."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from specquiz import places
from specquiz.labs.agreement import reference_z
from specquiz.labs.counting import tally
from specquiz.labs.engines import process
from specquiz.labs.engines.process import ArmFailed, ArmOutput, run_arm
from specquiz.labs.environment import Environment
from specquiz.labs.evaluating import evaluate
from specquiz.labs.evidence import Judged, Theory, WorkloadRun
from specquiz.labs.expressions import parse_number
from specquiz.labs.grading import Graded
from specquiz.labs.loading import load_workload
from specquiz.labs.model import Arm, Lab, Rule, SamplingChange
from specquiz.labs.plan import child_variables, plan_job
from specquiz.labs.running import run_lab

pytestmark = pytest.mark.vllm

replace = msgspec.structs.replace

DRAFT = {"method": "draft_model", "model": "tiny/draft", "num_speculative_tokens": 4}
PROBABILISTIC = {**DRAFT, "draft_sample_method": "probabilistic"}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No engine or computation that a test started from this checkout is alive after it."""
    yield
    engines = str(Path(process.__file__).parent).encode()
    alive = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it ended while we looked
                if engines in (entry / "cmdline").read_bytes():
                    alive.append(entry.name)
    assert alive == []


@pytest.fixture(scope="module")
def lab(lab: Lab) -> Lab:
    """Novel text at temperature 1 with a draft that is sampled, at temperature 0 with a greedy one, and margins."""
    hot = SamplingChange(temperature=1.0)
    return replace(
        lab,
        arms={
            "vanilla": Arm(margins=True),
            "sampled": Arm(speculative_config=PROBABILISTIC, sampling=hot),
            "greedy": Arm(speculative_config=dict(DRAFT)),
        },
        workloads={"novel": lab.workloads["novel"]},
        predict=(),
        waive=(),
        grade=(
            Rule(id="law", check="abs(sampled.novel.reference_z) <= 4", why="-"),
            Rule(id="share", check="abs(sampled.novel.alpha - sampled.novel.reference_acceptance) <= 0.05", why="-"),
            Rule(id="exact", check="abs(greedy.novel.reference_z) <= 0", why="-"),
            Rule(id="tokens", check="unexplained(vanilla.novel, greedy.novel, 0.001) <= 0", why="-"),
        ),
    )


def test_a_run_agrees_with_theory_token_by_token(vllm: Environment, lab: Lab, tmp_path: Path) -> None:
    done = run_lab(lab, "cpu", {}, environment=vllm, record=lambda _: None)

    assert isinstance(done.grade, Graded), (done.reason, done.grade)
    assert done.grade.passed, done.grade.rules
    arms = done.record.arms
    assert arms["sampled"].config["cpu_sampler"]["outcome"] in ("sound", "repaired")
    theory = arms["sampled"].workloads["novel"].theory
    assert theory is not None
    assert (theory.rule, theory.temperature) == ("overlap", 1.0)
    assert sum(len(each.at) for each in theory.requests) > 1500
    for request in arms["vanilla"].workloads["novel"].requests:
        assert request.margins is not None
        assert len(request.margins) == len(request.output)
        assert min(request.margins) >= 0
    z = evaluate(parse_number("sampled.novel.reference_z"), lab, done.record).value
    assert z is not None

    # The control: by the law of another way to draft the same run is impossible.
    wrong = reference(vllm, arms["sampled"].workloads["novel"], "argmax", tmp_path)
    assert (reference_z(wrong).value or 0.0) < -20


def test_a_sampler_that_is_broken_and_not_repaired_is_refused(vllm: Environment, lab: Lab, tmp_path: Path) -> None:
    """On a vLLM whose sampler is sound there is nothing to refuse."""
    output, refusal = ArmOutput(), ""
    try:
        run_job(vllm, job(lab, "test"), output, tmp_path)
    except ArmFailed as error:
        refusal = str(error)

    broken = output.engine["config"]["cpu_sampler"]["outcome"] == "broken"
    assert ("broken above temperature 0" in refusal) == broken
    assert (output.workloads == {}) == broken


EXAMINED = """
import importlib, runpy, sys
sampler = runpy.run_path(sys.argv[1])["load"]("sampler")

def launch(*given, **named):
    raise TypeError("Cannot inspect kernel parameters for function")

importlib.import_module("vllm.v1.sample.rejection_sampler").expand_batch_to_tokens = launch
try:
    sampler.examine("repair")
except Exception as refusal:
    print(type(refusal).__name__, refusal)
"""
"""With what vLLM 0.30's own CPU build raises there."""


def test_a_sampler_that_cannot_run_is_refused_at_any_temperature(vllm: Environment) -> None:
    engines = Path(process.__file__).parent / "__main__.py"
    told = subprocess.run([vllm.python, "-c", EXAMINED, engines], capture_output=True, text=True, check=True).stdout

    assert "Refused This vLLM cannot speculate on a CPU" in told
    assert "“Cannot inspect kernel parameters for function”" in told


def test_without_the_repair_theory_shows_that_the_tokens_are_noise(vllm: Environment, lab: Lab, tmp_path: Path) -> None:
    output = ArmOutput()
    run_job(vllm, job(lab, "trust"), output, tmp_path)
    told = reference(vllm, msgspec.convert(output.workloads["novel"][0], WorkloadRun), "overlap", tmp_path)

    z = reference_z(told).value
    assert z is not None
    if output.engine["config"]["cpu_sampler"]["outcome"] == "broken":
        assert z < -20
    else:
        assert abs(z) <= 4


def test_the_engines_own_margins_are_those_computed_apart_from_it(vllm: Environment, lab: Lab, tmp_path: Path) -> None:
    """A card's path, run here; plain decoding, with counters that margins must leave alone."""
    workloads = {name: load_workload(path) for name, path in lab.workloads.items()}
    output, apart = ArmOutput(), ArmOutput()
    run_job(vllm, {**plan_job(lab, "cpu", "vanilla", workloads), "margins": True}, output, tmp_path)
    run = msgspec.convert(output.workloads["novel"][0], WorkloadRun)
    asked = {"arm": "vanilla", "workload": "novel", "target": "tiny/target"}
    requests = [{"prompt": each.prompt, "output": each.output} for each in run.requests]
    work = {"device": "cpu", "dtype": "float32", "tests": [], "margins": [{**asked, "requests": requests}]}
    run_job(vllm, work, apart, tmp_path, child="reference")

    assert tally(run, 0).generated == sum(len(each.output) for each in run.requests)
    for request, margins in zip(run.requests, apart.reference[0]["requests"], strict=True):
        assert request.margins is not None
        assert len(request.margins) == len(request.output)
        assert request.margins == pytest.approx(margins, abs=1e-3)


def job(lab: Lab, care: Literal["test", "trust"]) -> dict[str, object]:
    workloads = {name: load_workload(path) for name, path in lab.workloads.items()}
    return {**plan_job(lab, "cpu", "sampled", workloads), "cpu_sampler": care}


def run_job(
    vllm: Environment,
    job: Mapping[str, object],
    output: ArmOutput,
    folder: Path,
    child: Literal["arm", "reference"] = "arm",
) -> None:
    run_arm(
        vllm.python,
        job,
        output,
        log=folder / f"{child}.log",
        folder=places.shipped_labs(),
        variables=child_variables("cpu", download=False),
        tick=lambda *_: None,
        cancel=threading.Event(),
        child=child,
    )


def reference(vllm: Environment, run: WorkloadRun, rule: Literal["overlap", "argmax"], folder: Path) -> WorkloadRun:
    """`run` with what theory says of it if drafted tokens were accepted by `rule`."""
    output, fields = ArmOutput(), ("prompt", "output", "accepted", "drafted")
    test: dict[str, Any] = {
        "arm": "sampled",
        "workload": "novel",
        "rule": rule,
        "temperature": 1.0,
        "target": "tiny/target",
        "draft": "tiny/draft",
        "lookup": None,
        "worked_out": False,
        "requests": [{name: getattr(each, name) for name in fields} for each in run.requests],
    }
    work = {"device": "cpu", "dtype": "float32", "tests": [test], "margins": []}
    run_job(vllm, work, output, folder, child="reference")
    requests = tuple(msgspec.convert(each, Judged) for each in output.reference[0]["requests"])
    return replace(run, theory=Theory(rule=rule, temperature=1.0, requests=requests))
