"""A number with its 95 % interval, from drawing the requests again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 2000
SEED = 20260101
COVERAGE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with the values it takes when the requests are drawn again, or the reason why there is none."""

    value: float | None
    draws: Floats | None = None
    """`RESAMPLES` values, NaN where a resample has no data; None for an exact number or one without detail."""
    note: str = ""

    def interval(self) -> tuple[float, float] | None:
        """The 95 % bootstrap interval; None where there is none."""
        if self.value is None or self.draws is None or np.isnan(self.draws).mean() > 1 - COVERAGE:
            return None
        tail = 100 * (1 - COVERAGE) / 2
        low, high = np.nanpercentile(self.draws, [tail, 100 - tail])
        return float(low), float(high)

    def mapped(self, function: Callable[[Floats], Floats]) -> Estimate:
        """The estimate of a function of it, applied to the value and to each draw."""
        if self.value is None:
            return self
        value = float(function(np.asarray([self.value]))[0])
        if not np.isfinite(value):
            return Estimate(None, note="no data: the rule divides by zero")
        if self.draws is None:
            return Estimate(value, note=self.note)
        with np.errstate(divide="ignore", invalid="ignore"):
            draws = function(self.draws)
        return Estimate(value, np.where(np.isfinite(draws), draws, np.nan), self.note)


@lru_cache(maxsize=4)
def resamples(requests: int) -> NDArray[np.int64]:
    """Which requests each resample holds, shape (`RESAMPLES`, requests); the same for every call."""
    return np.random.default_rng(SEED).integers(0, requests, size=(RESAMPLES, requests))
