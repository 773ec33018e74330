"""Part a numeric answer into the number and what follows it: a unit, a percent sign, a word such as `tokens`."""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from specquiz.answers.units import Unit, read_unit, suggestions
from specquiz.answers.verdict import Refusal

PERCENT = "%"
_HUNDREDTH = Fraction(1, 100)

_COUNT = re.compile(
    r"\s*(?:[xX×✕]|times|(?:tokens?|toks?)(?:\s*(?:/|\bper\b)\s*(?:target |forward )?(?:pass|step|round))?)\s*$"
)
_PERCENT = re.compile(r"\s*(?:\\?[%％]|\bpercent)\s*$")
_MULTIPLE = re.compile(r"(?<=\d) ?([kKMGT])\s*$")
_THOUSANDS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
_LETTER = re.compile(r"[A-Za-zµμ$¢]")
_UNIT_TAIL = re.compile(r"^[^A-Za-zµμ]*?[\d.)]\s*([A-Za-zµμ$][A-Za-zµμ$/*·^() \d-]*)$")


class Measure(NamedTuple):
    """A numeric answer in two parts."""

    end: int
    """Column where the number ends."""
    factor: Fraction
    """What the number is multiplied by to be in the question's unit."""
    unit: str
    """The unit as typed, empty if there was none."""


def split(text: str, unit: str, names: Collection[str]) -> Measure:
    """Part `text`, an answer to a question in `unit`.

    Names of the question are never taken for units, unless the question itself asks for such a unit.

    Raises:
        Refusal: the unit is unknown or of another dimension, or none is wanted, or the number is missing.
    """
    if text.strip().startswith("$") and text.strip().endswith("$"):
        return Measure(len(text), Fraction(1), "")
    if match := _PERCENT.search(text):
        return _percent(text, match, unit)
    if not unit:
        return _plain(text, names)
    if unit == PERCENT:
        return Measure(len(text), Fraction(1), "")
    wanted = read_unit(unit)
    assert wanted
    found = _find(text, names, wanted)
    if found is None:
        return Measure(len(text), Fraction(1), "")
    at, typed = found
    if not text[:at].strip():
        raise Refusal("The number is missing before the unit.", 0)
    if typed.dimension != wanted.dimension:
        # “FLOPS/B” is often written for floating-point operations per byte, though FLOPS alone is a rate.
        typed = read_unit(text[at:].replace("FLOPS", "FLOP")) or typed
    if typed.dimension != wanted.dimension:
        raise Refusal(f"“{text[at:].strip()}” measures something else. Give the answer in {unit}.", at)
    factor = typed.factor / wanted.factor
    if (match := _MULTIPLE.search(text[:at])) and match[1] not in names:
        return Measure(match.start(), factor * 1000 ** _THOUSANDS[match[1]], f"{match[1]} {text[at:].strip()}")
    return Measure(at, factor, text[at:].strip())


def _percent(text: str, match: re.Match[str], unit: str) -> Measure:
    at = match.start()
    if unit not in ("", PERCENT):
        raise Refusal(f"This answer is no percentage. Give it in {unit}.", at)
    if _PERCENT.search(text[:at]):
        raise Refusal("One percent sign is enough.", at)
    if not text[:at].strip():
        raise Refusal("The number is missing before the percent sign.", 0)
    return Measure(at, Fraction(1) if unit == PERCENT else _HUNDREDTH, "%")


def _plain(text: str, names: Collection[str]) -> Measure:
    """A question without a unit: a count word is dropped, a multiple such as `k` is kept, a real unit refused."""
    if (match := _COUNT.search(text)) and match[0].strip() not in names and text[: match.start()].strip():
        return Measure(match.start(), Fraction(1), "")
    if (match := _MULTIPLE.search(text)) and match[1] not in names:
        return Measure(match.start(), Fraction(1000 ** _THOUSANDS[match[1]]), match[1])
    found = _find(text, names, None)
    if found and text[: found[0]].strip():
        raise Refusal(f"No unit is asked for. Give the plain number, without “{text[found[0] :].strip()}”.", found[0])
    return Measure(len(text), Fraction(1), "")


def _find(text: str, names: Collection[str], wanted: Unit | None) -> tuple[int, Unit] | None:
    """Where the longest unit at the end of the text begins, and the unit."""
    for match in _LETTER.finditer(text):
        at = match.start()
        if at and (_LETTER.match(text[at - 1]) or text[at - 1] in "_\\"):
            continue
        start = at
        if text[:at].rstrip().endswith("/"):
            start = text.rindex("/", 0, at)
            if re.search(r"(?<=\s)1\s*$", text[:start]):
                start = text.rindex("1", 0, start)
            if _LETTER.match(text[:start].rstrip()[-1:]):
                continue
        typed = read_unit(text[start:])
        if typed is None:
            continue
        is_wanted = wanted is not None and typed.dimension == wanted.dimension
        if not _mentions(text[start:], names) or (is_wanted and not _mentions(text[:start], names)):
            return start, typed
    return None


def _mentions(text: str, names: Collection[str]) -> bool:
    return any(word in names for word in re.findall(r"[A-Za-z_]\w*", text))


def unknown_unit(text: str, unit: str) -> Refusal | None:
    """Why the letters after the number are no unit, for an answer that could not be read otherwise."""
    match = _UNIT_TAIL.match(text)
    if not match:
        return None
    typed = match[1].strip()
    if read_unit(typed):
        return None
    near = [option for option in suggestions(typed) if option != typed]
    meant = f" Did you mean {' or '.join(near)}?" if near else f" Give the answer in {unit}."
    return Refusal(f"“{typed}” is not a unit that is known here.{meant}", match.start(1))
