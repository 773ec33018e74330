"""vLLM's rules for a speculative configuration. A test of the labs holds the same cases against a real vLLM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.answers.config_reading import Written
from specquiz.answers.config_taking import take
from specquiz.answers.speculative_config import resolve
from specquiz.answers.speculative_fields import FIELDS

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("speculative_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case["config"]))
def test_a_configuration_is_taken_or_refused_with_the_reason(case: dict[str, Any]) -> None:
    found = resolve(case["config"], case.get("given", {}))

    if "refused" in case:
        assert case["refused"] in " ".join(map(str, found.faults))
    else:
        assert found.faults == ()
        assert found.values.items() >= case.get("makes", {}).items()


def test_vllms_own_message_is_cited() -> None:
    (fault,) = resolve(
        {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_min": 3, "prompt_lookup_max": 2}, {}
    ).faults

    assert fault.vllm == "prompt_lookup_min=3 must be <= prompt_lookup_max=2"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"model": "m", "speculative_config": {"method": "ngram", "num_speculative_tokens": 4}}, ""),
        ({"model": "m", "spec_method": "ngram", "spec_tokens": 4}, ""),
        ({"model": "m", "spec_tokens": 4, "speculative_config": {"num_speculative_tokens": 4}}, "set twice"),
        ({"model": "m", "speculative_config": '{"method": "ngram"}'}, "takes keys with values"),
        ({"model": "m", "num_speculative_tokens": 4}, "stands in the speculative_config"),
        ({"model": "m", "speculative_model": "[ngram]"}, "is gone"),
        ({"model": "m", "gpu_memory_utilisation": 0.9}, "Did you mean gpu_memory_utilization"),
        ({"model": "m", "tensor_parallel_size": "many"}, "whole number"),
        (
            {
                "model": "m",
                "tensor_parallel_size": 4,
                "speculative_config": {"model": "d", "num_speculative_tokens": 4, "draft_tensor_parallel_size": 2},
            },
            "on all 4 of the target",
        ),
    ],
)
def test_engine_arguments_are_judged_with_the_configuration_in_them(arguments: dict[str, Any], words: str) -> None:
    faults = take("engine_args", {}, Written(arguments, flags=False)).faults

    assert bool(faults) == bool(words)
    assert words in " ".join(map(str, faults))


values = (
    st.none()
    | st.booleans()
    | st.integers(-5, 200)
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(-1, 9), max_size=3)
)


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)) | st.text(max_size=6), values, max_size=6))
def test_whatever_is_written_is_taken_or_refused_in_words(configuration: dict[str, Any]) -> None:
    for fault in resolve(configuration, {"target_vocab_size": 10, "draft_vocab_size": 10, "n_predict": 2}).faults:
        assert fault.say
        assert fault.say[-1] in ".?"
