"""Orders are judged by id, configurations by what vLLM makes of them; the numbers of lines and letters never matter."""

from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.answers import Correct, Invalid, Verdict, Wrong
from specquiz.banks.model import (
    AnyQuestion,
    ConfigMisconception,
    ConfigQuestion,
    Misconception,
    OrderItem,
    OrderQuestion,
)
from specquiz.sessions.events import Item
from specquiz.sessions.judging import fits, judge, options, readable, right_ids, solution
from specquiz.sessions.planning import draw_item

ORDER = OrderQuestion(
    id="order",
    concepts=("c",),
    level=1,
    prompt="?",
    items=tuple(OrderItem(id=id, text=f"the {id}") for id in ("one", "two", "three", "four")),
    misconceptions=(Misconception(answer="four three two one", say="That is backwards."),),
    explanation="!",
)
CONFIG = ConfigQuestion(
    id="config",
    concepts=("c",),
    level=1,
    prompt="?",
    of="speculative_config",
    answer={"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_min": 2, "prompt_lookup_max": 5},
    accept={"num_speculative_tokens": (3, 5), "model": "any"},
    optional=("prompt_lookup_min",),
    misconceptions=(
        ConfigMisconception(where={"prompt_lookup_max": "absent"}, say="Nothing bounds the lookup."),
        ConfigMisconception(where={"method": "[ngram]"}, say="The brackets are gone."),
    ),
    explanation="!",
)
SERVER = msgspec.structs.replace(
    CONFIG,
    of="engine_args",
    answer={"model": "m", "tensor_parallel_size": 2, "speculative_config": {"model": "d", "num_speculative_tokens": 4}},
    accept={"speculative_config.num_speculative_tokens": (3,)},
    optional=(),
    misconceptions=(),
)


def verdict(question: AnyQuestion, text: str, seed: int = 1) -> Verdict:
    return judge(question, draw_item("b", question, seed), text)


def test_the_right_order_is_right_in_a_thousand_shuffles_and_is_never_shown() -> None:
    shown = set()
    for seed in range(1000):
        item = draw_item("b", ORDER, seed)
        shown.add(item.choices)
        assert item.choices != ORDER.answer
        assert fits(ORDER, item)
        assert isinstance(judge(ORDER, item, "one two three four"), Correct)
        assert isinstance(judge(ORDER, item, " ".join(item.choices)), Wrong)
    assert len(shown) == 23


@given(st.permutations(["one", "two", "three", "four"]))
def test_a_wrong_order_names_its_first_pair_that_is_the_wrong_way_round(order: list[str]) -> None:
    found = verdict(ORDER, " ".join(order))
    ranks = [ORDER.answer.index(id) for id in order]
    at = next((place for place in range(3) if ranks[place] > ranks[place + 1]), None)

    if at is None:
        assert isinstance(found, Correct)
    else:
        assert f"“the {order[at]}” comes after “the {order[at + 1]}”, not before it." in found.message


def test_a_known_wrong_order_is_recognised() -> None:
    found = verdict(ORDER, "four three two one")

    assert isinstance(found, Wrong)
    assert found.misconception == 0
    assert "That is backwards." in found.message


@pytest.mark.parametrize(
    "text", ["", "one two", "one two three three", "one two three five", "one two three four four"]
)
def test_an_order_that_is_not_whole_costs_nothing(text: str) -> None:
    assert isinstance(verdict(ORDER, text), Invalid)


def test_an_order_is_read_by_its_texts() -> None:
    item = draw_item("b", ORDER, 1)

    assert solution(ORDER, item) == "“the one”, then “the two”, then “the three”, then “the four”"
    assert readable(ORDER, "two one").startswith("“the two”, then “the one”")
    assert readable(ORDER, "two gone") == "“the two”, then gone"
    assert right_ids(ORDER) == ORDER.answer
    assert options(ORDER) == ORDER.items
    assert not fits(msgspec.structs.replace(ORDER, items=ORDER.items[:3]), item)


@pytest.mark.parametrize(
    "text",
    [
        '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_min": 2, "prompt_lookup_max": 5}',
        "method: ngram\nnum-speculative-tokens: 3\nprompt_lookup_min: 2\nprompt_lookup_max: 5",
        "method=ngram, num_speculative_tokens='4', prompt_lookup_min=2, prompt_lookup_max=5, model=whatever",
        "{model: '[ngram]', num_speculative_tokens: 5, prompt_lookup_min: 2, prompt_lookup_max: 5}",
        "{method: ngram, num_speculative_tokens: 4, prompt_lookup_max: 5}",
        "{method: ngram, num_speculative_tokens: 4, prompt_lookup_max: 5, draft_sample_method: greedy}",
        """vllm serve m -sc '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 5}'""",
    ],
)  # fmt: skip
def test_a_configuration_is_right_however_it_is_written(text: str) -> None:
    assert isinstance(verdict(CONFIG, text), Correct), verdict(CONFIG, text).message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{method: ngram, num_speculative_tokens: 4, prompt_lookup_min: 2}", "Nothing bounds the lookup."),
        ("{method: '[ngram]', prompt_lookup_max: 5}", "The brackets are gone."),
        ("{method: ngram, prompt_lookup_max: 5}", "num_speculative_tokens is missing"),
        ("{method: ngram, num_speculative_tokens: 9, prompt_lookup_max: 5}", "tokens is 9, which is not"),
        ("{method: ngram, num_speculative_tokens: 4, prompt_lookup_min: 1, prompt_lookup_max: 5}", "min is 1, which"),
        ("{method: ngram, num_speculative_tokens: 4, prompt_lookup_max: 5, enforce_eager: true}", "does not belong"),
        ("{method: ngram, num_speculative_tokens: 4, prompt_lookup_max: 5, tokens: 1}", "There is no key tokens"),
    ],
)  # fmt: skip
def test_a_wrong_configuration_says_what_is_wrong(text: str, message: str) -> None:
    found = verdict(CONFIG, text)

    assert isinstance(found, Wrong)
    assert message in found.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{model: m, tensor_parallel_size: 2, speculative_config: {model: d, num_speculative_tokens: 4}}", ""),
        ("vllm serve m -tp 2 --spec-model d --spec-tokens 3", ""),
        ("model: m\ntensor_parallel_size: 2\nspeculative_config:\n  model: d\n  num_speculative_tokens: 4", ""),
        ("vllm serve m --spec-model d --spec-tokens 3", "tensor_parallel_size is missing"),
        ("vllm serve m -tp 2", "speculative_config.model is missing"),
        ("vllm serve m -tp 2 --spec-model e --spec-tokens 4", 'speculative_config.model is "e"'),
        ("vllm serve m -tp 2 --speculative-model d", "speculative_model is gone"),
    ],
)  # fmt: skip
def test_engine_arguments_are_compared_with_what_is_inside_them(text: str, message: str) -> None:
    found = verdict(SERVER, text)

    assert isinstance(found, Wrong if message else Correct), found.message
    assert message in found.message


def test_what_cannot_be_read_has_a_place() -> None:
    found = verdict(CONFIG, "{method ngram}")

    assert isinstance(found, Invalid)
    assert found.at == 8


def test_the_solution_of_a_configuration_is_judged_right() -> None:
    for question in (CONFIG, SERVER):
        item = Item(bank="b", question=question.id)
        assert fits(question, item)
        assert isinstance(judge(question, item, solution(question, item)), Correct)


@pytest.mark.parametrize("question", [CONFIG, SERVER], ids=["config", "server"])
@pytest.mark.parametrize(
    "text",
    [
        ",".join(f"num_spec{number}:1" for number in range(700)),
        "num_speculative_tokens" * 450 + ": 1",
        "method: " + "ngram" * 1900,
        "num_speculative_tokens_per_batch_size: [" + ",".join(["[1,4,5]"] * 1200) + "]",
    ],
    ids=["keys", "key", "value", "list"],
)
def test_a_flood_of_keys_or_values_is_answered_in_a_few_sentences(question: ConfigQuestion, text: str) -> None:
    began = time.process_time()

    found = verdict(question, text)

    assert time.process_time() - began < 0.25
    assert len(found.message) < 1000
