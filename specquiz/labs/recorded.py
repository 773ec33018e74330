"""Real runs that ship with the labs, for people without vLLM."""

from __future__ import annotations

from specquiz import places
from specquiz.errors import SpecquizError
from specquiz.labs.evidence import Evidence, read_evidence
from specquiz.labs.model import Lab


def recorded_run(lab: Lab, profile: str | None = None) -> Evidence:
    """The recorded run of a lab on `profile` (default: the first that has one).

    Raises:
        SpecquizError: there is none, or it is damaged.
    """
    wanted = [profile] if profile else list(lab.profiles)
    for name in wanted:
        path = places.shipped_labs() / "recorded" / f"{lab.id}-{name}.json"
        if path.is_file():
            return read_evidence(path)
    raise SpecquizError(f"No recorded run ships for {lab.id} on {' or '.join(wanted)}.")
