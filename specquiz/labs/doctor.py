"""What the labs find on this machine, what is missing, and which labs can run here."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, get_args

from specquiz import __version__, places
from specquiz.labs.engines.ports import SERVER_PORT, port_problem
from specquiz.labs.environment import NEEDS, Environment, built_folder, candidates, card_problem
from specquiz.labs.loading import load_labs
from specquiz.labs.model import Lab, ProfileName
from specquiz.labs.plan import model_folder


class Finding(TypedDict):
    """One thing that was looked at."""

    what: str
    ok: bool
    found: str


@dataclass(frozen=True, slots=True)
class _Means:
    """What this machine has for a profile, and what it lacks."""

    lacks: tuple[str, ...]


def examine() -> list[Finding]:
    """Look at everything that a lab needs, and tell of each lab whether it can run here; home folders become `~`."""
    labs = load_labs()
    problem = card_problem()
    environments = {profile: _usable(profile) for profile in NEEDS}
    models = _models(labs)
    means = {
        profile: _Means(
            (*(["no vLLM"] if isinstance(found, str) else []), *(["no card"] if profile != "cpu" and problem else []))
        )
        for profile, found in environments.items()
    }
    found = [
        *_machine(),
        _card(problem),
        *(_vllm(profile, found) for profile, found in environments.items()),
        *(_model(model, place) for model, place in models.items()),
        *_disk(),
        _port(),
        *_runnable(labs, means, models),
    ]
    home = str(Path.home())
    return [Finding(what=each["what"], ok=each["ok"], found=each["found"].replace(home, "~")) for each in found]


def _machine() -> Iterator[Finding]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30 if hasattr(os, "sysconf") else 0.0
    yield Finding(what="specquiz", ok=True, found=f"{__version__}, Python {platform.python_version()}")
    size = f"{os.cpu_count()} cores, {memory:.1f} GiB of memory"
    yield Finding(what="machine", ok=True, found=f"{platform.system()} {platform.machine()}, {size}")


def _card(problem: str) -> Finding:
    """The card with its driver and memory, as the driver's own tool tells them."""
    if problem:
        return Finding(what="NVIDIA card", ok=False, found=problem)
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        told = subprocess.run(query, capture_output=True, text=True, timeout=30, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return Finding(what="NVIDIA card", ok=True, found="the driver finds one; nvidia-smi tells nothing of it")
    cards = (line.split(", ") for line in told.splitlines())
    found = "; ".join(f"{name}, {memory}, driver {driver}" for name, driver, memory in cards)
    return Finding(what="NVIDIA card", ok=True, found=found)


def _usable(profile: ProfileName) -> Environment | str:
    """The environment for a profile, or what was seen in place of one."""
    looked = list(candidates(profile))
    for each in looked:
        if isinstance(each, Environment):
            return each
    return "; ".join(f"{each.python}: {each.problem}" for each in looked if not isinstance(each, Environment))


def _vllm(profile: ProfileName, found: Environment | str) -> Finding:
    what = f"vLLM for {profile}"
    if isinstance(found, str):
        return Finding(what=what, ok=False, found=f"none ({found}); `specquiz lab setup --profile {profile}` gets one")
    beside = ", ".join(f"{name} {found.versions[name]}" for name in ("torch", "transformers") if name in found.versions)
    return Finding(what=what, ok=True, found=f"{found.vllm}, {beside}, in {found.python} ({found.source})")


def _models(labs: Sequence[Lab]) -> dict[str, str]:
    """Every model that a lab names, with its place on this machine: a shipped folder, or one in the local cache."""
    named = {
        model
        for lab in labs
        for profile in lab.profiles.values()
        for model in (profile.model, *profile.models.values())
    }
    return {model: str(model_folder(model) or "") for model in sorted(named)}


def _model(model: str, place: str) -> Finding:
    missing = "not on this machine; `lab run --download` lets vLLM fetch it"
    return Finding(what=f"model {model}", ok=bool(place), found=place or missing)


def _disk() -> Iterator[Finding]:
    runs = places.lab_runs()
    existing = next(parent for parent in (runs, *runs.parents) if parent.exists())
    yield Finding(what="folder for runs", ok=os.access(existing, os.W_OK), found=str(runs))
    profile: ProfileName = "cpu"
    cache = built_folder(profile)
    existing = next(parent for parent in (cache, *cache.parents) if parent.exists())
    free = shutil.disk_usage(existing).free / 1e9
    enough = cache.is_dir() or free > NEEDS[profile].gigabytes
    yield Finding(what="room for an environment", ok=enough, found=f"{free:.1f} GB free at {existing}")


def _port() -> Finding:
    """Whether a server of vLLM could listen where it usually does. Labs need no port unless one is attached."""
    problem = port_problem(SERVER_PORT)
    ways = "`lab run --attach` can use it if it is a vLLM, `lab serve --port` takes another"
    return Finding(what=f"port {SERVER_PORT} on loopback", ok=True, found=f"{problem}; {ways}" if problem else "free")


def _runnable(labs: Sequence[Lab], means: Mapping[ProfileName, _Means], models: Mapping[str, str]) -> Iterator[Finding]:
    for lab in labs:
        told, ok = [], False
        for profile in get_args(ProfileName):
            if profile not in lab.profiles:
                continue
            settings = lab.profiles[profile]
            missing = [model for model in (settings.model, *settings.models.values()) if not models[model]]
            lacks = [*means[profile].lacks, *(f"no {model}" for model in missing)]
            ok = ok or not lacks
            told.append(f"{profile}: {', '.join(lacks) or 'can run'}")
        yield Finding(what=f"lab {lab.id}", ok=ok, found="; ".join(told))
