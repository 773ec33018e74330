"""How near an answer must come to the reference. Bands are compared as exact rationals, both ends included."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from specquiz.answers.arithmetic import Value, as_fraction, equal
from specquiz.answers.writing import magnitude

_SIZE = r"(?P<size>\d+(?:\.\d+)?(?:[eE]-?\d{1,2})?|\d+/[1-9]\d*)"
_RULE = rf"exact|(?P<count>places|sig)\s*:\s*(?P<digits>\d{{1,3}})|(?P<share>rel|abs)\s*:\s*{_SIZE}"


class Tolerance(NamedTuple):
    """A rule of acceptance.

    `places` and `sig` accept what lies within half a unit of the last required place; `rel` and `abs` what lies within
    that share of the reference or that distance from it.
    """

    rule: str
    amount: Fraction = Fraction(0)

    def accepts(self, value: Value, reference: Value) -> bool:
        """Whether `value` is near enough to `reference`."""
        if self.rule == "exact":
            return equal(value, reference)
        exact = as_fraction(reference)
        return abs(as_fraction(value) - exact) <= self.band(exact)

    def band(self, reference: Fraction) -> Fraction:
        """The largest distance from the reference that is accepted."""
        match self.rule:
            case "places":
                return half_unit(-int(self.amount))
            case "sig":
                return half_unit(magnitude(reference) - int(self.amount) + 1) if reference else Fraction(0)
            case "rel":
                return self.amount * abs(reference)
            case _:
                return self.amount

    def say(self) -> str:
        """What is asked, such as `2 decimals`."""
        count = int(self.amount)
        match self.rule:
            case "places":
                return f"{count} decimal{'' if count == 1 else 's'}"
            case "sig":
                return f"{count} significant figure{'' if count == 1 else 's'}"
            case "rel":
                return f"within {float(self.amount * 100):g} % of the right value"
            case "abs":
                return f"within {float(self.amount):g} of the right value"
            case _:
                return "the exact value"


def half_unit(place: int) -> Fraction:
    """Half of ten to the `place`."""
    return Fraction(10) ** place / 2


@lru_cache(maxsize=256)
def read_tolerance(text: str) -> Tolerance:
    """Read `exact`, `places:n`, `sig:n`, `rel:x` or `abs:x`.

    Raises:
        ValueError: it is none of these.
    """
    match = re.fullmatch(_RULE, text.strip())
    if match and match[0] == "exact":
        return Tolerance("exact")
    if match and match["count"] and (match["count"] == "places" or int(match["digits"])):
        return Tolerance(match["count"], Fraction(match["digits"]))
    if match and match["share"]:
        return Tolerance(match["share"], Fraction(match["size"]))
    raise ValueError(f"the tolerance “{text}” is none of exact, places:n, sig:n, rel:x, abs:x")
