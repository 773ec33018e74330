"""What an arm's engine is given: as arguments of `LLM`, or as the words of a server's command line."""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .events import Job, Json
from .ports import LOOPBACK

PER_REQUEST = "per_request_spec_decode_metrics"
"""Drafted and accepted tokens of each request, step by step."""


def engine_arguments(job: Job, known: Collection[str]) -> Json:
    """The arguments of the engine, by the names that vLLM's `EngineArgs` has for them.

    Args:
        known: the arguments that this vLLM knows, as far as that matters (`PER_REQUEST`).
    """
    arguments: Json = {
        "model": job["model"],
        "dtype": job["dtype"],
        "max_model_len": job["max_model_len"],
        "max_num_seqs": job["max_num_seqs"],
        "seed": 0,
        # A prefix served from the cache would hide passes of the target.
        "enable_prefix_caching": False,
    }
    if job["device"] == "cpu":
        arguments["enforce_eager"] = True
    else:
        arguments["gpu_memory_utilization"] = job["gpu_memory_utilization"]
    arguments |= job["engine"]
    if job["speculative_config"]:
        arguments["speculative_config"] = job["speculative_config"]
        if PER_REQUEST in known:
            arguments[PER_REQUEST] = "detailed"
    return arguments


def engine_argument_names() -> set[str]:
    """The arguments that this vLLM's engine knows; what a version can do is asked, not looked up by number."""
    module: Any = importlib.import_module("vllm.engine.arg_utils")
    return {field.name for field in dataclasses.fields(module.EngineArgs)}


def server_command(arguments: Mapping[str, object], port: int, *, card: bool) -> tuple[str, list[str]]:
    """The module that is vLLM's own server, and the words of its command line. It listens on this machine only.

    Args:
        card: this is vLLM's build for cards, whose command line is `vllm serve`. The CPU's is installed under another
            name than `vllm`, and that command line does not start without the version of this name.
    """
    listening = ("--host", LOOPBACK, "--port", str(port))
    if not card:
        return "vllm.entrypoints.openai.api_server", [*flags(arguments), *listening]
    others = {name: value for name, value in arguments.items() if name != "model"}
    return "vllm.entrypoints.cli.main", ["serve", str(arguments["model"]), *flags(others), *listening]


def flags(arguments: Mapping[str, object]) -> Iterator[str]:
    """The same arguments as words of a command line."""
    for name, value in arguments.items():
        word = name.replace("_", "-")
        match value:
            case bool():
                yield f"--{word}" if value else f"--no-{word}"
            case dict():
                yield from (f"--{word}", json.dumps(value))
            case _:
                yield from (f"--{word}", str(value))
