"""The banks at hand: good ones are there whatever is wrong with others, and reading them again is quick."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from specquiz import places
from specquiz.banks import cache
from specquiz.banks.library import open_library
from specquiz.errors import SpecquizError, UsageError

QUESTION = """questions:
  - id: q
    type: trace
    concepts: [limits]
    level: 1
    prompt: Which token?
    answer: [one]
    explanation: One.
"""

SHIPPED = ["exactness", "memory-bound", "tuning-alpha-k"]


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPECQUIZ_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The person's own folder of banks."""
    folder = tmp_path / "home" / "banks"
    folder.mkdir(parents=True)
    return folder


def settle() -> None:
    """Wait until a file just written counts as settled, so that the cache keeps it."""
    time.sleep(0.12)


def entries(tmp_path: Path, name: str) -> list[Path]:
    return list((tmp_path / "cache" / "banks").glob(f"{name}-*.json"))


def test_the_shipped_banks_are_there_without_a_folder_of_ones_own() -> None:
    library = open_library()

    assert {bank.id for bank in library.banks} >= set(SHIPPED)
    assert library.problems == ()
    assert library.concepts["tokens-per-pass"].group == "Speculation basics"


def test_ones_own_banks_stand_beside_the_shipped_ones(own: Path, right: str) -> None:
    (own / "mine.yaml").write_text(right + "concepts: {my-concept: Mine}\n")

    library = open_library()

    assert library.bank("sample").title == "Sample"
    assert library.files["sample"] == (own / "mine.yaml",)
    assert library.concepts["my-concept"].group == "Sample"


def test_a_file_or_folder_from_elsewhere_is_read_too(tmp_path: Path, right: str) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "one.yml").write_text(right)
    (folder / "notes.txt").write_text("not a bank")

    by_folder = open_library([folder])
    by_file = open_library([folder / "one.yml"])
    by_both = open_library([folder, folder / "one.yml"])

    assert by_folder.banks == by_file.banks == by_both.banks
    assert by_both.problems == ()


def test_a_place_that_is_not_there_is_used_wrongly(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        open_library([tmp_path / "none"])


@pytest.mark.parametrize("broken", ["", "bank: [", "\x00", "questions: []\n", "[" * 999])
def test_a_broken_bank_stops_no_other(own: Path, right: str, broken: str) -> None:
    (own / "a-broken.yaml").write_text(broken)
    (own / "fine.yaml").write_text(right)

    library = open_library()

    assert library.bank("sample").questions
    assert {bank.id for bank in library.banks} >= set(SHIPPED)
    assert {problem.path for problem in library.problems} == {own / "a-broken.yaml"}


def test_a_bank_whose_formula_cannot_be_read_is_left_out_with_its_place(own: Path, right: str) -> None:
    own.mkdir(parents=True, exist_ok=True)
    (own / "right.yaml").write_text(right, encoding="utf-8")
    (own / "wrong.yaml").write_text(
        "bank: wrong\ntitle: Wrong\nconcepts: {c: C}\nquestions:\n"
        "  - {id: a, type: numeric, concepts: [c], level: 1, prompt: x, explanation: y, answer: 4 +}\n",
        encoding="utf-8",
    )

    library = open_library()

    assert "wrong" not in {bank.id for bank in library.banks}
    (problem,) = library.problems
    assert (problem.path.name, problem.line, problem.code) == ("wrong.yaml", 5, "SQ306")


def test_a_folder_in_place_of_a_bank_stops_no_other(own: Path) -> None:
    (own / "odd.yaml").mkdir()
    (own / "gone.yaml").symlink_to(own / "nowhere.yaml")

    library = open_library()

    assert {bank.id for bank in library.banks} >= set(SHIPPED)
    assert [problem.code for problem in library.problems] == ["SQ102", "SQ102"]


def test_two_files_make_one_bank(own: Path, right: str) -> None:
    (own / "a.yaml").write_text(right)
    (own / "b.yaml").write_text(right.replace("id: first", "id: third").replace("id: second", "id: fourth"))

    bank = open_library().bank("sample")

    assert [question.id for question in bank.questions] == ["first", "second", "third", "fourth"]


@pytest.mark.parametrize("warm", [False, True])
def test_the_same_question_in_two_files_is_told_with_both_places(own: Path, right: str, warm: bool) -> None:
    (own / "a.yaml").write_text(right)
    (own / "b.yaml").write_text(right.replace("id: first", "id: third"))
    if warm:
        settle()
        open_library()

    library = open_library()

    assert [question.id for question in library.bank("sample").questions] == ["first", "second"]
    assert [(p.path, p.line, p.column, p.code) for p in library.problems] == [(own / "b.yaml", 13, 9, "SQ208")]
    assert f"{own / 'a.yaml'}:13:9" in library.problems[0].message


def test_a_mended_typo_keeps_the_question_and_its_history(own: Path, right: str) -> None:
    (own / "mine.yaml").write_text(right.replace("Because.", "Becuase."))
    before = open_library().question("sample", "first")
    (own / "mine.yaml").write_text(right)

    after = open_library().question("sample", "first")

    assert before is not None
    assert after is not None
    assert (before.id, before.explanation, after.explanation) == (after.id, "Becuase.", "Because.")


def test_an_unknown_bank_is_told_with_the_near_one(own: Path) -> None:
    (own / "half.yaml").write_text("bank: half\n")
    library = open_library()

    with pytest.raises(SpecquizError, match="exactness"):
        library.bank("exactnes")
    with pytest.raises(SpecquizError, match=r"half\.yaml:1:1: SQ201"):
        library.bank("half")
    assert library.question("exactness", "nothing") is None


def test_reading_again_gives_the_same_without_yaml_or_linter(own: Path, right: str) -> None:
    (own / "mine.yaml").write_text(right)
    settle()
    cold = open_library()
    statement = (
        "from specquiz.banks.library import open_library\nimport sys\nlibrary = open_library()\n"
        "print(len(library.banks), len(library.problems))\n"
        "print(*sorted({'yaml', 'specquiz.banks.loading', 'specquiz.banks.linting'} & set(sys.modules)))"
    )

    warm = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=True, timeout=60)

    assert warm.stdout.split("\n")[:2] == [f"{len(cold.banks)} 0", ""]
    assert open_library() == cold


def test_a_changed_bank_is_read_anew(own: Path, tmp_path: Path, right: str) -> None:
    path = own / "mine.yaml"
    path.write_text(right)
    settle()
    open_library()
    assert entries(tmp_path, "mine")
    times = path.stat()

    path.write_text(right.replace("Sample", "Change"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert open_library().bank("sample").title == "Change"


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\xfe", b'{"path": 1}'])
def test_a_damaged_cache_is_built_anew(own: Path, tmp_path: Path, right: str, damage: bytes) -> None:
    (own / "mine.yaml").write_text(right)
    settle()
    open_library()
    (entry,) = entries(tmp_path, "mine")
    whole = entry.read_bytes()
    entry.write_bytes(damage)

    library = open_library()

    assert library.bank("sample").title == "Sample"
    assert entry.read_bytes() == whole


def test_a_cache_of_another_version_is_built_anew(own: Path, right: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = own / "mine.yaml"
    path.write_text(right)
    settle()
    open_library()
    state = cache.state_of(path)

    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)

    assert cache.state_of(path) != state
    assert open_library().bank("sample").title == "Sample"


def test_a_cache_that_cannot_be_written_does_no_harm(own: Path, tmp_path: Path, right: str) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    (own / "mine.yaml").write_text(right)
    settle()

    assert open_library().bank("sample").title == "Sample"


def test_what_was_left_half_written_is_no_bank(own: Path, tmp_path: Path, right: str) -> None:
    (own / "mine.yaml").write_text(right)
    settle()
    open_library()

    assert not list((tmp_path / "cache" / "banks").glob(".*"))
    assert places.own_banks() == own


def test_banks_stand_in_the_order_that_their_authors_give_and_else_by_title(tmp_path: Path) -> None:
    for name, order, title in (("a", "", "Zebra"), ("b", "order: 7\n", "Middle"), ("c", "", "Apple")):
        (tmp_path / f"{name}.yaml").write_text(f"bank: own-{name}\ntitle: {title}\n{order}{QUESTION}")

    own = [bank.id for bank in open_library([tmp_path]).banks if bank.id.startswith("own-")]

    assert own == ["own-b", "own-c", "own-a"]


def test_files_of_one_bank_need_its_description_and_its_order_only_once(tmp_path: Path) -> None:
    (tmp_path / "bare.yaml").write_text(f"bank: own\ntitle: Own\n{QUESTION}")
    more = QUESTION.replace("id: q", "id: r")
    (tmp_path / "whole.yaml").write_text(f"bank: own\ntitle: Own\ndescription: About.\norder: 3\n{more}")

    own = open_library([tmp_path]).bank("own")

    assert (own.description, own.order, len(own.questions)) == ("About.", 3, 2)
