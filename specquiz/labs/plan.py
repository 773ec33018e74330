"""From a lab's task to what an arm is told: its job, its environment variables, and the hashes of what goes in."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from specquiz import places
from specquiz.labs.evidence import Evidence, canonical
from specquiz.labs.loading import load_workload
from specquiz.labs.model import Lab, ProfileName, Prompt, Scalar, Setting, Workload
from specquiz.labs.tailoring import misfit, sampling_of, tailored, workloads_of

KV_CACHE_GIB = 1
"""Enough for the tiny model; named, so that vLLM neither measures the memory nor takes half of it."""


def plan_job(
    lab: Lab, profile: ProfileName, arm: str, workloads: Mapping[str, Workload], repeats: int = 1
) -> dict[str, object]:
    """The job that `engines/arm.py` reads. `lab` is tailored to `profile`."""
    settings, told = lab.profiles[profile], lab.arms[arm]
    return {
        **plan_engine(lab, profile, arm),
        "chat_template": settings.chat_template,
        "cpu_sampler": "repair",
        "margins": told.margins and device(profile) == "cuda",
        "repeats": repeats,
        "workloads": {name: _plan_workload(lab, arm, name, workloads[name]) for name in workloads_of(lab, arm)},
    }


def plan_engine(lab: Lab, profile: ProfileName, arm: str) -> dict[str, object]:
    """What `engines/arguments.py` reads: how an arm's engine is configured. `lab` is tailored to `profile`."""
    settings, told = lab.profiles[profile], lab.arms[arm]
    return {
        "device": device(profile),
        "model": told.model or settings.model,
        "dtype": settings.dtype,
        "max_model_len": settings.max_model_len,
        "max_num_seqs": settings.max_num_seqs,
        "gpu_memory_utilization": settings.gpu_memory_utilization,
        "speculative_config": dict(told.speculative_config),
        "engine": dict(told.engine),
    }


def _plan_workload(lab: Lab, arm: str, name: str, workload: Workload) -> dict[str, object]:
    return {
        "sampling": msgspec.to_builtins(sampling_of(lab, arm, name)),
        "together": lab.settings.get(name, Setting()).together,
        "prompts": [{"text": prompt.text, "chat": prompt.chat} for prompt in _prompts(lab, name, workload)],
    }


def _prompts(lab: Lab, name: str, workload: Workload) -> tuple[Prompt, ...]:
    """The prompts of a workload that a lab takes."""
    return workload.prompts[: lab.settings.get(name, Setting()).take or None]


def device(profile: ProfileName) -> str:
    """`cpu` or `cuda`."""
    return "cpu" if profile == "cpu" else "cuda"


def child_variables(profile: ProfileName, *, download: bool) -> dict[str, str]:
    """Environment variables of an arm.

    The engine runs in the arm's own process: it starts in a third of the time, and no worker can outlive it.
    """
    return {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", **_variables(profile, download)}


def server_variables(profile: ProfileName, *, download: bool) -> dict[str, str]:
    """Environment variables of a server, which tells its whole configuration to whoever attaches to it."""
    return {"VLLM_SERVER_DEV_MODE": "1", **_variables(profile, download)}


def _variables(profile: ProfileName, download: bool) -> dict[str, str]:
    """Offline unless a download was asked for, so that a missing model is an error at once and nothing is fetched
    unasked."""
    variables = {"VLLM_NO_USAGE_STATS": "1"}
    if not download:
        variables |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    if device(profile) == "cpu":
        # One thread each: more of them wait for one another in a spin, and on a busy machine the n-gram lookup then
        # takes 40 times as long.
        variables |= {"VLLM_CPU_KVCACHE_SPACE": str(KV_CACHE_GIB), "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    return variables


def prompts_hash(workload: Workload) -> str:
    """SHA-256 of a workload's prompts as the lab ships them."""
    return hashlib.sha256(canonical(msgspec.to_builtins(workload))).hexdigest()


def other_inputs(lab: Lab, evidence: Evidence) -> tuple[str, ...]:
    """What went into a run and is not what this specquiz ships: prompts or model, each as a reason."""
    found = []
    for name, path in lab.workloads.items():
        workload = load_workload(path)
        if evidence.prompts.get(name) != prompts_hash(workload):
            found.append(f"the prompts of {name} are not those that the lab ships")
        wanted = len(_prompts(lab, name, workload))
        found += [
            f"{arm} ran {len(run.requests)} prompts of {name}; the lab asks for {wanted}"
            for arm, told in evidence.arms.items()
            for run in (told.runs(name) if name in told.workloads else ())
            if len(run.requests) != wanted
        ]
    profile = lab.profiles.get(evidence.profile)
    if profile is None:
        return (*found, f"the lab has no profile {evidence.profile}")
    if problem := misfit(lab, evidence.profile, evidence.written):
        return (*found, problem)
    if evidence.model != profile.model:
        found.append(f"the model is {evidence.model}; the lab asks for {profile.model} on {evidence.profile}")
    elif (shipped := file_hashes(profile.model)) and shipped != evidence.model_files:
        found.append(f"the model {profile.model} is not the one that the labs ship")
    # Evidence may name any folder of this machine, so only what the lab asks for is looked at.
    asked = further_models(lab, evidence.profile, evidence.written)
    found += [f"the lab does not ask for the model {model}" for model in evidence.further_files if model not in asked]
    found += [
        f"the model {model} is not the one that the labs ship"
        for model in asked
        if (shipped := file_hashes(model)) and shipped != evidence.further_files.get(model)
    ]
    return tuple(found)


def further_models(
    lab: Lab, profile: str, written: Mapping[str, Mapping[str, Scalar]] | None = None
) -> tuple[str, ...]:
    """The models that the arms of `lab` load beside the target.

    Args:
        written: as of `tailored`.
    """
    here = tailored(lab, profile, written)
    named = [model for arm in here.arms.values() for model in (arm.model, arm.speculative_config.get("model"))]
    return tuple(dict.fromkeys(str(model) for model in named if model and model != lab.profiles[profile].model))


def file_hashes(model: str) -> dict[str, str]:
    """File name to SHA-256 of a model folder (relative to `labs/` or absolute); empty for a repository's id."""
    folder = places.shipped_labs() / model
    if not folder.is_dir():
        return {}
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return {path.name: _sha256(path) for path in files}


def model_folder(model: str) -> Path | None:
    """Where a model lies on this machine: its own folder, or the one in the local cache; None where it has to be
    fetched."""
    folder = places.shipped_labs() / model
    cached = _hub_cache() / f"models--{model.replace('/', '--')}"
    return next((place for place in (folder, cached) if place.is_dir()), None)


def _hub_cache() -> Path:
    """As `huggingface_hub` finds it."""
    set_to = os.environ.get
    base = Path(set_to("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = Path(set_to("HF_HOME") or base / "huggingface")
    return Path(set_to("HF_HUB_CACHE") or set_to("HUGGINGFACE_HUB_CACHE") or home / "hub").expanduser()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
