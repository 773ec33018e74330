"""Real runs that ship with the labs, for people without vLLM."""

from __future__ import annotations

from pathlib import Path

from specquiz import places
from specquiz.errors import SpecquizError
from specquiz.labs.evidence import Evidence, read_evidence
from specquiz.labs.model import Lab


def recorded_file(lab: Lab, profile: str) -> Path:
    """Where the recorded run of a lab on a profile lies, if there is one."""
    return places.shipped_labs() / "recorded" / f"{lab.id}-{profile}.json"


def proved(lab: Lab, profile: str) -> bool:
    """Whether the lab has run on real hardware of this profile: such a run ships with it."""
    return recorded_file(lab, profile).is_file()


def proof_line(lab: Lab) -> str:
    """Which profiles of a lab have run: `cpu proved, rtx4090 unproved`."""
    return ", ".join(f"{name} {'proved' if proved(lab, name) else 'unproved'}" for name in lab.profiles)


def recorded_run(lab: Lab, profile: str | None = None) -> Evidence:
    """The recorded run of a lab on `profile` (default: the first that has one).

    Raises:
        SpecquizError: there is none, or it is damaged.
    """
    wanted = [profile] if profile else list(lab.profiles)
    for name in wanted:
        if proved(lab, name):
            return read_evidence(recorded_file(lab, name))
    raise SpecquizError(
        f"No recorded run ships for {lab.id} on {' or '.join(wanted)}: it is unproved there.",
        remedy="Run it on such a machine, and it is the first.",
    )
