"""The report of an interview holds what was asked, answered and right, and can be computed again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.banks.library import Library
from specquiz.banks.loading import load_bank
from specquiz.banks.model import Bank, ConfigQuestion, OrderItem, OrderQuestion
from specquiz.errors import SpecquizError
from specquiz.reports.markdown import clock_text, mock_report, save_mock_report
from specquiz.sessions.engine import Session, replay
from specquiz.sessions.events import AnyEvent
from specquiz.sessions.mock import start_mock

SAMPLE = Path(__file__).parents[1] / "sessions" / "sample.yaml"


@pytest.fixture(scope="module")
def library() -> Library:
    bank, problems = load_bank(SAMPLE)
    assert bank is not None, problems
    return Library((bank,))


@pytest.fixture
def session(library: Library) -> Session:
    """An interview of 10 minutes: one right, one wrong and flagged, the rest unanswered."""
    now = 1_700_000_000.0
    log: list[AnyEvent] = []
    mock = start_mock(library, [], minutes=10, seed=3, record=log.append, clock=lambda: now, count=5)
    place = {item.question: index for index, item in enumerate(mock.session.plan)}
    mock.go(place["survival"])
    now += 75
    mock.answer("alpha**K")
    mock.go(place["greedy-round"])
    mock.flag()
    now += 30
    mock.answer("the `cat` \x1b[31m")
    mock.finish()
    return replay(log)


def test_the_report_tells_the_score_and_the_time(session: Session, library: Library) -> None:
    report = mock_report(session, library)
    assert "**1 of 5 right** (2 answered). Handed in after 1:45 of 10:00." in report


def test_concepts_come_weakest_first_with_their_time(session: Session, library: Library) -> None:
    rows = [line for line in mock_report(session, library).splitlines() if line.startswith("| ")]
    assert rows[0] == "| Concept | Right | Asked | Time |"
    assert rows[2:] == ["| rounds | 0 | 3 | 0:00 |", "| tracing | 0 | 1 | 0:30 |", "| exactness | 1 | 2 | 1:15 |"]


def test_each_question_has_answer_reason_solution_and_explanation(session: Session, library: Library) -> None:
    report = mock_report(session, library)
    assert "[right] survival (sample, level 3)" in report
    assert "[wrong] greedy-round (sample, level 2, flagged)" in report
    assert report.count("[unanswered]") == 3
    assert "Flagged: " in report
    assert "Your answer: `alpha**K`." in report
    assert "departs at token 2" in report
    assert "The answer: `the cat ran`." in report
    assert "Two are accepted, and the target's own token follows." in report
    assert report.count("> 1. ") == 2


def test_what_was_typed_is_shown_as_typed_and_steers_nothing(session: Session, library: Library) -> None:
    report = mock_report(session, library)
    assert r"`` the `cat` \x1b[31m ``" in report
    assert "\x1b" not in report


def test_seed_bank_and_version_are_recorded(session: Session, library: Library) -> None:
    report = mock_report(session, library)
    assert f"- session {session.id}, seed 3, specquiz " in report
    assert f"- bank sample, SHA-256 {session.start.banks['sample']}" in report


def test_a_report_survives_its_bank(session: Session) -> None:
    report = mock_report(session, Library())
    assert "1 of 5 right" in report
    assert report.count("no longer in its bank in the form that was asked") == 5
    assert "Your answer: `alpha**K`." in report


def test_the_report_is_written_to_the_reports_folder(
    session: Session, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    path = save_mock_report(session, library)
    assert path.parent == tmp_path / "home" / "reports"
    assert path.read_text(encoding="utf-8") == mock_report(session, library)


def test_a_report_that_cannot_be_written_says_how_to_get_it(session: Session, library: Library, tmp_path: Path) -> None:
    with pytest.raises(SpecquizError, match="could not be written") as raised:
        save_mock_report(session, library, tmp_path)
    assert raised.value.remedy is not None
    assert "--last" in raised.value.remedy


@given(seconds=st.integers(0, 10**6))
def test_a_span_of_time_reads_as_a_clock(seconds: int) -> None:
    parts = [int(part) for part in clock_text(seconds).split(":")]
    total = 0
    for part in parts:
        total = total * 60 + part
    assert total == seconds
    assert all(part < 60 for part in parts[1:])


def test_orders_are_read_as_texts_and_configurations_as_typed() -> None:
    order = OrderQuestion(
        id="order",
        concepts=("c",),
        level=1,
        prompt="In which order?",
        items=tuple(OrderItem(id=id, text=f"the {id}") for id in ("one", "two", "three")),
        explanation="So.",
    )
    config = ConfigQuestion(
        id="config",
        concepts=("c",),
        level=1,
        prompt="Repair it.",
        of="speculative_config",
        start='{"method": "[ngram]"}',
        answer={"method": "ngram", "num_speculative_tokens": 4},
        explanation="So.",
    )
    library = Library((Bank(id="ways", title="Ways", questions=(order, config)),))
    log: list[AnyEvent] = []
    mock = start_mock(library, [], minutes=10, seed=3, record=log.append, clock=lambda: 1_700_000_000.0)
    place = {item.question: index for index, item in enumerate(mock.session.plan)}
    mock.go(place["order"])
    mock.answer("two one three")
    mock.go(place["config"])
    mock.answer("method: ngram\nnum_speculative_tokens: 4")
    mock.finish()

    report = mock_report(replay(log), library)

    assert "Your answer: “the two”, then “the one”, then “the three”. “the two” comes after “the one”" in report
    assert "The right order:\n\n1. the one\n2. the two\n3. the three\n" in report
    assert '>     {"method": "[ngram]"}' in report
    assert "Your answer: `method: ngram num_speculative_tokens: 4`. vLLM takes it, and every key is right." in report
    assert 'The answer: `{"method": "ngram", "num_speculative_tokens": 4}`.' in report
