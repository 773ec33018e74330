"""The plain program as a process of its own: killed, hung up on, piped, timed, in poor encodings."""

from __future__ import annotations

import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from specquiz.sessions.engine import Session
from specquiz.sessions.events import Answered, AnyEvent, Left
from specquiz.store.log import open_log
from specquiz.store.projections import sessions

SAMPLE = Path(__file__).parent / "sessions" / "sample.yaml"
KILLS = 50


@dataclass(frozen=True)
class Place:
    """A person's own folder, and the program run in it."""

    home: Path

    def environment(self, **more: str) -> Mapping[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
        own = {"SPECQUIZ_HOME": str(self.home), "SPECQUIZ_CACHE": str(self.home / "cache"), "PYTHONUTF8": "1"}
        return {**kept, **own, **more}

    def start(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "specquiz", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment(**more),
        )  # fmt: skip

    def run(self, *words: str, typed: str = "", **more: str) -> tuple[int, str, str]:
        program = self.start(*words, **more)
        said, complained = program.communicate(typed.encode(), timeout=60)
        return program.returncode, said.decode("utf-8", "replace"), complained.decode("utf-8", "replace")

    def events(self) -> list[AnyEvent]:
        with open_log(self.home / "log.sqlite3") as log:
            return log.events()

    def session(self) -> Session:
        return list(sessions(self.events()).values())[-1]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home")


def many_questions(tmp_path: Path, count: int) -> Path:
    """A bank of `count` traces; the answer to question n is "yes"."""
    file = tmp_path / "many.yaml"
    same = "type: trace, concepts: [c], level: 1, prompt: 'Say yes.', answer: ['yes'], explanation: 'Yes.'"
    lines = [f"  - {{id: q{number}, {same}}}" for number in range(count)]
    file.write_text("\n".join(["bank: many", "title: Many", "questions:", *lines, ""]), encoding="utf-8")
    return file


def answer_until_killed(program: subprocess.Popen[bytes], wait: float | None) -> tuple[list[int], dict[int, str]]:
    """Answer each question; kill the program `wait` seconds after its first question (or after its start, if None).

    Returns the numbers of the questions asked, and by number the answers that it acknowledged.
    """
    assert program.stdin is not None
    assert program.stdout is not None
    asked: list[int] = []
    acknowledged: dict[int, str] = {}
    killer = threading.Timer(0.05 if wait is None else wait, program.kill)
    if wait is None:
        killer.start()
    text = ""
    for line in iter(program.stdout.readline, b""):
        if found := re.match(rb"Question (\d+) of", line):
            asked.append(int(found[1]))
            if len(asked) == 1 and wait is not None:
                killer.start()
        elif line.startswith(b"Tokens in order"):
            text = random.choice(["yes", "no"]) + f" {len(asked)}"
            try:
                program.stdin.write(f"{text}\n".encode())
                program.stdin.flush()
            except BrokenPipeError:
                break
        elif line.startswith((b"[correct]", b"[wrong]")) and text:
            acknowledged[asked[-1]] = text
            text = ""
    killer.cancel()
    program.kill()
    program.communicate()
    return asked, acknowledged


def test_killed_at_fifty_random_moments_it_loses_no_acknowledged_answer_and_goes_on_there(
    place: Place, tmp_path: Path
) -> None:
    bank = many_questions(tmp_path, 3000)
    words = ("practice", "many", "--plain", "--bank", str(bank), "--questions", "3000")
    place.run(*words)
    kept: dict[int, str] = {}
    draw = random.Random(20)
    for turn in range(KILLS):
        expected = place.session().index + 1
        asked, acknowledged = answer_until_killed(
            place.start(*words), None if turn % 10 == 0 else draw.uniform(0, 0.08)
        )
        kept |= acknowledged
        session = place.session()
        recorded = {n: state.answered.text for n, state in enumerate(session.items, 1) if state.answered is not None}
        assert asked[:1] in ([], [expected])
        assert kept.items() <= recorded.items()
        unacknowledged = recorded.keys() - kept.keys()
        assert len(unacknowledged) <= 1, "at most the answer on its way may be recorded and not acknowledged"
        kept |= {n: recorded[n] for n in unacknowledged}
    assert len(kept) > KILLS
    assert len(sessions(place.events())) == 1


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_it_in_order(place: Place, name: str) -> None:
    program = place.start("practice", "sample", "--plain", "--bank", str(SAMPLE))
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(b"?\n?\n?\n")
    program.stdin.flush()
    for line in iter(program.stdout.readline, b""):
        if line.startswith(b"Question 4"):
            break
    program.stdout.readline()
    time.sleep(0.05)
    number = getattr(signal, name)
    program.send_signal(number)
    said, complained = program.communicate(timeout=20)

    assert program.returncode == 128 + number
    assert b"Left; 3 of 5 done and kept." in said
    assert complained == b""
    assert sum(state.shown for state in place.session().items) == 3
    assert isinstance(place.events()[-1], Left)


def test_two_programs_may_practise_at_once(place: Place, tmp_path: Path) -> None:
    bank = many_questions(tmp_path, 60)
    words = ("practice", "many", "--plain", "--bank", str(bank), "--questions", "60", "--new")
    typed = "yes\n" * 60
    results: list[int] = []
    both = [threading.Thread(target=lambda: results.append(place.run(*words, typed=typed)[0])) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join(60)
    assert results == [0, 0]
    assert sum(isinstance(event, Answered) for event in place.events()) == 120


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_poor_encoding_loses_nothing(place: Place, encoding: str) -> None:
    poor = {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"}
    code, said, complained = place.run(
        "practice", "sample", "--plain", "--bank", str(SAMPLE), typed=":next\n:next\n:next\n:next\nα^K\n", **poor
    )
    assert (code, complained) == (0, "")
    assert "Read as: alpha^K" in said or "[correct]" in said
    answers = [event.text for event in place.events() if isinstance(event, Answered)]
    assert answers == ["α^K"]
    words = ("mock", "--plain", "--bank", str(SAMPLE), "sample", "--questions", "5")
    code, said, complained = place.run(*words, typed=":go 5\nα^K\n:finish\n", **poor)
    assert (code, complained) == (0, "")
    assert "1 of 5 right" in said
    code, _, complained = place.run("stats", "--bank", str(SAMPLE), **poor)
    assert (code, complained) == (0, "")


def test_a_reader_that_goes_away_ends_it_quietly(place: Place) -> None:
    program = place.start("practice", "sample", "--plain", "--bank", str(SAMPLE))
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdout.readline()
    program.stdout.close()
    program.stdin.write(b"?\n")
    program.stdin.close()
    assert program.wait(20) == 0
    assert program.stderr is not None
    assert program.stderr.read() == b""
    program.stderr.close()
    assert place.session().items[0].shown


def test_without_a_terminal_plain_lines_are_used_unasked(place: Place) -> None:
    code, said, complained = place.run("practice", "sample", "--bank", str(SAMPLE))
    assert (code, complained) == (0, "")
    assert "Question 1 of 5" in said


def test_a_dumb_terminal_gets_plain_lines_and_is_asked_how_many(place: Place) -> None:
    person, terminal = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-m", "specquiz", "practice", "sample", "--bank", str(SAMPLE)],
        stdin=terminal, stdout=terminal, stderr=terminal, env=place.environment(TERM="dumb"), start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    os.write(person, b"many\n2\n\x04")
    said = b""
    while program.poll() is None or not said.endswith(b"goes on here.\r\n"):
        try:
            said += os.read(person, 4096)
        except OSError:
            break
    os.close(person)
    assert program.wait(20) == 0
    assert b"How many questions? [10] " in said
    assert b"[not read] Type a whole number" in said
    assert b"Question 1 of 2" in said
    assert b"\x1b" not in said


def test_when_time_is_up_the_interview_ends_by_itself_and_the_report_is_written(place: Place) -> None:
    program = place.start("mock", "--plain", "--bank", str(SAMPLE), "sample", "--minutes", "0.02", "--questions", "3")
    assert program.stdout is not None
    said = program.stdout.read().decode()
    program.communicate()
    assert program.returncode == 0
    assert "Time is up.\n0 of 3 right" in said
    report = said.split("Report:\n")[1].strip()
    assert Path(report).read_text(encoding="utf-8").startswith("# Mock interview")
    assert Path(report).parent == place.home / "reports"


def test_an_interview_is_resumed_with_the_time_that_is_left(place: Place, tmp_path: Path) -> None:
    words = ("mock", "--plain", "--bank", "sample", str(SAMPLE))
    _, said, _ = place.run(*words, "--minutes", "10", typed=":go 5\nalpha**K\n:go 2\n")
    assert "10:00" in said
    code, said, _ = place.run(*words, "--report", str(tmp_path / "mine.md"), "--resume", typed=":time\n:finish\n")
    assert code == 0
    assert re.search(r"Going on with the open interview: (10:00|9:5\d) left", said)
    assert "Question 2 of 5" in said
    assert "1 of 5 right" in said
    assert "[right] survival" in (tmp_path / "mine.md").read_text(encoding="utf-8")
    code, _, complained = place.run(*words, "--resume")
    assert (code, "No interview is open." in complained) == (2, True)
    code, said, _ = place.run(*words, "--last", "--report", str(tmp_path / "again.md"))
    assert (tmp_path / "again.md").read_bytes() == (tmp_path / "mine.md").read_bytes()


def test_the_last_interview_cannot_be_shown_before_one_is_finished(place: Place) -> None:
    code, _, complained = place.run("mock", "--last")
    assert (code, "No interview has been finished yet." in complained) == (2, True)


def test_a_new_interview_puts_the_open_one_away(place: Place) -> None:
    words = ("mock", "--plain", "--bank", "sample", str(SAMPLE))
    place.run(*words, typed=":go 5\nalpha**K\n")
    place.run(*words, "--new")
    first, second = sessions(place.events()).values()
    assert first.finished is not None
    assert first.finished.how == "discarded"
    assert second.finished is None


def test_an_interview_that_ran_out_while_away_gives_its_report(place: Place) -> None:
    words = ("mock", "--plain", "--bank", "sample", str(SAMPLE))
    place.run(*words, "--minutes", "0.005", typed=":quit\n")
    time.sleep(0.3)
    code, said, _ = place.run(*words)
    assert code == 0
    assert "Report:\n" in said
    assert place.session().finished is not None


def test_a_practice_is_resumed_unless_a_new_one_is_wanted(place: Place) -> None:
    words = ("practice", "--plain", "--bank", str(SAMPLE), "sample")
    place.run(*words, "--questions", "3", typed="?\n")
    _, said, _ = place.run(*words)
    assert "Going on with the practice begun" in said
    assert "Question 2 of 3" in said
    _, said, _ = place.run(*words, "--new", "--seed", "5")
    assert "Practice · 5 questions · seed 5." in said
    assert "Question 1 of 5" in said


def test_only_the_missed_questions_of_earlier_practices(place: Place) -> None:
    words = ("practice", "--plain", "--bank", str(SAMPLE), "sample")
    code, said, _ = place.run(*words, "--missed")
    assert (code, said) == (0, "Nothing is missed: no question of these banks has been answered yet.\n")
    place.run(*words, typed=":next\n?\n:finish\n")
    _, said, _ = place.run(*words, "--missed")
    assert "Practice · 1 question ·" in said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("practice", "sampel"), "no bank 'sampel'"),
        (("practice", "--questions", "0"), "at least one question"),
        (("practice", "--bank", "nowhere.yaml"), "no such file"),
        (("mock", "--bank", "nowhere"), "no bank 'nowhere'"),
        (("mock", "--minutes", "0"), "more than 0 minutes"),
        (("mock", "--questions", "-3"), "at least one question"),
        (("mock", "--report", "."), "exists already"),
    ],
)
def test_wrong_use_is_said_in_one_sentence(place: Place, words: tuple[str, ...], complaint: str) -> None:
    code, said, complained = place.run(*words, "--plain")
    assert (code, said) == (2, "")
    assert complaint in complained
    assert "Traceback" not in complained


def test_a_broken_bank_is_named_and_the_others_are_asked(place: Place, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("bank: broken\nquestions: 3\n", encoding="utf-8")
    code, said, complained = place.run("practice", "sample", "--plain", "--bank", str(SAMPLE), "--bank", str(broken))
    assert code == 0
    assert "Question 1 of 5" in said
    assert f"{broken}: left out" in complained


def test_a_log_that_cannot_be_used_is_said_before_anything_is_asked(place: Place) -> None:
    place.home.mkdir()
    (place.home / "log.sqlite3").write_text("not a database " * 100, encoding="utf-8")
    code, said, complained = place.run("practice", "sample", "--plain", "--bank", str(SAMPLE))
    assert (code, said) == (1, "")
    assert "not a log of specquiz" in complained


def test_a_full_disk_is_said_and_what_was_acknowledged_is_kept(place: Place, tmp_path: Path) -> None:
    bank = many_questions(tmp_path, 400)
    words = ("practice", "many", "--plain", "--bank", str(bank), "--questions", "400")
    place.run(*words)
    full = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (350_000, 350_000))\n"
    program = subprocess.run(
        [sys.executable, "-c", f"{full}from specquiz.cli import main; sys.exit(main())", *words],
        input=b"yes\n" * 400, capture_output=True, env=place.environment(), check=False, timeout=60,
    )  # fmt: skip
    assert program.returncode == 1
    assert b"disk" in program.stderr
    assert b"Traceback" not in program.stderr
    acknowledged = program.stdout.count(b"[correct]")
    assert 0 < acknowledged < 400
    assert sum(isinstance(event, Answered) for event in place.events()) == acknowledged
    _, said, _ = place.run(*words)
    assert f"Question {acknowledged + 1} of 400" in said


def test_stats_tell_mastery_by_concept(place: Place) -> None:
    import json

    place.run("practice", "--plain", "--bank", str(SAMPLE), "sample", typed=":next\n:next\n:next\n:next\nalpha**K\n")
    code, said, _ = place.run("stats", "--bank", str(SAMPLE))
    assert code == 0
    assert re.search(r"exactness +1 of 1 right, 100% \(counts after 1 more\)", said)
    _, said, _ = place.run("stats", "--json", "--bank", str(SAMPLE))
    facts = json.loads(said)
    assert place.run("stats", "--json", "--bank", str(SAMPLE), PYTHONIOENCODING="ascii", PYTHONUTF8="0")[0] == 0
    (exactness,) = (row for row in facts["concepts"] if row["concept"] == "exactness")
    assert (exactness["right"], exactness["answered"], exactness["needed"]) == (1, 1, 2)
    assert facts["answers"] == 1
