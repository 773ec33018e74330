"""Stands between the app and an arm, so that the arm dies with the run whatever happens. Standard library only.

Leads the arm's process group and does nothing but wait. When the app is gone (its end of a pipe closes, even by
SIGKILL) or the arm has ended, it ends the whole group, itself included. A thread inside the arm could not promise
that: native code may hold the interpreter for long. The arm is asked first: a server that is killed leaves its shared
memory behind.

Command line: LIFELINE EVENTS PYTHON WORD …, the first two being descriptors; EVENTS is handed on as the last word.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys

POLL_SECONDS = 0.1
GRACE_SECONDS = 5.0


def main() -> None:
    """Start the arm and wait for its end or the app's."""
    lifeline, events = int(sys.argv[1]), int(sys.argv[2])
    arm = subprocess.Popen(
        [*sys.argv[3:], str(events)],
        pass_fds=(events,),
        env={**os.environ, "SPECQUIZ_SUPERVISOR": str(os.getpid())},
    )
    while arm.poll() is None:
        gone, _, _ = select.select([lifeline], [], [], POLL_SECONDS)
        if gone:
            end(arm)
            break
    else:
        os.write(events, (json.dumps({"event": "exit", "code": arm.returncode}) + "\n").encode())
    os.killpg(0, signal.SIGKILL)


def end(arm: subprocess.Popen[bytes]) -> None:
    """Ask the arm to end, and wait a while for it."""
    arm.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        arm.wait(GRACE_SECONDS)


if __name__ == "__main__":
    main()
