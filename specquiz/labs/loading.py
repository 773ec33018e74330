"""The labs at hand, and their prompts. YAML is read only where the cache of compiled files has nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from specquiz import places
from specquiz.banks import cache
from specquiz.banks.problems import suggestion
from specquiz.errors import UsageError
from specquiz.labs.model import Lab, Workload


def load_labs(folder: Path | None = None) -> tuple[Lab, ...]:
    """The labs of a folder (default: those that ship with the program), by number.

    Raises:
        SpecquizError: a lab file is wrong; the message names file, line and column of each fault.
    """
    folder = folder or places.shipped_labs()
    labs = (load_lab(path) for path in sorted(folder.glob("*.yaml")))
    return tuple(sorted(labs, key=lambda lab: (lab.number, lab.id)))


def load_lab(path: Path) -> Lab:
    """One lab task.

    Raises:
        SpecquizError: as `load_labs`.
    """
    state = cache.state_of(path)
    kept = cache.recall(path, state, Lab)
    if kept is not None:
        return kept
    from specquiz.labs.reading import read_lab

    lab = read_lab(path)
    cache.keep(path, state, lab)
    return lab


def load_workload(path: str, folder: Path | None = None) -> Workload:
    """The prompts of a workload; `path` is relative to the labs' folder.

    Raises:
        SpecquizError: as `load_labs`.
    """
    from specquiz.labs.reading import read_workload

    return read_workload((folder or places.shipped_labs()) / path)


def find_lab(labs: Sequence[Lab], name: str) -> Lab:
    """The lab with this id.

    Raises:
        UsageError: there is none.
    """
    for lab in labs:
        if lab.id == name:
            return lab
    known = [lab.id for lab in labs]
    raise UsageError(f"There is no lab {name!r}{suggestion(name, known)}.", remedy=f"The labs are: {', '.join(known)}.")
