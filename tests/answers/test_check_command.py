"""`specquiz check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specquiz.cli import main

GEOMETRIC = ["check", "--reference", "(1-a^(K+1))/(1-a)", "--domain", "0 < a < 1; K integer >= 1"]


def test_a_right_formula_exits_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*GEOMETRIC, "--alias", "alpha=a", "--answer", "Sum(α^i, (i, 0, K))"]) == 0
    assert capsys.readouterr().out.startswith("correct: Right.")


def test_facts_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code = main([*GEOMETRIC, "--set", "a=0.7,K=4", "--tolerance", "places:2", "--answer", "2,77", "--json"])

    assert code == 0
    assert json.loads(capsys.readouterr().out) == {
        "verdict": "correct",
        "message": "Right. 2,77 was read as 2.77.",
        "read_as": "2.77",
        "value": "2.77",
    }


@pytest.mark.parametrize("answer", [["--answer", "-a"], ["--answer=-a"], ["--answer", "-2.77"], ["--answer", "--a"]])
def test_an_answer_may_begin_with_a_minus_sign(answer: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*GEOMETRIC, *answer]) == 1
    assert capsys.readouterr().out.startswith("wrong:")


def test_an_invalid_answer_is_pointed_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*GEOMETRIC, "--answer", "1 + b"]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == ["  1 + b", "      ^"]


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--answer", "1"],
        [*GEOMETRIC, "--set", "a", "--answer", "1"],
        [*GEOMETRIC, "--tolerance", "loose", "--answer", "1"],
        ["check", "--reference", "1/(", "--answer", "1"],
        ["check", "--cases", "no-such-file.tsv"],
    ],
)
def test_wrong_use_exits_with_two(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_without_an_answer_the_usage_is_shown() -> None:
    with pytest.raises(SystemExit) as caught:
        main(GEOMETRIC)

    assert caught.value.code == 2


def test_a_table_of_cases_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = Path(__file__).with_name("cases.tsv")
    assert main(["check", "--cases", str(table)]) == 0
    assert capsys.readouterr().out == "281 agree, 0 disagree\n"

    head, *rows = table.read_text(encoding="utf-8").splitlines()
    changed = tmp_path / "changed.tsv"
    changed.write_text("\n".join([head, rows[0].replace("\tcorrect\t", "\twrong\t"), rows[1]]), encoding="utf-8")

    assert main(["check", "--cases", str(changed)]) == 1
    disagreement, total = capsys.readouterr().out.splitlines()
    assert disagreement.startswith("C002: ")
    assert total == "1 agree, 1 disagree"
