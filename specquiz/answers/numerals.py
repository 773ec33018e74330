"""Numbers as people write them: decimal comma, grouped thousands, powers of ten."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from specquiz.answers.verdict import Refusal

LARGEST_EXPONENT = 308
"""Numbers beyond 10 to this power are too big to check."""

RUN = re.compile(r"(?:\d|\.\d)(?:[\d.'_]|,(?=\d)| (?=\d{3}(?!\d)))*")
"""The characters of one number where a comma cannot separate arguments."""
ARGUMENT_RUN = re.compile(r"(?:\d|\.\d)(?:[\d.'_]| (?=\d{3}(?!\d)))*")
"""The same between the brackets of a function, where a comma ends the number."""

_PLAIN = re.compile(r"\d+\.?\d*|\.\d+")
_GROUPED = re.compile(r"\d{1,3}(?:([ '_,.])\d{3})(?:\1\d{3})*")
_THOUSANDS_COMMA = re.compile(r"[1-9]\d{0,2},\d{3}")


class Numeral(NamedTuple):
    """A number as written."""

    value: Fraction
    note: str = ""
    """How it was read, where a reader might have read it otherwise."""


def read_numeral(text: str, exponent: int = 0, at: int = 0) -> Numeral:
    """Read digits with marks, times ten to the `exponent`.

    Raises:
        Refusal: the marks follow no convention, or the number is beyond 10^308.
    """
    plain, note = (text, "") if _PLAIN.fullmatch(text) else _regular(text, at)
    whole, _, decimals = plain.partition(".")
    digits = len(whole.lstrip("0")) + exponent
    if digits > LARGEST_EXPONENT + 1 or exponent < -LARGEST_EXPONENT:
        raise Refusal("That number is too big or too small to check.", at)
    value = Fraction(int(whole + decimals or "0"), 10 ** len(decimals)) if decimals else Fraction(int(whole))
    return Numeral(value * Fraction(10) ** exponent if exponent else value, note)


def _regular(text: str, at: int) -> tuple[str, str]:
    """The number with a decimal point and no grouping, and how it was read."""
    mark = max(text.rfind("."), text.rfind(","))
    if _THOUSANDS_COMMA.fullmatch(text):
        whole = text.replace(",", "")
        return whole, f"{text} was read as {whole}."
    if mark >= 0 and text.count(text[mark]) == 1:
        whole, decimals = text[:mark], text[mark + 1 :]
        if decimals.isdecimal() and (whole.isdecimal() or _is_grouped(whole)):
            plain = f"{re.sub('[^0-9]', '', whole)}.{decimals}"
            return plain, f"{text} was read as {plain}."
    if _is_grouped(text):
        plain = re.sub("[^0-9]", "", text)
        return plain, f"{text} was read as {plain}."
    if text.endswith(".") or ".." in text:
        raise Refusal(f"{text} has a point too many.", at)
    raise Refusal(f"{text} is not a number as it stands. Write it like 1234.5 or 1,234.5.", at)


def _is_grouped(text: str) -> bool:
    return _GROUPED.fullmatch(text) is not None
