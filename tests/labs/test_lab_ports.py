"""Ports of this machine: which process has one, and what a server does that waits for an answer at its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from machine import free_port, listening  # type: ignore[import-not-found]

from specquiz.labs.engines import server
from specquiz.labs.engines.ports import port_problem


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_port_that_is_taken_is_told_with_the_process_that_has_it(host: str) -> None:
    port = free_port()
    assert port_problem(port) == ""
    with listening(port, host) as other:
        name = Path(f"/proc/{other.pid}/comm").read_text().strip()
        assert port_problem(port) == f"taken by process {other.pid} ({name})"
    assert port_problem(port) == ""


def test_a_port_whose_holder_cannot_be_seen_is_taken_all_the_same() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        assert port_problem(held.getsockname()[1]) == "taken by a process that this system does not name"


def told_of_its_port(
    port: int, meanwhile: str, folder: Path, *, repaired: bool = False
) -> tuple[int, list[dict[str, object]]]:
    """The exit code of the child that waits in vLLM's Python for an answer at its port, and what it told."""
    program = f"""
import http.server, runpy, sys, threading
load = runpy.run_path({str(Path(server.__file__).with_name("__main__.py"))!r})["load"]
told = load("events").Events(int(sys.argv[1]))
waiting = threading.Thread(target=load("server").tell_when_it_answers, args=({port}, {repaired}, told))
waiting.start()
{meanwhile}
waiting.join()
"""
    reading, writing = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", program, str(writing)],
        pass_fds=(writing,),
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    os.close(writing)
    with os.fdopen(reading) as events:
        told = [json.loads(line) for line in events]
    return child.wait(), told


def test_a_server_is_ready_when_it_answers_itself(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "health").touch()
    serving = f"http.server.HTTPServer(('127.0.0.1', {port}), http.server.SimpleHTTPRequestHandler).handle_request()"

    assert told_of_its_port(port, serving, tmp_path) == (0, [{"event": "stage", "stage": "serve"}])


def test_a_server_whose_sampler_cannot_be_tested_is_refused_and_not_said_to_serve(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "health").touch()
    # This one answers whatever is posted with 501, as vLLM does with 500 where its sampler does not run.
    serving = f"http.server.HTTPServer(('127.0.0.1', {port}), http.server.SimpleHTTPRequestHandler).serve_forever()"

    code, told = told_of_its_port(port, serving, tmp_path, repaired=True)

    assert code == 1
    assert [each["event"] for each in told] == ["refused"]
    assert "This vLLM cannot speculate on a CPU" in str(told[0]["reason"])


def test_a_stranger_that_takes_the_port_while_the_model_loads_is_never_taken_for_the_server(tmp_path: Path) -> None:
    port = free_port()
    with listening(port) as other:
        code, told = told_of_its_port(port, "", tmp_path)

    assert code == 1
    assert [each["event"] for each in told] == ["refused"]
    assert f"was free before and is now taken by process {other.pid}" in str(told[0]["reason"])
