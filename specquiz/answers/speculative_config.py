"""vLLM's own rules for a speculative configuration: what it refuses, and what it makes of what is left out.

Source: `SpeculativeConfig` in vllm/config/speculative.py, vLLM 0.32. The rules say in words of their own what is wrong
and cite vLLM's message in short.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from specquiz.answers.configuration import as_text, briefly, same
from specquiz.answers.speculative_fields import BY_VLLM, FIELDS, GONE, METHODS, MTP_NAMES, as_kind

MOST_DRAFTED = 128
"""vLLM's sampler stops the server at the first round with a longer draft (`MAX_SPEC_LEN`)."""

MOST_FAULTS = 3
"""More than these are not told at once."""

_SELF_DRAFTING = frozenset(("ngram", "ngram_gpu", "mtp", "dspark", "suffix", "extract_hidden_states"))
"""Methods that need no `model`."""
_BY_PATH = (("eagle-", "eagle"), ("eagle3", "eagle3"), ("dflash", "dflash"), ("dspark", "dspark"))
"""What in a draft's path makes vLLM take another method than the one written."""
_SUFFIX_BOUNDS = (
    ("suffix_decoding_max_tree_depth", 1, math.inf),
    ("suffix_decoding_max_cached_requests", 0, math.inf),
    ("suffix_decoding_max_spec_factor", 0, math.inf),
    ("suffix_decoding_min_token_prob", 0, 1.0),
)
_SPLIT_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")

Facts = Mapping[str, int]
"""`target_vocab_size`, `draft_vocab_size`, `n_predict` and `tensor_parallel_size`, as far as they are known."""


class Fault(NamedTuple):
    """What vLLM refuses."""

    key: str
    say: str
    """What is wrong, in a sentence."""
    vllm: str = ""
    """vLLM's message, in short; empty where it has none of its own."""

    def __str__(self) -> str:
        return f"{self.say} vLLM says: “{self.vllm}”." if self.vllm else self.say


class Resolved(NamedTuple):
    """A configuration with what vLLM fills in, and what it refuses in it."""

    values: dict[str, Any]
    faults: tuple[Fault, ...]


def resolve(configuration: Mapping[str, Any], facts: Facts) -> Resolved:
    """Judge a configuration as vLLM does when it starts.

    Args:
        configuration: keys in vLLM's spelling, with values as read.
        facts: what is known of the models and the machine; a rule that needs more says nothing.
    """
    values, faults = _typed({key: value for key, value in configuration.items() if value is not None})
    if not faults:
        values = {**_defaults(), **values}
        faults = [*_named_by(values), *_about_method(values, facts), *_about_drafts(values, facts)]
        faults += [*_about_sampling(values), *_about_schedule(values)]
    return Resolved(values, tuple(faults[:MOST_FAULTS]))


def _typed(written: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """Every value as its key takes it; a fault for each key or value that vLLM does not take."""
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for key, value in written.items():
        field = FIELDS.get(key)
        if field is None:
            faults.append(_unknown(key))
            if len(faults) == MOST_FAULTS:
                break
            continue
        try:
            typed = as_kind(value, field.kind)
        except ValueError:
            faults.append(Fault(key, f"{key} takes a {field.kind}, not {briefly(as_text(value))}."))
            continue
        names = (*METHODS, *MTP_NAMES) if key == "method" else field.names
        if names and typed not in names:
            faults.append(_no_such_name(key, typed))
        elif field.least is not None and typed < field.least:
            least = f"greater than {field.least - 1}" if key == "num_speculative_tokens" else f"at least {field.least}"
            faults.append(Fault(key, f"{key} is {least}, not {typed}.", _bound(key, field.least)))
        else:
            values[key] = typed
    return values, faults


def _bound(key: str, least: int) -> str:
    greater = key == "num_speculative_tokens"
    return "Input should be greater than 0" if greater else f"Input should be greater than or equal to {least}"


def _unknown(key: str) -> Fault:
    if key in GONE:
        return Fault(key, f"{key} is gone: {GONE[key]}.", "Unexpected keyword argument")
    if key in BY_VLLM:
        return Fault(key, f"{key} is filled in by vLLM itself.")
    close = closest(key, FIELDS)
    hint = f" Did you mean {close}?" if close else ""
    return Fault(key, f"There is no key {briefly(key)}.{hint}", "Unexpected keyword argument")


def _no_such_name(key: str, name: str) -> Fault:
    known = FIELDS[key].names
    if key == "method" and name.strip("[]") in known:
        hint = f" The brackets belong to older versions: the method is {name.strip('[]')}."
    else:
        close = closest(name, known)
        hint = f" Did you mean {close}?" if close else f" It is one of {', '.join(known)}."
    return Fault(
        key, f"{key} cannot be {briefly(as_text(name))}.{hint}", "Input should be " + " or ".join(known[:2]) + ", …"
    )


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` most likely stands for."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), sorted(known), n=1, cutoff=0.6)), None)


def _defaults() -> dict[str, Any]:
    return {key: field.default for key, field in FIELDS.items() if field.default is not None}


def _named_by(values: dict[str, Any]) -> Iterator[Fault]:
    """Work out the method from what is written, as vLLM does."""
    model = values.get("model")
    method = values.get("method")
    if method is None:
        dotted = model is not None and "/" not in model and _SPLIT_PATH.fullmatch(model)
        method = "custom_class" if dotted else "ngram" if model in ("ngram", "[ngram]") else "draft_model"
    if method in MTP_NAMES:
        method = "mtp"
    path = (model or "").lower()
    if method not in ("eagle", "eagle3", "dflash", "dspark", *_SELF_DRAFTING - {"mtp"}, "custom_class"):
        method = next((name for part, name in _BY_PATH if part in path), method)
    values["method"] = method
    if model is None and "num_speculative_tokens" in values and method not in _SELF_DRAFTING:
        if method == "custom_class":
            message = "method='custom_class' requires 'model' to contain the custom proposer module path"
            yield Fault("model", "model is missing: it names the class that proposes the drafts.", message)
        else:
            message = "num_speculative_tokens was provided but without speculative model"
            yield Fault("model", f"model is missing: {method} drafts with a model of its own.", message)
    if method in ("ngram", "ngram_gpu") and model in (None, method, f"[{method}]"):
        values.pop("model", None)


def _about_method(values: dict[str, Any], facts: Facts) -> Iterator[Fault]:
    """The length of drafts and the bounds of a lookup, with what vLLM fills in."""
    method = values["method"]
    if method in ("ngram", "ngram_gpu"):
        low, high = values.get("prompt_lookup_min"), values.get("prompt_lookup_max")
        values["prompt_lookup_min"] = low = low or high or 5
        values["prompt_lookup_max"] = high = high or low
        if low > high:
            say = f"The shortest n-gram looked up ({low}) is longer than the longest ({high})."
            yield Fault("prompt_lookup_min", say, f"prompt_lookup_min={low} must be <= prompt_lookup_max={high}")
    else:
        # For other methods vLLM sets both bounds to 0, whatever is written.
        values.pop("prompt_lookup_min", None)
        values.pop("prompt_lookup_max", None)
    if method == "suffix":
        values.setdefault("num_speculative_tokens", values["suffix_decoding_max_tree_depth"])
        yield from _about_suffixes(values)
    drafted, predicted = values.get("num_speculative_tokens"), facts.get("n_predict")
    if method == "mtp" and predicted is not None:
        if drafted is None and "model" in values:
            values["num_speculative_tokens"] = drafted = predicted
        elif drafted is not None and drafted > predicted and drafted % predicted:
            say = f"{drafted} drafts do not divide into whole passes of an MTP module that predicts {predicted}."
            message = f"num_speculative_tokens:{drafted} must be divisible by n_predict={predicted}"
            yield Fault("num_speculative_tokens", say, message)
    if drafted is None and not (method in ("mtp", "dspark") and "model" in values):
        yield _no_length(values)
    elif drafted is not None and drafted > MOST_DRAFTED:
        say = f"vLLM starts with {drafted} drafts and stops at the first round: its sampler takes {MOST_DRAFTED}."
        yield Fault("num_speculative_tokens", say)


def _about_suffixes(values: Mapping[str, Any]) -> Iterator[Fault]:
    for key, low, high in _SUFFIX_BOUNDS:
        if not low <= values[key] <= high:
            span = f"in [{low}, {high:g}]" if high != math.inf else f">= {low}"
            say = f"{key} lies between {low} and {high:g}." if high != math.inf else f"{key} is at least {low}."
            yield Fault(key, say, f"{key}={values[key]} must be {span}")


def _no_length(values: Mapping[str, Any]) -> Fault:
    message = (
        "A speculative model was provided, but `num_speculative_tokens` was not provided"
        if "model" in values
        else "num_speculative_tokens must be provided"
    )
    return Fault("num_speculative_tokens", "num_speculative_tokens is missing, and nothing else sets it.", message)


def _about_drafts(values: Mapping[str, Any], facts: Facts) -> Iterator[Fault]:
    """What must fit between the draft and its target."""
    method, ranks = values["method"], facts.get("tensor_parallel_size")
    if "tensor_parallel_size" in values:
        say = "tensor_parallel_size is the target's; the draft's own is draft_tensor_parallel_size."
        message = "'tensor_parallel_size' is not a valid argument in the speculative_config"
        yield Fault("tensor_parallel_size", say, message)
    drafting = values.get("draft_tensor_parallel_size")
    if drafting is not None and ranks is not None and drafting not in (1, ranks) and method not in _WITHOUT_RANKS:
        say = f"A draft runs on 1 rank or on all {ranks} of the target, not on {drafting}."
        message = f"{drafting} cannot be other value than 1 or target model tensor_parallel_size"
        yield Fault("draft_tensor_parallel_size", say, message)
    if values["use_heterogeneous_vocab"]:
        if method != "draft_model":
            message = "use_heterogeneous_vocab only works with method='draft_model'"
            yield Fault("use_heterogeneous_vocab", "Only a draft model may have another vocabulary.", message)
        elif values["draft_sample_method"] != "greedy":
            message = "use_heterogeneous_vocab currently only supports greedy draft sampling"
            yield Fault("draft_sample_method", "With different vocabularies drafts are greedy.", message)
    elif method == "draft_model" and {"target_vocab_size", "draft_vocab_size"} <= facts.keys():
        yield from _vocabularies(facts["target_vocab_size"], facts["draft_vocab_size"])
    if values.get("index_share_for_mtp_iteration") is not None and method != "mtp":
        message = "index_share_for_mtp_iteration is only supported with method='mtp'"
        yield Fault("index_share_for_mtp_iteration", "Only MTP modules share indices.", message)
    if "dspark_draft_topk" in values and method not in ("dspark", *_SELF_DRAFTING - {"mtp"}, "custom_class"):
        message = "dspark_draft_topk is only supported by DSpark"
        yield Fault("dspark_draft_topk", "Only DSpark drafts have a top-k of their own.", message)


_WITHOUT_RANKS = frozenset(("ngram", "ngram_gpu", "suffix", "custom_class", "extract_hidden_states"))


def _vocabularies(target: int, draft: int) -> Iterator[Fault]:
    if target != draft:
        say = (
            f"The target has {target} tokens and the draft {draft}; only equal sizes are taken, unless "
            "use_heterogeneous_vocab is true."
        )
        yield Fault("model", say, "Target and draft model should have the same vocabulary size")


def _about_sampling(values: Mapping[str, Any]) -> Iterator[Fault]:
    """How drafts are accepted; prescribed rates are for tests and need a method of their own."""
    drafted = values.get("num_speculative_tokens")
    rates, length = values.get("synthetic_acceptance_rates"), values.get("synthetic_acceptance_length")
    if values["rejection_sample_method"] != "synthetic":
        for key, value in (("synthetic_acceptance_rates", rates), ("synthetic_acceptance_length", length)):
            if value is not None:
                message = f"{key} … only valid with rejection_sample_method='synthetic'"
                yield Fault(key, f"{key} needs rejection_sample_method synthetic.", message)
        return
    if (rates is None) == (length is None):
        message = "requires exactly one of synthetic_acceptance_rates or synthetic_acceptance_length"
        yield Fault("rejection_sample_method", "Synthetic acceptance takes rates or a length: one of them.", message)
    elif rates is not None and drafted is not None:
        yield from _about_rates(rates, drafted)
    elif length is not None and drafted is not None and not 1 <= length <= drafted + 1:
        message = f"synthetic_acceptance_length must be in [1, {drafted + 1}]"
        say = f"With {drafted} drafts a round emits 1 to {drafted + 1} tokens."
        yield Fault("synthetic_acceptance_length", say, message)


def _about_rates(rates: list[float], drafted: int) -> Iterator[Fault]:
    key = "synthetic_acceptance_rates"
    if len(rates) != drafted:
        say = f"There is one rate for each of the {drafted} drafts, not {len(rates)}."
        yield Fault(key, say, f"{key} must have length {drafted}")
    elif not all(0 <= rate <= 1 for rate in rates):
        yield Fault(key, "A rate lies between 0 and 1.", f"{key} entries must be in [0, 1]")
    elif any(later > earlier for earlier, later in pairwise(rates)):
        say = "A draft is accepted only after all before it, so the rates never rise."
        yield Fault(key, say, f"{key} must be non-increasing")


def _about_schedule(values: Mapping[str, Any]) -> Iterator[Fault]:
    """The table of draft lengths by batch size; vLLM looks at it when the worker starts."""
    key = "num_speculative_tokens_per_batch_size"
    table = values.get(key)
    if table is None:
        return
    if not table:
        yield Fault(key, "The table needs a row.", f"{key} must not be empty")
    for low, high, drafted in table:
        if low <= 0 or high <= 0:
            yield Fault(key, f"Batch sizes begin at 1, not at {min(low, high)}.", "Batch-size range must be positive")
        elif low > high:
            message = "Batch-size range start must be <= end"
            yield Fault(key, f"A row names its smallest batch first: {low} is more than {high}.", message)
        elif drafted < 0:
            yield Fault(key, "The number of drafts in a row is 0 or more.", f"{key} values must be >= 0")
    rows = sorted(table)
    if any(later[0] <= earlier[1] for earlier, later in pairwise(rows)):
        yield Fault(key, "Two rows claim the same batch size.", "Batch-size ranges must be non-overlapping and sorted")
    if rows and rows[0][0] > 1:
        yield Fault(key, "No row covers a batch of 1.", "The first batch-size range must start at 1")


def differences(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """(key, given, wanted) for every key in which two resolved configurations differ; None where a key is not set."""
    for key in dict.fromkeys((*wanted, *given)):
        one, other = given.get(key), wanted.get(key)
        if not same(one, other):
            yield key, one, other
