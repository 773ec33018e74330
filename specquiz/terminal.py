"""Text for any terminal: control characters made visible, glyphs that the stream lacks spelled out, lines wrapped."""

from __future__ import annotations

import codecs
import io
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

_CONTROL = re.compile(
    # C0 and C1 controls, line separators, and the characters that reorder or hide what stands beside them.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)

_SPELLED = {
    "α": "alpha", "β": "beta", "γ": "gamma", "λ": "lambda", "μ": "mu", "π": "pi", "σ": "sigma", "τ": "tau", "ρ": "rho",
    "θ": "theta", "ε": "eps", "Σ": "Sum", "Π": "Prod", "Δ": "Delta", "×": "x", "·": "*", "÷": "/", "−": "-", "–": "-",
    "—": "-", "…": "...", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "→": "->", "←": "<-", "⇒": "=>", "√": "sqrt",
    "∞": "inf", "∈": "in", "“": '"', "”": '"', "‘": "'", "’": "'", "•": "-", "✓": "v", "✗": "x", "\u00a0": " ",
}  # fmt: skip
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱᴷ", "0123456789+-()niK")
_PARTS = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱᴷ]+)")


_SPELL_OUT = "specquiz.spell_out"
_ITEM = re.compile(r"[-*] |\d+[.)] ")
_LAID_OUT = re.compile(r"\s{2,}|[|>#] ")


def visible(text: str) -> str:
    """`text` with control characters written out (`\\x1b`), so that no bank and no answer can steer a terminal."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n"))


def visible_json(facts: Mapping[str, Any], indent: int | None = 2) -> str:
    """`facts` as JSON that reads back the same; what `visible` writes out is escaped here, JSON's own way."""
    text = json.dumps(facts, ensure_ascii=False, indent=indent)
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def without_controls(text: str) -> str:
    """`text` without the control characters that `visible` writes out; any end of line is a newline."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def counted(number: int, noun: str) -> str:
    """`1 question`, `2 questions`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of `text`, at most `width` wide where words allow. What is laid out (indents, fences) stays so.

    An item of a list (`- `, `1. `) begins a line; its further lines keep clear of its mark.
    """
    fenced = False
    paragraph: list[str] = []
    for line in text.expandtabs(4).strip("\n").splitlines():
        fence = line.lstrip().startswith("```")
        item = None if fenced else _ITEM.match(line)
        if fenced or fence or item or not line.strip() or _LAID_OUT.match(line):
            yield from _filled(paragraph, width)
            paragraph = []
            yield from _filled([line.rstrip()], width, " " * item.end()) if item else [line.rstrip()]
        else:
            paragraph.append(line.strip())
        fenced ^= fence
    yield from _filled(paragraph, width)


def _filled(paragraph: list[str], width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        " ".join(paragraph), width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def spell_out_what_streams_lack() -> None:
    """Let standard output and error write any text: what their encoding lacks is spelled out (`α` as `alpha`)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_SPELL_OUT)


def in_ascii(text: str) -> str:
    """`text` with everything else spelled out, where it must be known how wide that becomes."""
    return text.encode("ascii", _SPELL_OUT).decode("ascii")


def _spell_out(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = _PARTS.split(error.object[error.start : error.end])
    encoding = error.encoding

    def plain(character: str) -> str:
        return _SPELLED.get(character) or _without_marks(character, encoding)

    spelled = (
        "^" + _grouped(part.translate(_RAISED)) if _PARTS.fullmatch(part) else "".join(map(plain, part))
        for part in parts
        if part
    )
    return "".join(spelled), error.end


def _grouped(exponent: str) -> str:
    return exponent if exponent.isalnum() else f"({exponent})"


def _without_marks(character: str, encoding: str) -> str:
    """The letter without its accents, or a question mark."""
    import unicodedata

    base = unicodedata.normalize("NFKD", character).encode(encoding, "ignore").decode(encoding)
    return base or "?"


codecs.register_error(_SPELL_OUT, _spell_out)
