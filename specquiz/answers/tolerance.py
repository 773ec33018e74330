"""How near an answer must come to the reference. Bands are compared as exact rationals, both ends included.

Decades are compared on the scale of orders of magnitude, to 60 digits, and exactly where those leave it open.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from specquiz.answers.arithmetic import COMPARING, Value, as_decimal, as_fraction, equal
from specquiz.answers.writing import magnitude

_SIZE = r"(?P<size>\d+(?:\.\d+)?(?:[eE]-?\d{1,2})?|\d+/[1-9]\d*)"
_DECADES = r"decades\s*:\s*(?P<decades>\d(?:\.\d{1,3})?)"
_RULE = rf"exact|(?P<count>places|sig)\s*:\s*(?P<digits>\d{{1,3}})|(?P<share>rel|abs)\s*:\s*{_SIZE}|{_DECADES}"
_CLOSE = Decimal("1e-50")
"""Decades this near to the bound are compared exactly."""


class Tolerance(NamedTuple):
    """A rule of acceptance.

    `places` and `sig` accept what lies within half a unit of the last required place; `rel` and `abs` what lies within
    that share of the reference or that distance from it. `decades` accepts what has the reference's sign and is at most
    ten to the `amount` times as large or as small.
    """

    rule: str
    amount: Fraction = Fraction(0)

    def accepts(self, value: Value, reference: Value) -> bool:
        """Whether `value` is near enough to `reference`."""
        if self.rule == "exact":
            return equal(value, reference)
        return self._within(value, reference, 1)

    def near(self, value: Value, reference: Value) -> bool:
        """Whether `value` is within twice the tolerance of `reference`, where no known mistake may lie."""
        return equal(value, reference) if self.rule == "exact" else self._within(value, reference, 2)

    def _within(self, value: Value, reference: Value, times: int) -> bool:
        number, exact = as_fraction(value), as_fraction(reference)
        if self.rule == "decades":
            return number == exact or (number * exact > 0 and _within_decades(number / exact, times * self.amount))
        return abs(number - exact) <= times * self.band(exact)

    def band(self, reference: Fraction) -> Fraction:
        """The largest distance from the reference that is accepted; for `decades`, which have none, the smaller one."""
        match self.rule:
            case "places":
                return half_unit(-int(self.amount))
            case "sig":
                return half_unit(magnitude(reference) - int(self.amount) + 1) if reference else Fraction(0)
            case "rel":
                return self.amount * abs(reference)
            case "decades":
                return abs(reference) * (1 - 1 / Fraction(_power_of_ten(self.amount)))
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
            case "decades":
                factor = f"a factor of {float(_power_of_ten(self.amount)):.2g}"
                return f"within {factor}" if self.amount.denominator == 1 else f"within about {factor}"
            case _:
                return "the exact value"


def half_unit(place: int) -> Fraction:
    """Half of ten to the `place`."""
    return Fraction(10) ** place / 2


def _power_of_ten(exponent: Fraction) -> Decimal:
    """Ten to a power, to 60 digits."""
    return COMPARING.power(Decimal(10), as_decimal(exponent))


def _within_decades(ratio: Fraction, decades: Fraction) -> bool:
    """Whether a positive ratio lies between 10^−decades and 10^decades, ends included."""
    distance = abs(COMPARING.log10(as_decimal(ratio))) - as_decimal(decades)
    if abs(distance) > _CLOSE:
        return distance < 0
    larger = max(ratio, 1 / ratio)
    return bool(larger**decades.denominator <= 10**decades.numerator)


@lru_cache(maxsize=256)
def read_tolerance(text: str) -> Tolerance:
    """Read `exact`, `places:n`, `sig:n`, `rel:x`, `abs:x` or `decades:x`.

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
    if match and match["decades"] and Fraction(match["decades"]):
        return Tolerance("decades", Fraction(match["decades"]))
    raise ValueError(f"the tolerance “{text}” is none of exact, places:n, sig:n, rel:x, abs:x, decades:x")
