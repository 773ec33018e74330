"""What each measured quantity means, in the field's own words, and between which numbers it must lie."""

from __future__ import annotations

from dataclasses import dataclass

from specquiz.labs.model import Lab, Quantity


@dataclass(frozen=True, slots=True)
class Meaning:
    """A quantity for people: its name, what it counts, its formula in counters, and whether it is a share."""

    name: str
    says: str
    formula: str
    share: bool
    """A share lies between 0 and 1; the others count tokens and lie between 1 and K + 1."""


MEANINGS: dict[Quantity, Meaning] = {
    "draft_acceptance_rate": Meaning(
        name="draft acceptance rate",
        says="of the tokens that were drafted, the share that the target accepted",
        formula="accepted / drafted",
        share=True,
    ),
    "mean_acceptance_length": Meaning(
        name="mean acceptance length",
        says="tokens that a pass with a draft emits on average, the target's own one included",
        formula="1 + accepted / drafts",
        share=False,
    ),
    "draft_coverage": Meaning(
        name="draft coverage",
        says="of all decode passes, the share that had a draft to verify",
        formula="drafts / decode passes",
        share=True,
    ),
    "tokens_per_pass": Meaning(
        name="tokens per target pass",
        says="tokens that a decode pass gives a request on average, over all passes, with a draft or without",
        formula="(generation tokens − requests) / decode passes",
        share=False,
    ),
    "alpha": Meaning(
        name="α per position",
        says="the share accepted among the drafted tokens that were judged; none is judged after a rejection",
        formula="accepted / judged",
        share=True,
    ),
    "model_acceptance_length": Meaning(
        name="acceptance length by α",
        says="the mean acceptance length that a constant α gives for K drafted tokens",
        formula="(1 − α^(K+1)) / (1 − α)",
        share=False,
    ),
}


def bounds(lab: Lab, quantity: Quantity, arm: str) -> tuple[float, float]:
    """The least and the greatest value that `quantity` can take on `arm`."""
    if MEANINGS[quantity].share:
        return 0.0, 1.0
    return 1.0, 1.0 + draft_tokens(lab, arm)


def draft_tokens(lab: Lab, arm: str) -> int:
    """K of an arm: draft tokens per step, 0 for plain decoding."""
    tokens = lab.arms[arm].speculative_config.get("num_speculative_tokens", 0)
    return int(tokens)
