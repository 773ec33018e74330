"""An invariant that evidence breaks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Broken:
    """An invariant that the evidence breaks, and how."""

    invariant: str
    reason: str
