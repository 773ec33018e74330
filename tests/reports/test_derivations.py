"""Derivations: a formula's steps as lines, printed by SymPy in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from specquiz import places
from specquiz.answers import Question
from specquiz.answers.derivation import print_steps
from specquiz.answers.expression import Node
from specquiz.answers.pretty import printed
from specquiz.answers.reading import read
from specquiz.answers.subject import Subject
from specquiz.answers.vocabulary import Vocabulary
from specquiz.banks.loading import load_bank
from specquiz.banks.model import NumericQuestion, Step, SymbolicQuestion
from specquiz.banks.variants import answer_question
from specquiz.reports.derivations import derivation_lines, has_derivation

QUESTION = NumericQuestion(
    id="count",
    concepts=("tokens-per-pass",),
    level=1,
    prompt="",
    vars={},
    answer="1 + 1/2",
    explanation="",
    derivation=(Step(form="1 + 1/2", say="One is certain."), Step(form="3/2", say="Added up.")),
)


def tree(text: str) -> Node:
    return read(text, Vocabulary(("alpha", "K", "c"), {})).tree


@pytest.mark.parametrize(
    ("formula", "lines"),
    [
        ("(1 - alpha^(K+1))/(1 - alpha)", ["     K + 1", "1 - α", "──────────", "  1 - α"]),
        ("1/2*abs(alpha - c)", ["│α - c│", "───────", "   2"]),
        ("0.35*alpha", ["0.35⋅α"]),
        ("sqrt(alpha)", ["√α"]),
        ("alpha - (K - 1)", ["α - (K - 1)"]),
        ("min(alpha, c)", ["min(α, c)"]),
    ],
)
def test_a_formula_is_printed_as_it_is_written_and_not_simplified(formula: str, lines: list[str]) -> None:
    assert printed(tree(formula)) == lines


def test_what_would_cancel_stays_since_a_step_must_be_seen() -> None:
    assert printed(tree("(1 - alpha)*K/(1 - alpha)")) == ["(1 - α)⋅K", "─────────", "  1 - α"]


def test_each_step_is_told_and_then_shown() -> None:
    assert has_derivation(QUESTION)
    assert derivation_lines(QUESTION, {}) == [
        "1. One is certain.",
        "",
        "        1",
        "    1 + ─",
        "        2",
        "",
        "2. Added up.",
        "",
        "    3",
        "    ─",
        "    2",
    ]


def test_without_steps_there_is_nothing_to_show() -> None:
    bare = msgspec.structs.replace(QUESTION, derivation=())

    assert not has_derivation(bare)
    assert derivation_lines(bare, {}) == []


def test_a_printer_that_takes_too_long_leaves_the_plainer_layout() -> None:
    assert print_steps(Question(reference="1/2"), ["1/2"], seconds=1e-6) == [(" 1 ", "───", " 2 ")]


def test_the_steps_that_ship_fit_a_terminal() -> None:
    banks = [load_bank(path)[0] for path in places.shipped_questions().glob("*.yaml") if path.stem != "concepts"]
    derived = [q for bank in banks if bank for q in bank.questions if has_derivation(q)]
    assert derived

    for question in derived:
        assert isinstance(question, NumericQuestion | SymbolicQuestion)
        vocabulary = Subject(answer_question(question, {})).vocabulary
        steps = [printed(read(step.form, vocabulary).tree) for step in question.derivation]
        assert len(steps) >= 2, question.id
        assert max(len(line) for step in steps for line in step) <= 74, question.id


def test_sympy_stays_out_of_this_process() -> None:
    code = "import specquiz.reports.derivations, specquiz.plain, sys; print('sympy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
