"""The shipped tiny models, their corpus and their prompts fit together. Nothing here needs torch or vLLM."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import pytest
import yaml

from specquiz.places import shipped_labs

TINY = shipped_labs() / "tiny"
PROMPTS = shipped_labs() / "prompts"
OPENING_WORDS = 6

Json = dict[str, Any]


def paragraphs() -> dict[str, str]:
    corpus = yaml.safe_load((TINY / "corpus.yaml").read_text(encoding="utf-8"))
    return {entry["id"]: entry["text"] for entry in corpus["paragraphs"]}


def prompts(workload: str) -> dict[str, dict[str, str]]:
    content = yaml.safe_load((PROMPTS / f"{workload}.yaml").read_text(encoding="utf-8"))
    return {entry["id"]: entry for entry in content["prompts"]}


def opening(text: str) -> str:
    return " ".join(text.split()[:OPENING_WORDS])


def read_json(path: Path) -> Json:
    content: Json = json.loads(path.read_text(encoding="utf-8"))
    return content


def tensors(path: Path) -> tuple[dict[str, Json], int]:
    """The tensors that a safetensors file declares, and how many bytes of data follow its header."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    return header, len(data) - 8 - length


def misspelt_words(written: str, right: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in zip(written.split(), right.split(), strict=True) if one != other]


def two_letters_swapped(written: str, right: str) -> bool:
    places = [i for i, (one, other) in enumerate(zip(written, right, strict=True)) if one != other]
    return len(places) == 2 and places[1] == places[0] + 1 and sorted(written) == sorted(right)


def test_the_tiny_models_stay_small_enough_to_ship() -> None:
    size = sum(path.stat().st_size for path in TINY.rglob("*") if path.is_file())

    assert size <= 2_600_000
    assert (TINY / "target" / "model.safetensors").stat().st_size <= 2_000_000
    assert (TINY / "draft" / "model.safetensors").stat().st_size <= 130_000


@pytest.mark.parametrize("name", ["target", "draft", "blind", "other-vocab"])
def test_a_tiny_model_holds_the_weights_that_its_config_describes(name: str) -> None:
    config = read_json(TINY / name / "config.json")
    declared, size = tensors(TINY / name / "model.safetensors")
    shapes = {key: tensor["shape"] for key, tensor in declared.items()}

    assert config["architectures"] == ["Qwen2ForCausalLM"]
    assert {tensor["dtype"] for tensor in declared.values()} == {"F32"}
    assert shapes["model.embed_tokens.weight"] == [config["vocab_size"], config["hidden_size"]]
    assert config["tie_word_embeddings"] is True
    assert "lm_head.weight" not in shapes
    layers = {key.split(".")[2] for key in shapes if key.startswith("model.layers.")}
    assert len(layers) == config["num_hidden_layers"]
    assert size == sum(4 * math.prod(shape) for shape in shapes.values())


def test_target_and_draft_speak_the_same_512_tokens() -> None:
    tokenizer = json.loads((TINY / "target" / "tokenizer.json").read_text(encoding="utf-8"))

    vocabulary = tokenizer["model"]["vocab"]
    assert sorted(vocabulary.values()) == list(range(512))
    for name in ("target", "draft"):
        assert read_json(TINY / name / "config.json")["vocab_size"] == 512


def test_text_ends_at_the_same_token_for_tokenizer_and_models() -> None:
    tokenizer = json.loads((TINY / "target" / "tokenizer.json").read_text(encoding="utf-8"))
    settings = read_json(TINY / "target" / "tokenizer_config.json")

    end = tokenizer["model"]["vocab"][settings["eos_token"]]
    for name in ("target", "draft"):
        assert read_json(TINY / name / "config.json")["eos_token_id"] == end
        assert read_json(TINY / name / "generation_config.json")["eos_token_id"] == end


@pytest.mark.parametrize("name", ["config.json", "generation_config.json", "tokenizer_config.json"])
def test_no_setting_names_a_folder_of_the_machine_where_the_models_were_made(name: str) -> None:
    for path in TINY.rglob(name):
        assert "/" not in path.read_text(encoding="utf-8"), path


def test_the_corpus_is_48_short_plain_paragraphs() -> None:
    corpus = paragraphs()

    assert len(corpus) == 48
    for name, text in corpus.items():
        assert text.isascii(), name
        assert text.isprintable(), name
        assert 280 <= len(text) <= 420, name


def test_a_paragraph_is_known_by_its_opening() -> None:
    openings = [opening(text) for text in paragraphs().values()]

    assert len(set(openings)) == len(openings)


def test_a_novel_prompt_is_the_opening_of_its_paragraph() -> None:
    corpus = paragraphs()

    novel = prompts("novel")
    assert len(novel) == 24
    for name, prompt in novel.items():
        assert prompt["text"] == opening(corpus[name]), name


def test_an_echo_prompt_is_its_paragraph_with_one_slip_and_the_opening_once_more() -> None:
    corpus = paragraphs()

    echo = prompts("echo")
    assert list(echo) == list(prompts("novel"))
    for name, prompt in echo.items():
        before, _, again = prompt["text"].partition("\n")
        slips = misspelt_words(before, corpus[name])
        assert again == opening(corpus[name]), name
        assert len(slips) == 1, name
        assert two_letters_swapped(*slips[0]), name
        assert slips[0][0] not in opening(before).split(), name


def test_a_chat_model_is_asked_to_proofread_the_same_paragraph_and_its_neighbour() -> None:
    corpus = paragraphs()
    neighbour = dict(zip(list(corpus)[::2], list(corpus)[1::2], strict=True))

    for name, prompt in prompts("echo").items():
        _, first, second = prompt["chat"].split("\n\n")
        assert first == prompt["text"].partition("\n")[0], name
        slips = misspelt_words(second, corpus[neighbour[name]])
        assert len(slips) == 1, name
        assert two_letters_swapped(*slips[0]), name


def test_a_chat_model_is_asked_for_24_different_new_texts() -> None:
    requests = [prompt["chat"] for prompt in prompts("novel").values()]

    assert len(set(requests)) == 24
    assert not any(text in request for text in paragraphs().values() for request in requests)


def test_the_two_useless_drafts_differ_from_the_draft_in_what_their_labs_want() -> None:
    vocabulary = {
        name: read_json(TINY / name / "config.json")["vocab_size"] for name in ("target", "blind", "other-vocab")
    }
    assert vocabulary["blind"] == vocabulary["target"] != vocabulary["other-vocab"]
    shapes = {name: read_json(TINY / name / "config.json") for name in ("draft", "blind", "other-vocab")}
    for name in ("blind", "other-vocab"):
        differing = {key for key in shapes["draft"] if shapes["draft"][key] != shapes[name][key]}
        assert differing <= {"vocab_size"}
    assert (TINY / "blind" / "model.safetensors").read_bytes() != (TINY / "draft" / "model.safetensors").read_bytes()
