"""Find the Python that has vLLM, or build one. vLLM never lives in the app's own environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from specquiz.labs.model import ProfileName


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python that can import vLLM."""

    python: Path
    vllm: str
    """Its version."""
    source: str
    """How it was found: `given`, `configured`, `built` or `current`."""


def find(profile: ProfileName, python: Path | None = None) -> Environment:
    """The environment to run `profile` in.

    Raises:
        SpecquizError: there is none; the message says how to get one.
    """
    raise NotImplementedError
