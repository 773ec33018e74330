"""The LaTeX commands that an answer may contain."""

from __future__ import annotations

import re
from typing import Protocol

from specquiz.answers.characters import greek_letter
from specquiz.answers.verdict import Refusal
from specquiz.answers.vocabulary import FUNCTIONS


class TokenSink(Protocol):
    """Where tokens go: the tokeniser."""

    text: str

    def add(self, kind: str, at: int, text: str) -> None: ...
    def word(self, word: str, at: int, end: int) -> int: ...
    def symbol(self, at: int) -> int: ...


_COMMAND = r"\\([A-Za-z]+|.|$)"
_DELIMITER = r" *(\\?[\[\](){}|.]|\\[lr]vert|\\[lr]brace)"

_SPACES = {*",;:! ()[]", "quad", "qquad", "displaystyle", "textstyle", "limits", "nolimits"}
_SIZES = {f"{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r")} | {"left", "right"}
_SYMBOLS = {
    **dict.fromkeys(("cdot", "times", "ast"), "*"),
    "div": "/",
    **dict.fromkeys(("vert", "lvert", "rvert", "mid", "|"), "|"),
    **dict.fromkeys(("{", "lbrace"), "("),
    **dict.fromkeys(("}", "rbrace"), ")"),
    **dict.fromkeys(("approx", "sim"), "~"),
    "sum": "sum",
    **dict.fromkeys(("frac", "dfrac", "tfrac"), "frac"),
    "sqrt": "√",
}
_BRACKETS = {"[": "(", "]": ")", "\\{": "(", "\\}": ")", "\\lbrace": "(", "\\rbrace": ")"}
_REFUSED = {
    **dict.fromkeys(("ldots", "dots", "cdots"), "“…” leaves terms to guess. Write every term, or a sum."),
    **dict.fromkeys(("le", "leq", "ge", "geq", "lt", "gt", "ne", "neq"), "Give a value, not a comparison."),
    "infty": "The answer is a finite number; ∞ is not one.",
    "pm": "Give one value: either + or −.",
}


def command(sink: TokenSink, at: int) -> int:
    """Read the command at column `at` into `sink` and return the column after it.

    Raises:
        Refusal: the command is not one of the subset.
    """
    match = re.compile(_COMMAND, re.DOTALL).match(sink.text, at)
    assert match
    name, end = match[1], match.end()
    if name in _SPACES:
        return end
    if name in _SIZES:
        return _sized(sink, end)
    if name in ("lfloor", "lceil"):
        sink.add("name", at, "floor" if name == "lfloor" else "ceil")
        sink.add("(", at, match[0])
        return end
    if name in ("rfloor", "rceil"):
        sink.add(")", at, match[0])
        return end
    if name in _SYMBOLS:
        sink.add(_SYMBOLS[name], at, match[0])
        return end
    if name in FUNCTIONS or greek_letter(_VARIANTS.get(name, name)):
        return sink.word(_VARIANTS.get(name, name), at, end)
    raise Refusal(_REFUSED.get(name, f"“{match[0]}” is not a command that is read here. Write it in plain maths."), at)


_VARIANTS = {"varepsilon": "epsilon", "vartheta": "theta", "varphi": "phi", "varrho": "rho"}


def _sized(sink: TokenSink, at: int) -> int:
    """The delimiter after a size command; square brackets and braces are round there."""
    match = re.compile(_DELIMITER).match(sink.text, at)
    if not match:
        return at
    delimiter, place = match[1], match.start(1)
    if delimiter == ".":
        return match.end()
    if delimiter in ("\\lvert", "\\rvert"):
        sink.add("|", place, delimiter)
    elif delimiter in _BRACKETS:
        sink.add(_BRACKETS[delimiter], place, delimiter)
    else:
        return sink.symbol(place)
    return match.end()
