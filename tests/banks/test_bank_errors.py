"""Everything wrong with a bank is told at once, each fault by file, line and column."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from specquiz.banks.loading import load_bank, load_concepts
from specquiz.banks.model import Bank, MultiQuestion, SingleQuestion, TraceQuestion
from specquiz.banks.problems import Problem

Load = Callable[[str | bytes], tuple[Bank | None, tuple[Problem, ...]]]

SEEDED = [
    ("prompt: Which one?", "promt: Which one?", "SQ202", (8, 5), "unknown key 'promt'.*did you mean 'prompt'"),
    ("choices: [this", "choises: [this", "SQ202", (9, 5), "did you mean 'choices'"),
    ("answer: this", "anser: this", "SQ202", (10, 5), "did you mean 'answer'"),
    ("    answer: this\n", "", "SQ201", (4, 5), "'answer' is missing in a single question"),
    ("answer: this", "answer: thas", "SQ210", (10, 13), "not among the choices.*did you mean 'this'"),
    ("answer: this", "answer: 2", "SQ210", (10, 13), "not among the choices"),
    ("answer: this", "answer: [this]", "SQ203", (10, 13), "'answer' takes a text, not a list"),
    ("answer: this", "answer: this\n    answer: that", "SQ110", (11, 5), "'answer' comes twice; line 10"),
    ("type: single", "type: singel", "SQ205", (5, 11), "did you mean 'single'"),
    ("    type: single\n", "", "SQ201", (4, 5), "'type' is missing; it is one of single, multi"),
    ("level: 1", "level: 5", "SQ206", (7, 12), "1 to 4, not 5"),
    ("level: 1", "level: easy", "SQ203", (7, 12), "'level' takes a whole number, not 'easy'"),
    ("level: 1", "level: '1'", "SQ203", (7, 12), "without quotes"),
    ("level: 1", "level:", "SQ204", (7, 11), "'level' takes a whole number, and nothing is written"),
    ("concepts: [limits]\n    level: 1", "concepts: limits\n    level: 1", "SQ203", (6, 15), "takes a list"),
    ("concepts: [limits]\n    level: 1", "concepts: []\n    level: 1", "SQ212", (6, 15), "must not be empty"),
    ("concepts: [limits]\n    level: 1", "concepts: [Limits of K]\n    level: 1", "SQ207", (6, 16), "'limits-of-k'"),
    ("concepts: [limits]\n    level: 1", "concepts: [limits, limits]\n    level: 1", "SQ213", (6, 24), "twice"),
    ("id: first", "id: First One", "SQ207", (4, 9), "such as 'first-one'"),
    ("id: second", "id: first", "SQ208", (13, 9), "'first' comes twice; line 4"),
    ("[this, that]", "[this, this]", "SQ209", (9, 21), "two choices have the text 'this'"),
    ("[this, that]", "[this]", "SQ211", (9, 14), "2 to 26 choices, not 1"),
    ("[this, that]", "[this, {text: that, pin: first}]", "SQ205", (9, 39), "'pin' is one of last"),
    ("[this, that]", "[{id: b, text: this}, that]", "SQ209", (9, 36), "the id 'b'"),
    ("[this, that]", "[{id: a b, text: this}, that]", "SQ207", (9, 20), "the id 'a b' of a choice"),
    ("prompt: Which one?", "prompt: ''", "SQ212", (8, 13), "'prompt' must not be empty"),
    ('domain: "K integer >= 1"', "domain: K > 1, say: so, really", "SQ202", (18, 47), "quote that text"),
    ("in: [2, 3]", "in: 2", "SQ203", (18, 15), "'in' takes a list"),
    ("in: [2, 3]", "in: [2, [3]]", "SQ203", (18, 19), "each entry of 'in' takes a text, not a list"),
    ("bank: sample", "bank: Sample Bank", "SQ207", (1, 7), "such as 'sample-bank'"),
    ("title: Sample\n", "", "SQ201", (1, 1), "'title' is missing in a bank"),
    ("questions:\n", "question:\n", "SQ202", (3, 1), "did you mean 'questions'"),
    ("K + 10\n        say", "K + 10\n        say_", "SQ202", (23, 9), "unknown key 'say_' in a misconception"),
]


@pytest.mark.parametrize(("old", "new", "code", "place", "message"), SEEDED)
def test_a_fault_is_told_once_with_its_place(
    right: str, load: Load, old: str, new: str, code: str, place: tuple[int, int], message: str
) -> None:
    assert old in right
    text = right.replace(old, new, 1)

    bank, problems = load(text)

    assert bank is None
    assert [(p.code, (p.line, p.column)) for p in problems] == [(code, place)]
    assert re.search(message, problems[0].message)


def test_a_wrong_answer_is_told_beside_a_misspelt_key(right: str, load: Load) -> None:
    _, problems = load(right.replace("prompt: Which", "promt: Which").replace("answer: this", "answer: thus"))

    assert [(p.code, p.line, p.column) for p in problems] == [("SQ202", 8, 5), ("SQ210", 10, 13)]


def test_a_key_nobody_could_mean_leaves_the_missing_one_to_be_told_too(right: str, load: Load) -> None:
    _, problems = load(right.replace("say: That adds.", "verdict: That adds."))

    assert [(p.code, p.line, p.column) for p in problems] == [("SQ201", 22, 9), ("SQ202", 23, 9)]


def test_an_answer_that_is_one_choices_id_and_anothers_text_is_refused(right: str, load: Load) -> None:
    _, problems = load(right.replace("[this, that]", "[b, this]").replace("answer: this", "answer: b"))

    assert [(p.code, p.line, p.column) for p in problems] == [("SQ214", 10, 13)]


def test_all_faults_are_told_in_one_go(right: str, load: Load) -> None:
    text = right
    for old, new in (
        ("title: Sample", "titel: Sample"),
        ("prompt: Which one?", "promt: Which one?"),
        ("level: 2", "level: two"),
        ("source: a book", "source: ~"),
        ("in: [2, 3]", "in: [2, ~]"),
        ("say: That adds.", 'say: "\\alpha"'),
        ("explanation: Twice.", "explanation: Twice.\n    hints: one"),
    ):
        text = text.replace(old, new)

    _, problems = load(text)

    assert [(p.code, p.line, p.column) for p in problems] == [
        ("SQ202", 2, 1),
        ("SQ202", 8, 5),
        ("SQ204", 12, 13),
        ("SQ203", 16, 12),
        ("SQ204", 18, 19),
        ("SQ111", 23, 14),
        ("SQ203", 25, 12),
    ]


def test_a_problem_prints_as_editors_read_it(right: str, load: Load) -> None:
    _, problems = load(right.replace("prompt: Which", "promt: Which"))

    assert re.fullmatch(
        r".*/bank\.yaml:8:5: SQ202 unknown key 'promt' in a single question \(did you mean 'prompt'\?\)",
        str(problems[0]),
    )


def test_a_file_that_is_not_there_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    bank, problems = load_bank(tmp_path / "none.yaml")

    assert bank is None
    assert [p.code for p in problems] == ["SQ102"]


def test_choices_get_letters_and_answers_become_ids(right: str, load: Load) -> None:
    text = right.replace("type: single", "type: multi").replace(
        "[this, that]", "[this, {id: z, text: that, say: Yes., pin: last}, {text: other}]"
    )

    bank, problems = load(text.replace("answer: this", "answer: [other, z]"))

    assert problems == ()
    assert bank is not None
    question = bank.questions[0]
    assert isinstance(question, MultiQuestion)
    assert [(c.id, c.text, c.pin) for c in question.choices] == [
        ("a", "this", None),
        ("z", "that", "last"),
        ("c", "other", None),
    ]
    assert question.answer == ("c", "z")


def test_an_answer_of_several_choices_must_name_some_and_each_once(right: str, load: Load) -> None:
    text = right.replace("type: single", "type: multi")

    _, none = load(text.replace("answer: this", "answer: []"))
    _, twice = load(text.replace("answer: this", "answer: [this, a]"))

    assert [(p.code, p.line, p.column) for p in none] == [("SQ212", 10, 13)]
    assert [(p.code, p.line, p.column) for p in twice] == [("SQ209", 10, 20)]


@pytest.mark.parametrize(
    "written", ["the cat sat", "[the, cat, sat]", "the, cat, sat", "\n      - the\n      - cat\n      - sat"]
)
def test_tokens_are_a_list_or_one_line(load: Load, written: str) -> None:
    bank, problems = load(
        "bank: b\ntitle: T\nquestions:\n  - id: q\n    type: trace\n    concepts: [c]\n    level: 1\n    prompt: P\n"
        f"    explanation: E\n    misconceptions:\n      - {{answer: [the, dog], say: No.}}\n    answer: {written}\n"
    )

    assert problems == ()
    assert bank is not None
    question = bank.questions[0]
    assert isinstance(question, TraceQuestion)
    assert question.answer == ("the", "cat", "sat")
    assert question.misconceptions[0].answer == "the dog"


def test_the_question_of_the_design_loads() -> None:
    bank, problems = load_bank(Path(__file__).with_name("design_question.yaml"))

    assert problems == ()
    assert bank is not None
    assert bank.questions[0].concepts == ("tokens-per-pass",)


def test_two_choices_keep_what_their_author_wrote(right: str, load: Load) -> None:
    bank, _ = load(right.replace("[this, that]", "[this, 'list[int]: *x*']"))

    assert bank is not None
    question = bank.questions[0]
    assert isinstance(question, SingleQuestion)
    assert question.choices[1].text == "list[int]: *x*"


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        ("concepts:\n  - {slug: a, name: A, group: G}\n  - {slug: a, name: B, group: G}\n", "SQ213", (3, 12)),
        ("concepts:\n  - {slug: A b, name: A, group: G}\n", "SQ207", (2, 12)),
        ("concepts:\n  - {slug: a, nam: A, group: G}\n", "SQ202", (2, 15)),
        ("concept: []\n", "SQ202", (1, 1)),
    ],
)
def test_concepts_are_read_as_strictly(tmp_path: Path, content: str, code: str, place: tuple[int, int]) -> None:
    path = tmp_path / "concepts.yaml"
    path.write_text(content)

    listed, problems = load_concepts(path)

    assert listed is None
    assert [(p.code, (p.line, p.column)) for p in problems] == [(code, place)]
