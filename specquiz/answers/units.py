"""Units of measurement: factors to base units and dimensions, for the quantities of this subject.

A plain table reads everything that is needed (`GB/s`, `kB/token`, `FLOP/B`, `Gbps`, `s^-1`), and a general library
would have to be kept from the numbers and from its own words (gilbert, terabarn) anyway.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from specquiz.answers.characters import superscript


class Unit(NamedTuple):
    """`factor` of the base units raised to the exponents of `dimension` (which holds no zeros)."""

    factor: Fraction
    dimension: Mapping[str, int]


_DECIMAL = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_SMALL = {"m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
_SPELLED = {"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "milli": -3, "micro": -6, "nano": -9, "pico": -12}
_SPELLED_BINARY = {"kibi": 10, "mebi": 20, "gibi": 30, "tebi": 40, "pebi": 50}


def _table() -> dict[str, Unit]:
    words: dict[str, Unit] = {}

    def say(spellings: str, factor: Fraction, **dimension: int) -> None:
        for spelling in spellings.split():
            words[spelling] = Unit(factor, MappingProxyType(dimension))

    def prefixed(symbols: str, spelled: str, prefixes: Mapping[str, int], binary: bool, **dimension: int) -> None:
        scales = {prefix: Fraction(10) ** power for prefix, power in {**prefixes, "": 0}.items()}
        names = {prefix: Fraction(10) ** power for prefix, power in {**_SPELLED, "": 0}.items()}
        if binary:
            scales |= {prefix: Fraction(2**power) for prefix, power in _BINARY.items()}
            names |= {prefix: Fraction(2**power) for prefix, power in _SPELLED_BINARY.items()}
        for prefix, factor in scales.items():
            say(" ".join(prefix + symbol for symbol in symbols.split()), factor, **dimension)
        for prefix, factor in names.items():
            say(" ".join(f"{prefix}{word} {prefix}{word}s" for word in spelled.split()), factor, **dimension)

    every = _DECIMAL | _SMALL
    prefixed("s sec", "second", every, False, time=1)
    prefixed("B", "byte", _DECIMAL, True, byte=1)
    prefixed("FLOP FLOPs flop flops", "", _DECIMAL, False, operation=1)
    prefixed("FLOPS", "", _DECIMAL, False, operation=1, time=-1)
    prefixed("Hz", "hertz", _DECIMAL, False, time=-1)
    prefixed("W", "watt", every, False, energy=1, time=-1)
    prefixed("J", "joule", every, False, energy=1)
    prefixed("Wh", "", every, False, energy=1)
    prefixed("tok", "token", {"k": 3, "K": 3, "M": 6}, False, token=1)
    for prefix, power in {"": 0, **_DECIMAL}.items():
        bits = Fraction(10**power, 8)
        say(f"{prefix}b {prefix}bit {prefix}bits", bits, byte=1)
        say(f"{prefix}bps", bits, byte=1, time=-1)
        say(f"{prefix}Bps", Fraction(10**power), byte=1, time=-1)
    for prefix, power in _BINARY.items():
        say(f"{prefix}b {prefix}bit {prefix}bits", Fraction(2**power, 8), byte=1)
    for word, unit in list(words.items()):
        if word.endswith("Wh"):
            words[word] = Unit(unit.factor * 3600, unit.dimension)
    say("toks", Fraction(1), token=1)
    say("secs", Fraction(1), time=1)
    say("min mins minute minutes", Fraction(60), time=1)
    say("h hr hrs hour hours", Fraction(3600), time=1)
    say("d day days", Fraction(86400), time=1)
    say("$ USD dollar dollars", Fraction(1), money=1)
    say("¢ cent cents", Fraction(1, 100), money=1)
    say("pass passes step steps round rounds", Fraction(1), step=1)
    for word in ("request", "prompt", "sequence", "layer", "head", "draft", "GPU", "parameter"):
        say(f"{word} {word}s", Fraction(1), **{word: 1})
    return words


@lru_cache(maxsize=1)
def words() -> dict[str, Unit]:
    """Every unit that is known by one word, prefixes included. Case is significant."""
    return _table()


_PIECE = r"\s*(?:(?P<word>[A-Za-zµμ$¢]+)|(?P<sign>[*/·×()])|(?P<power>(?:\^|\*\*)\s*\{?-?\d\}?)|(?P<one>1))"


@lru_cache(maxsize=1024)
def read_unit(text: str) -> Unit | None:
    """The unit that `text` means, None if it means none. `/` and `per` divide by the next factor or bracket."""
    factor, dimension = Fraction(1), dict[str, int]()
    last: Unit | None = None
    direction, sense, outer, seen = 1, 1, [1], False
    text, piece = _flat(text), re.compile(_PIECE)
    position = 0
    while position < len(text):
        match = piece.match(text, position)
        if not match:
            return None
        position = match.end()
        word, sign, power = match["word"], match["sign"], match["power"]
        if word == "per" or sign == "/":
            direction, last = -1, None
        elif sign == "(":
            outer.append(outer[-1] * direction)
            direction = 1
        elif sign == ")":
            if len(outer) == 1:
                return None
            outer.pop()
        elif sign:
            direction = 1
        elif power:
            exponent = int(re.sub(r"[^-\d]", "", power))
            if last is None:
                return None
            factor, dimension = _times(factor, dimension, last, exponent * sense - sense)
            last = None
        elif match["one"]:
            if seen:
                return None
        else:
            last, seen = words().get(word), True
            if last is None:
                return None
            sense, direction = direction * outer[-1], 1
            factor, dimension = _times(factor, dimension, last, sense)
    if not seen or len(outer) > 1 or direction < 0:
        return None
    return Unit(factor, MappingProxyType(dimension))


def _times(factor: Fraction, dimension: dict[str, int], unit: Unit, exponent: int) -> tuple[Fraction, dict[str, int]]:
    bases = dimension.keys() | unit.dimension.keys()
    sums = {base: dimension.get(base, 0) + exponent * unit.dimension.get(base, 0) for base in bases}
    return factor * unit.factor**exponent, {base: power for base, power in sums.items() if power}


def _flat(text: str) -> str:
    """Superscripts as `^`, spaces around the words as they are."""
    flat, raised = "", ""
    for character in f"{text.strip()} ":
        if not character.isascii() and (base := superscript(character)):
            raised += base
            continue
        flat, raised = flat + (f"^{raised}" if raised else "") + character, ""
    return flat.strip()


def suggestions(text: str) -> list[str]:
    """Units that `text` may have meant: the same letters in another case."""
    by_letters: dict[str, list[str]] = {}
    for word in words():
        by_letters.setdefault(word.lower(), []).append(word)
    options = [""]
    for piece in re.split(r"([A-Za-zµμ]+)", text.strip()):
        known = by_letters.get(piece.lower(), []) if piece.isalpha() and piece != "per" else [piece]
        known = [piece] if piece in words() else known
        options = [start + word for start in options for word in known][:8]
    return [option for option in options if read_unit(option)][:3]
