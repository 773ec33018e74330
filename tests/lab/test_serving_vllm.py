"""`specquiz lab serve` with a real vLLM that fails, and whose parent is killed; `served.py` ends it with Ctrl-C."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from machine import children, free_port, members, names, wait_until  # type: ignore[import-not-found]
from msgspec.structs import replace
from served import serve_command  # type: ignore[import-not-found]

from specquiz.errors import SpecquizError
from specquiz.labs.environment import Environment
from specquiz.labs.model import Arm, Lab
from specquiz.labs.running import Progress
from specquiz.labs.serving import Wanted, serve

pytestmark = pytest.mark.vllm


def test_nothing_of_a_server_outlives_a_parent_that_is_killed(vllm: Environment, tmp_path: Path) -> None:
    told = tmp_path / "told.txt"
    with told.open("wb") as sink:
        parent = subprocess.Popen(serve_command(vllm, "ngram-echo", "ngram", free_port()), stdout=sink)
    try:
        assert wait_until(lambda: "import" in told.read_text(), 300)
        (group,) = children(parent.pid)
        assert wait_until(lambda: any(name.startswith("VLLM::") for name in names(group)), 120)
    finally:
        parent.kill()
        parent.wait()

    assert wait_until(lambda: not members(group), 10)


PORT = free_port()


def failure(vllm: Environment, lab: Lab, report: Callable[[Progress], None] = lambda _: None) -> str:
    """Why a server of plain decoding failed; nothing of it is alive."""
    groups: set[int] = set()

    def watch(progress: Progress) -> None:
        groups.update(children(os.getpid()))
        report(progress)

    with pytest.raises(SpecquizError) as failed:
        serve(Wanted(lab, "cpu", "vanilla", PORT), vllm, watch, lambda: None)
    assert groups
    assert not any(members(group) for group in groups)
    return failed.value.what


def test_a_server_that_dies_at_its_start_is_told_with_the_cause(vllm: Environment, lab: Lab) -> None:
    wrong = replace(lab, arms={**lab.arms, "vanilla": Arm(engine={"quantization": "awq"})})

    assert "Use a checkpoint that is quantised with AWQ" in failure(vllm, wrong)


@pytest.mark.parametrize(("stage", "listens"), [("import", False), ("start", True)])
def test_a_port_that_is_taken_while_the_server_starts_is_told_as_taken(
    vllm: Environment, lab: Lab, stage: str, listens: bool
) -> None:
    """Before vLLM binds it, and after: then vLLM has it, does not listen there yet, and would wait for ever."""
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(listens))
        taken: list[float] = []

        def take(progress: Progress) -> None:
            if progress.stage == stage and not taken:
                taken.append(time.monotonic())
                stranger.bind(("127.0.0.1", PORT))
                if listens:
                    stranger.listen()

        reason = failure(vllm, lab, take)

    assert taken
    holder = f"process {os.getpid()} " if listens else "a process that this system does not name"
    assert f"Port {PORT} on 127.0.0.1 was free before and is now taken by {holder}" in reason
