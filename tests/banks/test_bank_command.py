"""`specquiz bank`: what it prints, what it writes, what it returns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specquiz import places
from specquiz.cli import main


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPECQUIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_list_names_the_banks_and_the_folder_for_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "list"]) == 0

    shown = capsys.readouterr().out
    assert "tuning-alpha-k" in shown
    assert str(places.own_banks()) in shown


def test_list_as_json_holds_every_bank_and_what_is_wrong(
    tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fine.yaml").write_text(right)
    (tmp_path / "broken.yaml").write_text("bank: broken\n")

    assert main(["bank", "list", "--bank", str(tmp_path), "--json"]) == 0

    facts = json.loads(capsys.readouterr().out)
    sample = next(bank for bank in facts["banks"] if bank["id"] == "sample")
    assert (sample["title"], sample["questions"], sample["path"]) == ("Sample", 2, str(tmp_path / "fine.yaml"))
    assert {(Path(p["path"]).name, p["line"], p["column"], p["code"]) for p in facts["problems"]} == {
        ("broken.yaml", 1, 1, "SQ201")
    }


def test_lint_finds_nothing_wrong_with_the_shipped_banks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "lint"]) == 0

    assert "0 errors" in capsys.readouterr().out


def test_lint_tells_every_fault_by_place_and_returns_1(
    tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.yaml").write_text(right.replace("promp", "pomp").replace("level: 2", "level: 7"))

    assert main(["bank", "lint", "mine.yaml"]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[:2] for line in lines[:-1]] == [
        ["mine.yaml:8:5:", "SQ202"],
        ["mine.yaml:16:12:", "SQ206"],
        ["mine.yaml:19:5:", "SQ202"],
    ]
    assert lines[-1] == "1 file: 3 errors, 0 warnings"


def test_lint_speaks_to_programs_and_to_github(tmp_path: Path, right: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.yaml").write_text(right.replace("level: 2", "level: 7"))

    assert main(["bank", "lint", "mine.yaml", "--format", "json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert main(["bank", "lint", str(tmp_path / "mine.yaml"), "--format", "github"]) == 1
    annotation = capsys.readouterr().out

    assert (problem["path"], problem["line"], problem["column"], problem["code"]) == ("mine.yaml", 16, 12, "SQ206")
    assert annotation == "::error file=mine.yaml,line=16,col=12,title=SQ206::'level' is 1 to 4, not 7\n"


def test_a_file_that_is_not_there_is_used_wrongly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "lint", "none.yaml"]) == 2

    assert "none.yaml" in capsys.readouterr().err


def test_a_new_bank_lints_clean_and_is_in_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "new", "my-bank"]) == 0
    path = places.own_banks() / "my-bank.yaml"

    assert main(["bank", "lint", str(path)]) == 0
    assert "1 file: 0 errors, 0 warnings" in capsys.readouterr().out
    assert main(["bank", "list"]) == 0
    assert "my-bank" in capsys.readouterr().out
    assert main(["bank", "lint"]) == 0
    assert ": 0 errors, 0 warnings" in capsys.readouterr().out
    schema = path.read_text().split("\n")[0].partition("$schema=")[2]
    assert (path.parent / schema).is_file()


@pytest.mark.parametrize("name", ["1", "no", "null", "true", "2026-01-02", "1e3"])
def test_a_new_bank_may_have_an_odd_name(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "new", name, "--to", str(tmp_path)]) == 0

    assert main(["bank", "lint", f"{name}.yaml"]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out


def test_a_new_bank_never_overwrites_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.yaml").write_text("precious")

    assert main(["bank", "new", "mine", "--to", "."]) == 2

    assert (tmp_path / "mine.yaml").read_text() == "precious"
    assert "already" in capsys.readouterr().err


def test_a_name_that_is_no_slug_is_used_wrongly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "new", "My Bank"]) == 2

    assert "my-bank" in capsys.readouterr().err


def test_the_schema_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bank", "schema"]) == 0

    assert capsys.readouterr().out == (places.shipped_questions() / "specquiz.schema.json").read_text()
