"""Is the sampler sound that speculation uses above temperature 0? On a CPU without Triton it is not, and is repaired.

vLLM's stand-in for one of its kernels there writes into a copy and leaves the result as it lay in memory, so logits are
divided by noise instead of the temperature. Nothing fails: the tokens are garbage. Speculation at temperature 0 and
plain decoding do not come this way.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Literal

from .events import Refused

TRIALS = 4
COUNTS = (4, 1, 7)
"""Draft tokens of three requests."""

EXTENSION = "specquiz_worker.Sampler"
"""The class, in the folder `worker`, that a server's worker gets besides: there, in another process than the server's
own, the sampler is."""
ASK_SAMPLER = "specquiz_cpu_sampler"
"""Its method, which does as `examine`."""

Care = Literal["repair", "test", "trust"]
"""What to do about a broken sampler: repair it (as every lab does); or, for tests of the labs, refuse it or use it."""


def drafts_on_cpu(job: Mapping[str, Any]) -> bool:
    """Whether an arm comes this way, if only it samples."""
    return job["device"] == "cpu" and bool(job["speculative_config"])


def hottest(job: Mapping[str, Any]) -> float:
    """The highest temperature that an arm samples at."""
    return max(float(workload["sampling"]["temperature"]) for workload in job["workloads"].values())


def examine(care: Care) -> dict[str, str]:
    """Test the sampler, repair it where it fails and may be repaired, and test again: what was `found`, and the outcome
    (`sound`, `repaired` or `broken`).

    Raises:
        Refused: it does not run at all. One vLLM launches Triton's kernels on a CPU that has no Triton.
    """
    module: Any = importlib.import_module("vllm.v1.sample.rejection_sampler")
    try:
        sound = is_sound(module)
    except TypeError as error:
        raise Refused(
            f"This vLLM cannot speculate on a CPU: its sampler stops with “{error}”. "
            "Other versions can: install one in its place, or name a Python that has one with --python."
        ) from error
    if sound:
        return {"found": "sound", "outcome": "sound"}
    if care == "repair":
        module.expand_batch_to_tokens = expand_batch_to_tokens
        if is_sound(module):
            return {"found": "broken", "outcome": "repaired"}
    return {"found": "broken", "outcome": "broken"}


def refuse_noise(outcome: str, temperature: float) -> None:
    """Stop an arm whose tokens would be garbage.

    Args:
        temperature: the highest that it samples at.

    Raises:
        Refused: the sampler is broken, and the temperature is above 0.
    """
    if outcome == "broken" and temperature > 0:
        raise Refused(
            "This vLLM's sampler is broken above temperature 0 on a CPU and was not repaired, so its tokens would be "
            "noise. `specquiz lab setup --profile cpu` builds a vLLM whose sampler can be repaired."
        )


def is_sound(module: Any) -> bool:
    """Whether each request's temperature reaches each of its tokens, through the function that vLLM itself calls."""
    expand = getattr(module, "expand_batch_to_tokens", None)
    return expand is not None and all(_expands(expand, trial) for trial in range(TRIALS))


def _expands(expand: Any, trial: int) -> bool:
    """One trial. Its figures occur in no other trial, so that memory used before cannot hold them by chance."""
    torch: Any = importlib.import_module("torch")
    temperatures = [0.0, 0.5 + trial, 0.75 + trial]
    ends = [sum(COUNTS[: index + 1]) for index in range(len(COUNTS))]
    wanted = [t or 1.0 for t, count in zip(temperatures, COUNTS, strict=True) for _ in range(count)]
    given = torch.tensor(temperatures), torch.tensor(ends, dtype=torch.int32)
    return bool(expand(*given, ends[-1], replace_from=0, replace_to=1).tolist() == wanted)


def expand_batch_to_tokens(
    values: Any, ends: Any, num_tokens: int, replace_from: float = 0, replace_to: float = 0
) -> Any:
    """Each request's value once for each of its tokens; `ends` are the cumulative token counts."""
    torch: Any = importlib.import_module("torch")
    counts = torch.diff(ends.to(torch.int64), prepend=ends.new_zeros(1, dtype=torch.int64))
    expanded = values.repeat_interleave(counts, output_size=num_tokens)
    return torch.where(expanded == replace_from, torch.full_like(expanded, replace_to), expanded)
