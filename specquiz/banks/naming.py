"""Ids of the choices or items of a question: given by the author, else letters by place, and each only once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase
from typing import TypeVar

import msgspec

from specquiz.banks.decoding import FAILED, Failed
from specquiz.banks.model import Choice, OrderItem
from specquiz.banks.parsing import Node, Report, node_at

OPTION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")

Option = TypeVar("Option", Choice, OrderItem)


def named(options: Sequence[Option], node: Node, report: Report, what: str) -> tuple[Option, ...] | Failed:
    """The options with `a`, `b`, … by place where the author gave no id; ids and texts must differ.

    Args:
        options: as the author wrote them, at most 26.
        node: their list.
        report: takes what is wrong with them.
        what: what they are called in messages, such as `choice`.
    """
    before = len(report.problems)
    with_ids = tuple(
        option if option.id else msgspec.structs.replace(option, id=letter)
        for option, letter in zip(options, ascii_lowercase, strict=False)
    )
    for key in ("id", "text"):
        first: dict[str, Node] = {}
        for place, option in enumerate(with_ids):
            value = " ".join(getattr(option, key).split())
            at = node_at(node, place, key)
            if value in first:
                line = first[value].start.line + 1
                report.error(at, "SQ209", f"two {what}s have the {key} {value!r}; the first is on line {line}")
            elif key == "id" and not OPTION_ID.fullmatch(value):
                report.error(at, "SQ207", f"the id {value!r} of a {what} is not letters, digits, - and _")
            first.setdefault(value, at)
    return with_ids if len(report.problems) == before else FAILED
