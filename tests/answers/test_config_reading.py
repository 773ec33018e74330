"""A configuration is read however people write one, and nothing of it is ever run."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz.answers.config_reading import LONGEST, Written, read_configuration
from specquiz.answers.engine_args import split
from specquiz.answers.verdict import Refusal

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

NGRAM = {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 5}

WAYS = [
    '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 5}',
    "{'method': 'ngram', 'num_speculative_tokens': 4, 'prompt_lookup_max': 5,}",
    "{method: ngram, num-speculative-tokens: 4, prompt_lookup_max: 5}",
    "{\n  method: ngram,\n  num_speculative_tokens: 4,\n  prompt_lookup_max: 5 # the longest\n}",
    "method: ngram\nnum_speculative_tokens: 4\nprompt_lookup_max: 5",
    "method=ngram\nnum_speculative_tokens = 4\n\nprompt-lookup-max=5\n",
    "method=ngram, num_speculative_tokens=4, prompt_lookup_max=5",
    "# mine\nmethod: 'ngram'\nnum_speculative_tokens: 4\nprompt_lookup_max: 5",
    "method=ngram num_speculative_tokens=4 prompt_lookup_max=5",
    "speculative_config = {'method': 'ngram', 'num_speculative_tokens': 4, 'prompt_lookup_max': 5}",
]  # fmt: skip
FLAGS = [
    """--speculative-config '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 5}'""",
    """--speculative-config='{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 5}'""",
    '''-sc "{\\"method\\": \\"ngram\\", \\"num_speculative_tokens\\": 4, \\"prompt_lookup_max\\": 5}"''',
    """--spec-method ngram --spec-tokens 4 \\\n --speculative-config '{"prompt_lookup_max": 5}'""",
    "--spec-method=ngram --spec-tokens=4 --speculative-config.prompt_lookup_max 5",
]


@pytest.mark.parametrize("text", WAYS)
def test_every_way_of_writing_reads_the_same(text: str) -> None:
    assert read_configuration(text) == Written(NGRAM, flags=False)


@pytest.mark.parametrize("text", FLAGS)
@pytest.mark.parametrize("before", ["", "vllm serve m "])
def test_flags_read_the_same(before: str, text: str) -> None:
    written = read_configuration(before + text)

    assert written.flags
    assert split(written.values).speculative == NGRAM


def test_a_deeper_block_belongs_to_the_key_above_it() -> None:
    text = "model: m\nspeculative_config:\n  method: ngram\n  num_speculative_tokens: 4\nseed: 1"

    assert read_configuration(text).values == {
        "model": "m",
        "speculative_config": {"method": "ngram", "num_speculative_tokens": 4},
        "seed": 1,
    }


def test_switches_are_true_and_their_opposites_false() -> None:
    values = read_configuration("--enforce-eager --no-enable-prefix-caching -tp 2").values

    assert values == {"enforce_eager": True, "enable_prefix_caching": False, "tensor_parallel_size": 2}


@pytest.mark.parametrize(
    ("word", "value"),
    [("4", 4), ("-1", -1), ("0.25", 0.25), ("1e-3", 0.001), ("true", True), ("False", False), ("null", None),
     ("None", None), ("'4'", "4"), ("org/model-7B", "org/model-7B"), ("[[1, 4, 5], [5, 8, 0]]", [[1, 4, 5], [5, 8, 0]]),
     ("[(1, 4, 5)]", [[1, 4, 5]]), ("{a: 1}", {"a": 1}), ("1" * 40, "1" * 40), ("[ngram]", ["ngram"]), ("nan", "nan")],
)  # fmt: skip
def test_a_value_is_what_it_looks_like(word: str, value: Any) -> None:
    assert read_configuration(f"key: {word}").values == {"key": value}
    assert read_configuration(f"{{key: {word}}}").values == {"key": value}


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("", None, "Write the configuration"),
        ("{“method”: ngram}", 1, "typographic"),
        ('{"method": "ngram"', 0, "never closed"),
        ('{"method": "ngram}', 11, "never closed"),
        (', "max": 4}{"method": "ngram"', 10, "closes nothing"),
        ('max: 4{"method": "ngram"}', 6, "comma is missing"),
        ('method: n"gram"', 9, "in the midst"),
        ("{method ngram}", 8, "colon or an equals sign"),
        ("{method: ngram} x", 16, "after the closing brace"),
        ("{method: }", 9, "value is missing"),
        ('{"a": "b" "c": 1}', 10, "comma is missing"),
        ("method: a\nmethod: b", 10, "comes twice"),
        ("[1, 2]", 0, "a key is expected"),
        ("ngram", 5, "colon or an equals sign"),
        ("a: [[[[[[[1]]]]]]]", 9, "deeper than 6"),
        ("--speculative-config '{method: ngram}'", 23, "double quotes"),
        ("--speculative-config {'a':1}", 23, "double quotes"),
        ("--sc '" + '{"a":' * 7 + "1" + "}" * 7 + "'", 36, "deeper than 6"),
        ("--spec-method ngram extra", 20, "flag is expected"),
        ("--spec-method ngram --spec-method suffix", 20, "comes twice"),
        ("--spec-method 'ngram", 14, "never closed"),
        ("x" * (LONGEST + 1), None, "at most"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, at: int | None, words: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_configuration(text)

    assert words in refused.value.message
    assert refused.value.at == at


scalars = st.booleans() | st.integers(-(10**9), 10**9) | st.text("ab:,'\"{}[]#= \\é", max_size=8) | st.none()
keys = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


@given(st.dictionaries(keys, scalars | st.lists(scalars, max_size=3), min_size=1, max_size=5))
def test_any_json_object_is_read_as_json_reads_it(values: dict[str, Any]) -> None:
    assert read_configuration(json.dumps(values)).values == values
    assert read_configuration(json.dumps(values, indent=2)).values == values


def message_about(text: str) -> str:
    """Why a text is refused; nothing if it is read."""
    try:
        read_configuration(text)
    except Refusal as refusal:
        return refusal.message if refusal.at is None or 0 <= refusal.at <= len(text) else "a place outside the text"
    return ""


@given(st.text("{}[]():=,'\"\\- \nabc1.#~“", max_size=60) | st.text(max_size=40))
def test_whatever_is_typed_is_read_or_refused_with_a_place_in_it(text: str) -> None:
    assert message_about(text) != "a place outside the text"


FLOODS = ["{", "[", "a:", '"', "--a ", "a: 1\n", "\\", "--x '{", "{a: ", "'a' ", " ", "\t "]


@pytest.mark.parametrize("begun", ["", "a: x", "{a: x"])
@pytest.mark.parametrize("flood", FLOODS)
def test_no_flood_of_text_takes_long(flood: str, begun: str) -> None:
    text = begun + flood * ((LONGEST - len(begun) - 1) // len(flood)) + "y"

    began = time.process_time()

    message_about(text)
    assert time.process_time() - began < 0.2
