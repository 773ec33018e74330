"""What each measured quantity means, in the field's own words, and between which numbers it must lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from specquiz.labs.model import Lab, Quantity


@dataclass(frozen=True, slots=True)
class Meaning:
    """A quantity for people: its name, what it counts, its formula in counters, and its kind."""

    name: str
    says: str
    formula: str
    kind: Literal["share", "length", "drafted", "milliseconds", "tokens", "gibibytes", "score"]
    """A share lies between 0 and 1, a length between 1 and K + 1, drafted tokens between 0 and K."""


MEANINGS: dict[Quantity, Meaning] = {
    "draft_acceptance_rate": Meaning(
        name="draft acceptance rate",
        says="of the tokens that were drafted, the share that the target accepted",
        formula="accepted / drafted",
        kind="share",
    ),
    "mean_acceptance_length": Meaning(
        name="mean acceptance length",
        says="tokens that a pass with a draft emits on average, the target's own one included",
        formula="1 + accepted / drafts",
        kind="length",
    ),
    "draft_coverage": Meaning(
        name="draft coverage",
        says="of all decode passes, the share that had a draft to verify",
        formula="drafts / decode passes",
        kind="share",
    ),
    "tokens_per_pass": Meaning(
        name="tokens per target pass",
        says="tokens that a decode pass gives a request on average, over all passes, with a draft or without",
        formula="(generation tokens − requests) / decode passes",
        kind="length",
    ),
    "alpha": Meaning(
        name="α per position",
        says="the share accepted among the drafted tokens that were judged; none is judged after a rejection",
        formula="accepted / judged",
        kind="share",
    ),
    "model_acceptance_length": Meaning(
        name="acceptance length by α",
        says="the mean acceptance length that a constant α gives for K drafted tokens",
        formula="(1 − α^(K+1)) / (1 − α)",
        kind="length",
    ),
    "drafted_per_pass": Meaning(
        name="drafted tokens per pass",
        says="draft tokens that are verified on average in a decode pass, over all passes",
        formula="drafted / decode passes",
        kind="drafted",
    ),
    "unconditional_rate": Meaning(
        name="rate of all drafts",
        says="of all drafts, the share whose tokens were accepted up to this position",
        formula="accepted at the position / drafts",
        kind="share",
    ),
    "conditional_rate": Meaning(
        name="rate given those before",
        says="of the drafts accepted up to this position, the share accepted here too",
        formula="accepted at the position / accepted at the one before",
        kind="share",
    ),
    "tpot": Meaning(
        name="TPOT in ms",
        says="time per output token of a request after its first, averaged over requests",
        formula="1000 · (last − first token's time) / (tokens − 1)",
        kind="milliseconds",
    ),
    "itl": Meaning(
        name="ITL in ms",
        says="time between two outputs of a request; one output holds all tokens of a pass",
        formula="1000 · inter-token latency sum / count",
        kind="milliseconds",
    ),
    "ttft": Meaning(
        name="TTFT in ms",
        says="time from a request's arrival to its first token, averaged over requests",
        formula="1000 · time-to-first-token sum / count",
        kind="milliseconds",
    ),
    "processor_time": Meaning(
        name="processor time in ms",
        says="time that the engine was at work on a processor for each generated token; other programs are not in it",
        formula="1000 · processor seconds / generated tokens",
        kind="milliseconds",
    ),
    "kv_tokens": Meaning(
        name="KV cache in tokens",
        says="tokens that the KV cache has room for",
        formula="blocks × block size, as vLLM logs it",
        kind="tokens",
    ),
    "peak_memory": Meaning(
        name="peak memory in GiB",
        says="memory at its highest: of the card where there is one, else of the engine's process",
        formula="bytes / 2^30",
        kind="gibibytes",
    ),
    "reference_acceptance": Meaning(
        name="α by theory",
        says="the mean acceptance probability of the judged tokens, from both models' own logits on the true prefix",
        formula="mean of Σ min(p, q), of p(argmax q) for greedy drafts, of p(token) for a lookup",
        kind="share",
    ),
    "reference_z": Meaning(
        name="z against theory",
        says="how many standard deviations the accepted tokens lie above those that theory predicts",
        formula="(accepted − Σ b) / √max(1, Σ b(1 − b)), with b the probability of each judged token",
        kind="score",
    ),
}

POSITIONAL: frozenset[Quantity] = frozenset({"unconditional_rate", "conditional_rate"})
"""Quantities of a draft position."""


def bounds(lab: Lab, quantity: Quantity, arm: str) -> tuple[float, float]:
    """The least and the greatest value that `quantity` can take on `arm`."""
    match MEANINGS[quantity].kind:
        case "share":
            return 0.0, 1.0
        case "length":
            return 1.0, 1.0 + draft_tokens(lab, arm)
        case "drafted":
            return 0.0, float(draft_tokens(lab, arm))
        case "milliseconds":
            return 0.0, 60_000.0
        case "tokens":
            return 0.0, 1e9
        case "gibibytes":
            return 0.0, 1e4
        case "score":
            return -1e4, 1e4


def draft_tokens(lab: Lab, arm: str) -> int:
    """K of an arm: draft tokens per step, 0 for plain decoding."""
    tokens = lab.arms[arm].speculative_config.get("num_speculative_tokens", 0)
    return int(tokens)


def shown(value: float) -> str:
    """A measured figure as it is told: three decimals, none where they say nothing."""
    return f"{value:.3f}" if abs(value) < 10_000 else f"{value:.0f}"
