"""Every row of the recomputed facts, computed by the package."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from specquiz import theory

LINES = Path(__file__).with_name("facts.tsv").read_text(encoding="utf-8").splitlines()
ROWS = tuple(csv.DictReader(LINES, delimiter="\t", quoting=csv.QUOTE_NONE))
P, Q = (0.45, 0.25, 0.2, 0.1), (0.6, 0.1, 0.25, 0.05)
TARGET_LOGITS, DRAFT_LOGITS = (2, 1, 0, -1), (1.5, 1.2, 0, -1)
RANKS = (0.6, 0.15, 0.08, 0.04)
CARD = theory.DEVICES["rtx4090"]
BF16, AWQ = theory.CHECKPOINTS["qwen2.5-7b-bf16"], theory.CHECKPOINTS["qwen2.5-7b-awq"]
MODELS = {"bf16": BF16, "awq": AWQ}

# Rules: an id's pattern, and the computation from the numbers that the expression names (`a=0.7,K=4,c=.1`).
RULES: dict[str, Callable[..., float]] = {
    r"etok_.*": lambda a, K: theory.tokens_per_pass(a, K),
    r"eacc_.*": lambda a, K: theory.expected_accepted(a, K),
    r"var_.*": lambda a, K: theory.accepted_variance(a, K),
    r"rate_.*": lambda a, K: theory.draft_acceptance_rate(a, K),
    r"judged_.*": lambda a, K: theory.expected_judged(a, K),
    r"spd_.*|lenience_.*|bigram": lambda a, K, c: theory.speedup(a, K, c),
    r"be_\d+_.*": lambda K, c: theory.break_even_alpha(K, c),
    r"bestK_.*": lambda a, c: theory.best_k(a, c).k,
    r"bestS_.*": lambda a, c, K: theory.best_k(a, c).speedup if theory.best_k(a, c).k == K else float("nan"),
    r"Kcont_.*": lambda a, c: theory.best_k_continuous(a, c),
    r"ops_.*": lambda ch, a, K: theory.operations_factor(a, K, ch),
    r"lev2_.*": lambda c, a, K: theory.speedup(a, K, c),
    r"need_.*": lambda half_width, a, K: theory.drafts_needed(a, K, half_width),
    r"temp_ov_.*": lambda T: theory.temperature_overlap(TARGET_LOGITS, DRAFT_LOGITS, T),
    r"temp_onehot_.*": lambda T: theory.argmax_acceptance(TARGET_LOGITS, T),
}  # fmt: skip


def roof(model: str, batch: int, context: int) -> float:
    return float(theory.batch_speedup(CARD, MODELS[model], 0.7, 4, batch, context=context))


def from_rates(*rates: float) -> float:
    """Mean acceptance length of unconditional per-position rates."""
    return float(theory.mean_acceptance_length(1, sum(rates)))


LLAMA, QWEN3, GPT_OSS = (0.7296, 0.5208, 0.3545), (0.6541, 0.3993, 0.202), (0.7165, 0.512, 0.3337)

TABLE: dict[str, Callable[[], float]] = {
    "pmf_0.7_4_n3": lambda: theory.accepted_pmf(0.7, 4)[3],
    "inv_len_2.5_4": lambda: theory.alpha_from_mean_length(2.5, 4),
    "inv_len_3_5": lambda: theory.alpha_from_mean_length(3.0, 5),
    "inv_rate_.5_4": lambda: theory.alpha_from_rate(0.5, 4),
    "mle_ex": lambda: theory.alpha_mle(1773, 1000 - 240),
    "mle_llamacpp": lambda: float(theory.alpha_from_counters(87, 3 * 87, 167, (70, 55, 42))),
    "mom_llamacpp": lambda: theory.alpha_from_mean_length(1 + 167 / 87, 3),
    "al_llamacpp": lambda: theory.mean_acceptance_length(87, 167),
    "ar_llamacpp": lambda: 167 / 259,
    "al_vllmdoc": lambda: theory.mean_acceptance_length(43, 10),
    "mle_vllmdoc": lambda: float(theory.alpha_from_counters(43, 3 * 43, 10, (4, 3, 3))),
    "al_19254": lambda: theory.mean_acceptance_length(1, 3 * 150 / 387),
    "perpos_19254": lambda: from_rates(0.543, 0.357, 0.264) - 1,
    "al_llama31_8b": lambda: from_rates(*LLAMA),
    "al_qwen3_8b": lambda: from_rates(*QWEN3),
    "al_gptoss20b": lambda: from_rates(*GPT_OSS),
    "cond3_llama31_8b": lambda: theory.conditional_rates(LLAMA)[2],
    "cond3_qwen3_8b": lambda: theory.conditional_rates(QWEN3)[2],
    "cond3_gptoss20b": lambda: theory.conditional_rates(GPT_OSS)[2],
    "mle_qwen3_8b": lambda: theory.alpha_mle(sum(QWEN3), 1 - QWEN3[2]),
    "mle_gptoss20b": lambda: theory.alpha_mle(sum(GPT_OSS), 1 - GPT_OSS[2]),
    "fisher_.7_4": lambda: theory.fisher_information(0.7, 4),
    # Published measurements: ratios of times, or of tokens per pass and a speed-up.
    "chen_xsum_nucleus": lambda: 14.1 / 7.52,
    "chen_xsum_greedy": lambda: 14.1 / 7.0,
    "chen_humaneval": lambda: 14.1 / 5.73,
    "mtp_85": lambda: theory.tokens_per_pass(0.85, 1),
    "mtp_90": lambda: theory.tokens_per_pass(0.9, 1),
    "mtp_ovh": lambda: theory.implied_overhead(theory.tokens_per_pass(0.85, 1), 1.8),
    "eagle3_ovh": lambda: theory.implied_overhead(6.65, 5.58),
    "mtp6000_pred": lambda: theory.draft_acceptance_rate(theory.alpha_from_rate(0.59, 2), 4),
    "pr13849_ngram": lambda: 15.73 / 12.67,
    "itl_tpot": lambda: 8.23 / 2.38,
    "lc10455_verify": lambda: (34412 - 8806.6) / 58,
    "llamabenchy": lambda: 25.16 / 5.51,
    "bass": lambda: theory.lockstep_alpha(0.8, 5),
    "bass_E": lambda: theory.tokens_per_pass(theory.lockstep_alpha(0.8, 5), 1000),
    "ov_3": lambda: theory.overlap((0.5, 0.3, 0.2), (0.2, 0.3, 0.5)),
    "ov_4": lambda: theory.overlap(P, Q),
    "resid_4_b": lambda: theory.residual(P, Q)[1],
    "wrong_4_tv": lambda: theory.total_variation(theory.output_law(P, Q, redraw="target"), P),
    "onehot_resid_4": lambda: theory.residual(P, theory.one_hot(0, 4))[1],
    "cand2_wor": lambda: theory.candidates_acceptance(P, Q, 2, replacement=False),
    "cand3_wor": lambda: theory.candidates_acceptance(P, Q, 3, replacement=False),
    "mix_E": lambda: theory.mixture_tokens_per_pass((0.9, 0.3), (0.5, 0.5), 4),
    "mix_E_pooled": lambda: theory.tokens_per_pass(0.6, 4),
    "mix_speed": lambda: theory.harmonic_speedup((0.5, 0.5), (2.5, 0.8)),
    "pooled_AL": lambda: theory.pooled_mean_length((10, 90), (4, 2)),
    "passes_16": lambda: theory.passes_to_emit(16, 0.7, 4),
    "passes_256": lambda: theory.passes_to_emit(256, 0.7, 4),
    "tree_4": lambda: theory.best_tree(RANKS, 4).tokens,
    "tree_8": lambda: theory.best_tree(RANKS, 8).tokens,
    "tree_16": lambda: theory.best_tree_tokens(RANKS, 16),
    "tree_full_2_3": lambda: theory.full_tree_tokens((0.6, 0.15), 3),
    "chain_limit": lambda: theory.tokens_per_pass(0.6, 1000),
    "qwen_params": lambda: BF16.shape.parameters,
    "bf16_read": lambda: BF16.read_bytes,
    "awq_bytes": lambda: AWQ.file_bytes,
    "awq_read": lambda: AWQ.read_bytes,
    "kv_1k_MiB": lambda: AWQ.kv_bytes(1024) / 2**20,
    "balance165": lambda: theory.machine_balance(CARD),
    "balance330": lambda: theory.machine_balance(replace(CARD, peak=CARD.peak_fp16_accumulation)),
    "ridge_bf16": lambda: theory.ridge_tokens(CARD, BF16),
    "ridge_awq": lambda: theory.ridge_tokens(CARD, AWQ),
    "floor_bf16_ms": lambda: theory.tpot_floor(CARD, BF16) * 1e3,
    "floor_awq_ms": lambda: theory.tpot_floor(CARD, AWQ) * 1e3,
    "roof_bf16_32_1024": lambda: roof("bf16", 32, 1024),
    "roof_bf16_64_1024": lambda: roof("bf16", 64, 1024),
    "roof_bf16_128_1024": lambda: roof("bf16", 128, 1024),
    "roof_awq_16_1024": lambda: roof("awq", 16, 1024),
    "roof_awq_128_1024": lambda: roof("awq", 128, 1024),
    "roof_limit": lambda: theory.compute_bound_speedup(0.7, 4),
    "be_batch_bf16": lambda: theory.crossing_batch(CARD, BF16, 0.7, 4) or 0,
    "be_batch_awq": lambda: theory.crossing_batch(CARD, AWQ, 0.7, 4) or 0,
}  # fmt: skip


def computed(row: dict[str, str]) -> float:
    identity, expression = row["id"], row["expression_or_inputs"]
    if identity in TABLE:
        return float(TABLE[identity]())
    rule = next(rule for pattern, rule in RULES.items() if re.fullmatch(pattern, identity))
    numbers = re.findall(r"\b(?!i\b)([A-Za-z]\w*)=(-?\d*\.?\d+)", expression.replace("half-width ", "half_width="))
    return float(rule(**{name: float(number) for name, number in numbers}))


def test_the_table_names_only_facts_that_exist() -> None:
    assert TABLE.keys() <= {row["id"] for row in ROWS}
    assert len(ROWS) == 125


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_fact_is_computed_to_all_its_digits(row: dict[str, str]) -> None:
    assert computed(row) == pytest.approx(float(row["expected"]), rel=1e-9, abs=0)
