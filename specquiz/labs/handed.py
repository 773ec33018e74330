"""Files that people hand over: read whole, if they are files and not endless, and as JSON that can be held."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from specquiz.errors import SpecquizError, UsageError

MOST_BYTES = 64_000_000


def handed_bytes(path: Path, what: str) -> bytes:
    """The bytes of a file. `what` it is called in messages, such as `The evidence`.

    Raises:
        UsageError: it cannot be read, is no plain file (a pipe or a device may never end), or is too long.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise UsageError(f"{what} cannot be read: this is no plain file.", where=str(path))
        with path.open("rb") as file:
            found = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{what} cannot be read: {error.strerror or error}.", where=str(path)) from error
    if len(found) > MOST_BYTES:
        raise UsageError(f"{what} cannot be read: it has more than {MOST_BYTES:,} bytes.", where=str(path))
    return found


def handed_json(path: Path, what: str) -> Any:
    """The JSON in a file.

    Raises:
        UsageError: as `handed_bytes`.
        SpecquizError: it is no JSON, or nested too deeply.
    """
    try:
        return json.loads(handed_bytes(path, what))
    except RecursionError as error:
        raise SpecquizError("This is not JSON that can be read: it is nested too deeply.", where=str(path)) from error
    except ValueError as error:
        raise SpecquizError(f"This is not JSON: {error}.", where=str(path)) from error
