"""N-gram lookup by vLLM's rule, and what its counters hide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import theory

small_texts = st.lists(st.integers(0, 2), max_size=14)


def by_definition(text: list[int], k: int, min_n: int, max_n: int) -> tuple[int, ...]:
    for length in range(max_n, min_n - 1, -1):
        for start in range(len(text) - length):
            if length <= len(text) and text[start : start + length] == text[len(text) - length :]:
                return tuple(text[start + length : start + length + k])
    return ()


@pytest.mark.parametrize(
    ("context", "min_n", "max_n", "k", "proposed"),
    [
        ([1, 2, 3, 4, 2, 3], 2, 3, 4, (4, 2, 3)),  # shorter than K at the end of the text
        ([1, 2, 3, 1, 2, 4, 1, 2], 1, 2, 2, (3, 1)),  # the earliest occurrence, not the latest
        ([9, 1, 2, 5, 3, 1, 2, 6, 9, 3, 1, 2], 1, 3, 1, (6,)),  # the longest suffix first
        ([1, 2, 3, 4], 1, 3, 4, ()),  # nothing occurred before
        ([7, 7, 7], 1, 5, 3, (7,)),  # an occurrence may overlap the suffix
        ([1], 1, 2, 4, ()),
        ([], 1, 2, 4, ()),
    ],
)
def test_the_longest_earliest_occurrence_is_continued(
    context: list[int], min_n: int, max_n: int, k: int, proposed: tuple[int, ...]
) -> None:
    assert theory.propose_ngram(context, k, min_n, max_n) == proposed


@settings(deadline=None)
@given(small_texts, st.integers(0, 4), st.integers(1, 3), st.integers(0, 3))
def test_the_lookup_agrees_with_its_definition(text: list[int], k: int, min_n: int, more: int) -> None:
    assert theory.propose_ngram(text, k, min_n, min_n + more) == by_definition(text, k, min_n, min_n + more)


@settings(deadline=None)
@given(small_texts, st.lists(st.integers(0, 2), min_size=1, max_size=14), st.integers(0, 4))
def test_decoding_emits_every_token_once(prompt: list[int], output: list[int], k: int) -> None:
    decoded = theory.decode_greedily(prompt, output, k, 1, 3)

    assert decoded.tokens == len(output) == decoded.passes + sum(decoded.accepted)
    assert all(accepted <= drafted <= k for accepted, drafted in zip(decoded.accepted, decoded.drafted, strict=True))


def test_an_exact_echo_is_drafted_almost_whole() -> None:
    text = list(range(200))

    decoded = theory.decode_greedily(text, text, 4, 2, 5)

    assert decoded.draft_acceptance_rate == 1
    assert decoded.coverage > 0.9
    assert decoded.tokens_per_pass > 4.5


def echo(min_n: int, max_n: int, edits: float) -> tuple[float, float, float]:
    """Mean acceptance length, coverage and tokens per pass over 20 edited echoes of 200 Zipf tokens."""
    passes = drafting = accepted = tokens = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        prompt = theory.zipf_text(200, 2000, seed=rng)
        decoded = theory.decode_greedily(
            prompt.tolist(), theory.edited_text(prompt, edits, 2000, seed=rng).tolist(), 4, min_n, max_n
        )
        passes, drafting = passes + decoded.passes, drafting + len(decoded.drafted)
        accepted, tokens = accepted + sum(decoded.accepted), tokens + decoded.tokens
    return float(theory.mean_acceptance_length(drafting, accepted)), drafting / passes, tokens / passes


def test_a_longer_least_match_hides_its_cost_from_the_acceptance_length() -> None:
    short, long = echo(2, 5, 0.05), echo(5, 5, 0.05)

    assert long[0] == pytest.approx(short[0], rel=0.05)
    assert long[1] < 0.75 * short[1]
    assert long[2] < 0.8 * short[2]


def test_without_drafts_there_is_no_rate() -> None:
    decoded = theory.decode_greedily([1, 2], [3, 4, 5], 4, 2, 5)

    assert decoded.passes == 3
    assert decoded.coverage == 0
    assert decoded.tokens_per_pass == 1
    assert np.isnan(decoded.draft_acceptance_rate)
    assert np.isnan(decoded.mean_acceptance_length)


def test_impossible_lookups_are_refused() -> None:
    with pytest.raises(ValueError, match=r"min_n .*max_n=2, not 3"):
        theory.propose_ngram([1, 2], 4, 3, 2)
    with pytest.raises(ValueError, match=r"min_n .*0"):
        theory.propose_ngram([1, 2], 4, 0, 2)
    with pytest.raises(ValueError, match="output"):
        theory.decode_greedily([1], [], 4, 2, 5)
