"""The declared domain of a formula, and the points of it at which formulas are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from specquiz.answers.characters import greek_word

_DENOMINATOR = 2**24 + 43
"""A prime above every numerator that is drawn."""

Point = dict[str, Fraction]

_NUMBER = r"([-+]?\d+(?:\.\d+)?(?:/\d+)?)"
_NAME = r"([^\W\d]\w*)"
_INTERVAL = rf"{_NUMBER}\s*<\s*{_NAME}\s*<\s*{_NUMBER}"
_ABOVE = rf"{_NAME}\s*>\s*{_NUMBER}"
_INTEGER = rf"{_NAME}\s+integer\s*(?:>=|≥)\s*{_NUMBER}"


class Variable(NamedTuple):
    """A variable between two open bounds, above one, or running through the integers from `low`."""

    name: str
    low: Fraction
    high: Fraction | None = None
    integer: bool = False

    def holds(self, value: Fraction) -> bool:
        """Whether `value` lies in the variable's domain."""
        if self.integer:
            return value.denominator == 1 and value >= self.low
        return self.low < value and (self.high is None or value < self.high)


@lru_cache(maxsize=4096)
def read_domain(text: str) -> tuple[Variable, ...]:
    """The variables that `text` declares, in order.

    Raises:
        ValueError: a part has none of the three forms, or a name comes twice.
    """
    variables = tuple(_variable(part.strip()) for part in text.split(";") if part.strip())
    names = [variable.name for variable in variables]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the domain declares {name} twice")
    return variables


def _variable(part: str) -> Variable:
    if match := re.fullmatch(_INTERVAL, part):
        low, high = Fraction(match[1]), Fraction(match[3])
        if low < high:
            return Variable(_plain(match[2]), low, high)
        raise ValueError(f"the domain “{part}” is empty")
    if match := re.fullmatch(_ABOVE, part):
        return Variable(_plain(match[1]), Fraction(match[2]))
    if match := re.fullmatch(_INTEGER, part):
        return Variable(_plain(match[1]), Fraction(-(-Fraction(match[2]) // 1)), integer=True)
    raise ValueError(f"the domain “{part}” is none of “lo < name < hi”, “name > lo”, “name integer >= lo”")


def _plain(name: str) -> str:
    """The name with a Greek letter spelled out, as formulas hold it."""
    return (greek_word(name[0]) or name[0]) + name[1:]


def random_points(variables: tuple[Variable, ...]) -> Iterator[Point]:
    """Points without end, the same ones every time.

    The first integer variable runs through consecutive values, every other variable is drawn afresh for each point:
    24-bit rationals in an interval, ratios of 24-bit numbers at scales from 1/64 to 64 above a bound. So many bits make
    an accident at twelve points out of the question, and few enough let a sum of 200 powers be added in time.
    """
    state = 0x5DEECE66D

    def draw() -> int:
        """The next of 2^24 numbers (Knuth's MMIX linear congruential generator, upper bits)."""
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        return state >> 40

    running = next((variable.name for variable in variables if variable.integer), None)
    step = 0
    while True:
        point = {}
        for variable in variables:
            if variable.name == running:
                point[running] = variable.low + step
            elif variable.integer:
                point[variable.name] = variable.low + draw() % 17
            elif variable.high is not None:
                point[variable.name] = variable.low + (variable.high - variable.low) * Fraction(
                    1 + draw(), _DENOMINATOR
                )
            else:
                scale = Fraction(2) ** (draw() % 13 - 6)
                point[variable.name] = variable.low + scale * Fraction(1 + draw(), 1 + draw())
        yield point
        step += 1


def plain_points(variables: tuple[Variable, ...]) -> Iterator[Point]:
    """A few points with short numbers, for showing to people."""
    shares = [Fraction(part, 10) for part in (5, 8, 2, 6, 3, 9, 1, 7, 4)]
    for shift in range(6):
        point = {}
        for position, variable in enumerate(variables):
            place = position + shift
            if variable.high is not None:
                point[variable.name] = variable.low + (variable.high - variable.low) * shares[place % len(shares)]
            else:
                point[variable.name] = variable.low + 2 + (place * 2 + shift) % 7
        yield point
