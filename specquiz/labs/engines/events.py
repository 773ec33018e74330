"""How a child talks: a job as JSON on standard input, events as JSON lines to a descriptor. Standard library only.

(vLLM owns standard output and error.) Every child sends `stage` (a stage begins), `ready` (it ended), its own figures,
and at the end `done`, `refused` with its reason, or `failed` with type and message.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

Job = dict[str, Any]
Json = dict[str, Any]

PR_SET_PDEATHSIG = 1


class Refused(Exception):
    """The job cannot be done in good faith; the text says why and what to do."""


class Events:
    """Writes JSON lines to a descriptor and times the stages."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")
        self._stage = ""
        self._since = 0.0

    def send(self, event: str, **fields: object) -> None:
        """Write one event and hand it over at once."""
        self._file.write(json.dumps({"event": event, **fields}, allow_nan=False) + "\n")
        self._file.flush()

    def stage(self, name: str) -> None:
        """End the stage before, if any, and begin `name`."""
        self.finish_stage()
        self._stage, self._since = name, time.monotonic()
        self.send("stage", stage=name)

    def finish_stage(self) -> None:
        """Say how long the stage took."""
        if self._stage:
            self.send("ready", stage=self._stage, seconds=round(time.monotonic() - self._since, 3))
            self._stage = ""


def serve(descriptor: int, work: Callable[[Job, Events], None]) -> None:
    """Do `work` on the job of standard input; exit code 0 when it finished."""
    die_with_parent()
    events = Events(descriptor)
    try:
        work(json.load(sys.stdin), events)
    except Refused as refusal:
        events.send("refused", reason=str(refusal))
        raise
    except Exception as error:
        events.send("failed", type=type(error).__name__, message=str(error)[:4000])
        raise
    events.send("done")
    # Every figure is handed over; taking an engine down in order would only cost the learner seconds.
    sys.stdout.flush()
    os._exit(0)


def die_with_parent() -> None:
    """Have the kernel end this process when the supervisor is gone, even by SIGKILL (Linux; elsewhere nothing)."""
    if not sys.platform.startswith("linux"):
        return
    supervisor = int(os.environ["SPECQUIZ_SUPERVISOR"])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:  # it died before the kernel knew whom to watch
        os.kill(os.getpid(), signal.SIGKILL)
