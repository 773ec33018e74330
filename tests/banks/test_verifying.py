"""`specquiz bank verify`: what is proved, what is refuted, and on which evidence."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from specquiz.banks.model import Misconception, NumericQuestion, SymbolicQuestion, Variable
from specquiz.banks.verifying import verify
from specquiz.cli import main

TOKENS = "(1 - alpha^(K+1))/(1 - alpha)"
ACCEPTED = "alpha*(1 - alpha^K)/(1 - alpha)"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECQUIZ_CACHE", str(tmp_path / "cache"))


def symbolic(
    answer: str, also: tuple[str, ...] = (), wrong: tuple[str, ...] = (), quantity: str = ""
) -> SymbolicQuestion:
    return SymbolicQuestion(
        id="asked",
        concepts=("tokens-per-pass",),
        level=1,
        prompt="How many?",
        explanation="So many.",
        vars={"alpha": Variable(domain="0 < alpha < 1"), "K": Variable(domain="K integer >= 1")},
        answer=answer,
        also=also,
        misconceptions=tuple(Misconception(answer=text, say="That is another.") for text in wrong),
        quantity=quantity,
    )


def test_a_right_question_is_proved_and_simulated() -> None:
    found = verify(symbolic(TOKENS, also=("Sum(alpha^i, (i, 0, K))",), wrong=(ACCEPTED,), quantity="tokens_per_pass"))

    assert (found.standing, found.notes, found.claims) == ("proved", (), 2)
    assert found.simulated > 0


@pytest.mark.parametrize(
    ("answer", "quantity"),
    [
        (TOKENS, "mean_acceptance_length"),
        (ACCEPTED, "accepted_per_draft"),
        (f"{ACCEPTED}/K", "draft_acceptance_rate"),
    ],
)
def test_each_simulated_quantity_agrees_with_its_closed_form(answer: str, quantity: str) -> None:
    found = verify(symbolic(answer, quantity=quantity))

    assert (found.standing, found.simulated) == ("proved", 4)


def test_an_answer_that_the_simulation_contradicts_is_refuted() -> None:
    found = verify(symbolic(ACCEPTED, quantity="tokens_per_pass"))

    assert found.standing == "refuted"
    assert "simulated is" in found.notes[0]


def test_a_form_that_differs_is_refuted() -> None:
    found = verify(symbolic(TOKENS, also=("1 + K*alpha",)))

    assert found.standing == "refuted"
    assert any("this form differs" in note for note in found.notes)


def test_a_mistake_that_equals_the_answer_is_refuted() -> None:
    found = verify(symbolic(TOKENS, wrong=("1 + alpha*(1 - alpha^K)/(1 - alpha)",)))

    assert found.standing == "refuted"
    assert any("this mistake equals the answer" in note for note in found.notes)


def test_what_cannot_be_decided_in_time_is_not_proved() -> None:
    found = verify(symbolic(TOKENS, also=("Sum(alpha^i, (i, 0, K))",)), seconds=0.01)

    assert found.standing == "not proved"


def test_an_unreadable_formula_is_refuted_without_an_exception() -> None:
    assert verify(symbolic(TOKENS, also=("1 +",))).standing == "refuted"


def test_every_variant_of_a_numeric_question_is_judged() -> None:
    question = NumericQuestion(
        id="asked",
        concepts=("limits",),
        level=1,
        prompt="Square of {n}?",
        explanation="n times n.",
        vars={"n": Variable(values=("1", "2", "3"), domain="n integer >= 1")},
        answer="n^2",
        tolerance="exact",
        misconceptions=(Misconception(answer="2*n", say="That is the double."),),
    )

    found = verify(question)

    assert (found.standing, found.variants) == ("refuted", 3)
    assert any("judged correct at n = 2" in note for note in found.notes)


def test_the_command_prints_a_line_for_each_question_and_a_summary(
    tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sample.yaml"
    path.write_text(right)

    assert main(["bank", "verify", str(path)]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "sample/second: proved; 1 claim, 2 variants",
        "1 question with a formula of 2: 1 proved, 0 not proved, 0 refuted; 0 also simulated",
    ]


def test_the_command_ends_with_1_where_something_is_refuted(
    tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sample.yaml"
    path.write_text(right.replace("answer: K + 10", "answer: K + K"))

    assert main(["bank", "verify", "--json", str(path)]) == 1

    (fact,) = json.loads(capsys.readouterr().out)["questions"]
    assert (fact["bank"], fact["question"], fact["standing"]) == ("sample", "second", "refuted")


def test_an_order_of_magnitude_is_verified_like_any_number() -> None:
    question = NumericQuestion(
        id="asked",
        concepts=("limits",),
        level=1,
        prompt="How many bytes do {n} billion weights of 16 bits take, in GB?",
        explanation="Two each.",
        vars={"n": Variable(values=("7", "70"), domain="n > 0")},
        answer="2*n",
        tolerance="decades:0.3",
        misconceptions=(Misconception(answer="n/8", say="Bits are no bytes."),),
    )

    assert verify(question)[:2] == ("proved", ())
    near = msgspec.structs.replace(question, misconceptions=(Misconception(answer="n*3/2", say="So."),))
    assert verify(near).standing == "refuted"


def test_what_is_known_from_before_is_not_verified_again(
    tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sample.yaml"

    def said(text: str, *more: str) -> str:
        path.write_text(text)
        main(["bank", "verify", *more, str(path)])
        return capsys.readouterr().out

    first = said(right)
    assert "known from before" not in first
    assert said(right) == first.replace("simulated\n", "simulated; 1 known from before\n")
    assert said(right.replace("Which one?", "Which?")).endswith("1 known from before\n")
    assert "known from before" not in said(right.replace("answer: K + 10", "answer: K + 11"))
    assert "known from before" not in said(right, "--fresh")


def test_a_refuted_question_stays_refuted_when_known_and_a_damaged_finding_is_made_anew(
    tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sample.yaml"
    path.write_text(right.replace("answer: K + 10", "answer: K + K"))

    assert main(["bank", "verify", str(path)]) == 1
    assert main(["bank", "verify", str(path)]) == 1
    assert capsys.readouterr().out.endswith("1 known from before\n")

    (kept,) = (tmp_path / "cache" / "verified").iterdir()
    kept.write_bytes(kept.read_bytes()[:-5])
    assert main(["bank", "verify", str(path)]) == 1
    assert "known from before" not in capsys.readouterr().out
