"""Where a run keeps its files, and that only one runs at a time."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from specquiz import places
from specquiz.errors import SpecquizError
from specquiz.labs.environment import Environment
from specquiz.labs.model import Lab


def check_system() -> None:
    """Labs need process groups.

    Raises:
        SpecquizError: this system has none.
    """
    if os.name != "posix":
        raise SpecquizError(
            "Labs run on Linux and macOS.",
            remedy="On Windows run specquiz inside WSL; `specquiz lab show ID --recorded` works here too.",
        )


def new_folder(lab: Lab) -> Path:
    """A folder of its own for a run.

    Raises:
        SpecquizError: it cannot be written.
    """
    folder = places.lab_runs() / f"{lab.id}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def unwritable(path: Path, error: OSError) -> SpecquizError:
    """What to say where a run cannot write."""
    return SpecquizError(
        f"The folder for lab runs cannot be written: {error.strerror or error}.",
        where=str(path),
        remedy="Make room or give yourself the right to write there, or choose another folder with SPECQUIZ_HOME.",
    )


@contextmanager
def only_one_run() -> Iterator[None]:
    """Two labs at once would measure each other."""
    with locked(places.lab_runs() / ".lock") as ours:
        if not ours:
            raise SpecquizError(
                "Another lab is running; two at once would disturb each other's figures.",
                remedy="Wait until it is done, or stop it with Ctrl-C where it runs.",
            )
        yield


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold a file, made where there is none; False where another process has it. The lock goes with this process,
    however it ends.

    Raises:
        SpecquizError: its folder cannot be written.
    """
    import fcntl

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError as error:
        raise unwritable(path.parent, error) from error
    with file:
        ours = True
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            ours = False
        yield ours


def without_places(text: str, environment: Environment | None) -> str:
    """A log without the person's own folders, so that evidence can be shown to anyone."""
    vllm = {environment.python.parent.parent: "vllm"} if environment else {}
    folders = {**vllm, places.shipped_labs(): "labs", Path(__file__).parents[1]: "specquiz", Path.home(): "~"}
    for folder, name in folders.items():
        text = text.replace(str(folder), name)
    return text
