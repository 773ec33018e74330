"""vLLM's counters before and after a workload, as what they rose by.

They count (request, pass) pairs. `num_drafts` holds only the pairs that had a draft, so an acceptance length says
nothing of the passes without one; `inter_token_latency` observes once for every decode pass, with a draft or without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from specquiz.labs.evidence import Counters, WorkloadRun


class NoCounter(ValueError):
    """A counter is absent, not a number, or ran backwards."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What the counters of one workload rose by, while it ran.

    `per_position[i]` counts the drafts of which at least i + 1 tokens were accepted.
    """

    requests: int
    generated: int
    passes: int | None
    """Decode passes, counted once for each request in them; the prompt's own pass is not one. None where figures from
    elsewhere do not hold them."""
    drafts: int
    drafted: int
    accepted: int
    per_position: tuple[int, ...]

    def conditional_rates(self) -> tuple[float | None, ...]:
        """Share of the drafts accepted at position i among those accepted up to i (right when all have length K)."""
        before = (self.drafts, *self.per_position)
        return tuple(here / there if there else None for here, there in zip(self.per_position, before, strict=False))


def rise(run: WorkloadRun, name: str) -> int:
    """How much a counter rose. `name` is without `vllm:` and `_total`.

    Raises:
        NoCounter: it is missing, not a finite number, or fell (the engine restarted in between).
    """
    difference = _difference(run, name)
    if not math.isfinite(difference) or difference != int(difference):
        raise NoCounter(f"the counter {name} rose by {difference:g}, which is no whole number")
    return int(difference)


def _difference(run: WorkloadRun, name: str) -> float:
    before, after = _lookup(run.before, name), _lookup(run.after, name)
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        raise NoCounter(f"vLLM reported no number for the counter {name}")
    if before < 0:
        raise NoCounter(f"the counter {name} was {before:g}, and none is below 0")
    if after < before:
        raise _restarted(name, before, after)
    return after - before


def check_pages(pages: Sequence[Counters]) -> None:
    """Make sure that counters which were read one after another from one engine only grew.

    Raises:
        NoCounter: one fell or vanished.
    """
    for before, after in pairwise(pages):
        for name, early in before.items():
            told = name.removeprefix("vllm:")
            if after.get(name) is None and early is not None:
                raise NoCounter(f"the counter {told} was reported and then no more")
            for one, other in zip(_figures(early), _figures(after.get(name)), strict=False):
                if other < one:
                    raise _restarted(told, one, other)


def _restarted(name: str, before: float, after: float) -> NoCounter:
    return NoCounter(f"the counter {name} fell from {before:g} to {after:g}: the engine restarted in mid-run")


def _figures(value: float | tuple[float, ...] | None) -> tuple[float, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


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
    exact = [late - early for late, early in zip(after, before, strict=True)]
    if not all(math.isfinite(each) and each == int(each) for each in exact):
        raise NoCounter(f"the counter {name} rose by what is no whole number")
    differences = tuple(map(int, exact))
    if min(differences, default=0) < 0:
        raise NoCounter(f"the counter {name} fell: the engine restarted in mid-run")
    return differences


def tally(run: WorkloadRun, k: int) -> Tally:
    """The counters' rise over one workload, with K draft tokens per step (0: plain decoding, which has no drafts).

    Raises:
        NoCounter: one is missing, not a number, or fell.
    """
    drafting, passes = k > 0, "inter_token_latency_seconds#count"
    from_elsewhere = not run.requests
    return Tally(
        requests=finished(run) if from_elsewhere else len(run.requests),
        generated=rise(run, "generation_tokens"),
        passes=None if from_elsewhere and _lookup(run.after, passes) is None else rise(run, passes),
        drafts=rise(run, "spec_decode_num_drafts") if drafting else 0,
        drafted=rise(run, "spec_decode_num_draft_tokens") if drafting else 0,
        accepted=rise(run, "spec_decode_num_accepted_tokens") if drafting else 0,
        per_position=rise_per_position(run) if drafting else (),
    )


def finished(run: WorkloadRun) -> int:
    """How many requests ended, in any way.

    Raises:
        NoCounter: as `rise`.
    """
    names = [name.removeprefix("vllm:") for name in run.after if name.startswith("vllm:request_success")]
    return sum(rise(run, name) for name in names)


def rise_sum(run: WorkloadRun, name: str) -> float:
    """How much the sum of a histogram rose, in its own unit.

    Raises:
        NoCounter: as `rise`.
    """
    return _difference(run, f"{name}#sum")
