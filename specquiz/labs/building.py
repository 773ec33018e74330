"""Build the environment that vLLM lives in, or take one that exists. pip's own settings decide where from."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from specquiz.errors import SpecquizError, UsageError
from specquiz.labs.environment import (
    DISTURBING,
    NEEDS,
    READY,
    Environment,
    Unusable,
    broken_packages,
    built_folder,
    candidates,
    card_problem,
    configure_python,
    import_problem,
    inspect,
    python_of,
)
from specquiz.labs.model import ProfileName

SPARE_GIGABYTES = 1.5
"""What the installer needs beside the result, for its downloads."""

Say = Callable[[str], None]


def set_up(
    profile: ProfileName,
    *,
    say: Say,
    agree: Callable[[], bool],
    python: Path | None = None,
    extra_index_url: str | None = None,
) -> Environment:
    """Make sure that a vLLM for `profile` stands: the one that is named, one that is found, else a new one.

    Args:
        say: called with each thing that the person should know.
        agree: asked before anything is downloaded.
        python: an existing Python to use from now on.
        extra_index_url: handed on to pip as it is.

    Raises:
        SpecquizError: no card for a profile that needs one, no room, or the installer failed.
        UsageError: the person did not agree.
    """
    if not NEEDS[profile].processor_build and (problem := card_problem()):
        raise SpecquizError(
            f"The profile {profile} needs an NVIDIA card, and here {problem}.",
            remedy="On this machine use --profile cpu.",
        )
    if python is not None:
        return _take(profile, python.expanduser().absolute(), say)
    for candidate in candidates(profile):
        if isinstance(candidate, Environment):
            say(f"Found vLLM {candidate.vllm} in {candidate.python}; importing it once to be sure.")
            problem = import_problem(candidate.python)
            if not problem:
                return candidate
            say(f"It cannot be used: {problem}.")
    return _build(profile, say, agree, extra_index_url)


def _take(profile: ProfileName, python: Path, say: Say) -> Environment:
    found = inspect(profile, python, "given")
    if isinstance(found, Unusable):
        raise SpecquizError(f"This Python cannot be used: {found.problem}.", where=str(python))
    say(f"Checking vLLM {found.vllm} in {python}.")
    if problem := import_problem(python):
        raise SpecquizError(
            f"This Python cannot be used: {problem}.",
            where=str(python),
            remedy=f"The labs do not need these; remove what breaks: {python} -m pip uninstall {' '.join(DISTURBING)}",
        )
    configure_python(profile, python)
    say(f"It is remembered for the profile {profile}.")
    return found


def _build(profile: ProfileName, say: Say, agree: Callable[[], bool], extra_index_url: str | None) -> Environment:
    needs, folder = NEEDS[profile], built_folder(profile)
    say(
        f"Building an environment for {needs.requirement} in {folder}.\n"
        f"It downloads about {needs.download} and writes about {needs.gigabytes:g} GB, there and nowhere else; "
        "deleting the folder undoes it."
    )
    _check_room(folder, needs.gigabytes + SPARE_GIGABYTES)
    if not agree():
        raise UsageError("Nothing was installed.", remedy="Agree with --yes, or name a Python with --python PATH.")
    python = python_of(folder)
    if not _usable(python):
        _make_environment(folder)
    _install(python, needs.requirement, extra_index_url)
    broken = broken_packages(python)
    if broken:
        say(f"Removing {', '.join(broken)}: they were built for another torch, break the import, and are not needed.")
        _run([str(python), "-m", "pip", "uninstall", "--yes", *broken], "pip could not remove them.")
    if problem := import_problem(python):
        raise SpecquizError(
            f"What was built cannot be used: {problem}.",
            where=str(folder),
            remedy="Run the same command again; if that does not help, delete the folder first.",
        )
    (folder / READY).write_text(json.dumps({"requirement": needs.requirement}) + "\n", encoding="utf-8")
    found = inspect(profile, python, "built")
    if isinstance(found, Unusable):
        raise SpecquizError(f"What was built cannot be used: {found.problem}.", where=str(folder))
    return found


def _check_room(folder: Path, gigabytes: float) -> None:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    already = sum(file.lstat().st_size for file in folder.rglob("*")) if folder.exists() else 0
    free = (shutil.disk_usage(existing).free + already) / 1e9
    if free < gigabytes:
        raise SpecquizError(
            f"There is room for {free:.1f} GB, and {gigabytes:g} GB are needed.",
            where=str(existing),
            remedy="Make room, or choose another disk with SPECQUIZ_CACHE.",
        )


def _usable(python: Path) -> bool:
    """Whether an environment that was begun before can be continued."""
    if not python.exists():
        return False
    return subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True).returncode == 0


def _make_environment(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True)
    if done.returncode == 0:
        return
    # Debian splits `ensurepip` off its Python; this environment's own pip can still be pointed into a bare one.
    shutil.rmtree(folder, ignore_errors=True)
    _run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder)],
        "This Python can make no virtual environment. On Debian or Ubuntu: apt install python3-venv.",
    )
    _run(
        [sys.executable, "-m", "pip", "--python", str(python_of(folder)), "install", "pip"],
        "pip could not be put into the new environment. On Debian or Ubuntu: apt install python3-venv.",
    )


def _install(python: Path, requirement: str, extra_index_url: str | None) -> None:
    extra = ["--extra-index-url", extra_index_url] if extra_index_url else []
    _run(
        [str(python), "-m", "pip", "install", *extra, requirement],
        "pip could not install vLLM; its own message is above. Running the same command again continues.",
        remedy="If it found no torch that ends in +cpu: PyTorch keeps those in an index of its own; "
        "name it in pip's settings or with --extra-index-url URL.",
    )


def _run(command: list[str], failure: str, remedy: str | None = None) -> None:
    """Run an installer with its own progress on our terminal."""
    sys.stdout.flush()
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
        raise SpecquizError(failure, remedy=remedy)
