"""Written answers as plain lines: several lines in, marks point by point, follow-ups, killed and resumed anywhere."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from specquiz.banks.library import Library
from specquiz.banks.loading import load_bank
from specquiz.console import Console
from specquiz.plain import hold_mock, hold_practice
from specquiz.sessions.engine import Session, replay
from specquiz.sessions.events import Answered, AnyEvent, Item, PointMarked, Replied, ReplyGraded, Wrote
from specquiz.sessions.mock import Mock, resume_mock, start_mock
from specquiz.sessions.practice import Practice, resume_practice, start_practice
from specquiz.store.log import open_log

BANK = Path(__file__).parent / "sessions" / "written.yaml"
WHY = {("written", "why-free")}
ANSWER = ("The weights are read once.", "Five places share that.", "")


@dataclass
class Desk:
    """A log in memory, what was said, and a clock that can move while a line is awaited."""

    log: list[AnyEvent] = field(default_factory=list)
    said: str = ""
    now: float = 1000.0

    @property
    def library(self) -> Library:
        bank, problems = load_bank(BANK)
        assert bank is not None, problems
        return Library((bank,))

    def console(self, lines: tuple[str, ...]) -> Console:
        source = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
        return Console(source=source, sink=io.StringIO(), width=76)

    def practise(self, *lines: str) -> str:
        """Begin a practice of the written question, or go on with it; returns what was said."""
        found = bool(self.log)
        practice = (
            resume_practice(self.library, replay(self.log), self.log.append, self.clock)
            if found
            else start_practice(
                self.library, [], count=None, seed=1, record=self.log.append, clock=self.clock, only=WHY
            )
        )
        return self._held(lines, lambda console: hold_practice(practice, console, _never))

    def interview(self, *lines: str) -> str:
        mock = (
            resume_mock(self.library, replay(self.log), self.log.append, self.clock)
            if self.log
            else start_mock(self.library, [], minutes=10, seed=1, record=self.log.append, clock=self.clock, written=1)
        )
        return self._held(lines, lambda console: hold_mock(mock, console, _report))

    def _held(self, lines: tuple[str, ...], hold: Callable[[Console], int]) -> str:
        console = self.console(lines)
        assert hold(console) == 0
        said: str = console.sink.getvalue()  # type: ignore[attr-defined]
        return said

    def clock(self) -> float:
        return self.now

    @property
    def session(self) -> Session:
        return replay(self.log)


def _never(_: tuple[Item, ...]) -> Practice:
    raise AssertionError("nothing is asked again")


def _report(_: Mock) -> str:
    return "Report:\n  here.md"


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_lines_to_an_empty_one_are_the_answer_and_its_points_are_marked_one_by_one(desk: Desk) -> None:
    said = desk.practise(*ANSWER, "y", "y", "n", ":next", ":quit")
    assert "Your answer, in lines; an empty line ends it" in said
    assert "1. Says that decoding reads all weights once per step. (must, weight 2)" in " ".join(said.split())
    assert "[strong] 4 of 5 by weight. - Not said: Says that the arithmetic" in " ".join(said.split())
    assert [part for part in ("A junior answer:", "A senior answer:", "A staff answer:") if part not in said] == []
    assert "Follow-up 1: At which batch does this stop?" in said
    (answered,) = [event for event in desk.log if isinstance(event, Answered)]
    assert answered.text == "The weights are read once.\nFive places share that."


def test_follow_ups_go_down_three_levels_as_the_replies_are_graded(desk: Desk) -> None:
    said = desk.practise(*ANSWER, "n", "n", "n", "the weights", "", "ok", "", "w", "7 GB", "", "s", ":quit")
    for level, asked in enumerate(("What is read from memory", "How many bytes is that", "And with FP8?"), 1):
        assert f"Follow-up {level}: {asked}" in said
    assert "Listen for: About 14 GB." in said
    assert [reply.text for reply in desk.session.items[0].replies] == ["the weights", "", "7 GB"]
    assert [reply.grade for reply in desk.session.items[0].replies] == ["ok", "weak", "strong"]
    assert "Done: 0 of 1 right, 1 wrong" in said


def test_what_is_neither_yes_nor_no_costs_nothing_and_back_marks_once_more(desk: Desk) -> None:
    said = desk.practise(*ANSWER, "perhaps", ":help", "n", ":back", "y", "y", "y", ":quit")
    assert "[not read] Type y or n, or :help." in said
    assert "makes the point, or does not" in said
    assert desk.session.items[0].marks == {0: True, 1: True, 2: True}


def test_an_empty_answer_is_not_read_and_show_me_shows_the_model_answers(desk: Desk) -> None:
    said = desk.practise("", "?", ":quit")
    assert "[not read] Write an answer" in said
    assert "[shown]" in said
    assert "A staff answer:" in said
    assert not any(isinstance(event, Wrote) for event in desk.log)


def test_a_draft_that_broke_off_goes_on(desk: Desk) -> None:
    desk.practise("The weights", ":quit")
    said = desk.practise("are read once.", "", "y", "n", "n", ":quit")
    assert "Your answer so far; what you type goes on from here:\n  The weights" in said
    (answered,) = [event for event in desk.log if isinstance(event, Answered)]
    assert answered.text == "The weights\nare read once."


@pytest.mark.parametrize("ends", range(10))
def test_wherever_the_input_ends_it_goes_on_there(desk: Desk, ends: int) -> None:
    whole = (*ANSWER, "n", "n", "y", "the weights", "", "ok", ":next")
    desk.practise(*whole[:ends])
    rest = whole[ends:]
    if 0 < ends <= 2:
        # The lines that were typed are kept.
        rest = whole[ends:]
    if ends == 7:
        # A reply that was not ended is typed anew.
        rest = whole[6:]
    desk.practise(*rest, ":quit")
    state = desk.session.items[0]
    assert state.answered is not None
    assert state.answered.text == "\n".join(ANSWER[:2])
    assert state.marks == {0: False, 1: False, 2: True}
    assert [(reply.text, reply.grade) for reply in state.replies] == [("the weights", "ok")]


# A mock interview


def test_an_interview_is_marked_once_the_clock_has_stopped(desk: Desk) -> None:
    said = desk.interview("yes", *ANSWER, ":finish", "y", "y", "y", ":next")
    before, after = said.split("The clock has stopped.")
    assert "without an answer" not in before
    assert "Says that" not in before
    assert "junior" not in before
    assert "[saved]" in before
    assert "Written answers to be marked: 1." in after
    assert "Five places share that." in after
    assert "2 of 2 right, 0 wrong, 0 unanswered." in after
    assert after.rstrip().endswith("here.md")


def test_marks_can_be_left_and_gone_on_with(desk: Desk) -> None:
    left = desk.interview("yes", *ANSWER, ":finish", "y", ":quit")
    assert "Left; the clock has stopped. Written answers to be marked: 1." in left
    desk.now += 100_000
    said = desk.interview("n", "n", ":next")
    assert "2. Says that five places share" in said
    assert "1. Says" not in said
    assert desk.session.items[1].marks == {0: True, 1: False, 2: False}
    assert "here.md" in said


def test_an_interview_can_be_ended_without_marks(desk: Desk) -> None:
    said = desk.interview("yes", *ANSWER, ":finish", ":finish")
    assert "1 of 2 right, 0 wrong, 0 unanswered, 1 not marked." in said


def test_a_second_answer_replaces_the_first(desk: Desk) -> None:
    desk.interview("yes", *ANSWER, ":go 2", "Only this.", "", ":finish", "y", "y", "y", ":next")
    answered = desk.session.items[1].answered
    assert answered is not None
    assert answered.text == "Only this."


# Real processes


def program(home: Path, *words: str) -> subprocess.Popen[bytes]:
    own = {"SPECQUIZ_HOME": str(home), "SPECQUIZ_CACHE": str(home / "cache"), "PYTHONUTF8": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "specquiz", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], **own},
    )


def type_and_wait(running: subprocess.Popen[bytes], line: str, wanted: str) -> None:
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(f"{line}\n".encode())
    running.stdin.flush()
    for said in running.stdout:
        if wanted in said.decode():
            return
    raise AssertionError(f"{wanted!r} was not said")


def test_killed_in_the_midst_of_the_rubric_it_comes_back_to_the_same_point(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = ("mock", "--plain", "--bank", str(BANK), "written", "--written", "1", "--seed", "1")
    killed = program(home, *command)
    for line, wanted in (
        ("yes", "Your answer, in lines"),
        ("The weights are read once.", ">"),
        ("", "All questions have an answer"),
        (":finish", "y or n>"),
        ("y", "2. Says"),
    ):
        type_and_wait(killed, line, wanted)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()

    again = program(home, *command)
    said, complained = again.communicate(b"y\nn\n\nweak\n:next\n", timeout=60)

    assert again.returncode == 0, complained.decode()
    text = said.decode()
    assert "Going on with the marks of the open interview." in text
    assert "The weights are read once." in text
    assert "2. Says that five places share" in text
    assert "1. Says" not in text
    assert "[strong]" in text
    with open_log(home / "log.sqlite3") as log:
        events = log.events()
    marks = [(event.point, event.made) for event in events if isinstance(event, PointMarked)]
    assert marks == [(0, True), (1, True), (2, False)]
    assert [event.text for event in events if isinstance(event, Replied)] == [""]
    assert [event.grade for event in events if isinstance(event, ReplyGraded)] == ["weak"]
    report = next((home / "reports").glob("*.md")).read_text(encoding="utf-8")
    assert "strong" in report


def marks_in(home: Path) -> dict[int, bool]:
    with open_log(home / "log.sqlite3") as log:
        return dict(replay(log.events()).items[1].marks)


def test_of_ten_kills_at_random_moments_of_the_rubric_none_loses_a_mark_that_was_taken(tmp_path: Path) -> None:
    chance = random.Random(1)
    kills = 0
    while kills < 10:
        home = tmp_path / f"home-{kills}"
        command = ("mock", "--plain", "--bank", str(BANK), "--written", "1", "--seed", "1")
        running = program(home, *command)
        for line, wanted in (
            ("yes", "Your answer"),
            ("One read.", ">"),
            ("", "All questions"),
            (":finish", "y or n>"),
        ):
            type_and_wait(running, line, wanted)
        for place in range(3):
            before, made = marks_in(home), chance.choice([True, False])
            assert running.stdin is not None
            running.stdin.write(b"y\n" if made else b"n\n")
            running.stdin.flush()
            time.sleep(chance.choice([0, 0.002, 0.05]))
            running.kill()
            said = running.communicate()[0].decode()
            kills += 1
            kept = marks_in(home)
            taken = f"{place + 2}. Says" in said or "junior" in said
            assert kept == before | {place: made} or (kept == before and not taken)
            running = program(home, *command)
            if len(kept) <= place:
                running.kill()
                running.communicate()
                break
            if place < 2:
                type_and_wait(running, ":help", f"{place + 2}. Says")
        running.kill()
        running.communicate()


def test_after_a_return_the_marks_given_so_far_stand_above_the_next_point(desk: Desk) -> None:
    desk.interview("yes", *ANSWER, ":finish", "y", "n", ":quit")
    said = desk.interview()
    assert "1. [y] Says that decoding reads all weights once per step." in said
    assert "2. [n] Says that five places share" in said
    assert said.index("2. [n]") < said.index("3. Says")


def test_what_was_typed_before_the_kill_is_there_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = ("practice", "--plain", "--bank", str(BANK), "--seed", "1", "--questions", "2")
    killed = program(home, *command)
    type_and_wait(killed, "yes", "Your answer, in lines")
    type_and_wait(killed, "The weights are read once.", ">")
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    again = program(home, *command)
    said, _ = again.communicate(b"\ny\ny\ny\n:next\n", timeout=60)
    assert "Your answer so far" in said.decode()
    assert "[strong]" in said.decode()


def test_when_time_is_up_in_mid_sentence_what_is_there_is_marked(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = (
        "mock",
        "--plain",
        "--bank",
        str(BANK),
        "written",
        "--written",
        "1",
        "--seed",
        "1",
        "--minutes",
        "0.1",
        "--questions",
        "2",
    )
    running = program(home, *command)
    type_and_wait(running, "yes", "Your answer, in lines")
    type_and_wait(running, "The weights are read once.", "The clock has stopped.")
    said, _ = running.communicate(b"y\ny\ny\n:next\n", timeout=60)
    with open_log(home / "log.sqlite3") as log:
        answers = [event.text for event in log.events() if isinstance(event, Answered) and event.band]
    assert answers == ["The weights are read once."]
    assert "Time is up." in said.decode()
    assert "2 of 2 right" in said.decode()
