"""Read the numbers that a learner commits to."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from specquiz.errors import UsageError
from specquiz.labs.model import Lab, Prediction
from specquiz.labs.quantities import MEANINGS, bounds

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")


def read_prediction(lab: Lab, prediction: Prediction, text: str) -> float:
    """The number in `text`: `0.85`, `85 %`, `4.2`.

    Raises:
        UsageError: it is not a number, or the quantity cannot take it.
    """
    typed = text.strip().replace("−", "-")
    percent = typed.endswith("%")
    digits = typed.removesuffix("%").strip()
    low, high = bounds(lab, prediction.quantity, prediction.arm)
    name = MEANINGS[prediction.quantity].name
    remedy = f"Give a number from {low:g} to {high:g}" + (", such as 0.6 or 60 %." if high == 1 else ", such as 1.5.")
    if not _NUMBER.fullmatch(digits) or (percent and high != 1):
        raise UsageError(f"{text.strip()!r} is no number for {name}.", where=prediction.id, remedy=remedy)
    value = float(digits) / (100 if percent else 1)
    if not math.isfinite(value) or not low <= value <= high:
        raise UsageError(f"{text.strip()} cannot be: {name} is out of its range.", where=prediction.id, remedy=remedy)
    return value


def read_predictions(lab: Lab, typed: Mapping[str, str]) -> dict[str, float]:
    """Every prediction that the lab asks for.

    Raises:
        UsageError: one is missing, unknown or cannot be.
    """
    known = {prediction.id: prediction for prediction in lab.predict}
    for name in typed:
        if name not in known:
            raise UsageError(
                f"This lab has no prediction {name!r}.", where=lab.id, remedy=f"It asks for: {', '.join(known)}."
            )
    for name in known:
        if name not in typed:
            raise UsageError(
                f"The prediction {name!r} is missing.", where=lab.id, remedy=f"Add --predict {name}=NUMBER."
            )
    return {name: read_prediction(lab, prediction, typed[name]) for name, prediction in known.items()}
