"""Formulas of the theory over ranges of their arguments: as one value, a table, JSON rows or a plot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specquiz import theory
from specquiz.errors import UsageError
from specquiz.reports.plots import MARKS, text_plot

SYMBOLS = {
    "alpha": "α",
    "k": "K",
    "draft_cost": "c",
    "overhead": "v",
    "draft_operations": "ĉ",
    "n_tokens": "tokens",
}


MOST_COMBINATIONS = 20_000


@dataclass(frozen=True)
class Formula:
    """A quantity: what it is called, how it is computed from which arguments.

    `compute` takes the arguments as arrays and returns named columns; the first is the quantity itself.
    """

    title: str
    expression: str
    arguments: tuple[str, ...]
    compute: Callable[..., Mapping[str, Any]]


FORMULAS: Mapping[str, Formula] = {
    "tokens": Formula(
        "tokens per target pass",
        "(1 − α^(K+1)) / (1 − α)",
        ("alpha", "k"),
        lambda alpha, k: {"tokens_per_pass": theory.tokens_per_pass(alpha, k)},
    ),
    "accepted": Formula(
        "accepted drafted tokens per target pass",
        "α (1 − α^K) / (1 − α)",
        ("alpha", "k"),
        lambda alpha, k: {"expected_accepted": theory.expected_accepted(alpha, k)},
    ),
    "rate": Formula(
        "draft acceptance rate (accepted ÷ drafted)",
        "α (1 − α^K) / ((1 − α) K)",
        ("alpha", "k"),
        lambda alpha, k: {"draft_acceptance_rate": theory.draft_acceptance_rate(alpha, k)},
    ),
    "speedup": Formula(
        "speed-up over plain decoding",
        "(1 − α^(K+1)) / ((1 − α) (1 + K c + v))",
        ("alpha", "k", "draft_cost", "overhead"),
        lambda alpha, k, draft_cost, overhead: {"speedup": theory.speedup(alpha, k, draft_cost, overhead)},
    ),
    "best-k": Formula(
        "best K",
        "the whole K with the greatest speed-up (0: plain decoding)",
        ("alpha", "draft_cost", "overhead"),
        lambda alpha, draft_cost, overhead, k_max: {
            "best_k": (best := theory.best_k(alpha, draft_cost, overhead, k_max=k_max)).k,
            "speedup": best.speedup,
            "best_k_continuous": theory.best_k_continuous(alpha, draft_cost, overhead),
        },
    ),
    "break-even": Formula(
        "break-even α",
        "the α with α + α² + … + α^K = K c + v",
        ("k", "draft_cost", "overhead"),
        lambda k, draft_cost, overhead: {"break_even_alpha": theory.break_even_alpha(k, draft_cost, overhead)},
    ),
    "operations": Formula(
        "arithmetic per token, in units of plain decoding",
        "(K ĉ + K + 1) (1 − α) / (1 − α^(K+1))",
        ("alpha", "k", "draft_operations"),
        lambda alpha, k, draft_operations: {"operations_factor": theory.operations_factor(alpha, k, draft_operations)},
    ),
    "passes": Formula(
        "target passes to emit the tokens",
        "f(m) = 1 + Σ P(N = n) f(m − n − 1)",
        ("n_tokens", "alpha", "k"),
        lambda n_tokens, alpha, k: {"passes_to_emit": theory.passes_to_emit(n_tokens, alpha, k)},
    ),
}


@dataclass(frozen=True)
class Evaluation:
    """A formula at every combination of its arguments' values; the last argument runs fastest."""

    formula: Formula
    axes: Mapping[str, tuple[float, ...]]
    columns: Mapping[str, tuple[float, ...]]

    @property
    def varying(self) -> tuple[str, ...]:
        """Arguments with more than one value."""
        return tuple(name for name, values in self.axes.items() if len(values) > 1)

    def rows(self) -> list[dict[str, float | None]]:
        """One record per combination: the arguments and the columns by name; None where there is no value."""
        points = _product(self.axes)
        return [
            {**point, **{name: _known(values[i]) for name, values in self.columns.items()}}
            for i, point in enumerate(points)
        ]


def evaluate(formula: Formula, axes: Mapping[str, Sequence[float]], **fixed: Any) -> Evaluation:
    """Compute `formula` at every combination of `axes`.

    ValueError where an argument is outside its domain, UsageError where there are too many combinations.
    """
    import numpy as np

    ordered = {name: tuple(_whole(name, value) for value in axes[name]) for name in formula.arguments}
    combinations = math.prod(map(len, ordered.values()))
    if combinations > MOST_COMBINATIONS:
        raise UsageError(
            f"These ranges have {combinations} combinations; at most {MOST_COMBINATIONS} are computed.",
            remedy="Narrow a range or widen its step.",
        )
    grids = np.meshgrid(*ordered.values(), indexing="ij")
    columns = formula.compute(**dict(zip(ordered, (grid.ravel() for grid in grids), strict=True)), **fixed)
    return Evaluation(formula, ordered, {name: tuple(values.tolist()) for name, values in columns.items()})


def facts(evaluation: Evaluation) -> dict[str, Any]:
    """For JSON: the record itself for a single combination, else `{"rows": […]}`."""
    rows = evaluation.rows()
    return rows[0] if len(rows) == 1 else {"rows": rows}


def text(evaluation: Evaluation) -> str:
    """A sentence for one combination, a matrix over two varying arguments, else a table with a row each."""
    varying, formula = evaluation.varying, evaluation.formula
    fixed = ", ".join(f"{SYMBOLS[name]} = {v[0]:g}" for name, v in evaluation.axes.items() if len(v) == 1)
    about = f"  {formula.expression}" + (f" at {fixed}" if fixed else "")
    cells = _cells(evaluation)
    if not varying:
        return f"{formula.title}: {cells[0]}\n{about}"
    if len(varying) == 2:
        first, second = (evaluation.axes[name] for name in varying)
        head = [f"{SYMBOLS[varying[0]]} \\ {SYMBOLS[varying[1]]}", *(f"{value:g}" for value in second)]
        body = [[f"{a:g}", *cells[i * len(second) : (i + 1) * len(second)]] for i, a in enumerate(first)]
    else:
        head = [*(SYMBOLS[name] for name in varying), formula.title]
        points = _product({name: evaluation.axes[name] for name in varying})
        body = [[*(f"{v:g}" for v in point.values()), cell] for point, cell in zip(points, cells, strict=True)]
    return f"{formula.title}\n{about}\n\n{table([head, *body])}"


def plot(evaluation: Evaluation) -> str:
    """The first column over the longest range; one series per value of the other range."""
    varying = sorted(evaluation.varying, key=lambda name: -len(evaluation.axes[name]))
    if not 1 <= len(varying) <= 2:
        raise UsageError(
            f"A plot needs one or two ranges, not {len(varying)}.",
            remedy="Give one argument as a range such as 0.5:0.95:0.05, and at most one other.",
        )
    along, across = varying[0], varying[1:]
    lines: dict[str, list[float]] = {}
    for row, value in zip(evaluation.rows(), next(iter(evaluation.columns.values())), strict=True):
        name = ", ".join(f"{SYMBOLS[other]} = {row[other]:g}" for other in across)
        lines.setdefault(name, []).append(value)
    if len(lines) > len(MARKS):
        raise UsageError(f"A plot shows at most {len(MARKS)} series, not {len(lines)}.", remedy="Narrow one range.")
    return text_plot(evaluation.axes[along], lines, x_title=SYMBOLS[along], y_title=evaluation.formula.title)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned to the right, two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def _cells(evaluation: Evaluation) -> list[str]:
    columns = evaluation.columns
    if "best_k" in columns:
        return [f"{k:g} ({gain:.3f}x)" for k, gain in zip(columns["best_k"], columns["speedup"], strict=True)]
    form = ".4f" if evaluation.varying else ".10g"
    return ["none" if math.isnan(value) else f"{value:{form}}" for value in next(iter(columns.values()))]


def _product(axes: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    from itertools import product

    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def _whole(name: str, value: float) -> float:
    """Counts as whole numbers, where they are."""
    return int(value) if name in ("k", "n_tokens") and float(value).is_integer() else value


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
