"""Texts in Markdown as they stand: what a bank says or a person typed is shown, and no sign of it is Markdown's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from textwrap import dedent

from specquiz.terminal import wrapped

_WHOLE = 1_000_000
"""A width at which a paragraph is one line."""
_SIGNS = re.compile(
    # Only where Markdown would take them for its own, so that the file stays readable as plain text.
    r"[\\`~\[]|(?<!\w)_|_(?!\w)|\*(?=\S)|(?<=\S)\*|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])"
)
_FIRST = re.compile(r"(?:(?=[-+*=>#])|(?P<digits>\d+)(?=[.)]))")
_UNDER_A_HEAD = re.compile(r"[|:][-:| \t]*")
_ITEM = re.compile(r"(?:[-*]|\d+[.)]) ")


def escaped(text: str) -> str:
    """A text on one line."""
    return _line(" ".join(text.split()))


def quoted_lines(text: str) -> str:
    """A text as a quotation that keeps its lines."""
    return "\n".join(_quoted_line(line.strip()) for line in text.strip().split("\n"))


def _quoted_line(line: str) -> str:
    if not line:
        return ">"
    # Below another line this would make a table of both; where it begins with a dash, that is no sign any more.
    return f"> \\{line}  " if _UNDER_A_HEAD.fullmatch(line) else f"> {_line(line)}  "


def literal(text: str) -> str:
    """A text of several paragraphs: these are filled, lists are lists, and what is laid out is a block of code."""
    return "\n\n".join(_blocks(text))


def quoted(text: str) -> str:
    """`literal`, as a quotation."""
    return "\n".join(f"> {line}".rstrip() for line in literal(text).split("\n"))


def code(text: str) -> str:
    """A text as a code span, whatever backticks it holds."""
    flat = " ".join(text.split()) or " "
    if "`" not in flat:
        return f"`{flat}`"
    ticks = "`" * (_longest_run(flat) + 1)
    return f"{ticks} {flat} {ticks}"


def cell(text: str) -> str:
    """A text in a table."""
    return escaped(text).replace("|", "\\|")


def _blocks(text: str) -> Iterator[str]:
    for kind, group in groupby(_kinds(text), key=lambda pair: pair[0]):
        lines = [line for _, line in group]
        if kind == "paragraph":
            yield from map(_line, lines)
        elif kind == "item":
            yield "\n".join(_item(line) for line in lines)
        elif kind == "laid out":
            laid_out = dedent("\n".join(lines))
            fence = "`" * max(3, _longest_run(laid_out) + 1)
            yield "\n".join((fence, laid_out, fence))


def _kinds(text: str) -> Iterator[tuple[str, str]]:
    """(kind, line) of each line: a paragraph, an item of a list, something laid out, or blank."""
    fenced = False
    for line in wrapped(text, _WHOLE):
        fence = line.lstrip().startswith("```")
        if fenced or fence or line.startswith(("  ", "| ")):
            yield "laid out", line
        elif _ITEM.match(line):
            yield "item", line
        else:
            yield ("paragraph" if line else "blank"), line
        fenced ^= fence


def _item(line: str) -> str:
    mark, _, rest = line.partition(" ")
    return f"{mark} {_line(rest.strip())}"


def _line(text: str) -> str:
    """A line that begins with no space."""
    first = _FIRST.match(text)
    plain = _SIGNS.sub(r"\\\g<0>", text)
    if first is None or plain.startswith("\\"):
        return plain
    # A digit cannot be escaped, the dot after it can.
    digits = first["digits"] or ""
    return f"{digits}\\{plain[len(digits) :]}"


def _longest_run(text: str) -> int:
    """The length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)
