"""Read what a learner commits to: numbers, intervals, one of several choices, or their order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from specquiz.banks.problems import suggestion
from specquiz.errors import UsageError
from specquiz.labs.model import Lab, Prediction
from specquiz.labs.quantities import MEANINGS, bounds

Committed = float | tuple[float, float] | str | tuple[str, ...]
"""A number; the two ends of an interval; a choice; choices in their order."""

_BETWEEN = re.compile(r"\s*(?:to|…|\.{2,3}|[,;–])\s*|(?<=[\d%.\s])\s*-\s*(?=[\d.])")
"""What may stand between the ends of an interval; a minus sign only behind a number."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")


def read_prediction(lab: Lab, prediction: Prediction, text: str) -> Committed:
    """What `text` commits to: `0.85`, `85 %`, `4.2`; `3.8 to 4.6`; `k4`; `k4 > k2 > k1`.

    Raises:
        UsageError: it is not of the prediction's kind, or it cannot be.
    """
    match prediction.kind:
        case "number":
            return _number(lab, prediction, text)
        case "interval":
            return _interval(lab, prediction, text)
        case "choice":
            return _choice(prediction, text)
        case "order":
            return _order(prediction, text)


def read_predictions(lab: Lab, typed: Mapping[str, str]) -> dict[str, Committed]:
    """Every prediction that the lab asks for.

    Raises:
        UsageError: one is missing, unknown or cannot be.
    """
    return read_some(lab, lab.predict, typed)


def read_some(lab: Lab, wanted: Iterable[Prediction], typed: Mapping[str, str]) -> dict[str, Committed]:
    """The predictions `wanted`; `typed` may hold others of the lab.

    Raises:
        UsageError: as `read_predictions`.
    """
    known = [prediction.id for prediction in lab.predict]
    for name in typed:
        if name not in known:
            raise UsageError(
                f"This lab has no prediction {name!r}.", where=lab.id, remedy=f"It asks for: {', '.join(known)}."
            )
    found = {}
    for prediction in wanted:
        if prediction.id not in typed:
            raise UsageError(
                f"The prediction {prediction.id!r} is missing.",
                where=lab.id,
                remedy=f"Add --predict {prediction.id}={'NUMBER' if prediction.kind == 'number' else 'VALUE'}.",
            )
        found[prediction.id] = read_prediction(lab, prediction, typed[prediction.id])
    return found


def ends(lab: Lab, prediction: Prediction) -> tuple[float, float]:
    """The least and the greatest number that a prediction can be."""
    if prediction.quantity is None:
        return prediction.low, prediction.high
    return bounds(lab, prediction.quantity, prediction.arm)


def interval_example(lab: Lab, prediction: Prediction) -> str:
    """An interval that a prediction can be: `1 to 2`."""
    low, high = ends(lab, prediction)
    return f"{low:g} to {min(high, low + (prediction.width or high - low)):g}"


def _number(lab: Lab, prediction: Prediction, text: str) -> float:
    typed = text.strip().replace("−", "-")
    percent = typed.endswith("%")
    digits = typed.removesuffix("%").strip()
    low, high = ends(lab, prediction)
    name = _name(prediction)
    remedy = f"Give a number from {low:g} to {high:g}" + (", such as 0.6 or 60 %." if high == 1 else ", such as 1.5.")
    if not _NUMBER.fullmatch(digits) or (percent and high != 1):
        raise UsageError(f"{text.strip()!r} is no number for {name}.", where=prediction.id, remedy=remedy)
    value = float(digits) / (100 if percent else 1)
    if not math.isfinite(value) or not low <= value <= high:
        raise UsageError(f"{text.strip()} cannot be: {name} is out of its range.", where=prediction.id, remedy=remedy)
    return value


def _interval(lab: Lab, prediction: Prediction, text: str) -> tuple[float, float]:
    parts = _BETWEEN.split(text.strip().removeprefix("[").removesuffix("]").strip())
    if len(parts) != 2:
        remedy = f"Give its two ends, such as `{interval_example(lab, prediction)}`."
        raise UsageError(f"{text.strip()!r} is no interval.", where=prediction.id, remedy=remedy)
    low, high = (_number(lab, prediction, part) for part in parts)
    if low > high:
        raise UsageError(f"{low:g} lies above {high:g}.", where=prediction.id, remedy="Give the lower end first.")
    if prediction.width and high - low > prediction.width + 1e-9:
        raise UsageError(
            f"This interval is {high - low:g} wide.",
            where=prediction.id,
            remedy=f"At most {prediction.width:g}: an interval that holds everything says nothing.",
        )
    return low, high


def _choice(prediction: Prediction, text: str) -> str:
    typed = text.strip()
    if typed in prediction.choices:
        return typed
    remedy = f"Choose one of: {', '.join(prediction.choices)}."
    hint = suggestion(typed, prediction.choices)
    raise UsageError(f"{typed!r} is none of the choices{hint}.", where=prediction.id, remedy=remedy)


def _order(prediction: Prediction, text: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in re.split(r"[>,]", text))
    if sorted(found) != sorted(prediction.choices):
        example = " > ".join(prediction.choices)
        raise UsageError(
            f"{text.strip()!r} is no order of the choices.",
            where=prediction.id,
            remedy=f"Name each of them once, such as `{example}`.",
        )
    return found


def _name(prediction: Prediction) -> str:
    return MEANINGS[prediction.quantity].name if prediction.quantity else prediction.id
