"""The domains of the arguments of this room, checked where they enter: an error names the argument and its value."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
# What a function of this room returns, as NumPy's own do: a number for numbers, an array for arrays.
Numbers: TypeAlias = Any

# How far a probability vector may be from summing to one: the rounding of float32 logits, not a forgotten token.
SUM_TOLERANCE = 1e-6
# From here on, not every whole number is a float64.
_UNEVEN = 2.0**53


def probability(name: str, value: ArrayLike) -> FloatArray:
    """`value` as an array of probabilities; ValueError where one is outside [0, 1]."""
    array = _floats(name, value)
    _require((array >= 0) & (array <= 1), array, name, "must lie in [0, 1]")
    return array


def at_least(bound: float, name: str, value: ArrayLike) -> FloatArray:
    """`value` as an array of finite numbers of at least `bound`; ValueError otherwise."""
    array = _floats(name, value)
    _require((array >= bound) & np.isfinite(array), array, name, f"must be a finite number of at least {bound:g}")
    return array


def positive(name: str, value: ArrayLike) -> FloatArray:
    """`value` as an array of finite numbers above zero; ValueError otherwise."""
    array = _floats(name, value)
    _require((array > 0) & np.isfinite(array), array, name, "must be a finite number above 0")
    return array


def count(name: str, value: ArrayLike, least: int = 0) -> IntArray:
    """`value` as an array of whole numbers of at least `least`; ValueError otherwise."""
    array = _floats(name, value)
    with np.errstate(invalid="ignore"):
        whole = (array >= least) & (array < _UNEVEN) & (array == np.floor(array))
    _require(whole, array, name, f"must be a whole number of at least {least}")
    return array.astype(np.int64)


def distribution(name: str, value: ArrayLike) -> FloatArray:
    """`value` as probability vectors along the last axis; ValueError if one is negative or does not sum to one."""
    array = _floats(name, value)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"{name} must be a vector of probabilities, not {value!r}")
    probability(name, array)
    sums = array.sum(axis=-1)
    _require(np.abs(sums - 1) <= SUM_TOLERANCE, sums, f"the sum of {name}", "must be one")
    return array


def same_vocabulary(**vectors: FloatArray) -> None:
    """ValueError unless the vectors run over the same number of tokens."""
    sizes = {name: vector.shape[-1] for name, vector in vectors.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError("vectors over different vocabularies: " + ", ".join(f"{n} has {s}" for n, s in sizes.items()))


def plain(array: Any) -> Numbers:
    """A Python number where `array` has no axes, else the array itself."""
    return array.item() if np.ndim(array) == 0 and isinstance(array, (np.ndarray, np.generic)) else array


def _floats(name: str, value: ArrayLike) -> FloatArray:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number or an array of numbers, not {value!r}") from None


def _require(holds: NDArray[np.bool_], array: FloatArray, name: str, rule: str) -> None:
    if not np.all(holds):
        raise ValueError(f"{name} {rule}, not {array[~holds].flat[0]:.12g}")
