"""The n-gram lookup of prompt lookup decoding, as vLLM does it. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence


def look_up(context: Sequence[int], shortest: int, longest: int, num_tokens: int) -> list[int]:
    """What followed the end of `context` where it stood before: up to `num_tokens` tokens, none without a match.

    The longest n-gram within the bounds counts, and of several places the earliest.

    Args:
        context: token ids, prompt and output together.
        shortest: the least length of a match (`prompt_lookup_min`).
        longest: the greatest (`prompt_lookup_max`).
    """
    end = len(context)
    for length in range(min(longest, end - 1), shortest - 1, -1):
        wanted = context[end - length :]
        for start in range(end - length):
            if context[start : start + length] == wanted:
                return list(context[start + length : start + length + num_tokens])
    return []
