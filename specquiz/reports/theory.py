"""What the theory says about counters, machines, rounds and workloads: as facts for JSON, and as text."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from specquiz import theory
from specquiz.errors import UsageError
from specquiz.reports.formulas import table
from specquiz.reports.lessons import lessons
from specquiz.reports.plots import text_plot


def _no_plot() -> str:
    raise UsageError("There is nothing to plot here.")


@dataclass(frozen=True)
class Finding:
    """One answer of the theory: facts that JSON can hold, the text, and its plot."""

    facts: Mapping[str, Any]
    text: str
    plot: Callable[[], str] = _no_plot


def find_alpha(arguments: argparse.Namespace) -> Finding:
    """α from vLLM's counters, from steps, from the mean acceptance length or from the draft acceptance rate."""
    if arguments.per_position is not None:
        _need(arguments, "--per-position", "drafts", "drafted")
        counted = arguments.per_position
        estimate = theory.alpha_from_counters(arguments.drafts, arguments.drafted, sum(counted), counted)
        return _estimated(estimate, len(counted), arguments.confidence)
    if arguments.accepted_steps is not None:
        _need(arguments, "--accepted-steps", "drafted_steps")
        estimate = theory.alpha_from_steps(arguments.accepted_steps, arguments.drafted_steps)
        return _estimated(estimate, max(arguments.drafted_steps), arguments.confidence)
    if arguments.mean_length is not None:
        _need(arguments, "--mean-length", "k")
        alpha, source = theory.alpha_from_mean_length(arguments.mean_length, arguments.k), "mean acceptance length"
    elif arguments.rate is not None:
        _need(arguments, "--rate", "k")
        alpha, source = theory.alpha_from_rate(arguments.rate, arguments.k), "draft acceptance rate"
    else:
        raise UsageError(
            "There is nothing to estimate from.",
            remedy="Give --per-position with --drafts and --drafted, --accepted-steps with --drafted-steps, "
            "or --mean-length or --rate with --k.",
        )
    tokens = theory.tokens_per_pass(alpha, arguments.k)
    text = f"α = {alpha:.6g}, from the {source} at K = {arguments.k}, if every draft had {arguments.k} tokens"
    return Finding({"alpha": alpha, "k": arguments.k, "from": source, "tokens_per_pass": tokens}, text)


def _estimated(estimate: theory.AlphaEstimate, k: int, confidence: float) -> Finding:
    low, high = estimate.interval(confidence)
    found = {
        "alpha": estimate.alpha,
        "exact": estimate.exact,
        "low": estimate.low,
        "high": estimate.high,
        "accepted": estimate.accepted,
        "judged": estimate.judged,
        "interval": [low, high],
        "confidence": confidence,
    }
    if estimate.alpha is None:
        lines = [
            f"α lies between {estimate.low:.6g} and {estimate.high:.6g}: some drafts were shorter than K,",
            "and these counters do not say whether they were accepted whole.",
        ]
    else:
        lines = [f"α = {estimate.alpha:.6g}: {estimate.accepted} accepted of {estimate.judged} judged positions"]
        lines.append(f"At K = {k} that is {theory.tokens_per_pass(estimate.alpha, k):.4g} tokens per pass that drafts.")
        found["tokens_per_pass"] = theory.tokens_per_pass(estimate.alpha, k)
    lines.append(f"{confidence:.0%} interval {low:.4f} to {high:.4f}, if positions were independent;")
    lines.append("those of one request are not, so resample whole requests for the honest one.")
    return Finding(found, "\n".join(lines))


def find_interval(arguments: argparse.Namespace) -> Finding:
    """Wilson's interval of counts; the standard error of so many drafts; the drafts a half-width needs."""
    confidence = arguments.confidence
    if arguments.accepted is not None:
        _need(arguments, "--accepted", "judged")
        low, high = theory.wilson_interval(arguments.accepted, arguments.judged, confidence)
        alpha = arguments.accepted / arguments.judged
        text = f"α = {alpha:.6g}, {confidence:.0%} interval {low:.6g} to {high:.6g} (Wilson)"
        return Finding({"alpha": alpha, "interval": [low, high], "confidence": confidence}, text)
    if arguments.alpha is None:
        raise UsageError(
            "There is nothing to put an interval on.",
            remedy="Give --accepted and --judged, or --alpha and --k with --drafts or --half-width.",
        )
    _need(arguments, "--alpha", "k")
    if arguments.half_width is not None:
        needed = theory.drafts_needed(
            arguments.alpha,
            arguments.k,
            arguments.half_width,
            confidence=confidence,
            design_effect=arguments.design_effect,
        )
        text = f"{needed} drafts give α ± {arguments.half_width:g} at {confidence:.0%}"
        return Finding({"drafts_needed": needed, "confidence": confidence}, text)
    _need(arguments, "--alpha", "drafts")
    error = theory.standard_error(arguments.alpha, arguments.k, arguments.drafts, design_effect=arguments.design_effect)
    return Finding({"standard_error": error}, f"standard error of α: {error:.6g}")


def find_roofline(arguments: argparse.Namespace) -> Finding:
    """Ridge, floor, and by batch the pass time, the speed-up and the best K."""
    device, model = _machine(arguments)
    alpha, k, context, cost = arguments.alpha, arguments.k, arguments.context, arguments.draft_cost
    batches = [int(batch) for batch in arguments.batch]
    speedups = theory.batch_speedup(device, model, alpha, k, arguments.batch, context=context, draft_cost=cost)
    times = theory.pass_time(device, model, arguments.batch, k, context)
    best = [theory.best_k_at_batch(device, model, alpha, batch, context=context, draft_cost=cost) for batch in batches]
    crossing = theory.crossing_batch(device, model, alpha, k, context=context, draft_cost=cost)
    found = {
        "device": device.name,
        "model": model.name,
        "ridge_tokens": theory.ridge_tokens(device, model),
        "tpot_floor_ms": theory.tpot_floor(device, model) * 1e3,
        "read_bytes": model.read_bytes,
        "kv_bytes_per_token": model.kv_bytes(),
        "alpha": alpha,
        "k": k,
        "draft_cost": cost,
        "context": context,
        "crossing_batch": crossing,
        "rows": [
            {"batch": b, "pass_ms": t * 1e3, "speedup": s, "best_k": one.k, "best_speedup": one.speedup}
            for b, t, s, one in zip(batches, times.tolist(), speedups.tolist(), best, strict=True)
        ],
    }
    below = f"first batch below 1: {crossing}" if crossing else "no batch up to 256 is below 1"
    head = ["batch", "positions", "pass, ms", "speed-up", "best K up to 8"]
    body = [
        [str(b), str(b * (k + 1)), f"{t * 1e3:.2f}", f"{s:.3f}", f"{one.k} ({one.speedup:.3f}x)"]
        for b, t, s, one in zip(batches, times.tolist(), speedups.tolist(), best, strict=True)
    ]
    text = "\n".join(
        [
            f"{device.title}: {device.bandwidth / 1e9:g} GB/s, {device.peak / 1e12:g} TFLOPS ({device.source})",
            f"{model.title}: {model.read_bytes / 1e9:.3f} GB read per pass, {model.kv_bytes() / 1024:g} KiB KV a token",
            f"ridge {found['ridge_tokens']:.1f} positions per pass, TPOT floor {found['tpot_floor_ms']:.2f} ms",
            f"α = {alpha:g}, K = {k}, c = {cost:g}, {context:g} tokens of context each: {below}",
            "",
            table([head, *body]),
            "",
            "At the published peaks; real kernels cross earlier.",
        ]
    )
    return Finding(
        found,
        text,
        lambda: text_plot(batches, {"": speedups.tolist()}, x_title="batch", y_title="speed-up over plain decoding"),
    )


def find_trace(arguments: argparse.Namespace) -> Finding:
    """One round, position by position."""
    target, draft = arguments.target, arguments.draft
    traced = theory.trace_round(
        lambda _: target,
        lambda _: draft,
        arguments.k,
        seed=arguments.seed,
        greedy=arguments.greedy,
        redraw=arguments.redraw,
    )
    lines = [f"The draft proposes {_names(traced.drafted) or 'nothing'}."]
    for position, one in enumerate(traced.judged, start=1):
        name = _names((one.token,))
        lines.append(
            f"{position}. {name}: p = {one.target[one.token]:g}, q = {one.draft[one.token]:g}, accepted with "
            f"probability {one.acceptance:.4g}; coin {one.coin:.4f}: {'accepted' if one.accepted else 'rejected'}"
        )
    law = ", ".join(f"{_names((i,))} {p:.4g}" for i, p in enumerate(traced.last_law))
    source = "the target's law" if traced.kind == "bonus" else f"the {arguments.redraw}"
    lines.append(f"The {traced.kind} token is drawn from {source} ({law}): {_names((traced.last,))}")
    lines.append(
        f"Emitted: {_names(traced.emitted)}. One target pass, where plain decoding takes {len(traced.emitted)}."
    )
    if arguments.redraw != "residual" and not arguments.greedy:
        drift = theory.total_variation(theory.output_law(target, draft, redraw=arguments.redraw), target)
        lines.append(f"This redraw is wrong: the emitted law misses the target's by a total variation of {drift:.4g}.")
    return Finding({**asdict(traced), "emitted": traced.emitted, "accepted": traced.accepted}, "\n".join(lines))


def find_advice(arguments: argparse.Namespace) -> Finding:
    """The recommendation with its reasons."""
    device, model = _machine(arguments)
    advice = theory.recommend(
        arguments.workload,
        temperature=arguments.temperature,
        batch=arguments.batch,
        alpha=arguments.alpha,
        draft_cost=arguments.draft_cost,
        context=arguments.context,
        own_head=not arguments.no_head,
        device=device,
        checkpoint=model,
    )
    what = "plain decoding" if advice.verdict == "skip" else f"{advice.method} with K = {advice.k}"
    lines = [f"{advice.verdict.upper()}: {what}", *(f"- {reason}" for reason in advice.reasons)]
    found = asdict(advice)
    if advice.break_even != advice.break_even:
        found["break_even"] = None
    return Finding(found, "\n".join(lines))


def find_lessons(_: argparse.Namespace) -> Finding:
    """The lessons' figures beside ours."""
    figures = lessons()
    width = max(len(one.what) for one in figures) + 2
    lines = []
    title = ""
    for one in figures:
        if one.lesson != title:
            title = one.lesson
            lines += ["", f"“{title}”", f"{'':{width}}  {'the lesson':>12}  {'computed':>15}"]
        row = f"  {one.what:{width - 2}}  {one.printed:>12}  {one.computed:>15}"
        lines.append(row if one.agrees else f"{row}  differs")
        if one.note:
            lines.append(f"    {one.note}")
    return Finding({"figures": [asdict(one) | {"agrees": one.agrees} for one in figures]}, "\n".join(lines[1:]))


FINDERS: Mapping[str, Callable[[argparse.Namespace], Finding]] = {
    "alpha": find_alpha,
    "interval": find_interval,
    "roofline": find_roofline,
    "trace": find_trace,
    "recommend": find_advice,
    "lessons": find_lessons,
}


def _machine(arguments: argparse.Namespace) -> tuple[theory.Device, theory.Checkpoint]:
    if arguments.device not in theory.DEVICES:
        raise UsageError(f"There is no device {arguments.device!r}.", remedy=f"Known: {', '.join(theory.DEVICES)}.")
    if arguments.model not in theory.CHECKPOINTS:
        raise UsageError(f"There is no model {arguments.model!r}.", remedy=f"Known: {', '.join(theory.CHECKPOINTS)}.")
    return theory.DEVICES[arguments.device], theory.CHECKPOINTS[arguments.model]


def _need(arguments: argparse.Namespace, given: str, *names: str) -> None:
    missing = [f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name) is None]
    if missing:
        raise UsageError(f"{given} needs {' and '.join(missing)} as well.")


def _names(tokens: tuple[int, ...]) -> str:
    """Small vocabularies read better as letters."""
    return " ".join(chr(ord("a") + token) if token < 26 else str(token) for token in tokens)
