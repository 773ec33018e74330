"""The keys of vLLM's `SpeculativeConfig`, with the kinds and bounds of their values, and the keys that are gone.

Source: vllm/config/speculative.py of vLLM 0.32; what 0.26 to 0.33 have differently is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Kind = Literal["whole number", "number", "true or false", "text", "list of numbers", "list of triples", "mapping"]

MTP_NAMES = frozenset(
    f"{family}_mtp"
    for family in (
        *("deepseek", "dots3_note", "mimo", "mimo_v2", "glm4_moe", "glm4_moe_lite", "glm_ocr", "ernie", "nemotron_h"),
        *("exaone_moe", "exaone4_5", "qwen3_next", "qwen4_exp", "qwen3_5", "longcat_flash", "bailing_hybrid_v3"),
        *("minimax_m3", "bailing_hybrid", "kimi_k3", "pangu_ultra_moe", "step3p5", "hy_v3", "hy_v4", "gemma4"),
        *("inkling", "glm5_next"),
    )
)
"""Older names of `mtp`, which vLLM still takes."""

METHODS = (
    *("ngram", "ngram_gpu", "draft_model", "eagle", "eagle3", "mtp", "suffix", "medusa", "mlp_speculator", "dflash"),
    *("dspark", "extract_hidden_states", "custom_class"),
)
"""What `method` may be, besides older names."""


class Field(NamedTuple):
    """What a key takes."""

    kind: Kind
    least: int | None = None
    """The smallest number allowed."""
    names: tuple[str, ...] = ()
    """The texts allowed; none where every text is."""
    default: Any = None


_WHOLE, _FROM_1 = Field("whole number"), Field("whole number", 1)
_TEXT, _SWITCH = Field("text"), Field("true or false", default=False)

FIELDS: Mapping[str, Field] = {
    "method": Field("text", names=METHODS),
    "model": _TEXT,
    "num_speculative_tokens": _FROM_1,
    "prompt_lookup_max": _FROM_1,
    "prompt_lookup_min": _FROM_1,
    "draft_tensor_parallel_size": _FROM_1,
    "tensor_parallel_size": _WHOLE,
    "num_speculative_tokens_per_batch_size": Field("list of triples"),
    "draft_sample_method": Field("text", names=("greedy", "probabilistic"), default="greedy"),
    "rejection_sample_method": Field("text", names=("standard", "synthetic", "block"), default="standard"),
    "synthetic_acceptance_rates": Field("list of numbers"),
    "synthetic_acceptance_length": Field("number"),
    "max_model_len": _FROM_1,
    "quantization": _TEXT,
    "enforce_eager": Field("true or false"),
    "revision": _TEXT,
    "code_revision": _TEXT,
    "moe_backend": _TEXT,
    "attention_backend": _TEXT,
    "kv_cache_dtype": _TEXT,
    "draft_load_config": Field("mapping"),
    "parallel_drafting": _SWITCH,
    "use_heterogeneous_vocab": _SWITCH,
    "use_local_argmax_reduction": _SWITCH,
    "disable_padded_drafter_batch": _SWITCH,
    "disable_eagle_block_drop": _SWITCH,
    "enable_adaptive_verification": _SWITCH,
    "index_share_for_mtp_iteration": Field("true or false"),
    "dspark_draft_topk": _FROM_1,
    "suffix_decoding_max_tree_depth": Field("whole number", default=24),
    "suffix_decoding_max_cached_requests": Field("whole number", default=10000),
    "suffix_decoding_max_spec_factor": Field("number", default=1.0),
    "suffix_decoding_min_token_prob": Field("number", default=0.1),
}
"""Key to what it takes. Whether a key may stand beside others is a matter of `speculative_config`."""

_IN_CONFIG = "it stands in the speculative_config now, as {}"

GONE: Mapping[str, str] = {
    "disable_by_batch_size": "it was taken out; num_speculative_tokens_per_batch_size sets K by batch size",
    "speculative_disable_by_batch_size": "it was taken out; num_speculative_tokens_per_batch_size sets K by batch size",
    "speculative_disable_mqa_scorer": "it was taken out together with the scorer",
    "disable_mqa_scorer": "it was taken out together with the scorer",
    "disable_logprobs": "it was taken out; log probabilities are always those of the target",
    "disable_logprobs_during_spec_decoding": "it was taken out; log probabilities are always those of the target",
    "acceptance_method": "rejection_sample_method took its place",
    "spec_decoding_acceptance_method": "rejection_sample_method took its place, in the speculative_config",
    "typical_acceptance_sampler_posterior_threshold": "typical acceptance was taken out",
    "typical_acceptance_sampler_posterior_alpha": "typical acceptance was taken out",
    "posterior_threshold": "typical acceptance was taken out",
    "posterior_alpha": "typical acceptance was taken out",
    "ngram_prompt_lookup_max": _IN_CONFIG.format("prompt_lookup_max"),
    "ngram_prompt_lookup_min": _IN_CONFIG.format("prompt_lookup_min"),
    "speculative_model": _IN_CONFIG.format("model (or method, for ngram)"),
    "speculative_model_quantization": _IN_CONFIG.format("quantization"),
    "speculative_draft_tensor_parallel_size": _IN_CONFIG.format("draft_tensor_parallel_size"),
    "speculative_max_model_len": _IN_CONFIG.format("max_model_len"),
    "use_v2_block_manager": "it was taken out together with the first block manager",
}
"""Keys and flags of older versions, to what became of them."""

BY_VLLM = frozenset(("target_model_config", "target_parallel_config", "draft_model_config", "draft_parallel_config"))
"""Keys that vLLM fills in itself."""

_WHOLE_NUMBER = re.compile(r"\s*[-+]?[0-9]+(?:\.0*)?\s*")
_NUMBER = re.compile(r"\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?\s*")
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def as_kind(value: object, kind: Kind) -> Any:
    """The value as vLLM takes it for a key of this kind, a number in quotes as the number.

    Raises:
        ValueError: vLLM does not take it.
    """
    match kind:
        case "whole number":
            return _whole(value)
        case "number":
            return _number(value)
        case "true or false":
            return _truth(value)
        case "text" if isinstance(value, str):
            return value
        case "mapping" if isinstance(value, Mapping):
            return value
        case "list of numbers" if isinstance(value, list):
            return [_number(entry) for entry in value]
        case "list of triples" if isinstance(value, list) and all(_is_triple(entry) for entry in value):
            return [[_whole(number) for number in entry] for entry in value]
    raise ValueError(f"this is no {kind}")


def _is_triple(entry: object) -> bool:
    return isinstance(entry, list) and len(entry) == 3


def _whole(value: object) -> int:
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
        return int(value.partition(".")[0])
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise ValueError("this is no whole number")


def _number(value: object) -> float:
    if isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
        return float(value)
    raise ValueError("this is no number")


def _truth(value: object) -> bool:
    if isinstance(value, str) and value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    raise ValueError("this is neither true nor false")
