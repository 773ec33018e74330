"""Whatever a bank says or a person types stands in a report as it is, and never acts as Markdown."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from specquiz.reports.markup import cell, code, escaped, literal, quoted, quoted_lines

SHOWN = {"paragraph", "text", "softbreak", "hardbreak", "inline", "blockquote", "code_inline", "fence"}
LISTS = SHOWN | {"bullet_list", "ordered_list", "list_item"}
SIGNS = st.text(alphabet="ab1 -+*_`~#=>|[]()<!&;.\\/\"'$:\n\t", max_size=60)
LINE = SIGNS.map(lambda text: " ".join(text.split())).filter(bool)


def read(markdown: str) -> tuple[str, set[str]]:
    """What a reader of the Markdown sees, in words, and which kinds of things it is made of."""
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(markdown)
    said, kinds = [], set()
    for token in tokens:
        kinds.add(token.type.removesuffix("_open").removesuffix("_close"))
        if token.type == "fence":
            said.append(token.content)
        for child in token.children or ():
            kinds.add(child.type)
            said.append(child.content or "\n")
        said.append("\n")
    return " ".join("".join(said).split()), kinds


@given(LINE)
@example("[x](http://y) ![z](w) <b>bold</b> **fat** _it_ ~~gone~~ &lt; `code`")
@example("1. first")
@example("*")
def test_a_line_reads_as_it_stands(text: str) -> None:
    said, kinds = read(escaped(text))
    assert said == text
    assert kinds <= SHOWN


@given(SIGNS.filter(str.strip))
@example("# The *weights*\n===\n- and <b>that</b>\n---\n1) `it`")
@example("a | b\n:-- | --\nx | y")
@example("|a|b|\n|--|--|\n|c|d|")
def test_lines_are_quoted_as_they_stand(text: str) -> None:
    said, kinds = read(quoted_lines(text))
    assert said == " ".join(text.split())
    assert kinds <= SHOWN


@given(SIGNS.filter(str.strip))
@example("Its counters:\n    D = 800\n    A = 1500\nWhat is it?")
@example("```\n# as it is\n```\nend")
@example("# head\n***\n- one *two*\n- - three\n\n10. four")
def test_paragraphs_lists_and_what_is_laid_out_keep_every_word(text: str) -> None:
    said, kinds = read(literal(text))
    listed = {"-", "*"} | {f"{n}{mark}" for n in range(1000) for mark in ".)"}
    assert [word for word in said.split() if word not in listed] == [
        word for word in text.split() if word not in listed
    ]
    assert kinds <= LISTS
    assert read(quoted(text))[1] <= LISTS | {"blockquote"}


def test_counters_that_follow_a_sentence_keep_their_lines() -> None:
    assert literal("Its counters:\n    D = 800\n    A = 1500\nWhat is it?") == (
        "Its counters:\n\n```\nD = 800\nA = 1500\n```\n\nWhat is it?"
    )


@given(LINE)
def test_a_code_span_reads_as_it_stands(text: str) -> None:
    said, kinds = read(code(text))
    assert said == text
    assert kinds <= SHOWN


@pytest.mark.parametrize("text", ["a | b", "[x](y)", "*fat*", "a\nb"])
def test_a_cell_reads_as_it_stands(text: str) -> None:
    said, _ = read(f"| head |\n| --- |\n| {cell(text)} |")
    assert said == f"head {' '.join(text.split())}"


def test_what_reads_well_as_plain_text_stays_so() -> None:
    plain = "With α < 1 the num_draft_tokens are 3 * 4, so S > 1 & E = K + 1 (R&D aside)."
    assert escaped(plain) == plain.replace("R&D", "R\\&D")
