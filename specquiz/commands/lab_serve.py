"""`specquiz lab serve`: start vLLM's own server as an arm of a lab wants it, for `lab run --attach`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specquiz.console import Console
    from specquiz.labs.model import Lab, Scalar
    from specquiz.labs.serving import Wanted


def serve_one(arguments: argparse.Namespace, console: Console) -> int:
    """Serve an arm until Ctrl-C, which is how a server ends: 0. Or only print how to."""
    from specquiz.commands.lab_run import ProgressLines, interruptible
    from specquiz.console import wants_plain
    from specquiz.labs.environment import find
    from specquiz.labs.loading import find_lab, load_labs
    from specquiz.labs.serving import Wanted, check_wanted, command_lines, serve
    from specquiz.labs.tailoring import tailored

    lab = find_lab(load_labs(), arguments.id)
    here = tailored(lab, arguments.profile, _written(lab, arguments))
    wanted = Wanted(here, arguments.profile, arguments.arm, arguments.port, arguments.download)
    check_wanted(wanted)
    if arguments.print:
        _say_as_they_are(command_lines(wanted, arguments.python), console)
        return 0
    environment = find(arguments.profile, arguments.python)
    served = False

    def ready() -> None:
        nonlocal served
        served = True
        console.say()
        console.say(f"{wanted.url} serves {wanted.arm} of {lab.id} with vLLM {environment.vllm}. Ctrl-C ends it.")
        _say_what_is_next(wanted, arguments, console)
        console.sink.flush()

    console.say(f"Starting a server for {wanted.arm} of {lab.id}, vLLM {environment.vllm}, profile {wanted.profile}.")
    try:
        with interruptible():
            serve(wanted, environment, ProgressLines(console, live=not wants_plain(False)), ready)
    except KeyboardInterrupt:
        if not served:
            raise
    console.say("The server has ended.")
    return 0


def _written(lab: Lab, arguments: argparse.Namespace) -> dict[str, dict[str, Scalar]] | None:
    """In a challenge, the learner's own config, where it is of the arm that is to be served."""
    from specquiz.errors import UsageError
    from specquiz.labs.challenge import challenge_of, read_entry

    if arguments.config is not None:
        return {challenge_of(lab).arm: read_entry(lab, arguments.profile, arguments.config)}
    if lab.challenge is not None and lab.challenge.arm == arguments.arm:
        raise UsageError(
            f"The arm {arguments.arm} of {lab.id} is for you to configure.",
            remedy="Name it: --config TEXT",
        )
    return None


def _say_what_is_next(wanted: Wanted, arguments: argparse.Namespace, console: Console) -> None:
    from specquiz.labs.serving import further_servers, run_command

    options = ("--python", str(arguments.python)) if arguments.python else ()
    config = arguments.config or "TEXT"
    others = tuple(further_servers(wanted, options, config))
    if others:
        console.say("Other arms want servers of their own, each in a terminal of its own:")
        _say_as_they_are((f"  {line}" for line in others), console)
    console.say("Run the lab on it:" if not others else "Run the lab on them, with the address of each for URL:")
    _say_as_they_are([f"  {run_command(wanted, config)}"], console)


def _say_as_they_are(lines: Iterable[str], console: Console) -> None:
    """Not wrapped, so that they can be copied."""
    from specquiz.terminal import visible

    console.sink.writelines(f"{visible(line)}\n" for line in lines)
