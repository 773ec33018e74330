"""Orders, configurations and written answers: what an author may write, and what is said of what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from specquiz.banks.linting import lint
from specquiz.banks.model import Bank, ConfigQuestion, OrderQuestion, ShortQuestion
from specquiz.banks.problems import Problem

Load = Callable[[str | bytes], tuple[Bank | None, tuple[Problem, ...]]]

SOUND = """\
bank: sample
title: Sample
questions:
  - id: ordering
    type: order
    concepts: [limits]
    level: 1
    prompt: From the largest to the smallest?
    items:
      - {id: weights, text: The weights}
      - {id: kv, text: The KV cache}
      - The activations
    misconceptions:
      - {answer: [kv, weights, c], say: The weights do not grow with the batch.}
    explanation: So.
  - id: configuring
    type: config
    concepts: [limits]
    level: 2
    task: spot-the-bug
    prompt: Repair it.
    of: engine_args
    given: {tensor_parallel_size: 2}
    start: '{"model": "m", "speculative_config": {"method": "[ngram]"}}'
    answer:
      model: m
      speculative-config: {method: ngram, num-speculative-tokens: 4, prompt_lookup_max: 4}
    accept:
      speculative_config: {num_speculative_tokens: [3, 5]}
      model: any
    optional: [speculative_config.prompt_lookup_max]
    misconceptions:
      - {where: {speculative_config.method: "[ngram]"}, say: The brackets belong to no method.}
      - {where: {speculative_config: absent}, say: Nothing is speculated.}
    explanation: So.
  - id: writing
    type: short
    concepts: [limits]
    level: 3
    task: prove
    prompt: Why?
    rubric:
      - {point: Says one thing., weight: 2, must: true}
      - {point: Says another.}
      - {point: Says a third.}
    answers: {junior: Because., senior: Because of this., staff: Because of this and that.}
    follow_ups:
      - if: [weak, strong]
        ask: And then?
        listen_for: This.
        follow_ups:
          - if: ok
            ask: And after that?
            listen_for: That.
            follow_ups: [{if: [weak, ok, strong], ask: Anything else?, listen_for: Nothing.}]
    explanation: So.
"""

FAULTS = [
    ("      - The activations\n", "", "SQ215", (10, 7), "3 to 8 entries, not 2"),
    ("The activations", "The weights", "SQ209", (12, 9), "two items have the text"),
    ("id: kv,", "id: weights,", "SQ209", (11, 14), "two items have the id 'weights'"),
    ("[kv, weights, c]", "[kv, weight, c]", "SQ210", (14, 23), "no item 'weight'.*did you mean 'weights'"),
    ("[kv, weights, c]", "[kv, weights]", "SQ216", (14, 18), "missing here: c"),
    ("[kv, weights, c]", "[kv, weights, kv, c]", "SQ209", (14, 32), "'kv' comes twice"),
    ("[kv, weights, c]", "kv weights c", "SQ203", (14, 18), "takes a list"),
    ("task: spot-the-bug", "task: spot", "SQ205", (20, 11), "'task' is one of spot-the-bug"),
    ("of: engine_args", "of: engine_arg", "SQ205", (22, 9), "did you mean 'engine_args'"),
    ("{tensor_parallel_size: 2}", "{tensor_parallel: 2}", "SQ202", (23, 13), "did you mean 'tensor_parallel_size'"),
    ("{tensor_parallel_size: 2}", "{tensor_parallel_size: 0}", "SQ206", (23, 35), "at least 1, not 0"),
    ("model: any", "model: m", "SQ203", (30, 14), "a list of values, or any"),
    ("[3, 5]", "[]", "SQ212", (29, 52), "must not be empty"),
    ("{speculative_config: absent}", "{}", "SQ212", (34, 17), "'where' must not be empty"),
    ("prompt_lookup_max: 4}", "prompt-lookup-max: 4, prompt-lookup-max: 5}", "SQ110", (27, 92), "comes twice"),
    ("weight: 2", "weight: 0", "SQ206", (43, 42), "at least 1"),
    ("      - {point: Says a third.}\n", "", "SQ215", (43, 7), "3 to 6 entries, not 2"),
    (", staff: Because of this and that.}", "}", "SQ201", (46, 14), "'staff' is missing in a model answer set"),
    ("if: ok", "if: okay", "SQ205", (52, 17), "'if' is one of weak, ok, strong"),
    ("if: [weak, strong]", "if: [weak, weak]", "SQ209", (48, 20), "'weak' comes twice"),
    (
        "listen_for: Nothing.}",
        "listen_for: Nothing., follow_ups: [{if: ok, ask: More?, listen_for: No.}]}",
        "SQ215",
        (55, 107),
        "3 levels deep; this one is on level 4",
    ),
]


def test_every_way_of_asking_is_read(load: Load) -> None:
    bank, problems = load(SOUND)

    assert problems == ()
    assert bank is not None
    order, config, short = bank.questions
    assert isinstance(order, OrderQuestion)
    assert order.answer == ("weights", "kv", "c")
    assert order.misconceptions[0].answer == "kv weights c"
    assert isinstance(config, ConfigQuestion)
    assert config.task == "spot-the-bug"
    assert config.answer["speculative_config"]["num_speculative_tokens"] == 4
    assert config.accept == {"speculative_config.num_speculative_tokens": (3, 5), "model": "any"}
    assert config.optional == ("speculative_config.prompt_lookup_max",)
    assert [wrong.where for wrong in config.misconceptions] == [
        {"speculative_config.method": "[ngram]"},
        {"speculative_config": "absent"},
    ]
    assert isinstance(short, ShortQuestion)
    assert [(point.weight, point.must) for point in short.rubric] == [(2, True), (1, False), (1, False)]
    assert short.follow_ups[0].follow_ups[0].follow_ups[0].grades == ("weak", "ok", "strong")


@pytest.mark.parametrize(("old", "new", "code", "place", "message"), FAULTS)
def test_a_fault_is_told_with_its_place(
    load: Load, old: str, new: str, code: str, place: tuple[int, int], message: str
) -> None:
    assert old in SOUND

    bank, problems = load(SOUND.replace(old, new, 1))

    assert bank is None
    assert [(p.code, (p.line, p.column)) for p in problems] == [(code, place)]
    assert re.search(message, problems[0].message)


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("[kv, weights, c]", "[weights, kv, c]", "SQ310", "the same order as the answer"),
        ("config.method: \"[ngram]\"", "config.method: ngram", "SQ310", "shows in the answer itself"),
        ("speculative_config: absent", "speculative_config.method: \"[ngram]\"", "SQ310", "earlier one"),
        ("if: [weak, strong]", "if: weak", "SQ316", "after a strong answer the follow-ups go 0 of 3"),
    ],
)  # fmt: skip
def test_lint_sees_what_makes_no_sense(tmp_path: Path, old: str, new: str, code: str, message: str) -> None:
    path = tmp_path / "bank.yaml"
    assert old in SOUND
    path.write_text(SOUND.replace(old, new, 1), encoding="utf-8")

    problems = lint([path], {"limits"})

    assert [problem.code for problem in problems] == [code]
    assert message in problems[0].message


def test_a_sound_bank_is_clean(tmp_path: Path) -> None:
    path = tmp_path / "bank.yaml"
    path.write_text(SOUND, encoding="utf-8")

    assert lint([path], {"limits"}) == ()


@pytest.mark.parametrize("digits", ["9" * 5000, "-" + "9" * 5000, "0x" + "f" * 5000, "0o" + "7" * 6000])
def test_a_number_of_thousands_of_digits_is_told_with_its_place(load: Load, digits: str) -> None:
    bank, problems = load(SOUND.replace("level: 1", f"level: {digits}"))

    assert bank is None
    assert [(problem.line, problem.column) for problem in problems] == [(7, 12)]
