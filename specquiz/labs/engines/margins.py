"""How near to a tie the target was at each token of an output, told by the engine itself.

For cards, where the target is often quantised and nothing but vLLM can load it; on a CPU `reference.py` computes the
same apart from vLLM.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .events import Json

DIGITS = 7


def with_margins(vllm: Any, llm: Any, requests: list[Json], decode: Any) -> list[Json]:
    """The requests with their margins (in nats): each goes in as one long prompt, whose log probabilities come out.

    Args:
        decode: `arm.decode`.
    """
    most = int(llm.llm_engine.vllm_config.model_config.max_model_len) - 1
    texts = [[*request["prompt"], *request["output"]][:most] for request in requests]
    asked = vllm.SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=2)
    told: list[Json] = [dict(request) for request in requests]
    # One at a time: the logits of a whole batch of prompts would be gigabytes that the card has not left over.
    for index, output in decode(llm, texts, asked, 1):
        if output is not None and output.prompt_logprobs:
            first = len(requests[index]["prompt"])
            told[index]["margins"] = [round(gap, DIGITS) for gap in _gaps(output.prompt_logprobs[first:])]
    return told


def _gaps(places: list[dict[int, Any]]) -> Iterator[float]:
    for place in places:
        best, second, *_ = sorted((entry.logprob for entry in place.values()), reverse=True)
        yield best - second
