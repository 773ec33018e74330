"""What a server says of itself, held against what an arm asks for, before anything is sent to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specquiz import places
from specquiz.labs.engines.client import Server, ServerProblem
from specquiz.labs.engines.sampler import ASK_SAMPLER, EXTENSION, drafts_on_cpu, hottest
from specquiz.labs.exposition import ListedTwice, Sample, cache_config, counters, draft_tokens, samples

SECTIONS = ("model", "cache", "scheduler", "parallel", "attention", "speculative")
_SECRET = ("key", "token", "secret", "password")

Config = dict[str, dict[str, str | int | float | bool]]


@dataclass(frozen=True, slots=True)
class Inspected:
    """A server that fits an arm."""

    model: str
    """The name that requests call the model by."""
    engine: dict[str, Any]
    """As an arm's `engine` event: config, versions, machine, environment, revision."""


def inspect_server(server: Server, job: Mapping[str, Any]) -> Inspected:
    """Ask a server what it is.

    Raises:
        ServerProblem: it is not reachable, no vLLM, has no metrics, or another model or configuration than the arm's.
    """
    model = _served_model(server, job)
    page = metrics_page(server)
    if not page:
        raise ServerProblem(
            f"The server at {server.url} has no metrics of vLLM at /metrics, and they are what is graded. "
            "Start it without --disable-log-stats."
        )
    told = server.json("/server_info?config_format=json")
    config = _resolved(told) if isinstance(told, dict) else {}
    config.setdefault("model", {"model": str(model["root"]), "max_model_len": int(model["max_model_len"])})
    config["cache"] = {**config.get("cache", {}), **cache_config(page)}
    if k := draft_tokens(counters(page)):
        config.setdefault("speculative", {})["num_speculative_tokens"] = k
    unverified = _check_configuration(server, job, config)
    if drafts_on_cpu(job):
        config |= _sampler(server, job, config)
    config["server"] = {"attached": True, "loopback": server.loopback, "unverified": ", ".join(unverified)}
    version = server.json("/version")
    return Inspected(
        model=str(model["id"]),
        engine={
            "config": config,
            "versions": {"vllm": str((version or {}).get("version", "unknown"))},
            "machine": {"attached": True},
            "environment": {},
            "revision": "",
        },
    )


def metrics_page(server: Server) -> tuple[Sample, ...]:
    """What vLLM tells at /metrics; empty where it tells nothing.

    Raises:
        ServerProblem: it cannot be asked, or tells something twice.
    """
    try:
        return samples(server.text("/metrics") or "")
    except ListedTwice as twice:
        raise ServerProblem(
            f"/metrics of {server.url} is not the page of one server: {twice}. Is something between that joins pages? "
            "Attach to the server itself."
        ) from twice


def _served_model(server: Server, job: Mapping[str, Any]) -> Mapping[str, Any]:
    listing = server.json("/v1/models")
    if not isinstance(listing, dict) or "data" not in listing:
        raise ServerProblem(
            f"What answers at {server.url} is no server of vLLM: it has no /v1/models. Check the address, or start one "
            "with `specquiz lab serve`."
        )
    served = [model for model in listing["data"] if not model.get("parent")]
    for model in served:
        if same_model(str(model.get("root") or model["id"]), job["model"]):
            needed = int(job["max_model_len"])
            if int(model.get("max_model_len") or needed) < needed:
                raise ServerProblem(f"The server's --max-model-len is below the {needed} that the arm asks for.")
            return {"max_model_len": needed, "root": model["id"], **model}
    names = ", ".join(str(model.get("root") or model["id"]) for model in served)
    raise ServerProblem(
        f"The server at {server.url} serves {names}; the arm asks for {job['model']}. "
        f"Start it with --model {_as_started(job['model'])}."
    )


def same_model(one: str, other: str) -> bool:
    """Whether two names are of one model: the same id, or the same folder (a relative one lies below `labs/`)."""
    return one == other or _folder(one) == _folder(other)


def _folder(name: str) -> Path:
    return (places.shipped_labs() / name).resolve()


def _as_started(name: str) -> str:
    """The name to start a server with: a folder that ships with the labs by its full path."""
    return str(_folder(name)) if _folder(name).is_dir() else name


def _resolved(told: Mapping[str, Any]) -> Config:
    """The scalars of the configuration that a server in development mode tells, by section."""
    whole = told.get("vllm_config")
    if not isinstance(whole, dict):
        return {}
    found: Config = {}
    for name in SECTIONS:
        section = whole.get(f"{name}_config")
        if isinstance(section, dict):
            found[name] = {
                key: value
                for key, value in section.items()
                if isinstance(value, str | int | float | bool) and not key.lower().endswith(_SECRET)
            }
    return found


def _check_configuration(server: Server, job: Mapping[str, Any], config: Config) -> tuple[str, ...]:
    """The keys of the arm's speculative config that the server does not tell.

    Raises:
        ServerProblem: it tells another value.
    """
    wanted, told = job["speculative_config"], config.get("speculative", {})
    start = f"Start it with --speculative-config '{json.dumps(startable(wanted))}'." if wanted else ""
    if wanted and not told:
        raise ServerProblem(f"The server at {server.url} decodes plainly, and this arm speculates. {start}")
    if told and not wanted:
        raise ServerProblem(
            f"The server at {server.url} speculates, and this arm decodes plainly. Start one without a "
            "speculative config."
        )
    for key, value in wanted.items():
        if key in told and told[key] != value and not (key == "model" and same_model(str(told[key]), str(value))):
            raise ServerProblem(f"The server at {server.url} speculates with {key} = {told[key]}. {start}")
        if key in told:
            told[key] = value
    if config["cache"].get("enable_prefix_caching") is True:
        raise ServerProblem(
            f"The server at {server.url} caches prefixes, which hides passes of the target. Start it with "
            "--no-enable-prefix-caching."
        )
    return tuple(key for key in wanted if key not in told)


def _sampler(server: Server, job: Mapping[str, Any], config: Config) -> Config:
    """What the server's worker says of the sampler that it speculates with; nothing where it cannot say.

    Raises:
        ServerProblem: the arm samples, and the tokens may be noise.
    """
    told: dict[str, str] = {}
    if config.get("parallel", {}).get("worker_extension_cls") == EXTENSION:
        answer = server.json("/collective_rpc", {"method": ASK_SAMPLER}) or {}
        told = {key: str(each[key]) for each in answer.get("results", ()) for key in ("found", "outcome")}
    if hottest(job) > 0 and told.get("outcome") not in ("sound", "repaired"):
        raise ServerProblem(
            f"The server at {server.url} speculates on a CPU, where vLLM's sampler is usually broken above temperature "
            "0, and does not say that its own is sound: the tokens may be noise. Start one with `specquiz lab serve`, "
            "which repairs it."
        )
    return {"cpu_sampler": dict(told)} if told else {}


def startable(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration by which a server can be started anywhere on this machine."""
    return {key: _as_started(str(value)) if key == "model" else value for key, value in config.items()}
