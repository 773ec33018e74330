"""Plots as plain text: any terminal, any font, no colour needed to tell series apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

MARKS = "*ox+#@%&"


def text_plot(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    x_title: str,
    y_title: str,
    width: int = 64,
    height: int = 16,
) -> str:
    """Points of up to eight series over common `x`, each with its own mark, named in a legend below.

    `width` and `height` are those of the plotting area in characters. Values that are not finite are left out.
    """
    if len(series) > len(MARKS):
        raise ValueError(f"series must be at most {len(MARKS)}, not {len(series)}")
    known = [y for values in series.values() for y in values if math.isfinite(y)]
    if not known:
        return f"{y_title}: nothing to plot"
    left, right = min(x), max(x)
    bottom, top = _spread(min(known), max(known))
    rows = [[" "] * width for _ in range(height)]
    for mark, values in zip(MARKS, series.values(), strict=False):
        for here, value in zip(x, values, strict=True):
            if math.isfinite(value):
                rows[height - 1 - _cell(value, bottom, top, height)][_cell(here, left, right, width)] = mark
    labels = {0: f"{top:.4g}", height // 2: f"{top - (top - bottom) * (height // 2) / (height - 1):.4g}"}
    labels[height - 1] = f"{bottom:.4g}"
    margin = max(map(len, labels.values()))
    lines = [y_title]
    lines += [f"{labels.get(i, ''):>{margin}} |{''.join(row).rstrip()}".rstrip() for i, row in enumerate(rows)]
    ends = f"{left:.4g}", f"{right:.4g}"
    lines.append(f"{'':{margin}} +{'-' * width}")
    lines.append(f"{'':{margin}}  {ends[0]}{x_title:^{width - len(ends[0]) - len(ends[1])}}{ends[1]}")
    if len(series) > 1:
        lines.append("  ".join(f"{mark} {name}" for mark, name in zip(MARKS, series, strict=False)))
    return "\n".join(lines)


def _spread(low: float, high: float) -> tuple[float, float]:
    """The bounds of the axis; some room where all values are the same."""
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _cell(value: float, low: float, high: float, cells: int) -> int:
    return round((value - low) / (high - low) * (cells - 1)) if high > low else cells // 2
