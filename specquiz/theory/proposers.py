"""Drafting by n-gram lookup (prompt lookup), by vLLM's rule, and greedy decoding with it.

The rule: of the suffixes of the text with a length in [min_n, max_n], take the longest that occurred before; of its
earlier occurrences take the earliest; propose up to K tokens that follow it. Source: vLLM,
vllm/v1/spec_decode/ngram_proposer.py; the idea: Saxena 2023, prompt lookup decoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from specquiz.theory.arguments import count


@dataclass(frozen=True)
class DecodedText:
    """Counters of one decoded text: passes over all, and per drafting step the drafted and accepted tokens.

    vLLM's mean acceptance length and draft acceptance rate count only the steps that drafted; coverage says how many
    of the passes these are.
    """

    tokens: int
    passes: int
    drafted: tuple[int, ...]
    accepted: tuple[int, ...]

    @property
    def draft_acceptance_rate(self) -> float:
        """Accepted ÷ drafted tokens; nan if nothing was drafted."""
        return sum(self.accepted) / sum(self.drafted) if self.drafted else float("nan")

    @property
    def mean_acceptance_length(self) -> float:
        """1 + accepted ÷ drafting steps; nan if nothing was drafted."""
        return 1 + sum(self.accepted) / len(self.drafted) if self.drafted else float("nan")

    @property
    def coverage(self) -> float:
        """Drafting steps ÷ passes."""
        return len(self.drafted) / self.passes

    @property
    def tokens_per_pass(self) -> float:
        """Tokens ÷ all passes, those without a draft included."""
        return self.tokens / self.passes


def propose_ngram(context: Sequence[int], k: int, min_n: int, max_n: int) -> tuple[int, ...]:
    """Up to `k` tokens that followed the earliest occurrence of the longest suffix that occurred before.

    Empty if no suffix of a length in [`min_n`, `max_n`] did. The occurrence may overlap the suffix itself.
    """
    drafted = int(count("k", k))
    least, most = int(count("min_n", min_n, least=1)), int(count("max_n", max_n, least=1))
    if least > most:
        raise ValueError(f"min_n must be at most max_n={most}, not {least}")
    text = tuple(context)
    for length in range(min(most, len(text) - 1), least - 1, -1):
        found = _earliest(text, length)
        if found is not None:
            return text[found + length : found + length + drafted]
    return ()


def decode_greedily(prompt: Sequence[int], output: Sequence[int], k: int, min_n: int, max_n: int) -> DecodedText:
    """Emit the known `output` after `prompt` as greedy decoding with n-gram drafts does, and count.

    Drafts are cut where they would reach past the end of `output`. The first token is a decode pass like every other
    here, while a server emits it with the prompt's prefill.
    """
    text = list(prompt)
    wanted = tuple(output)
    if not wanted:
        raise ValueError("output must hold at least one token")
    emitted = passes = 0
    drafted: list[int] = []
    accepted: list[int] = []
    while emitted < len(wanted):
        # One token of the pass is the target's own.
        draft = propose_ngram(text, min(k, len(wanted) - emitted - 1), min_n, max_n)
        same = 0
        while same < len(draft) and draft[same] == wanted[emitted + same]:
            same += 1
        if draft:
            drafted.append(len(draft))
            accepted.append(same)
        text.extend(wanted[emitted : emitted + same + 1])
        emitted += same + 1
        passes += 1
    return DecodedText(emitted, passes, tuple(drafted), tuple(accepted))


def _earliest(text: tuple[int, ...], length: int) -> int | None:
    """Where the suffix of `length` first occurs with a token after it, None if nowhere before itself."""
    suffix = text[-length:]
    start = 0
    while True:
        try:
            start = text.index(suffix[0], start, len(text) - length)
        except ValueError:
            return None
        if text[start : start + length] == suffix:
            return start
        start += 1
