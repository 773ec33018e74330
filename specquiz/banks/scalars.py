"""What an unquoted YAML scalar means: YAML 1.2's core rules, and only where something other than text is expected.

YAML 1.1, which PyYAML follows by itself, reads `yes` as true, `010` as 8 and `12:30` as 750. Here a scalar is the text
as written unless the record asks for a number or a truth value.
"""

from __future__ import annotations

import re

NULLS = frozenset(("", "~", "null", "Null", "NULL"))
"""What an unquoted scalar must not be where a value is needed."""

_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# More digits mean nothing in a bank, and Python refuses to write out very many.
_INT = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,300}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")

# What an author cannot see and a terminal may act on: control characters, other line breaks than the usual two, marks
# that reverse the direction of text, and characters of no width.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u00ad\u200b-\u200d\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
)

# What terminals draw two cells wide or in colour, each in its own way (Unicode's Emoji_Presentation, and the selector).
UNCERTAIN_WIDTH = re.compile(
    "[\U0001f000-\U0001faff\ufe0f\u20e3\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f"
    "\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b"
    "\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55]"
)

# Escapes that an author of formulas writes without meaning them: "\tau" is a tab and "au", "\nu" a new line and "u".
_MEANT_AS_MATHS = re.compile(r"\t|\r|\n(?:u|eq?|abla|ot|otin|mid)(?![A-Za-z])")


def as_truth(text: str) -> bool | None:
    """True or false by the core rules, else None."""
    return _TRUTH.get(text)


def as_int(text: str) -> int | None:
    """A whole number by the core rules (decimal, `0o17`, `0x1F`; `010` is ten), else None."""
    return int(text, 0 if text[:2] in ("0o", "0x") else 10) if _INT.fullmatch(text) else None


def as_float(text: str) -> float | None:
    """A finite number by the core rules, `1e-3` included, else None."""
    return float(text) if _FLOAT.fullmatch(text) else None


def escaped_by_accident(text: str) -> str | None:
    """The first character that a backslash in double quotes made by accident, as it is written, such as `\\t`."""
    found = UNSEEN.search(text) or _MEANT_AS_MATHS.search(text)
    return repr(found[0][0]).strip("'") if found else None
