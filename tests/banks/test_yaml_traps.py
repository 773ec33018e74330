"""What YAML makes of texts that authors write: each is kept as written, or refused with its place."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from specquiz.banks.model import Bank, NumericQuestion, SingleQuestion
from specquiz.banks.problems import Problem
from specquiz.banks.scalars import UNSEEN, as_float, as_int, as_truth

Load = Callable[[str | bytes], tuple[Bank | None, tuple[Problem, ...]]]

PLACE = (12, 13)
"""Line and column of the text after `source: `."""

KEPT = [
    *("no", "NO", "yes", "on", "off", "Off", "y", "n", "Yes", "No", "On", "true", "True", "False"),
    *("010", "0o10", "08", "0x1F", "0b11", "1_000", "+1", "-0"),
    *("1e3", "1.0e3", "1e+3", "1E3", "1e-3", "-1e-5", "1.0e+3", "1.e+3", "1.5e-5", ".5", "5.", "+.5", "3.10", "1.0"),
    *("12:30", "1:30:00", "05:00", "2026-01-02", "2026-13-45"),
    *("=", "<", "a#b", "1,000", "x[i]", "list[int]", "α^K", "a & b", "(1 - a)/(2 - b)", "-1 + x", "p/q"),
]

REFUSED = [
    ("~", "SQ204", PLACE),
    ("null", "SQ204", PLACE),
    ("", "SQ204", (12, 12)),
    ("pick #2", "SQ115", (12, 17)),
    ("What is K: the length?", "SQ101", (12, 22)),
    (r'"\alpha"', "SQ111", PLACE),
    (r'"\beta \tau \nu"', "SQ111", PLACE),
    (r'"\frac{1}{2}"', "SQ111", PLACE),
    (r'"\tau"', "SQ111", PLACE),
    (r'"\nu = 1"', "SQ111", PLACE),
    (r'"\rho"', "SQ111", PLACE),
    (r'"\epsilon"', "SQ111", PLACE),
    (r'"\u202e"', "SQ111", PLACE),
    (r'"\sqrt{2}"', "SQ101", (12, 14)),
    ("{alpha}^{k+1}", "SQ101", (12, 20)),
    ("[1-alpha]/2", "SQ101", (12, 22)),
    ("`x`", "SQ101", PLACE),
    ("@x", "SQ101", PLACE),
    ("%x", "SQ101", PLACE),
    ("*x", "SQ108", PLACE),
    ("> 3", "SQ101", (12, 15)),
    ("&x y", "SQ108", PLACE),
    ("!x y", "SQ109", PLACE),
    ("!!python/name:os.system x", "SQ109", PLACE),
    ("!!str 5", "SQ109", PLACE),
    ("[1,000]", "SQ203", PLACE),
    ("{a: 1}", "SQ203", PLACE),
    ("\ttext", "SQ114", (12, 14)),
    ("a\u2028b", "SQ112", (12, 14)),
    ("a\u0085b", "SQ112", (12, 14)),
    ("a\u202eb", "SQ112", (12, 14)),
    ("a\u200bb", "SQ112", (12, 14)),
    ("a\x07b", "SQ112", (12, 14)),
    ("a\x1b[2Jb", "SQ112", (12, 14)),
]


def with_source(right: str, text: str) -> str:
    return right.replace("source: a book", f"source: {text}")


@pytest.mark.parametrize("text", KEPT)
def test_a_text_is_kept_as_it_is_written(right: str, load: Load, text: str) -> None:
    bank, problems = load(with_source(right, text))

    assert problems == ()
    assert bank is not None
    assert bank.questions[0].source == text


@pytest.mark.parametrize(("text", "code", "place"), REFUSED)
def test_a_text_that_yaml_would_misread_is_refused_with_its_place(
    right: str, load: Load, text: str, code: str, place: tuple[int, int]
) -> None:
    bank, problems = load(with_source(right, text))

    assert bank is None
    assert [(p.code, (p.line, p.column)) for p in problems] == [(code, place)]


def test_yes_and_no_stay_choices_and_the_unwritten_one_is_refused(right: str, load: Load) -> None:
    choices = "[Yes, No, On, Off, y, 1.0, 010]"
    text = right.replace("[this, that]", choices).replace("answer: this", "answer: No")

    bank, problems = load(text)
    _, refused = load(text.replace("y, 1.0", "y, ~, 1.0"))

    assert problems == ()
    assert bank is not None
    question = bank.questions[0]
    assert isinstance(question, SingleQuestion)
    assert [choice.text for choice in question.choices] == ["Yes", "No", "On", "Off", "y", "1.0", "010"]
    assert question.answer == "b"
    assert [(p.code, p.line, p.column) for p in refused] == [("SQ204", 9, 36)]


@pytest.mark.parametrize("number", ["1e-3", "1E3", ".5", "+.5", "0.60", "'0.6'", '"2"'])
def test_a_number_of_a_variable_is_its_text_quoted_or_not(right: str, load: Load, number: str) -> None:
    bank, problems = load(right.replace("in: [2, 3]", f"in: [{number}]"))

    assert problems == ()
    assert bank is not None
    question = bank.questions[1]
    assert isinstance(question, NumericQuestion)
    assert question.vars["K"].values == (number.strip("'\""),)


@pytest.mark.parametrize(
    ("level", "read"),
    [("2", 2), ("+2", 2), ("0x2", 2), ("0o2", 2), ("02", 2), ("2.0", None), ("'2'", None), ("2_", None)],
)
def test_a_whole_number_is_one_by_the_core_rules(right: str, load: Load, level: str, read: int | None) -> None:
    bank, problems = load(right.replace("level: 2", f"level: {level}"))

    assert (bank.questions[1].level if bank else None) == read
    assert [(p.code, p.line, p.column) for p in problems] == ([] if read else [("SQ203", 16, 12)])


def test_scalars_follow_the_core_schema() -> None:
    assert [as_int(text) for text in ("010", "0o10", "0x1F", "1_000", "1e3", "0b1")] == [10, 8, 31, None, None, None]
    assert [as_float(text) for text in ("1e-3", "+.5", "5.", "1e3", "nan", ".inf", "1:30")] == [
        *(0.001, 0.5, 5.0, 1000.0),
        *(None, None, None),
    ]
    assert [as_truth(text) for text in ("true", "False", "yes", "on", "y")] == [True, False, None, None, None]


def test_keys_that_yaml_would_take_for_truth_values_are_names(right: str, load: Load) -> None:
    _, problems = load(right + "concepts: {yes: Agreed, no: Refused, on: Running}\n")

    assert problems == ()


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        ("", "SQ106", (1, 1)),
        ("# only a remark\n", "SQ106", (1, 1)),
        ("%YAML 1.1\n---\nbank: b\n", "SQ109", (1, 1)),
        ("bank: b\n---\nbank: c\n", "SQ107", (2, 1)),
        ("bank: b\n\u00a0 title: t\n", "SQ113", (2, 1)),
        ("bank: b\n\ttitle: t\n", "SQ101", (2, 1)),
        ("bank:\tb\n", "SQ114", (1, 7)),
        ("- - 1\n", "SQ203", (1, 1)),
        ("? [a]\n: b\n", "SQ116", (1, 3)),
        ("base: &b {x: 1}\n<<: *b\n", "SQ108", (1, 7)),
        (b"bank: b\ntitle: caf\xe9\n", "SQ103", (2, 11)),
        ("bank: b\n".encode("utf-16"), "SQ103", (1, 1)),
        (b"bank: " + b"x" * 2_000_001, "SQ104", (1, 1)),
        ("[" * 500, "SQ105", (1, 25)),
        ("[" * 100_000, "SQ105", (1, 1001)),
        ("- " * 100_000, "SQ105", (1, 49)),
        ("{b: " * 500, "SQ105", (1, 97)),
    ],
)
def test_a_file_that_is_no_bank_is_refused_at_once(
    load: Load, content: str | bytes, code: str, place: tuple[int, int]
) -> None:
    bank, problems = load(content)

    assert bank is None
    assert (code, place) in [(p.code, (p.line, p.column)) for p in problems]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(right: str, load: Load) -> None:
    bank, problems = load(b"\xef\xbb\xbf" + right.replace("\n", "\r\n").encode())

    assert problems == ()
    assert bank is not None
    assert bank.questions[1].prompt == "Double of {K}?"


def test_a_character_that_yaml_forbids_is_refused_with_its_place(right: str, load: Load) -> None:
    _, problems = load(with_source(right, "a\ufffeb"))

    assert [(p.code, p.line, p.column) for p in problems] == [("SQ101", 12, 14)]


def test_where_libyaml_is_missing_banks_read_the_same(right: str, load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, _ = load(right)
    monkeypatch.setattr("specquiz.banks.parsing._Parser", yaml.SafeLoader)

    slow, problems = load(right)
    _, refused = load(with_source(right, "[1-alpha]/2"))
    _, forbidden = load(with_source(right, "a\ufffeb"))

    assert (slow, problems) == (fast, ())
    assert [(p.code, p.line, p.column) for p in refused + forbidden] == [("SQ101", 12, 22), ("SQ101", 12, 14)]


def test_yaml_1_2_may_be_declared(right: str, load: Load) -> None:
    assert load("%YAML 1.2\n---\n" + right)[1] == ()


def test_a_merge_bomb_is_refused_without_being_unfolded(load: Load) -> None:
    levels = "\n".join(f"k{n}: &k{n} {{{', '.join(f'a{i}: *k{n - 1}' for i in range(9))}}}" for n in range(1, 10))

    _, problems = load(f"k0: &k0 x\n{levels}\n")

    assert {"SQ108"} <= {problem.code for problem in problems}


def test_the_last_line_break_of_a_block_is_no_part_of_its_text(right: str, load: Load) -> None:
    bank, _ = load(right.replace("prompt: Which one?", "prompt: |\n      Which\n        one?\n"))

    assert bank is not None
    assert bank.questions[0].prompt == "Which\n  one?"


VISIBLE = st.characters(exclude_categories=("Cs", "Cc", "Cn"), include_characters="\n")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(VISIBLE, min_size=1, max_size=80), style=st.sampled_from((None, "'", '"')))
def test_any_text_survives_being_written_as_yaml(load: Load, text: str, style: str | None) -> None:
    assume(text.strip() and not UNSEEN.search(text))
    shown = yaml.safe_dump({"explanation": text}, allow_unicode=True, default_style=style, width=10_000)
    indented = "".join(f"    {line}\n" if line else "\n" for line in shown.split("\n")).rstrip("\n") + "\n"
    assume("\\n" not in shown or style != '"')
    head = "bank: b\ntitle: T\nquestions:\n  - id: q\n    type: trace\n    concepts: [c]\n    level: 1\n"

    bank, problems = load(f"{head}    prompt: P\n    answer: x\n{indented}")

    assert problems == ()
    assert bank is not None
    assert bank.questions[0].explanation == text


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(VISIBLE, min_size=1, max_size=80))
def test_any_text_survives_being_written_as_json(load: Load, text: str) -> None:
    assume(text.strip() and not UNSEEN.search(text))
    assume("\n" not in text)
    question = {"id": "q", "type": "trace", "concepts": ["c"], "level": 1, "prompt": text, "answer": "x"}
    bank, problems = load(
        json.dumps({"bank": "b", "title": "T", "questions": [{**question, "explanation": "E"}]}, ensure_ascii=False)
    )

    assert problems == ()
    assert bank is not None
    assert bank.questions[0].prompt == text


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200) | st.text(max_size=200))
def test_no_file_whatever_is_in_it_stops_the_loader(load: Load, content: str | bytes) -> None:
    try:
        data = content if isinstance(content, bytes) else content.encode()
    except UnicodeEncodeError:
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else b""

    bank, problems = load(data)

    assert bank is None
    assert problems
