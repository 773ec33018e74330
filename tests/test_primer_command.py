"""`specquiz primer` and `specquiz bank lint` with pages, as a person runs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "banks"))
from primer_samples import PAGE, folder_with  # type: ignore[import-not-found]

from specquiz import places
from specquiz.cli import main

BANK = """\
bank: drafting-trees
title: Drafting trees
concepts: {branch-mask: The attention mask, branch-size: Expected length of α}
questions:
  - id: leaf
    type: trace
    concepts: [branch-mask]
    level: 1
    prompt: What does a leaf see?
    answer: its ancestors
    explanation: Only them.
"""


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPECQUIZ_CACHE", str(tmp_path / "cache"))
    own = folder_with(places.own_banks())
    (own / "drafting-trees.yaml").write_text(BANK, encoding="utf-8")


def test_without_a_name_the_pages_and_their_concepts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["primer"]) == 0
    said = capsys.readouterr().out
    assert "Drafting trees: specquiz primer drafting-trees" in said
    assert "The attention mask (branch-mask)" in said


def test_a_group_shows_its_page_and_a_concept_its_section(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["primer", "drafting-trees"]) == 0
    page = capsys.readouterr().out
    assert "# Drafting trees" in page
    assert "## A worked number" in page
    assert main(["primer", "branch-mask"]) == 0
    section = capsys.readouterr().out
    assert section.startswith("## The attention mask\n")
    assert "worked" not in section


def test_a_slug_may_be_written_with_blanks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["primer", "tokens-per-pass"]) == 0
    with_hyphens = capsys.readouterr().out
    assert main(["primer", "Tokens per pass"]) == 0
    assert capsys.readouterr().out == with_hyphens


def test_programs_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["primer", "--json"]) == 0
    listed = {page["primer"]: page for page in json.loads(capsys.readouterr().out)["primers"]}
    assert listed["drafting-trees"]["concepts"] == ["branch-mask", "branch-size"]
    assert main(["primer", "branch-mask", "--json"]) == 0
    (section,) = json.loads(capsys.readouterr().out)["sections"]
    assert section["heading"] == "The attention mask"
    assert section["blocks"][-1] == {"kind": "formula", "text": "1 0\n1 1\n\nthe end"}
    assert main(["primer", "--search", "leaf", "see", "--json"]) == 0
    (hit,) = json.loads(capsys.readouterr().out)["hits"]
    assert (hit["bank"], hit["question"]) == ("drafting-trees", "leaf")


def test_a_near_miss_is_used_wrongly_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["primer", "branch-maks"]) == 2
    assert "Did you mean branch-mask?" in capsys.readouterr().err
    assert main(["primer", "branch-mask", "--search", "x"]) == 2


def test_words_are_looked_up_with_the_way_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["primer", "--search", "ancestors"]) == 0
    assert "specquiz primer branch-mask" in capsys.readouterr().out
    assert main(["primer", "--search", "leaf"]) == 0
    assert "specquiz practice drafting-trees" in capsys.readouterr().out
    assert main(["primer", "--search", "zebra"]) == 0
    assert "Nothing has 'zebra' in it" in capsys.readouterr().out


def test_of_very_many_places_the_first_are_shown_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    one = BANK.partition("questions:\n")[2]
    many = "".join(one.replace("id: leaf", f"id: leaf-{number}") for number in range(60))
    (places.own_banks() / "many.yaml").write_text(
        "bank: many\ntitle: Many\nquestions:\n" + many.replace("leaf see", "twig see"), encoding="utf-8"
    )
    assert main(["primer", "--search", "twig"]) == 0
    said = capsys.readouterr().out
    assert said.count("specquiz practice many") == 50
    assert "These are the first 50; more words find fewer." in said


def test_lint_looks_at_pages_too_by_folder_and_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    own = places.own_banks()
    assert main(["bank", "lint", str(own)]) == 0
    assert "2 files: 0 errors, 0 warnings" in capsys.readouterr().out
    page = own / "primers" / "drafting-trees.md"
    page.write_text(PAGE.replace("and keeps", "and **keeps**"), encoding="utf-8")
    assert main(["bank", "lint", str(page)]) == 1
    assert "drafting-trees.md:4:5: SQ407 bold is not shown" in capsys.readouterr().out
    assert main(["bank", "lint"]) == 1
