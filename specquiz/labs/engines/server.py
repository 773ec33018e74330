"""vLLM's own server for one arm of a lab, run by the Python that has vLLM: standard library and vLLM only.

Started by `__main__.py`. After the stages `import` and `start` comes `serve`, which begins when the server answers.
"""

from __future__ import annotations

import errno
import http.client
import importlib.metadata
import json
import os
import runpy
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import NoReturn

from .arguments import engine_argument_names, engine_arguments, server_command
from .events import Events, Job, Refused, serve
from .ports import LOOPBACK, listener, port_problem
from .sampler import ASK_SAMPLER, EXTENSION, drafts_on_cpu

POLL_SECONDS = 0.25
ANSWER_SECONDS = 60.0
"""What a server that has started may take over one answer."""


def main(events: int) -> None:
    """Run the job on standard input."""
    serve(events, run)


def run(job: Job, events: Events) -> None:
    """Serve until asked to end.

    Raises:
        Refused: another program took the port meanwhile.
    """
    events.stage("import")
    arguments = engine_arguments(job, engine_argument_names())
    repaired = drafts_on_cpu(job)
    if repaired:
        arguments["worker_extension_cls"] = EXTENSION
    module, words = server_command(arguments, job["port"], card=_is_named_vllm())
    sys.argv = [module, *words]
    events.stage("start")
    threading.Thread(target=tell_when_it_answers, args=(job["port"], repaired, events), daemon=True).start()
    try:
        runpy.run_module(module, run_name="__main__")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise Refused(taken_meanwhile(job["port"])) from error


def tell_when_it_answers(port: int, repaired: bool, events: Events) -> None:
    """Begin the stage `serve` once the server answers, its sampler repaired where that is to be; or end the server."""
    url = f"http://{LOOPBACK}:{port}"
    while True:
        if is_strangers(port):
            # vLLM would wait for ever: it holds the port without listening until the model is loaded.
            _refuse(taken_meanwhile(port), events)
        if _status(f"{url}/health") == http.HTTPStatus.OK:
            break
        time.sleep(POLL_SECONDS)
    if repaired and _status(f"{url}/collective_rpc", {"method": ASK_SAMPLER}) >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
        _refuse(
            "This vLLM cannot speculate on a CPU: its sampler cannot be tested. Other versions can: install one in its "
            "place, or name a Python that has one with --python.",
            events,
        )
    events.stage("serve")


def _refuse(reason: str, events: Events) -> NoReturn:
    """End the server from beside its own thread."""
    events.send("refused", reason=reason)
    os._exit(1)


def is_strangers(port: int) -> bool:
    """Whether a process that is none of this server's listens on the port."""
    holder = listener(port)
    try:
        return holder is not None and os.getpgid(holder) != os.getpgrp()
    except ProcessLookupError:  # it ended while we looked
        return False


def taken_meanwhile(port: int) -> str:
    """What to say of a port that was free when the server began to start."""
    problem = port_problem(port) or "taken for a moment"
    return f"Port {port} on {LOOPBACK} was free before and is now {problem}. End that, or choose another with --port."


def _status(url: str, body: Mapping[str, object] | None = None) -> int:
    """The status of the answer; 0 where there is none."""
    asked = urllib.request.Request(url, None if body is None else json.dumps(body).encode())
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(asked, timeout=ANSWER_SECONDS) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code
    except (OSError, http.client.HTTPException):
        return 0


def _is_named_vllm() -> bool:
    try:
        importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
