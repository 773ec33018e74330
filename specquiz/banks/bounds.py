"""Lists and numbers within bounds: not empty, each entry once, no more than there may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specquiz.banks.decoding import FAILED, Decode, whole_number
from specquiz.banks.parsing import Node, Report, node_at


def some(decode_list: Decode, what: str) -> Decode:
    """A list that is not empty."""

    def decode(node: Node, report: Report) -> Any:
        values = decode_list(node, report)
        if values == ():
            report.error(node, "SQ212", f"{what} must not be empty")
            return FAILED
        return values

    return decode


def counted(decode_list: Decode, what: str, low: int, high: int) -> Decode:
    """A list of `low` to `high` entries."""

    def decode(node: Node, report: Report) -> Any:
        values = decode_list(node, report)
        if values is FAILED or low <= len(values) <= high:
            return values
        report.error(node, "SQ215", f"{what} has {low} to {high} entries, not {len(values)}")
        return FAILED

    return decode


def between(what: str, low: int, high: int | None) -> Decode:
    """A whole number from `low` to `high`, both included."""
    as_int = whole_number(what)
    span = f"at least {low}" if high is None else f"{low} to {high}"

    def decode(node: Node, report: Report) -> Any:
        value = as_int(node, report)
        if value is FAILED or (low <= value and (high is None or value <= high)):
            return value
        report.error(node, "SQ206", f"{what} is {span}, not {value}")
        return FAILED

    return decode


def repeats(values: Sequence[Any], node: Node, report: Report, code: str, message: str) -> bool:
    """Whether an entry comes again; each that does is reported."""
    again = [place for place, value in enumerate(values) if value in values[:place]]
    for place in again:
        report.error(node_at(node, place), code, message.format(values[place]))
    return bool(again)
