"""Stands between the app and an arm, so that the arm dies with the run whatever happens. Standard library only.

Leads the arm's process group and does nothing but wait. When the app is gone (its end of a pipe closes, even by
SIGKILL) or the arm has ended, it ends the whole group, itself included. A thread inside the arm could not promise
that: native code may hold the interpreter for long.

Command line: LIFELINE EVENTS PYTHON WORD …, the first two being descriptors; EVENTS is handed on as the last word.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys

POLL_SECONDS = 0.1


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
            break
    else:
        os.write(events, (json.dumps({"event": "exit", "code": arm.returncode}) + "\n").encode())
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
