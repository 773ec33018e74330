"""`specquiz lab serve` with a real vLLM, as a person would start and end it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from machine import children, free_port, heed_the_terminal, members, wait_until  # type: ignore[import-not-found]

from specquiz.labs.environment import Environment

READY_SECONDS = 400.0


@dataclass(frozen=True)
class Served:
    """A server that answers."""

    process: subprocess.Popen[bytes]
    url: str
    group: int
    """The process group of the server itself."""
    told: Path
    """What the command has printed."""


def serve_command(vllm: Environment, lab: str, arm: str, port: int) -> list[str]:
    program = [sys.executable, "-m", "specquiz", "lab", "serve", lab, arm]
    return [*program, "--port", str(port), "--python", str(vllm.python)]


@contextmanager
def served(vllm: Environment, lab: str, arm: str, folder: Path) -> Iterator[Served]:
    """An arm's server until Ctrl-C, which ends it in order and leaves nothing of it."""
    port, told = free_port(), folder / "told.txt"
    with told.open("wb") as sink:
        process = subprocess.Popen(
            serve_command(vllm, lab, arm, port), stdout=sink, stderr=subprocess.STDOUT, preexec_fn=heed_the_terminal
        )
    try:
        assert wait_until(lambda: " serves " in told.read_text() or process.poll() is not None, READY_SECONDS)
        assert process.poll() is None, told.read_text()
        (group,) = children(process.pid)
        yield Served(process, f"http://127.0.0.1:{port}", group, told)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0, told.read_text()
        assert members(group) == []
    finally:
        process.kill()
        process.wait()
