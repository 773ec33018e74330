"""What to try first for a workload, and whether it pays: rules with their reason and their break-even."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from specquiz.theory.arguments import at_least, count, probability
from specquiz.theory.closed_forms import break_even_alpha
from specquiz.theory.hardware import CHECKPOINTS, DEVICES, Checkpoint, Device
from specquiz.theory.roofline import best_k_at_batch, pass_time, ridge_tokens

# copy: the output repeats the input (edits, summaries, retrieval); agent: it repeats earlier outputs.
Workload: TypeAlias = Literal["copy", "agent", "code", "chat", "creative"]
Method: TypeAlias = Literal["ngram", "suffix", "eagle3", "draft_model"]
Verdict: TypeAlias = Literal["use", "measure", "skip"]

# Draft steps cost about this much of a target pass; assumptions to replace with a measurement.
TYPICAL_DRAFT_COST: dict[Method, float] = {"ngram": 0.0, "suffix": 0.0, "eagle3": 0.05, "draft_model": 0.15}

_FIRST_K = 4


@dataclass(frozen=True)
class Recommendation:
    """What to try first.

    `speedup` is the model's at the measured α, None where none was given; `break_even` is the α from which `k` pays,
    nan where none reaches it; `k` is 0 where plain decoding is best.
    """

    verdict: Verdict
    method: Method
    k: int
    draft_cost: float
    speedup: float | None
    break_even: float
    reasons: tuple[str, ...]


def recommend(
    workload: Workload,
    *,
    temperature: float = 0.0,
    batch: int = 1,
    alpha: float | None = None,
    draft_cost: float | None = None,
    context: float = 0,
    own_head: bool = True,
    device: Device = DEVICES["rtx4090"],
    checkpoint: Checkpoint = CHECKPOINTS["qwen2.5-7b-awq"],
    k_max: int = 8,
) -> Recommendation:
    """Recommend a draft method and K, or plain decoding.

    Args:
        workload: what the output looks like.
        temperature: of sampling. It alone decides nothing: see the reasons.
        batch: sequences decoded together.
        alpha: measured acceptance probability; without it the verdict is to measure (or to skip if no α pays).
        draft_cost: c, a draft step in plain passes; typical of the method if not given.
        context: cached tokens per sequence.
        own_head: whether an EAGLE-3 head trained for the target exists.
        device: where it runs.
        checkpoint: the target.
        k_max: the largest K considered.
    """
    if workload not in get_args(Workload):
        raise ValueError(f"workload must be one of {', '.join(get_args(Workload))}, not {workload!r}")
    at_least(0, "temperature", temperature)
    method = _method(workload, own_head)
    cost = TYPICAL_DRAFT_COST[method] if draft_cost is None else float(at_least(0, "draft_cost", draft_cost))
    ridge = ridge_tokens(device, checkpoint)
    reasons = [_METHOD_REASONS[workload], *_temperature_reasons(method, temperature)]
    if alpha is None:
        speedup = None
        # As many as a pass verifies nearly free, since positions beyond the ridge cost time.
        k = int(min(_FIRST_K, k_max, max(1, ridge // int(count("batch", batch, least=1)) - 1)))
    else:
        measured = float(probability("alpha", alpha))
        k, speedup = best_k_at_batch(device, checkpoint, measured, batch, context=context, draft_cost=cost, k_max=k_max)
    tried = max(k, 1)
    stretch = float(
        pass_time(device, checkpoint, batch, tried, context) / pass_time(device, checkpoint, batch, 0, context)
    )
    break_even = float(break_even_alpha(tried, cost, stretch - 1))
    reasons.append(_batch_reason(batch, tried, ridge, stretch))
    reasons.append(_break_even_reason(tried, cost, break_even))
    if k == 0 or not break_even < 1:
        reasons.append("Plain decoding is fastest here; a smaller batch or a better or cheaper draft may change that.")
        return Recommendation("skip", method, 0, cost, None if alpha is None else 1.0, break_even, tuple(reasons))
    if speedup is None:
        reasons.append("Measure α on this workload (accepted ÷ judged positions), then choose K from it.")
        return Recommendation("measure", method, k, cost, None, break_even, tuple(reasons))
    reasons.append(f"At α = {alpha:g} the model's best K is {k}, with {speedup:.2f} times the speed of plain decoding.")
    return Recommendation("use", method, k, cost, speedup, break_even, tuple(reasons))


_METHOD_REASONS: dict[Workload, str] = {
    "copy": "The output repeats the input, so n-gram lookup drafts well, without a second model and at almost no cost.",
    "agent": "The output repeats earlier outputs, so a suffix tree over prompt and past outputs drafts well.",
    "code": "Code and structured output are predictable: a small trained draft reaches a high α.",
    "chat": "General text leaves nothing to copy: a trained draft is needed, and α is to be measured.",
    "creative": "Free text is hard to predict: a trained draft is needed, and α is likely to be low.",
}


def _method(workload: Workload, own_head: bool) -> Method:
    if workload == "copy":
        return "ngram"
    if workload == "agent":
        return "suffix"
    return "eagle3" if own_head else "draft_model"


def _temperature_reasons(method: Method, temperature: float) -> list[str]:
    if temperature == 0:
        return []
    if method in ("ngram", "suffix"):
        return ["Sampling: a copied draft is accepted with the target's own p(x), which a higher temperature lowers."]
    both = (
        "Sampling: a draft sampled at the same temperature is accepted with Σ min(p, q), which may rise or fall with it"
    )
    return [f"{both}; a high temperature alone is no reason to skip."]


def _batch_reason(batch: int, k: int, ridge: float, stretch: float) -> str:
    positions = batch * (k + 1)
    if stretch <= 1:
        return f"A pass verifies {positions} positions, within the memory-bound range (ridge {ridge:.0f}): it is free."
    return f"A pass verifies {positions} positions (ridge {ridge:.0f}) and takes {stretch:.2f} times a plain one."


def _break_even_reason(k: int, cost: float, break_even: float) -> str:
    if not break_even < 1:
        return f"With K = {k} and c = {cost:g} no α pays."
    if break_even == 0:
        return f"With K = {k} and a free draft any α pays."
    return f"With K = {k} and c = {cost:g} it pays above α = {break_even:.3f}."
