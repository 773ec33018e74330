"""Lint sees what the loader cannot: keys that do not hold, mistakes that blur into the answer, choices that tell."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from specquiz import places
from specquiz.banks.formula_rules import choose_variants
from specquiz.banks.linting import lint
from specquiz.banks.loading import load_concepts
from specquiz.banks.model import NumericQuestion, Variable
from specquiz.banks.problems import Problem

Lint = Callable[[str], list[Problem]]

QUESTION = """\
bank: sample
title: Sample
questions:
  - id: tokens
    type: numeric
    concepts: [limits]
    level: 2
    vars:
      alpha: {in: [0.5, 0.8], domain: "0 < alpha < 1"}
      K: {in: [2, 4], domain: "K integer >= 1"}
    prompt: "With {alpha} and {K}: how many?"
    answer: (1 - alpha^(K+1))/(1 - alpha)
    also: ["Sum(alpha^i, (i, 0, K))"]
    tolerance: places:2
    misconceptions:
      - {answer: 1 + K*alpha, say: All count.}
      - {answer: alpha*(1 - alpha^K)/(1 - alpha), say: The last one is missing.}
    hints: [Add up.]
    explanation: A sum.
  - id: formula
    type: symbolic
    concepts: [limits]
    level: 2
    vars: {alpha: {domain: "0 < alpha < 1"}}
    prompt: The limit?
    answer: 1/(1 - alpha)
    misconceptions: [{answer: 1/alpha, say: Upside down.}]
    explanation: A series.
  - id: which
    type: single
    concepts: [limits]
    level: 1
    prompt: Which?
    choices: [a short one, a longer one]
    answer: a short one
    explanation: Short.
  - id: tokens-out
    type: trace
    concepts: [limits]
    level: 1
    prompt: Which tokens?
    answer: the cat sat
    misconceptions: [{answer: the cat, say: One more.}]
    explanation: Three.
"""


@pytest.fixture
def linted(tmp_path: Path) -> Lint:
    """Lint a bank that is not one of the shipped ones."""

    def written(content: str) -> list[Problem]:
        path = tmp_path / "bank.yaml"
        path.write_text(content)
        return list(lint([path], {"limits"}))

    return written


def test_a_sound_bank_is_clean(linted: Lint) -> None:
    assert linted(QUESTION) == []


FAULTS = [
    ('domain: "0 < alpha < 1"}\n      K', 'domain: "0 <= alpha < 1"}\n      K', "SQ301", (9, 39), "none of"),
    ('domain: "0 < alpha < 1"}\n      K', 'domain: "0 < a < 1"}\n      K', "SQ301", (9, 39), "alpha alone"),
    ("vars: {alpha: {domain", "vars: {α: {domain", "SQ301", (24, 24), "plain letters, such as alpha"),
    ("in: [0.5, 0.8]", "in: [0.5, 1.8]", "SQ302", (9, 25), "1.8 lies outside the domain"),
    ("in: [2, 4]", "in: [2, 2.5]", "SQ302", (10, 19), "2.5 lies outside"),
    ("in: [2, 4]", "in: [2, 4, 4.0]", "SQ302", (10, 22), "comes twice"),
    ("in: [2, 4]", "in: [2, 010]", "SQ302", (10, 19), "not a number"),
    ("in: [2, 4]", "in: [2, four]", "SQ302", (10, 19), "not a number"),
    ('in: [2, 4], domain: "K', 'domain: "K', "SQ303", (10, 10), "give 'in'"),
    ('vars: {alpha: {domain: "0', 'vars: {alpha: {in: [0.5], domain: "0', "SQ303", (24, 24), "take 'in' out"),
    ("hints: [Add up.]", "hints: ['Add {alhpa}.']", "SQ304", (18, 13), "did you mean {alpha}"),
    ("prompt: The limit?", "prompt: 'The limit in {alpha}?'", "SQ304", (25, 13), "no numbers to put in"),
    ("With {alpha} and {K}", "With {alpha}", "SQ305", (10, 10), "does not tell K"),
    ("answer: (1 - alpha^(K+1))/(1 - alpha)", "answer: (1 - alpha^(K+1))/(1 - beta)", "SQ306", (12, 36), ""),
    ("answer: (1 - alpha^(K+1))/(1 - alpha)", "answer: (1 - alpha^(K+1)/(1 - alpha)", "SQ306", None, ""),
    ("answer: 1 + K*alpha", "answer: 1 + L*alpha", "SQ306", (16, 22), ""),
    ("answer: 1/(1 - alpha)", "answer: 1/(1 - alpha", "SQ306", None, ""),
    (
        "answer: (1 - alpha^(K+1))/(1 - alpha)",
        "answer: (1 - alpha^(K+1))/(alpha - 0.5)",
        "SQ307",
        (12, 13),
        "alpha = 0.5",
    ),
    ("    hints: [Add up.]", "    derivation: [{form: 1 + alpha), say: No.}]", "SQ306", (18, 34), ""),
    (
        "    hints: [Add up.]",
        "    derivation: [{form: 1 + alpha, say: No.}]",
        "SQ308",
        (18, 25),
        "differs from the answer",
    ),
    ("(i, 0, K))", "(i, 1, K))", "SQ308", (13, 12), "differs from the answer at alpha = 0.5, K = 2"),
    ("answer: 1 + K*alpha", "answer: (1 - alpha^(K+1))/(1 - alpha) + 0.01", "SQ309", (16, 18), "twice the tolerance"),
    ("answer: alpha*(1 - alpha^K)/(1 - alpha)", "answer: alpha*K + 1", "SQ310", (17, 18), "mistake 1 always"),
    ("tolerance: places:2", "tolerance: place:2", "SQ311", (14, 16), "places:n"),
    ("answer: 1/alpha,", "answer: 2/(2 - 2*alpha),", "SQ311", (26, 13), "equals the answer"),
    ("answer: the cat,", "answer: the cat sat,", "SQ310", (43, 31), "the answer"),
]


@pytest.mark.parametrize(("old", "new", "code", "place", "message"), FAULTS)
def test_a_fault_of_content_is_an_error_with_its_place(
    linted: Lint, old: str, new: str, code: str, place: tuple[int, int] | None, message: str
) -> None:
    assert old in QUESTION

    problems = linted(QUESTION.replace(old, new, 1))

    assert [(p.code, p.severity) for p in problems] == [(code, "error")]
    assert place in (None, (problems[0].line, problems[0].column))
    assert re.search(message, problems[0].message)


DOUBTS = [
    ("hints: [Add up.]", "hints: ['Set {x}.']", "SQ304", (18, 13)),
    ("prompt: Which?", "prompt: Which? \u26a1", "SQ313", (33, 20)),
    ("prompt: Which?", "prompt: Which \u2714\ufe0f?", "SQ313", (33, 20)),
    ("a longer one]", "None of the above]", "SQ314", (34, 28)),
    ("[a short one,", "[a short one that goes on and on and on,", None, None),
    (
        "    concepts: [limits]\n    level: 2\n    vars:\n",
        "    concepts: [limit]\n    level: 2\n    vars:\n",
        "SQ312",
        (6, 16),
    ),
]


@pytest.mark.parametrize(("old", "new", "code", "place"), DOUBTS)
def test_a_doubt_is_a_warning_with_its_place(
    linted: Lint, old: str, new: str, code: str | None, place: tuple[int, int] | None
) -> None:
    text = QUESTION.replace(old, new, 1)
    if code is None:
        text = text.replace("answer: a short one", "answer: a")
        code, place = "SQ315", (34, 14)

    problems = linted(text)

    assert [(p.code, p.severity, (p.line, p.column)) for p in problems] == [(code, "warning", place)]


def test_a_choice_pinned_last_may_speak_of_the_others(linted: Lint) -> None:
    assert linted(QUESTION.replace("a longer one]", "{text: None of these, pin: last}]")) == []


def test_a_number_the_answer_does_not_need_is_a_warning_that_can_be_silenced(linted: Lint) -> None:
    extra = QUESTION.replace(
        '      K: {in: [2, 4], domain: "K integer >= 1"}\n',
        '      K: {in: [2, 4], domain: "K integer >= 1"}\n      L: {in: [1], domain: "L > 0"}\n',
    )
    extra = extra.replace("and {K}:", "and {K}, {L}:")

    silenced = extra.replace("      L: {", "      # specquiz: ignore[SQ305] on purpose\n      L: {")

    assert [(p.code, p.severity, p.line, p.column) for p in linted(extra)] == [("SQ305", "warning", 11, 10)]
    assert linted(silenced) == []


def test_an_unknown_concept_is_an_error_in_a_shipped_bank_unless_the_bank_brings_it(tmp_path: Path) -> None:
    path = tmp_path / "bank.yaml"
    path.write_text(QUESTION.replace("[limits]", "[limts]", 1))

    (problem,) = lint([path], {"limits"}, strict=[path])
    path.write_text(QUESTION.replace("[limits]", "[limts]", 1) + "concepts: {limts: Mine}\n")

    assert (problem.code, problem.severity, problem.line, problem.column) == ("SQ312", "error", 6, 16)
    assert "did you mean 'limits'" in problem.message
    assert lint([path], {"limits"}, strict=[path]) == ()


def test_a_fault_in_one_question_hides_none_in_another(linted: Lint) -> None:
    text = QUESTION.replace("level: 2", "level: two", 1).replace("answer: 1/(1 - alpha)", "answer: 1/(1 - beta)")

    assert [(p.code, p.line) for p in linted(text)] == [("SQ203", 7), ("SQ306", 26)]


def test_the_same_question_in_two_files_is_told_with_both_places(tmp_path: Path) -> None:
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for path in paths:
        path.write_text(QUESTION)

    problems = lint(paths, {"limits"})

    assert [(p.path, p.code, p.line, p.column) for p in problems] == [
        (paths[1], "SQ208", line, 9) for line in (4, 20, 29, 37)
    ]
    assert f"{paths[0]}:4:9" in problems[0].message


def test_an_id_that_two_banks_have_is_told_with_both_places(tmp_path: Path) -> None:
    one, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    one.write_text(QUESTION)
    other.write_text(QUESTION.replace("bank: sample\n", "bank: other\n", 1))

    problems = lint([one, other], {"limits"})

    assert [(p.path, p.code, p.severity, p.line, p.column) for p in problems] == [
        (other, "SQ319", "warning", line, 9) for line in (4, 20, 29, 37)
    ]
    assert f"the bank 'sample' has a question 'tokens' too, in {one}:4:9" in problems[0].message
    assert {p.severity for p in lint([one, other], {"limits"}, strict=[one, other])} == {"error"}
    other.write_text(other.read_text().replace("  - id:", "  # specquiz: ignore[SQ319] the same on purpose\n  - id:"))
    assert lint([one, other], {"limits"}) == ()


def test_the_right_choice_must_not_be_the_longest_too_often(linted: Lint) -> None:
    one = QUESTION[QUESTION.index("  - id: which") : QUESTION.index("  - id: tokens-out")]
    bank = "bank: b\ntitle: T\nquestions:\n" + "".join(
        one.replace("id: which", f"id: which-{n}").replace("answer: a short one", "answer: a") for n in range(8)
    )
    telling = bank.replace("[a short one, a longer one]", "[a longer one, a short one]")

    assert linted(bank) == []
    assert [(p.code, p.line) for p in linted(telling)] == [("SQ315", 4)]


def test_few_variants_are_all_checked_and_many_are_sampled_the_same_each_time() -> None:
    def asked(count: int) -> NumericQuestion:
        numbers = tuple(str(n) for n in range(1, count + 1))
        variables = {name: Variable(values=numbers, domain=f"{name} > 0") for name in "ab"}
        return NumericQuestion(
            id="q", concepts=("c",), level=1, prompt="P", explanation="E", answer="a", vars=variables
        )

    assert len(choose_variants(asked(14))) == 196
    assert len(choose_variants(asked(15))) == 50
    assert choose_variants(asked(15)) == choose_variants(asked(15))


def test_the_shipped_banks_have_no_errors() -> None:
    files = sorted(places.shipped_questions().glob("*.yaml"))

    problems = lint(files, (), strict=files)

    assert [str(problem) for problem in problems if problem.severity == "error"] == []


def test_every_code_is_documented_and_every_documented_code_is_used() -> None:
    source = "".join(path.read_text() for path in (Path(places.__file__).parent / "banks").glob("*.py"))
    documented = (Path(__file__).parents[2] / "docs" / "bank-codes.md").read_text()

    used = set(re.findall(r'"(SQ\d{3})"', source))

    assert used == set(re.findall(r"^\| (SQ\d{3}) \|", documented, re.MULTILINE))


def test_the_shipped_concepts_are_read() -> None:
    listed, problems = load_concepts(places.shipped_questions() / "concepts.yaml")

    assert problems == ()
    assert listed is not None
    assert "tokens-per-pass" in {concept.slug for concept in listed.concepts}
