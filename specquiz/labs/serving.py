"""A server of vLLM's own for one arm of a lab, configured as the lab's own engine would be."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from specquiz import places
from specquiz.errors import SpecquizError, UsageError
from specquiz.labs.attaching import one_server, refuse_failing
from specquiz.labs.engines.arguments import PER_REQUEST, engine_arguments, server_command
from specquiz.labs.engines.inspection import startable
from specquiz.labs.engines.ports import LOOPBACK, SERVER_PORT, port_problem
from specquiz.labs.engines.process import ArmFailed, ArmOutput, Cancelled, run_arm
from specquiz.labs.engines.sampler import drafts_on_cpu
from specquiz.labs.environment import Environment
from specquiz.labs.model import Lab, ProfileName
from specquiz.labs.plan import device, model_folder, plan_engine, server_variables
from specquiz.labs.runfolder import check_system, locked
from specquiz.labs.running import Progress, Report
from specquiz.labs.tailoring import is_sampled

_WORKER = Path(__file__).parent / "engines" / "worker"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A server that an arm wants."""

    lab: Lab
    """Tailored to the profile."""
    profile: ProfileName
    arm: str
    port: int
    download: bool = False
    """Let vLLM fetch a model that is not on this machine."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{LOOPBACK}:{self.port}"


def check_wanted(wanted: Wanted) -> None:
    """Refuse a server that no lab could be run on.

    Raises:
        UsageError: there is no such arm or port, or an arm of the lab is to fail at its start.
    """
    lab = wanted.lab
    if wanted.arm not in lab.arms:
        raise UsageError(f"There is no arm {wanted.arm!r} in {lab.id}.", remedy=f"Its arms are {', '.join(lab.arms)}.")
    if not 1 <= wanted.port <= 65_535:
        raise UsageError(f"There is no port {wanted.port}.", where="--port", remedy="Ports are 1 to 65535.")
    refuse_failing(lab)


def serve(
    wanted: Wanted,
    environment: Environment,
    report: Report,
    ready: Callable[[], None],
    cancel: threading.Event | None = None,
) -> None:
    """Start a server and keep it until it is stopped. However this is left, no process of it is.

    Args:
        report: called for every stage until the server is ready.
        ready: called once it answers.
        cancel: set it from any thread to stop.

    Raises:
        SpecquizError: the port is taken, a model is not on this machine, or the server failed, hung or died.
        KeyboardInterrupt: passed on.
    """
    check_system()
    _check_models(wanted)
    if problem := port_problem(wanted.port):
        raise SpecquizError(
            f"Port {wanted.port} on {LOOPBACK} is {problem}.", remedy="End that, or choose another port with --port."
        )

    def tick(kind: Literal["started", "running", "finished"], stage: str, seconds: float, *_: object) -> None:
        if stage != "serve":
            report(Progress(kind, wanted.arm, stage, seconds))
        elif kind == "started":
            ready()

    with _own_log(wanted.port) as log:
        try:
            run_arm(
                environment.python,
                {**plan_engine(wanted.lab, wanted.profile, wanted.arm), "port": wanted.port},
                ArmOutput(),
                log=log,
                folder=places.shipped_labs(),
                variables={**server_variables(wanted.profile, download=wanted.download), "PYTHONPATH": str(_WORKER)},
                tick=tick,
                cancel=cancel or threading.Event(),
                child="server",
            )
        except ArmFailed as failed:
            raise SpecquizError(str(failed), where=f"server for {wanted.arm}", remedy=f"Its log: {log}") from failed
        except Cancelled:
            return
    raise SpecquizError(
        "The server ended without being asked to.", where=f"server for {wanted.arm}", remedy=f"Its log: {log}"
    )


def _check_models(wanted: Wanted) -> None:
    told = wanted.lab.arms[wanted.arm]
    named = (told.model or wanted.lab.profiles[wanted.profile].model, told.speculative_config.get("model"))
    for model in filter(None, named):
        if not wanted.download and model_folder(str(model)) is None:
            raise SpecquizError(
                f"The model {model} is not on this machine.",
                remedy="--download lets vLLM fetch it; or put it in the local model cache.",
            )


@contextmanager
def _own_log(port: int) -> Iterator[Path]:
    """Where the words of a port's server go. It is locked: while a server starts, its port still looks free.

    Raises:
        SpecquizError: another server of ours has the port, or the folder cannot be written.
    """
    log = places.lab_runs() / "servers" / f"{port}.log"
    with locked(log) as ours:
        if not ours:
            raise SpecquizError(
                f"Another `specquiz lab serve` is starting a server on port {port}.",
                remedy="End that, or choose another port with --port.",
            )
        yield log


def command_lines(wanted: Wanted, python: Path | None) -> Iterator[str]:
    """How to start the server by hand, in a container or on another machine, as lines for a shell.

    Args:
        python: the Python that has vLLM, where it is not the first that a shell finds.
    """
    on_card = device(wanted.profile) == "cuda"
    job = plan_engine(wanted.lab, wanted.profile, wanted.arm)
    told = {**startable(job), "speculative_config": startable(wanted.lab.arms[wanted.arm].speculative_config)}
    arguments = engine_arguments(told, {PER_REQUEST})
    module, words = server_command(arguments, wanted.port, card=on_card)
    program = ["vllm"] if on_card and python is None else [str(python or "python"), "-m", module]
    variables = server_variables(wanted.profile, download=wanted.download)
    if PER_REQUEST in arguments:
        yield f"# Leave out --{PER_REQUEST.replace('_', '-')} detailed where that vLLM does not know it."
    if drafts_on_cpu(told) and is_sampled(wanted.lab, wanted.arm):
        yield "# No lab can use it: this arm samples, and only `specquiz lab serve` itself repairs a CPU's sampler."
    yield shlex.join(["env", *(f"{name}={value}" for name, value in variables.items()), *program, *words])


def further_servers(wanted: Wanted, options: Sequence[str], config: str) -> Iterator[str]:
    """The commands that serve the lab's other arms, each on a free port.

    Args:
        options: what else they are to be given.
        config: the learner's own speculative config, in a challenge.
    """
    lab, own = wanted.lab, [wanted.arm]
    free = (port for port in range(SERVER_PORT, 65_536) if port != wanted.port and not port_problem(port))
    for arm in lab.arms:
        if not any(one_server(lab, arm, each) for each in own):
            own.append(arm)
            written = ("--config", config) if lab.challenge is not None and lab.challenge.arm == arm else ()
            words = ("specquiz", "lab", "serve", lab.id, arm, "--port", str(next(free)))
            yield shlex.join([*words, *profile_words(wanted), *written, *options])


def run_command(wanted: Wanted, config: str) -> str:
    """The command that runs the lab on this server, with `URL` for that of each arm that wants another."""
    lab = wanted.lab
    written = ("--config", config) if lab.challenge is not None else ()
    urls = {arm: wanted.url if one_server(lab, wanted.arm, arm) else "URL" for arm in lab.arms}
    attached = [word for arm, url in urls.items() for word in ("--attach", f"{arm}={url}")]
    return shlex.join(["specquiz", "lab", "run", lab.id, *attached, *profile_words(wanted), *written])


def profile_words(wanted: Wanted) -> tuple[str, ...]:
    """The option that names the profile, where it has to be named."""
    return () if wanted.profile == "cpu" else ("--profile", wanted.profile)
