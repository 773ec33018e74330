"""Speculative decoding itself, computed: closed forms, acceptance statistics, sampling, proposers, rooflines.

Importing this package loads no NumPy: the modules are imported when one of their names is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specquiz.theory.acceptance import (
        AlphaEstimate,
        alpha_from_counters,
        alpha_from_steps,
        alpha_mle,
        conditional_rates,
        mean_acceptance_length,
    )
    from specquiz.theory.closed_forms import (
        BestK,
        accepted_pmf,
        accepted_variance,
        alpha_for_speedup,
        alpha_from_mean_length,
        alpha_from_rate,
        best_k,
        best_k_continuous,
        break_even_alpha,
        draft_acceptance_rate,
        expected_accepted,
        expected_judged,
        operations_factor,
        passes_to_emit,
        speedup,
        survival,
        tokens_per_pass,
    )
    from specquiz.theory.fits import GeometricFit, chi_square_survival, geometric_fit
    from specquiz.theory.intervals import (
        bootstrap_ratios,
        design_effect,
        drafts_needed,
        fisher_information,
        moment_efficiency,
        request_bootstrap,
        standard_error,
        wilson_interval,
    )

__all__ = [
    "AlphaEstimate",
    "BestK",
    "GeometricFit",
    "accepted_pmf",
    "accepted_variance",
    "alpha_for_speedup",
    "alpha_from_counters",
    "alpha_from_mean_length",
    "alpha_from_rate",
    "alpha_from_steps",
    "alpha_mle",
    "best_k",
    "best_k_continuous",
    "bootstrap_ratios",
    "break_even_alpha",
    "chi_square_survival",
    "conditional_rates",
    "design_effect",
    "draft_acceptance_rate",
    "drafts_needed",
    "expected_accepted",
    "expected_judged",
    "fisher_information",
    "geometric_fit",
    "mean_acceptance_length",
    "moment_efficiency",
    "operations_factor",
    "passes_to_emit",
    "request_bootstrap",
    "speedup",
    "standard_error",
    "survival",
    "tokens_per_pass",
    "wilson_interval",
]

_MODULES = ("closed_forms", "intervals", "acceptance", "fits")


def __getattr__(name: str) -> Any:
    """The public name `name` of one of the modules (PEP 562), imported now."""
    if name in __all__:
        for module in _MODULES:
            found = vars(import_module(f"{__name__}.{module}"))
            if name in found:
                return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
