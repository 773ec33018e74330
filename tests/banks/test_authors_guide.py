"""Every bank in the guide for authors is one that can be used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from specquiz.banks.library import open_library
from specquiz.banks.linting import lint
from specquiz.banks.loading import load_bank
from specquiz.banks.model import AnyQuestion
from specquiz.sessions.judging import judge, right_ids, solution
from specquiz.sessions.planning import draw_item

GUIDE = Path(__file__).parents[2] / "docs" / "authors.md"
BANKS = re.findall(r"^```yaml\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
WAYS = {"order", "config", "short", "numeric"}


def questions(text: str, folder: Path) -> tuple[AnyQuestion, ...]:
    path = folder / "bank.yaml"
    path.write_text(text, encoding="utf-8")
    bank, problems = load_bank(path)
    assert bank is not None, "\n".join(map(str, problems))
    return bank.questions


@pytest.mark.parametrize("text", BANKS)
def test_a_bank_in_the_guide_is_clean(text: str, tmp_path: Path) -> None:
    (tmp_path / "bank.yaml").write_text(text, encoding="utf-8")

    assert lint([tmp_path / "bank.yaml"], open_library().concepts) == ()


@pytest.mark.parametrize("text", BANKS)
def test_the_answer_of_a_question_in_the_guide_is_judged_right(text: str, tmp_path: Path) -> None:
    for question in questions(text, tmp_path):
        item = draw_item("guide", question, 1)
        given = " ".join(right_ids(question)) or getattr(question, "answer", None)
        if given is not None:
            typed = given if isinstance(given, str) else solution(question, item)
            assert judge(question, item, typed).outcome == "correct", question.id


def test_the_guide_shows_every_way_of_asking_that_needs_it() -> None:
    assert {kind for text in BANKS for kind in re.findall(r"^    type: (\w+)", text, re.MULTILINE)} >= WAYS
