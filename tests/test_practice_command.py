"""`specquiz practice`: an author's own file is asked, or told wrong; right answers open a lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from string import ascii_lowercase

import pytest

from specquiz.banks.library import open_library
from specquiz.banks.model import (
    AnyQuestion,
    ConfigQuestion,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.sessions.events import Item
from specquiz.sessions.judging import solution
from specquiz.sessions.planning import plan_practice

BANK = """
bank: mine
title: Mine
concepts: {c: C}
questions:
  - {id: a, type: numeric, concepts: [c], level: 1, prompt: How much is 2 + 2?, explanation: Four., answer: 2 + 2}
"""


def practise(folder: Path, text: str, command: str = "practice") -> subprocess.CompletedProcess[str]:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    places = {"SPECQUIZ_HOME": str(folder / "home"), "SPECQUIZ_CACHE": str(folder / "cache")}
    words = [sys.executable, "-m", "specquiz", *command.split(), "--plain", "--bank", str(file)]
    return subprocess.run(words, input="4\n", env=os.environ | places, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("command", "said"), [("practice", "[correct]"), ("mock", "[saved]")])
def test_a_file_named_without_a_bank_is_asked_alone(tmp_path: Path, command: str, said: str) -> None:
    session = practise(tmp_path, BANK, command)

    assert session.returncode == 0, session.stderr
    assert "Question 1 of 1 · mine" in session.stdout
    assert said in session.stdout


@pytest.mark.parametrize("command", ["practice", "mock", "practice mine", "mock --bank mine"])
def test_a_named_file_that_is_wrong_starts_no_session_on_other_banks(tmp_path: Path, command: str) -> None:
    session = practise(tmp_path, BANK.replace("2 + 2}", "2 +}"), command)

    assert session.returncode in (1, 2)
    assert "mine.yaml:6:" in session.stderr
    assert "left out" not in session.stderr, "it is named once"
    assert "Question" not in session.stdout
    assert "Traceback" not in session.stderr


def right_answer(question: AnyQuestion, item: Item) -> str:
    """What to type at the plain prompt."""
    match question:
        case SingleQuestion(answer=answer):
            return str(item.choices.index(answer) + 1)
        case MultiQuestion(answer=answers):
            return " ".join(str(item.choices.index(answer) + 1) for answer in answers)
        case TraceQuestion(answer=tokens):
            return " ".join(tokens)
        case NumericQuestion(answer=formula) | SymbolicQuestion(answer=formula):
            return formula
        case OrderQuestion(answer=ids):
            return " ".join(ascii_lowercase[item.choices.index(id)] for id in ids)
        case ConfigQuestion():
            return solution(question, item)
        case ShortQuestion():
            raise AssertionError("a person marks a written answer")


def test_right_answers_open_the_lab_and_say_so(tmp_path: Path) -> None:
    bank, count, seed = "tuning-alpha-k", 18, 5
    library = open_library()
    items = plan_practice(library, [bank], count, seed)
    typed = []
    for item in items:
        question = library.question(item.bank, item.question)
        assert question is not None
        typed += [right_answer(question, item), ""]
    places = {"SPECQUIZ_HOME": str(tmp_path / "home"), "SPECQUIZ_CACHE": str(tmp_path / "cache")}

    def specquiz(*words: str, answers: str = "") -> str:
        command = [sys.executable, "-m", "specquiz", *words]
        return subprocess.run(
            command, input=answers, env=os.environ | places, capture_output=True, text=True, check=True
        ).stdout

    said = specquiz(
        *("practice", "--plain", bank, "--questions", str(count), "--seed", str(seed)), answers="\n".join(typed) + "\n"
    )

    assert f"Done: {count} of {count} right" in said
    assert "The lab “Echo against novel text” is open now" in said
    labs = json.loads(specquiz("lab", "list", "--json"))["labs"]
    assert [lab["unlocked"] for lab in labs if lab["id"] == "ngram-echo"] == [True]


def ask_one(folder: Path, question: str) -> subprocess.CompletedProcess[str]:
    places = {"SPECQUIZ_HOME": str(folder / "home"), "SPECQUIZ_CACHE": str(folder / "cache")}
    words = [sys.executable, "-m", "specquiz", "practice", "--plain", "tuning-alpha-k", "--question", question]
    return subprocess.run(words, input="", env=os.environ | places, capture_output=True, text=True, check=False)


def test_one_question_can_be_asked_by_its_id(tmp_path: Path) -> None:
    session = ask_one(tmp_path, "tokens-per-pass")

    assert session.returncode == 0, session.stderr
    assert "Question 1 of 1 · tuning-alpha-k" in session.stdout


def test_a_question_that_is_not_there_is_used_wrongly(tmp_path: Path) -> None:
    session = ask_one(tmp_path, "no-such-question")

    assert session.returncode == 2
    assert "primer --search" in session.stderr


def test_a_question_of_another_bank_is_told_with_its_bank(tmp_path: Path) -> None:
    session = ask_one(tmp_path, "ngram-from-old-flags")

    assert session.returncode == 2
    assert "It is in draft-methods." in session.stderr
