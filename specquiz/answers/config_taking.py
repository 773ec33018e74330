"""What vLLM makes of a configuration as written: alone, inside its key, or as flags among engine arguments."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from specquiz.answers.config_reading import Written
from specquiz.answers.configuration import NESTED, flat
from specquiz.answers.engine_args import NAMES, RANKS, SHORT, ranks, split
from specquiz.answers.speculative_config import Facts, Fault, resolve
from specquiz.answers.speculative_fields import FIELDS

Whole = Literal["speculative_config", "engine_args"]
"""What is asked for."""


class Taken(NamedTuple):
    """A configuration as vLLM takes it."""

    written: dict[str, Any]
    """What is asked for, as it was written."""
    values: dict[str, Any]
    """The same with what vLLM fills in, all keys on one level."""
    faults: tuple[Fault, ...]


def take(of: Whole, facts: Facts, written: Written) -> Taken:
    """Judge a configuration by vLLM's rules and fill in what vLLM fills in."""
    alone, values = of == "speculative_config", written.values
    if alone and not (written.flags or NESTED in values or values.keys() & SHORT.keys()):
        found = resolve(values, facts)
        return Taken(values, found.values, found.faults)
    engine, speculative, faults = split(values)
    if faults:
        return Taken(values, flat(values), faults)
    if speculative is None:
        return Taken({} if alone else engine, {} if alone else engine, ())
    parallel = ranks(engine) if RANKS in engine or not alone else None
    found = resolve(speculative, {**facts, RANKS: parallel} if parallel else facts)
    if alone:
        return Taken(speculative, found.values, found.faults)
    return Taken({**engine, NESTED: speculative}, {**engine, **flat({NESTED: found.values})}, found.faults)


def known_keys(of: Whole) -> frozenset[str]:
    """All keys of what is asked for, on one level."""
    inner = frozenset(FIELDS)
    return inner if of == "speculative_config" else NAMES | {f"{NESTED}.{key}" for key in inner}
