"""What computed the figures: configuration, versions, machine. Read in the child that has vLLM."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import importlib.metadata
import math
import os
import platform
import resource
import sys
from pathlib import Path
from typing import Any

from .events import Json


def number(value: Any) -> float | None:
    """A finite number, whole where it is whole; None for what JSON cannot say."""
    figure = float(value)
    if not math.isfinite(figure):
        return None
    return int(figure) if figure.is_integer() else figure


def resolved_config(config: Any) -> dict[str, Json]:
    """The scalars of vLLM's resolved configuration, by section."""
    sections = {
        "model": getattr(config, "model_config", None),
        "cache": getattr(config, "cache_config", None),
        "scheduler": getattr(config, "scheduler_config", None),
        "parallel": getattr(config, "parallel_config", None),
        "attention": getattr(config, "attention_config", None),
        "speculative": getattr(config, "speculative_config", None),
    }
    return {name: scalars(section) for name, section in sections.items() if section is not None}


def scalars(section: Any) -> Json:
    """The fields of a configuration section that are set and hold one plain value."""
    found: Json = {}
    for field in dataclasses.fields(section):
        value = getattr(section, field.name, None)
        if is_secret(field.name):
            continue
        if isinstance(value, enum.Enum):
            found[field.name] = value.name
        elif type(value).__name__ == "dtype":
            found[field.name] = str(value)
        elif isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
            found[field.name] = value
    return found


def versions(vllm: Any) -> dict[str, str]:
    """What computed the figures."""
    found = {"python": platform.python_version(), "vllm": str(vllm.__version__)}
    for package in ("torch", "transformers", "numba", "triton"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def machine(device: str) -> Json:
    """The machine as far as a figure may depend on it."""
    torch: Any = importlib.import_module("torch")
    found: Json = {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": os.cpu_count() or 0,
        "threads": int(torch.get_num_threads()),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }
    if device == "cuda":
        card = torch.cuda.get_device_properties(0)
        found |= {"card": card.name, "card_memory_bytes": int(card.total_memory), "cuda": str(torch.version.cuda)}
    return found


def processor() -> str:
    """The processor's name."""
    if sys.platform.startswith("linux"):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def steering_environment() -> dict[str, str]:
    """The environment variables that change what vLLM does."""
    prefixes = ("VLLM_", "OMP_", "NUMBA_", "CUDA_", "HF_HUB_OFFLINE")
    return {key: value for key, value in sorted(os.environ.items()) if key.startswith(prefixes) and not is_secret(key)}


def is_secret(name: str) -> bool:
    """Whether a setting by this name may hold a credential, which evidence must never carry."""
    return name.lower().endswith(("key", "token", "secret", "password"))


def model_revision(model: str) -> str:
    """The commit of a model repository in the local cache; empty for a folder."""
    if Path(model).is_dir():
        return ""
    hub: Any = importlib.import_module("huggingface_hub")
    found = hub.try_to_load_from_cache(model, "config.json")
    return Path(found).parent.name if isinstance(found, str) else ""


def peak_memory() -> int:
    """Bytes at their highest so far: of the card where there is one, else of this process."""
    torch: Any = importlib.import_module("torch")
    if torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated())
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
