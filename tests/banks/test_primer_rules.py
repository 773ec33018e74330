"""Lint tells every fault of a page by its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from primer_samples import CONCEPTS, PAGE, folder_with  # type: ignore[import-not-found]

from specquiz.banks.primer_rules import WIDEST, lint_primers, missing_pages
from specquiz.banks.problems import Problem

Lint = Callable[..., list[Problem]]


@pytest.fixture
def linted(tmp_path: Path) -> Lint:
    """Lint a page, as one that ships or as one of a person's own."""

    def written(page: str, name: str = "drafting-trees.md", *, shipped: bool = True) -> list[Problem]:
        path = folder_with(tmp_path, page, name) / "primers" / name
        return list(lint_primers([path], CONCEPTS, [path] if shipped else ()))

    return written


def places(problems: list[Problem]) -> list[tuple[int, int, str]]:
    return [(problem.line, problem.column, problem.code) for problem in problems]


def line_of(text: str, page: str = PAGE) -> int:
    return next(number for number, line in enumerate(page.split("\n"), 1) if text in line)


def test_a_sound_page_is_clean(linted: Lint) -> None:
    assert linted(PAGE) == []


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("# Drafting trees", "Drafting trees", (1, 1, "SQ401"), "begins with '# '"),
        ("# Drafting trees", "# Drafting treees", (1, 3, "SQ401"), "did you mean 'Drafting trees'?"),
        ("## The attention", "## The atention", (6, 4, "SQ402"), "did you mean 'The attention mask'?"),
        ("## The attention mask", "## Accept with min(1, p/q)", (6, 4, "SQ402"), "belongs to 'Exactness'"),
        ("## The attention", "### The attention", (6, 1, "SQ402"), "begins with '## '"),
        ("## Expected length of α", "## The attention mask", (21, 4, "SQ404"), "line 6 has it already"),
        ("1.75", "", None, ""),
        ("and keeps", "and **keeps**", (4, 5, "SQ407"), "bold"),
        ("and keeps", "and *keeps*", (4, 5, "SQ407"), "emphasis"),
        ("and keeps", "and _keeps_", (4, 5, "SQ407"), "emphasis"),
        ("and keeps", "and [keeps](x)", (4, 5, "SQ407"), "links"),
        ("and keeps", "and https://x keeps", (4, 5, "SQ407"), "links"),
        ("and keeps", "and<br>keeps", (4, 4, "SQ407"), "HTML"),
        ("and keeps", "| a | b |\n| - | - |\nand keeps", (4, 1, "SQ407"), "tables"),
        ("and keeps", "> and keeps", (4, 1, "SQ407"), "quotes"),
        ("and keeps", "1. and keeps", (4, 1, "SQ407"), "numbered"),
        ("- the second", "* the second", (12, 1, "SQ407"), "'- '"),
        ("- the second", "  - the second", (12, 1, "SQ407"), "within"),
        ("and keeps", "```\nand keeps", (4, 1, "SQ407"), "fences"),
        ("and keeps", "---\nand keeps", (4, 1, "SQ407"), "rules"),
        ("rows:\n", "rows:", (15, 5, "SQ407"), "blank line"),
        ("and keeps", "and\tkeeps", (4, 4, "SQ407"), "tabs"),
        ("and keeps", "and" + " keeps" * 20, (4, WIDEST + 1, "SQ408"), "characters"),
        ("and keeps", "and\u200bkeeps", (4, 4, "SQ112"), "U+200B"),
        ("and keeps", "and\u2705keeps", (4, 4, "SQ313"), "width"),
    ],
)
def test_a_fault_is_told_by_its_place(
    linted: Lint, old: str, new: str, place: tuple[int, int, str] | None, said: str
) -> None:
    problems = linted(PAGE.replace(old, new, 1))
    assert place is None or place in places(problems)
    assert any(said in problem.message for problem in problems) or place is None


def test_every_missing_concept_is_named(linted: Lint) -> None:
    page = PAGE.replace("## The attention mask", "").replace("## Expected length of α", "")
    assert [problem.code for problem in linted(page)] == ["SQ403", "SQ403"]


def test_the_worked_number_is_there_is_last_and_has_a_number(linted: Lint) -> None:
    gone = linted(PAGE.replace("## A worked number", ""))
    assert places(gone) == [(1, 1, "SQ405")]
    head, worked = PAGE[: PAGE.index("## The")], PAGE[PAGE.index("## A worked") :]
    early = linted(head + worked + PAGE[PAGE.index("## The") : PAGE.index("## A worked")])
    assert [problem.code for problem in early] == ["SQ405"]
    wordy = linted(PAGE[: PAGE.index("Two branches of one")] + "Many.\n")
    assert places(wordy) == [(line_of("## A worked"), 1, "SQ405")]


def test_a_heading_with_nothing_under_it_is_an_error(linted: Lint) -> None:
    start, end = PAGE.index("With α"), PAGE.index("## A worked")
    assert places(linted(PAGE[:start] + PAGE[end:])) == [(line_of("## Expected"), 1, "SQ406")]


def test_what_is_missing_from_ones_own_page_is_only_a_warning(linted: Lint) -> None:
    page = "# Drafting trees\n\nShort.\n"
    assert {problem.severity for problem in linted(page, shipped=False)} == {"warning"}
    assert {problem.severity for problem in linted(page)} == {"error"}


def test_ones_own_page_may_be_about_a_group_of_ones_own(linted: Lint) -> None:
    page = "# My notes\n\nShort.\n\n## Accept with min(1, p/q)\n\nWords.\n\n## A worked number\n\n    1 + 1 = 2\n"
    assert linted(page, "my-notes.md", shipped=False) == []
    assert [problem.code for problem in linted(page, "my-notes.md")] == ["SQ401"]


def test_the_file_is_called_after_the_group(linted: Lint) -> None:
    (problem,) = linted(PAGE, "trees.md")
    assert (problem.code, "drafting-trees.md" in problem.message) == ("SQ410", True)


def test_what_is_no_text_or_empty_is_told(linted: Lint, tmp_path: Path) -> None:
    assert places(linted("\n")) == [(1, 1, "SQ106")]
    path = folder_with(tmp_path) / "primers" / "drafting-trees.md"
    path.write_bytes(PAGE.encode()[:40] + b"\xff")
    assert [problem.code for problem in lint_primers([path], CONCEPTS)] == ["SQ103"]


def test_lines_may_end_as_they_do_elsewhere(linted: Lint) -> None:
    assert linted(PAGE.replace("\n", "\r\n")) == []


def test_every_group_without_a_page_is_named(tmp_path: Path) -> None:
    problems = list(missing_pages(folder_with(tmp_path), CONCEPTS))
    assert [(problem.path.name, problem.code) for problem in problems] == [("exactness.md", "SQ409")]
