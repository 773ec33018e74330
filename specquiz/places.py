"""Where things lie on this machine: what ships with the program, and what belongs to the person.

`SPECQUIZ_HOME` overrides the person's folder; everything that the person may lose lies under it.
"""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).parent


def _shipped(name: str) -> Path:
    """A folder that ships with the program: inside the package when installed, beside it in a checkout."""
    installed = _PACKAGE / "content" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def shipped_questions() -> Path:
    """The banks that ship with the program, with `concepts.yaml`."""
    return _shipped("questions")


def shipped_labs() -> Path:
    """The lab tasks that ship with the program, with their prompts, tiny models and recorded runs."""
    return _shipped("labs")


def home() -> Path:
    """The person's own folder: log, own banks, lab evidence. Not created here."""
    override = os.environ.get("SPECQUIZ_HOME")
    if override:
        return Path(override).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("specquiz", appauthor=False))


def own_banks() -> Path:
    """The folder whose YAML banks are read beside the shipped ones."""
    return home() / "banks"


def log_file() -> Path:
    """The append-only log of everything that happened."""
    return home() / "log.sqlite3"


def lab_runs() -> Path:
    """The folder that keeps the evidence of lab runs."""
    return home() / "runs"


def cache() -> Path:
    """Rebuildable things: compiled banks, the vLLM environments. Under `SPECQUIZ_CACHE` or the user's cache folder."""
    override = os.environ.get("SPECQUIZ_CACHE")
    if override:
        return Path(override).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("specquiz", appauthor=False))
