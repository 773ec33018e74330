"""Quantities from raw figures: counter differences for the value, resampled requests for the interval.

vLLM's counters count (request, pass) pairs. `num_drafts` holds only the pairs that had a draft, so an acceptance
length says nothing of the passes without one; `inter_token_latency` observes once for every decode pass, with a draft
or without, and is what coverage and tokens per pass divide by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from specquiz.labs.evidence import ArmRun, Counters, RequestRun, WorkloadRun
from specquiz.labs.model import Quantity
from specquiz.theory.acceptance import alpha_from_counters, alpha_from_steps
from specquiz.theory.closed_forms import tokens_per_pass

Floats = NDArray[np.float64]

RESAMPLES = 2000
SEED = 20260101
COVERAGE = 0.95
_NO_DETAIL = "no interval: this vLLM reports no detail by request"


class NoCounter(ValueError):
    """A counter is absent, not a number, or ran backwards."""


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


@dataclass(frozen=True, slots=True)
class Tally:
    """What the counters of one workload rose by, while it ran.

    `per_position[i]` counts the drafts of which at least i + 1 tokens were accepted.
    """

    requests: int
    generated: int
    passes: int
    """Decode passes, counted once for each request in them; the prompt's own pass is not one."""
    drafts: int
    drafted: int
    accepted: int
    per_position: tuple[int, ...]

    def unconditional_rates(self) -> tuple[float, ...]:
        """Share of the drafts of which at least i + 1 tokens were accepted, as vLLM logs it."""
        return tuple(count / self.drafts for count in self.per_position) if self.drafts else ()

    def conditional_rates(self) -> tuple[float | None, ...]:
        """Share of the drafts accepted at position i among those accepted up to i (right when all have length K)."""
        before = (self.drafts, *self.per_position)
        return tuple(here / there if there else None for here, there in zip(self.per_position, before, strict=False))


def rise(run: WorkloadRun, name: str) -> int:
    """How much a counter rose. `name` is without `vllm:` and `_total`.

    Raises:
        NoCounter: it is missing, not a finite number, or fell (the engine restarted in between).
    """
    before, after = _lookup(run.before, name), _lookup(run.after, name)
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        raise NoCounter(f"vLLM reported no number for the counter {name}")
    if after < before:
        raise NoCounter(f"the counter {name} fell from {before:g} to {after:g}: the engine restarted in mid-run")
    return int(after - before)


def _lookup(counters: Counters, name: str) -> float | tuple[float, ...] | None:
    """A counter as `LLM.get_metrics` names it, or as /metrics does."""
    return counters.get(f"vllm:{name}", counters.get(f"vllm:{name}_total"))


def rise_per_position(run: WorkloadRun) -> tuple[int, ...]:
    """How much the accepted tokens of each draft position rose.

    Raises:
        NoCounter: as `rise`.
    """
    name = "spec_decode_num_accepted_tokens_per_pos"
    before, after = _lookup(run.before, name), _lookup(run.after, name)
    if not isinstance(after, tuple) or not isinstance(before, tuple) or len(before) != len(after):
        raise NoCounter(f"vLLM reported no number for each position of the counter {name}")
    differences = tuple(int(late - early) for late, early in zip(after, before, strict=True))
    if min(differences, default=0) < 0:
        raise NoCounter(f"the counter {name} fell: the engine restarted in mid-run")
    return differences


def tally(run: WorkloadRun, k: int) -> Tally:
    """The counters' rise over one workload, with K draft tokens per step (0: plain decoding, which has no drafts).

    Raises:
        NoCounter: one is missing, not a number, or fell.
    """
    drafting = k > 0
    return Tally(
        requests=len(run.requests),
        generated=rise(run, "generation_tokens"),
        passes=rise(run, "inter_token_latency_seconds#count"),
        drafts=rise(run, "spec_decode_num_drafts") if drafting else 0,
        drafted=rise(run, "spec_decode_num_draft_tokens") if drafting else 0,
        accepted=rise(run, "spec_decode_num_accepted_tokens") if drafting else 0,
        per_position=rise_per_position(run) if drafting else (),
    )


def estimate(arm: ArmRun, workload: str, quantity: Quantity) -> Estimate:
    """Measure `quantity` on one workload of one arm.

    The value comes from the counters, the interval from drawing the requests again, with the same draws for every
    quantity of as many requests (so that a difference of two has its own interval).
    """
    run = arm.workloads[workload]
    k = int(arm.config.get("speculative", {}).get("num_speculative_tokens") or 0)
    try:
        counted = tally(run, k)
    except NoCounter as missing:
        return Estimate(None, note=str(missing))
    drawn = _resampled(run, drafting=counted.drafts > 0)
    match quantity:
        case "tokens_per_pass":
            return _ratio(
                counted.generated - counted.requests, counted.passes, drawn, "tokens", "passes", "decode pass"
            )
        case "draft_coverage":
            return _ratio(counted.drafts, counted.passes, drawn, "drafts", "passes", "decode pass")
        case "draft_acceptance_rate":
            return _ratio(counted.accepted, counted.drafted, drawn, "accepted", "drafted", "drafted token")
        case "mean_acceptance_length":
            return _shifted(_ratio(counted.accepted, counted.drafts, drawn, "accepted", "drafts", "draft"))
        case "alpha":
            return _alpha(counted, run, drawn, k)
        case "model_acceptance_length":
            return _model_length(_alpha(counted, run, drawn, k), k)


def _ratio(above: float, below: float, drawn: dict[str, Floats] | None, top: str, bottom: str, unit: str) -> Estimate:
    if below == 0:
        return Estimate(None, note=f"no data: there was no {unit}")
    if drawn is None:
        return Estimate(above / below, note=_NO_DETAIL)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = np.where(drawn[bottom] > 0, drawn[top] / drawn[bottom], np.nan)
    return Estimate(above / below, draws)


def _shifted(ratio: Estimate) -> Estimate:
    if ratio.value is None:
        return ratio
    return Estimate(1 + ratio.value, None if ratio.draws is None else 1 + ratio.draws, ratio.note)


def _alpha(counted: Tally, run: WorkloadRun, drawn: dict[str, Floats] | None, k: int) -> Estimate:
    """α as accepted among judged tokens; from the steps where they are known, else from the counters if they do."""
    if counted.drafts == 0:
        return Estimate(None, note="no data: there was no draft")
    if drawn is not None:
        steps = [(got, offered) for each in run.requests for got, offered in _steps(each)]
        judged = alpha_from_steps(*zip(*steps, strict=True)).judged or 0
        return _ratio(counted.accepted, judged, drawn, "accepted", "judged", "judged token")
    by_counters = alpha_from_counters(
        counted.drafts, counted.drafted, counted.accepted, counted.per_position, num_speculative_tokens=k
    )
    if by_counters.alpha is None:
        return Estimate(None, note="no α: some drafts were shorter than K, and this vLLM reports no detail by step")
    return Estimate(by_counters.alpha, note=_NO_DETAIL)


def _steps(request: RequestRun) -> list[tuple[int, int]]:
    """(accepted, drafted) of each step that had a draft."""
    return list(zip(request.accepted or (), request.drafted or (), strict=True))


def _model_length(alpha: Estimate, k: int) -> Estimate:
    if alpha.value is None:
        return alpha
    draws = alpha.draws
    if draws is not None:
        known = ~np.isnan(draws)
        draws = np.where(known, tokens_per_pass(np.where(known, draws, 0.0), k), np.nan)
    return Estimate(float(tokens_per_pass(alpha.value, k)), draws, alpha.note)


def _resampled(run: WorkloadRun, *, drafting: bool) -> dict[str, Floats] | None:
    """Sums over resampled requests, shape (`RESAMPLES`,) each; None where the detail by request is missing."""
    if len(run.requests) < 2 or (drafting and any(request.accepted is None for request in run.requests)):
        return None
    sums = {
        "tokens": [len(request.output) - 1 for request in run.requests],
        "passes": [len(request.steps) - 1 for request in run.requests],
        "drafts": [len(request.drafted or ()) for request in run.requests],
        "drafted": [sum(request.drafted or ()) for request in run.requests],
        "accepted": [sum(request.accepted or ()) for request in run.requests],
        "judged": [sum(min(got + 1, offered) for got, offered in _steps(request)) for request in run.requests],
    }
    chosen = resamples(len(run.requests))
    return {name: np.asarray(values, dtype=np.float64)[chosen].sum(axis=1) for name, values in sums.items()}


@lru_cache(maxsize=4)
def resamples(requests: int) -> NDArray[np.int64]:
    """Which requests each resample holds, shape (`RESAMPLES`, requests); the same for every call."""
    return np.random.default_rng(SEED).integers(0, requests, size=(RESAMPLES, requests))
