"""Text reaches any terminal, and cannot steer it."""

from __future__ import annotations

import codecs
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.terminal import spell_out_what_streams_lack, visible, visible_json, wrapped


@given(text=st.text())
def test_no_control_character_gets_through(text: str) -> None:
    shown = visible(text)
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert not set(shown) & set("\u202e\u2066\u2028\ufeff")


@given(text=st.text() | st.text(alphabet='a\u0085\u009b\u061c\u202e\u2066\u2028\ufeff\x7f\n"\\'))
def test_json_is_visible_too_and_reads_back_the_same(text: str) -> None:
    shown = visible_json({text: [text]})
    assert visible(shown) == shown
    assert json.loads(shown) == {text: [text]}


def test_an_escape_sequence_is_written_out() -> None:
    assert visible("a\x1b[31mb\u202ec") == r"a\x1b[31mb\u202ec"


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("α ≥ 0.5", "alpha >= 0.5"),
        ("x² + αᴷ⁺¹", "x^2 + alpha^(K+1)"),
        ("“café” – 3 × 4", '"cafe" - 3 x 4'),
        ("日本", "??"),
        ("\ud800", "?"),
    ],
)
def test_what_an_encoding_lacks_is_spelled_out(text: str, spelled: str) -> None:
    spell_out_what_streams_lack()
    assert codecs.encode(text, "ascii", "specquiz.spell_out").decode() == spelled


def test_what_an_encoding_has_is_kept() -> None:
    spell_out_what_streams_lack()
    assert codecs.encode("é – α", "cp1252", "specquiz.spell_out").decode("cp1252") == "é – alpha"


def test_paragraphs_are_filled_and_what_is_laid_out_stays() -> None:
    text = "one two three\nfour five\n\n    code  stays\n```\nas  it is, at length\n- this too, at length\n```\nend"
    laid_out = ["    code  stays", "```", "as  it is, at length", "- this too, at length", "```"]
    assert list(wrapped(text, 10)) == ["one two", "three four", "five", "", *laid_out, "end"]


def test_an_item_of_a_list_wraps_clear_of_its_mark() -> None:
    text = "- an item, long\n- short\n10. a numbered one\n-5 is no item"
    lines = ["- an item,", "  long", "- short", "10. a", "    numbered", "    one", "-5 is no", "item"]
    assert list(wrapped(text, 12)) == lines


@given(text=st.text(alphabet="ab -1.\n"), width=st.integers(5, 40))
def test_wrapping_loses_no_word(text: str, width: int) -> None:
    assert " ".join(wrapped(text, width)).split() == text.split()
