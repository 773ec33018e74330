"""Reports tell how written answers were marked, what was not said, and how deep the follow-ups went."""

from __future__ import annotations

from pathlib import Path

import pytest

from specquiz.banks.library import Library
from specquiz.banks.loading import load_bank
from specquiz.reports.markdown import mock_report
from specquiz.reports.written import Result, result_facts, result_lines, results
from specquiz.sessions.engine import replay
from specquiz.sessions.events import AnyEvent
from specquiz.sessions.mock import Mock, start_mock

BANK = Path(__file__).parents[1] / "sessions" / "written.yaml"
TEXT = "# The *weights* are read once\n1. for [all] places\n- and <b>that</b> is `it`"


@pytest.fixture(scope="module")
def library() -> Library:
    bank, problems = load_bank(BANK)
    assert bank is not None, problems
    return Library((bank,))


@pytest.fixture
def log() -> list[AnyEvent]:
    return []


@pytest.fixture
def mock(library: Library, log: list[AnyEvent]) -> Mock:
    """An interview whose written answer waits to be marked."""
    mock = start_mock(library, [], minutes=10, seed=1, record=log.append, clock=lambda: 1000.0, written=1)
    mock.answer("yes")
    mock.answer(TEXT)
    mock.finish()
    return mock


@pytest.fixture
def marked(mock: Mock) -> Mock:
    """Marked: one point missing; one follow-up replied to, the second with nothing."""
    for point in range(3):
        mock.mark(point, point != 2)
    mock.settle()
    mock.reply("At the ridge.")
    mock.grade("strong")
    mock.reply("")
    mock.grade("weak")
    mock.advance()
    return mock


def test_the_report_has_the_band_the_points_and_the_follow_ups(marked: Mock, library: Library) -> None:
    report = mock_report(marked.session, library)
    assert "[right, strong] why-free" in report
    assert "4 of 5 by weight." in report
    assert "- [x] Says that decoding reads all weights once per step. (must)" in report
    assert "- [ ] Says that the arithmetic units have room left." in report
    assert "Follow-up 1, strong: At which batch does this stop?\n\n> At the ridge." in report
    assert "Follow-up 2, weak: What does speculation do there?\n\n> (nothing)" in report
    for name in ("junior", "senior", "staff"):
        assert f"A {name} answer:" in report


def test_what_was_written_is_quoted_and_nothing_in_it_is_markdown(marked: Mock, library: Library) -> None:
    report = mock_report(marked.session, library)
    assert "> \\# The \\*weights\\* are read once" in report
    assert "> 1\\. for \\[all] places" in report
    assert "> \\- and \\<b>that\\</b> is \\`it\\`" in report


def test_an_answer_that_nobody_marked_is_neither_right_nor_wrong(mock: Mock, library: Library) -> None:
    mock.finish()
    report = mock_report(mock.session, library)
    assert "**1 of 2 right** (2 answered, 1 not marked)." in report
    assert "[not marked] why-free" in report
    assert "Nobody has marked it." in report


def test_stats_hold_the_latest_marks_once_the_interview_is_over(
    mock: Mock, log: list[AnyEvent], library: Library
) -> None:
    for point in range(3):
        mock.mark(point, point == 0)
    mock.settle()
    assert results([replay(log)], library) == ()
    mock.finish()
    (result,) = results([replay(log)], library)
    assert (result.band, len(result.missed), result.follow_ups) == ("weak", 2, ())


def test_results_are_told_in_words_and_as_facts() -> None:
    found = (
        Result("b", "one", 1.0, "ok", ("Says it.",), ("strong", "weak")),
        Result("b", "two", 2.0, "strong", (), ()),
    )
    assert list(result_lines(found)) == [
        "Written answers: 2 marked, 1 ok, 1 strong.",
        "  b/one: ok, follow-ups 2 deep (strong, weak)",
        "    not said: Says it.",
        "  b/two: strong",
    ]
    assert result_facts(found)[0]["missed"] == ["Says it."]
    assert list(result_lines(())) == []
