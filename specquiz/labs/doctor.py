"""What the labs find on this machine, and what is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from specquiz import places
from specquiz.labs.environment import NEEDS, Environment, built_folder, candidates, card_problem
from specquiz.labs.loading import load_labs
from specquiz.labs.model import ProfileName


class Finding(TypedDict):
    """One thing that was looked at."""

    what: str
    ok: bool
    found: str


def examine() -> list[Finding]:
    """Look at everything that a lab needs."""
    return [*_vllm(), *_models(), *_disk()]


def _vllm() -> Iterator[Finding]:
    card = card_problem()
    yield Finding(what="NVIDIA card", ok=not card, found=card or "the driver finds one")
    for profile in NEEDS:
        looked = list(candidates(profile))
        usable = next((each for each in looked if isinstance(each, Environment)), None)
        if usable:
            found = f"vLLM {usable.vllm} in {usable.python} ({usable.source})"
        else:
            seen = "; ".join(f"{each.python}: {each.problem}" for each in looked if not isinstance(each, Environment))
            found = f"none ({seen}); `specquiz lab setup --profile {profile}` gets one"
        yield Finding(what=f"vLLM for {profile}", ok=usable is not None, found=found)


def _models() -> Iterator[Finding]:
    """The models on this machine: shipped folders, or repositories in the local model cache."""
    profiles = {(profile.model, name) for lab in load_labs() for name, profile in lab.profiles.items()}
    for model, profile in sorted(profiles):
        folder = places.shipped_labs() / model
        cached = _hub_cache() / f"models--{model.replace('/', '--')}"
        found = next((str(place) for place in (folder, cached) if place.is_dir()), "")
        yield Finding(
            what=f"model {model} for {profile}",
            ok=bool(found),
            found=found or "not on this machine; `lab run --download` lets vLLM fetch it",
        )


def _hub_cache() -> Path:
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    return Path(os.environ.get("HF_HUB_CACHE", home / "hub"))


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
