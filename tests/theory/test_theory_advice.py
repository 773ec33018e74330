"""What to try first: by workload, batch and measured α, with the break-even."""

from __future__ import annotations

import pytest

from specquiz import theory


def test_copied_output_asks_for_ngram_drafts() -> None:
    advice = theory.recommend("copy", alpha=0.7)

    assert (advice.verdict, advice.method) == ("use", "ngram")
    assert advice.speedup == pytest.approx(theory.tokens_per_pass(0.7, advice.k))


def test_a_low_alpha_asks_for_a_small_k_not_for_giving_up() -> None:
    advice = theory.recommend("creative", alpha=0.4, draft_cost=0.15)

    assert (advice.verdict, advice.k) == ("use", 1)
    assert advice.speedup == pytest.approx(1.2174, abs=5e-5)
    assert advice.break_even == pytest.approx(0.15)


def test_a_high_temperature_alone_is_no_reason_to_skip() -> None:
    advice = theory.recommend("creative", temperature=1.0)

    assert advice.verdict == "measure"
    assert any("no reason to skip" in reason for reason in advice.reasons)


def test_an_alpha_below_the_draft_cost_leaves_plain_decoding() -> None:
    advice = theory.recommend("chat", alpha=0.1, draft_cost=0.15)

    assert (advice.verdict, advice.k, advice.speedup) == ("skip", 0, 1)


def test_a_full_batch_leaves_plain_decoding_whatever_alpha_is() -> None:
    assert theory.recommend("copy", batch=400).verdict == "skip"
    assert theory.recommend("copy", batch=400, alpha=0.99).verdict == "skip"


def test_a_long_context_keeps_a_large_batch_worth_it() -> None:
    assert theory.recommend("copy", batch=128, alpha=0.7, context=8192).verdict == "use"


def test_without_a_head_of_its_own_the_target_needs_a_draft_model() -> None:
    assert theory.recommend("code", own_head=False).method == "draft_model"
    assert theory.recommend("code").method == "eagle3"
    assert theory.recommend("agent").method == "suffix"


def test_an_unknown_workload_is_refused() -> None:
    with pytest.raises(ValueError, match=r"workload .*'poetry'"):
        theory.recommend("poetry")  # type: ignore[arg-type]
