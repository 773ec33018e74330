"""Primers are read as well as they can be, are found by any of their names, and hold what searches look for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from primer_samples import CONCEPTS, PAGE, folder_with  # type: ignore[import-not-found]

from specquiz.banks.library import Library
from specquiz.banks.model import Bank, Choice, SingleQuestion
from specquiz.banks.primers import Block, Primer, find_place, group_slug, parse_primer, place_of, read_primers
from specquiz.banks.searching import index
from specquiz.errors import UsageError
from specquiz.reports.primers import page_lines, section_lines

TREES = parse_primer(Path("drafting-trees.md"), PAGE)
MASK = "The attention mask"


def test_a_page_has_its_group_an_introduction_and_its_sections_in_the_order_written() -> None:
    assert (TREES.group, TREES.slug) == ("Drafting trees", "drafting-trees")
    assert TREES.introduction.text.startswith("Drafts may branch. One pass")
    assert [section.heading for section in TREES.sections] == [MASK, "Expected length of α", "A worked number"]
    assert TREES.sections[0].line == PAGE.split("\n").index(f"## {MASK}") + 1


def test_lines_are_joined_into_paragraphs_and_items_and_formulas_stay_as_written() -> None:
    section = TREES.section(MASK)
    assert section is not None
    assert section.blocks == (
        Block("paragraph", "A node sees its ancestors only. Take two branches:"),
        Block("item", "the first is the cat, which sat"),
        Block("item", "the second is a dog"),
        Block("paragraph", "Each has its own rows:"),
        Block("formula", "1 0\n1 1\n\nthe end"),
    )


def test_a_page_is_laid_out_for_any_width() -> None:
    lines = list(page_lines(TREES, 40))
    assert lines[0] == "# Drafting trees"
    assert "- the first is the cat, which sat" in lines
    assert "    1 1" in lines
    assert max(map(len, lines)) <= 40


@given(text=st.text(st.sampled_from("# -*ab\n1.α"), max_size=200), width=st.integers(20, 120))
def test_any_text_can_be_read_and_laid_out_without_losing_a_word(text: str, width: int) -> None:
    page = parse_primer(Path("x.md"), text)
    shown = "".join("".join(page_lines(page, width)).split())
    for section in (page.introduction, *page.sections):
        for block in section.blocks:
            assert "".join(block.text.split()) in shown


def test_pages_come_from_the_folders_that_have_any_and_a_damaged_one_stops_no_other(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "banks")
    (folder / "primers" / "broken.md").write_bytes(b"\xff\xfe")

    assert [page.slug for page in read_primers([tmp_path / "nowhere", folder, folder])] == ["drafting-trees"]


@pytest.mark.parametrize("word", ["drafting-trees", "Drafting trees", "DRAFTING TREES"])
def test_a_group_is_found_by_its_slug_or_its_name(word: str) -> None:
    place = find_place(word, [TREES], CONCEPTS)
    assert (place.primer, place.section) == (TREES, None)


@pytest.mark.parametrize("word", ["branch-mask", "The attention mask", "the ATTENTION mask "])
def test_a_concept_is_found_by_its_slug_or_its_name(word: str) -> None:
    assert find_place(word, [TREES], CONCEPTS).section == TREES.section(MASK)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("branch-maks", "Did you mean branch-mask?"),
        ("draftingtrees", "Did you mean drafting-trees?"),
        ("zzz", "lists the groups"),
        ("accept-rule", "no primer has a section on Accept"),
        ("exactness", "this group has no page"),
    ],
)
def test_a_word_that_finds_nothing_is_used_wrongly_and_told_what_comes_close(word: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_place(word, [TREES], CONCEPTS)
    assert said in str(caught.value)


def test_a_concept_is_read_on_the_page_of_its_own_group_first() -> None:
    other = parse_primer(Path("other.md"), "# Other\n\nHi.\n\n## The attention mask\n\nElsewhere.\n")
    place = place_of(CONCEPTS["branch-mask"], [other, TREES])
    assert place is not None
    assert place.primer == TREES
    assert place_of(CONCEPTS["accept-rule"], [other, TREES]) is None


@given(st.text(max_size=40))
def test_a_groups_slug_is_a_file_name_anywhere(name: str) -> None:
    assert set(group_slug(name)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


# Searching


@pytest.fixture
def library(tmp_path: Path) -> Library:
    question = SingleQuestion(
        id="which-nodes",
        concepts=("branch-mask",),
        level=1,
        prompt="With acceptance {alpha}, which nodes does a leaf see? Say it of γ too.",
        choices=(Choice(id="a", text="ancestors"), Choice(id="b", text="the secret choice")),
        answer="a",
        explanation="The unspeakable explanation.",
    )
    bank = Bank(id="leaves", title="Leaves", questions=(question,))
    return Library((bank,), CONCEPTS, folders=(folder_with(tmp_path),))


def found(library: Library, words: str) -> list[str]:
    return [hit.title for hit in index(library).search(words)]


def test_words_are_found_in_sections_and_prompts_and_names_come_first(library: Library) -> None:
    assert found(library, "ancestors") == [MASK]
    assert found(library, "leaf see") == ["which-nodes"]
    assert found(library, "mask")[0] == MASK
    assert found(library, "branch-mask") == [MASK, "which-nodes"]
    assert found(library, "drafts branch") == ["Drafting trees"]


def test_all_words_must_be_there_in_any_order_case_and_part(library: Library) -> None:
    assert found(library, "ONLY ancest") == [MASK]
    assert found(library, "ancestors zebra") == []
    assert found(library, "  ") == []


def test_greek_letters_are_found_by_their_names_and_names_by_letters(library: Library) -> None:
    assert "Expected length of α" in found(library, "alpha length")
    assert "which-nodes" in found(library, "gamma")
    assert "which-nodes" in found(library, "acceptance α")


@pytest.mark.parametrize(
    ("typed", "written"), [("normalize", "normalised"), ("normalis", "normalized"), ("SIZE", "size")]
)
def test_words_are_found_in_either_spelling(library: Library, typed: str, written: str) -> None:
    (question,) = library.banks[0].questions
    assert isinstance(question, SingleQuestion)
    asked = structs.replace(question, prompt=f"Which law is {written} here?")
    library = Library((structs.replace(library.banks[0], questions=(asked,)),), {})
    assert found(library, typed) == ["which-nodes"]


@pytest.mark.parametrize("words", ["secret", "unspeakable"])
def test_a_search_gives_no_answer_away(library: Library, words: str) -> None:
    assert found(library, words) == []


def test_a_hit_shows_the_words_where_they_stand_and_leads_there(library: Library) -> None:
    (hit,) = index(library).search("rows")
    assert "Each has its own rows" in hit.excerpt
    assert hit.place is not None
    assert hit.place.section is not None
    assert hit.place.section.heading == MASK
    (asked,) = index(library).search("leaf")
    assert asked.question == ("leaves", "which-nodes")


def test_a_number_that_differs_from_session_to_session_is_left_out(library: Library) -> None:
    (question,) = library.banks[0].questions
    assert isinstance(question, SingleQuestion)
    asked = structs.replace(question, prompt="The counter D = {D} stands beside acceptance {alpha}.")
    (hit,) = index(Library((structs.replace(library.banks[0], questions=(asked,)),), {})).search("counter")
    assert hit.excerpt == "The counter D = … stands beside acceptance alpha."


@given(st.text(max_size=30))
def test_any_words_can_be_looked_up(words: str) -> None:
    page = Primer(Path("x.md"), TREES.introduction, TREES.sections)
    library = Library((), CONCEPTS)
    library.__dict__["primers"] = (page,)
    for hit in index(library).search(words):
        assert hit.title
        assert len(hit.excerpt) <= 110


def test_a_section_by_itself_begins_with_its_heading() -> None:
    assert next(section_lines(TREES.sections[0], 80)) == f"## {MASK}"
