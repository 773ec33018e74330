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
    from specquiz.theory.advice import TYPICAL_DRAFT_COST, Method, Recommendation, Verdict, Workload, recommend
    from specquiz.theory.candidates import candidates_acceptance, candidates_law
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
        implied_overhead,
        operations_factor,
        passes_to_emit,
        speedup,
        survival,
        tokens_per_pass,
    )
    from specquiz.theory.fits import GeometricFit, chi_square_survival, geometric_fit
    from specquiz.theory.hardware import CHECKPOINTS, DEVICES, GIB, Checkpoint, Device, Shape
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
    from specquiz.theory.mixes import (
        amdahl_speedup,
        harmonic_speedup,
        lockstep_alpha,
        mixture_conditional_rates,
        mixture_tokens_per_pass,
        pooled_mean_length,
    )
    from specquiz.theory.proposers import DecodedText, decode_greedily, propose_ngram
    from specquiz.theory.roofline import (
        batch_speedup,
        best_k_at_batch,
        compute_bound_speedup,
        crossing_batch,
        crossing_rule_of_thumb,
        kv_tokens,
        machine_balance,
        pass_time,
        ridge_tokens,
        tpot_floor,
    )
    from specquiz.theory.sampling import (
        Redraw,
        accept_probability,
        argmax_acceptance,
        lenient_overlap,
        one_hot,
        one_hot_acceptance,
        output_law,
        overlap,
        redraw_laws,
        residual,
        softmax,
        temperature_overlap,
        total_variation,
    )
    from specquiz.theory.simulate import (
        ExactnessTest,
        SimulatedRounds,
        edited_text,
        exactness_test,
        simulate_passes,
        simulate_rounds,
        simulate_tokens,
        zipf_text,
    )
    from specquiz.theory.tracing import JudgedToken, NextToken, TracedRound, greedy_round, trace_round
    from specquiz.theory.trees import Tree, best_tree, best_tree_tokens, full_tree_tokens, tree_tokens

__all__ = [
    "CHECKPOINTS",
    "DEVICES",
    "GIB",
    "TYPICAL_DRAFT_COST",
    "AlphaEstimate",
    "BestK",
    "Checkpoint",
    "DecodedText",
    "Device",
    "ExactnessTest",
    "GeometricFit",
    "JudgedToken",
    "Method",
    "NextToken",
    "Recommendation",
    "Redraw",
    "Shape",
    "SimulatedRounds",
    "TracedRound",
    "Tree",
    "Verdict",
    "Workload",
    "accept_probability",
    "accepted_pmf",
    "accepted_variance",
    "alpha_for_speedup",
    "alpha_from_counters",
    "alpha_from_mean_length",
    "alpha_from_rate",
    "alpha_from_steps",
    "alpha_mle",
    "amdahl_speedup",
    "argmax_acceptance",
    "batch_speedup",
    "best_k",
    "best_k_at_batch",
    "best_k_continuous",
    "best_tree",
    "best_tree_tokens",
    "bootstrap_ratios",
    "break_even_alpha",
    "candidates_acceptance",
    "candidates_law",
    "chi_square_survival",
    "compute_bound_speedup",
    "conditional_rates",
    "crossing_batch",
    "crossing_rule_of_thumb",
    "decode_greedily",
    "design_effect",
    "draft_acceptance_rate",
    "drafts_needed",
    "edited_text",
    "exactness_test",
    "expected_accepted",
    "expected_judged",
    "fisher_information",
    "full_tree_tokens",
    "geometric_fit",
    "greedy_round",
    "harmonic_speedup",
    "implied_overhead",
    "kv_tokens",
    "lenient_overlap",
    "lockstep_alpha",
    "machine_balance",
    "mean_acceptance_length",
    "mixture_conditional_rates",
    "mixture_tokens_per_pass",
    "moment_efficiency",
    "one_hot",
    "one_hot_acceptance",
    "operations_factor",
    "output_law",
    "overlap",
    "pass_time",
    "passes_to_emit",
    "pooled_mean_length",
    "propose_ngram",
    "recommend",
    "redraw_laws",
    "request_bootstrap",
    "residual",
    "ridge_tokens",
    "simulate_passes",
    "simulate_rounds",
    "simulate_tokens",
    "softmax",
    "speedup",
    "standard_error",
    "survival",
    "temperature_overlap",
    "tokens_per_pass",
    "total_variation",
    "tpot_floor",
    "trace_round",
    "tree_tokens",
    "wilson_interval",
    "zipf_text",
]

_MODULES = (
    "closed_forms",
    "intervals",
    "acceptance",
    "fits",
    "sampling",
    "tracing",
    "candidates",
    "trees",
    "mixes",
    "proposers",
    "roofline",
    "hardware",
    "simulate",
    "advice",
)


def __getattr__(name: str) -> Any:
    """A module of this package, or the public name of one (PEP 562), imported now."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in __all__:
        for module in _MODULES:
            found = vars(import_module(f"{__name__}.{module}"))
            if name in found:
                return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
