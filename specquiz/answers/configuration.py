"""A configuration as keys with values: one spelling of its keys, nested ones on one level, and its text as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

ABSENT = "absent"
"""Stands for the value of a key that is not there, where a question says what reveals a mistake."""

NESTED = "speculative_config"
"""The engine argument that is a configuration itself."""

_READABLE = 80

Configuration = Mapping[str, Any]
"""Key to a text, number, truth value, None, list, or (for `speculative_config`) a configuration."""


def spelling(key: str) -> str:
    """A key as vLLM's fields are spelt: hyphens are underscores, and a flag's leading ones are dropped."""
    return key.strip().lstrip("-").replace("-", "_")


def flat(configuration: Configuration) -> dict[str, Any]:
    """All keys on one level; those of a nested `speculative_config` get its name and a dot before them."""
    keys: dict[str, Any] = {}
    for key, value in configuration.items():
        name = spelling(key)
        if name == NESTED and isinstance(value, Mapping):
            keys.update({f"{NESTED}.{spelling(inner)}": part for inner, part in value.items()})
        else:
            keys[name] = value
    return keys


def as_text(value: object) -> str:
    """A value or a whole configuration as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def briefly(text: str) -> str:
    """A text that is cut where it is too long to be read in a sentence."""
    return text if len(text) <= _READABLE else f"{text[: _READABLE - 1]}…"


def shows(part: Mapping[str, object], configuration: Mapping[str, object]) -> bool:
    """Whether a configuration, on one level, has this part: its keys with its values, and not what it calls absent."""
    there = {*configuration, *(key.partition(".")[0] for key in configuration)}
    return all(
        key not in there if value == ABSENT else key in configuration and same(configuration[key], value)
        for key, value in part.items()
    )


def same(one: object, other: object) -> bool:
    """Whether two values mean the same: numbers by value, truth values only truth values, lists entry by entry."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other
