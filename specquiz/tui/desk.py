"""What the screens work with: the questions, the labs and the log, opened once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from specquiz.banks.library import Library, open_library
from specquiz.labs.loading import load_labs
from specquiz.labs.model import Lab
from specquiz.store.log import Log, open_log


@dataclass(frozen=True)
class Desk:
    """Everything that is open."""

    library: Library
    labs: tuple[Lab, ...]
    log: Log


def open_desk(library_paths: Sequence[Path]) -> Desk:
    """Read the shipped banks, the person's own and `library_paths`, and the labs; open the log.

    Raises:
        SpecquizError: the log cannot be used, or a lab file is wrong. Broken banks are listed in the library instead.
    """
    return Desk(library=open_library(library_paths), labs=load_labs(), log=open_log())
