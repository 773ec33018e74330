"""Sessions as plain lines: from a pipe, for a screen reader, in any encoding."""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from specquiz.banks.library import Library
from specquiz.banks.loading import load_bank
from specquiz.banks.model import Bank, Concept, NumericQuestion, Step
from specquiz.console import Console
from specquiz.plain import hold_mock, hold_practice
from specquiz.sessions.engine import replay
from specquiz.sessions.events import Answered, AnyEvent, Item
from specquiz.sessions.mock import Mock, start_mock
from specquiz.sessions.practice import Practice, start_practice

SAMPLE = Path(__file__).parent / "sessions" / "sample.yaml"

TRICKY = """
bank: tricky
title: Tricky texts
questions:
  - id: brackets
    type: single
    concepts: [c]
    level: 1
    prompt: "Read [b]list[int][/b] and {alpha} and %s."
    choices: ["[@click=app.quit]quit[/]", "x[i]", "a much longer choice that goes on in a second line of a terminal"]
    answer: a
    explanation: "`code` stays."
"""


@dataclass
class Held:
    """A session held in memory: what was typed, what was said, what was recorded."""

    library: Library
    log: list[AnyEvent] = field(default_factory=list)
    said: str = ""
    code: int = -1
    now: float = 1000.0

    def console(self, *lines: str) -> Console:
        source = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
        return Console(source=source, sink=io.StringIO(), width=72)

    def practise(self, *lines: str, count: int | None = None, only: set[tuple[str, str]] | None = None) -> Held:
        def start(items: tuple[Item, ...] = ()) -> Practice:
            wanted = {(item.bank, item.question) for item in items} or only
            return start_practice(
                self.library, [], count=count, seed=3, record=self.log.append, clock=self.clock, only=wanted
            )

        console = self.console(*lines)
        self.code = hold_practice(start(), console, start)
        self.said += console.sink.getvalue()  # type: ignore[attr-defined]
        return self

    def interview(self, *lines: str, written: int = 0) -> Held:
        mock = start_mock(
            self.library, [], minutes=10, seed=3, record=self.log.append, clock=self.clock, count=5, written=written
        )
        console = self.console(*lines)
        self.code = hold_mock(mock, console, self.report)
        self.said += console.sink.getvalue()  # type: ignore[attr-defined]
        return self

    def report(self, _: Mock) -> str:
        return "Report:\n  here.md"

    def clock(self) -> float:
        return self.now

    @property
    def answers(self) -> list[str]:
        return [event.text for event in self.log if isinstance(event, Answered)]


@pytest.fixture
def held() -> Held:
    bank, problems = load_bank(SAMPLE)
    assert bank is not None, problems
    return Held(Library((bank,)))


def with_primer(library: Library, folder: Path) -> Library:
    """The library with a primer on the concept of its questions."""
    (folder / "primers").mkdir()
    page = "# Basics\n\nHello.\n\n## Counting tokens\n\nThe target adds one.\n\n    1 + α\n"
    (folder / "primers" / "basics.md").write_text(page, encoding="utf-8")
    slugs = {slug for bank in library.banks for question in bank.questions for slug in question.concepts}
    concepts = {slug: Concept(slug=slug, name="Counting tokens", group="Basics") for slug in slugs}
    return replace(library, concepts=concepts, folders=(folder,))


ONE = {("sample", "free-token")}
TRACE = {("sample", "greedy-round")}
SEVERAL = {("sample", "lossless")}
FORMULA = {("sample", "survival")}


def number_of(held: Held, id: str) -> int:
    return replay(held.log).plan[0].choices.index(id) + 1


def test_no_input_shows_the_first_question_and_leaves(held: Held) -> None:
    held.practise()
    assert held.code == 0
    assert "Question 1 of 5 · sample · level 1" in held.said
    assert "How many tokens does the target add" in held.said
    assert "Question 2" not in held.said
    assert replay(held.log).finished is None


@pytest.mark.parametrize("form", ["{number}", " {number} ", "{number}.", "{letter}", "{upper}"])
def test_a_choice_is_given_by_number_or_letter_as_shown(held: Held, form: str) -> None:
    held.practise(only=ONE)
    number = number_of(held, "one")
    letter = "abcdefghi"[number - 1]
    held.log.clear()
    held.practise(form.format(number=number, letter=letter, upper=letter.upper()), only=ONE)
    assert held.answers == ["one"]
    assert "[correct]" in held.said


@pytest.mark.parametrize("between", [" ", ",", ", ", "  "])
def test_several_choices_are_separated_by_spaces_or_commas(held: Held, between: str) -> None:
    held.practise(only=SEVERAL)
    numbers = [str(number_of(held, id)) for id in ("law", "greedy")]
    held.log.clear()
    held.practise(between.join(numbers), only=SEVERAL)
    assert held.answers == ["law greedy"]
    assert "[correct]" in held.said


@pytest.mark.parametrize("line", ["", "0", "9", "z", "1 2", "1.5", "one"])
def test_what_is_no_choice_costs_nothing(held: Held, line: str) -> None:
    held.practise(line, only=ONE)
    assert "[not read]" in held.said
    assert held.answers == []


def test_a_wrong_answer_gets_reason_answer_and_explanation(held: Held) -> None:
    held.practise("K*alpha", only=FORMULA)
    assert "[wrong] Probabilities of independent events multiply." in held.said
    assert "The answer: α^K" in held.said
    assert "K independent acceptances." in held.said
    assert "Done: 0 of 1 right, 1 wrong" in held.said


def test_a_formula_that_cannot_be_read_costs_nothing(held: Held) -> None:
    held.practise("alpha**", "alpha**K", only=FORMULA)
    assert held.said.index("[not read]") < held.said.index("[correct]")
    assert held.answers == ["alpha**K"]


def test_how_an_answer_was_read_is_said(held: Held) -> None:
    held.practise("alpha^K", only=FORMULA)
    assert "Read as: α^K" in held.said


def test_i_do_not_know_shows_the_answer_and_counts_as_not_right(held: Held) -> None:
    held.practise("?", only=TRACE)
    assert "[shown]\nThe answer: the cat ran\n" in held.said
    assert "0 of 1 right, 0 wrong, 1 shown" in held.said


def test_hints_come_until_there_are_none(held: Held) -> None:
    held.practise(":hint", ":hint", ":hint", only=ONE)
    assert held.said.count("Hint: ") == 2
    assert "There is no further hint." in held.said


def test_next_leaves_a_question_unanswered(held: Held) -> None:
    held.practise(":next", ":next", ":next", ":next", ":next", count=5)
    assert "0 of 5 right, 0 wrong, 0 shown, 5 unanswered" in held.said


def test_a_token_may_start_with_a_colon_and_an_unknown_command_is_named(held: Held) -> None:
    held.practise(":nonsense", only=ONE)
    assert "There is no command :nonsense here" in held.said
    held.practise(":cat", only=TRACE)
    assert held.answers == [":cat"]


FORMULA_BANK = Bank(
    id="formulas",
    title="Formulas",
    questions=(
        NumericQuestion(
            id="two",
            concepts=("c",),
            level=1,
            prompt="How much is 1 + 1?",
            answer="1 + 1",
            explanation="Two.",
            derivation=(Step(form="1 + 1", say="As asked, with a caption that is longer than a narrow terminal."),),
        ),
    ),
)


def test_the_last_question_is_derived_too_as_long_as_a_line_is_asked_for() -> None:
    held = Held(Library((FORMULA_BANK,)))
    held.practise("?", ":steps", ":quit", count=1)
    assert "(:steps derives the formula.)" in held.said
    assert "1. As asked, with a caption that is longer than a narrow terminal.\n" in held.said
    assert "[not read]" not in held.said
    right = Held(Library((FORMULA_BANK,)))
    right.practise("2", count=1)
    assert "[correct]" in right.said
    assert ":steps" not in right.said


def test_help_and_time_answer_in_practice(held: Held) -> None:
    held.practise(":help", ":time", ":flag", ":flag", only=ONE)
    assert ":quit" in held.said
    assert "0:00 on this question." in held.said
    assert "Flagged.\n" in held.said
    assert "Not flagged.\n" in held.said


def test_the_missed_ones_again_and_only_those(held: Held) -> None:
    lines = ["?", ":next", ":next", ":next", "?"]
    held.practise(*lines, "what?", ":again", ":finish", count=5)
    assert ":again = only the 5 missed" in held.said
    assert "[not read] Type :again or :quit." in held.said
    assert held.said.count("Done:") == 2


def test_quitting_says_what_is_kept(held: Held) -> None:
    held.practise("?", ":quit", count=5)
    assert held.code == 0
    assert "Left; 1 of 5 done and kept." in held.said


def test_an_interview_gives_no_feedback_before_the_end(held: Held) -> None:
    held.interview("1", "the cat ran", "?", ":hint", "1 2", "x", "alpha", "the", "7", ":quit")
    for word in ("[correct]", "[wrong]", "[shown]", "The answer", "Hint:", "explanation"):
        assert word not in held.said
    assert "[saved]" in held.said
    assert "Nothing is shown before the end" in held.said


def test_an_interview_has_flag_skip_back_and_go(held: Held) -> None:
    held.interview(":flag", ":skip", ":go 5", ":go 6", ":go x", ":back", ":go 1", ":back", ":time", ":help", ":foo")
    assert "level 1 · 10:00 left · flagged" in held.said
    assert held.said.count("Questions are numbered 1 to 5") == 2
    assert "Question 4 of 5" in held.said
    assert "This is the first question." in held.said
    assert "10:00 left. Unanswered: 1, 2, 3, 4, 5. Flagged: 1." in held.said
    assert "There is no command :foo" in held.said
    assert "the clock runs on" in held.said


def test_handing_in_grades_and_names_the_report(held: Held) -> None:
    held.interview(":go 5", "alpha**K", ":finish")
    assert held.code == 0
    assert "Handed in.\n1 of 5 right, 0 wrong, 4 unanswered.\nReport:\n  here.md\n" in held.said


def test_when_every_question_has_an_answer_it_is_said(held: Held) -> None:
    for index, item in enumerate(held.interview().log[0].items, 1):  # type: ignore[union-attr]
        held.interview(f":go {index}", "1")
        assert item.question
    held.interview("1", "1", "1", "1", "1", "1", "1")
    assert "All questions have an answer." in held.said


def test_what_is_handed_in_through_a_pipe_with_open_questions_says_which(held: Held) -> None:
    held.interview(":go 5", "alpha**K", ":finish")
    assert "4 questions without an answer: 1, 2, 3, 4. Handing in all the same," in held.said


class SlowLines(io.BytesIO):
    """Lines, each of which takes its seconds to be typed."""

    def __init__(self, held: Held, lines: tuple[tuple[float, str], ...]) -> None:
        super().__init__("".join(f"{line}\n" for _, line in lines).encode())
        self._held = held
        self._seconds = [seconds for seconds, _ in lines]

    def readline(self, size: int | None = -1, /) -> bytes:
        self._held.now += self._seconds.pop(0) if self._seconds else 0
        return super().readline(size)


def typed_slowly(held: Held, *lines: tuple[float, str]) -> None:
    original = held.console
    held.console = lambda *_: replace(original(), source=SlowLines(held, lines))  # type: ignore[method-assign]


def times_told(held: Held) -> list[str]:
    return [line for line in held.said.splitlines() if line.startswith("[time]")]


def test_half_a_fifth_and_the_last_minute_are_each_said_once_before_the_next_prompt(held: Held) -> None:
    typed_slowly(held, (200, ":skip"), (101, ":skip"), (50, ":back"), (130, ":skip"), (60, ":skip"), (30, ":skip"))

    held.interview()

    assert times_told(held) == [
        "[time] 4:59 to go, half of the time is gone.",
        "[time] 1:59 to go, less than a fifth of the time left.",
        "[time] 0:59 to go, less than a minute left.",
    ]


def test_the_time_is_told_in_the_midst_of_a_written_answer_too() -> None:
    bank, problems = load_bank(SAMPLE.with_name("written.yaml"))
    assert bank is not None, problems
    held = Held(Library((bank,)))
    typed_slowly(held, (1, "yes"), (1, "The weights"), (300, "are read"), (190, "once."), (1, ""))

    held.interview(written=1)

    assert times_told(held) == [
        "[time] 4:58 to go, half of the time is gone.",
        "[time] 1:48 to go, less than a fifth of the time left.",
    ]
    assert held.said.index("[time] 1:48") < held.said.index("[saved]", held.said.index("[saved]") + 1)


def test_time_that_ran_out_before_an_answer_is_said(held: Held) -> None:
    original = held.console

    def slow(*lines: str) -> Console:
        console = original(*lines)
        held.now += 601
        return console

    held.console = slow  # type: ignore[method-assign]
    held.interview("1", "1")
    assert held.code == 0
    assert "Time is up.\n0 of 5 right" in held.said
    assert held.answers == []


def test_bank_texts_are_shown_literally_and_cannot_steer_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "tricky.yaml"
    file.write_text(TRICKY, encoding="utf-8")
    bank, problems = load_bank(file)
    assert bank is not None, problems
    held = Held(Library((bank,)))
    held.practise("\x1b[31m1\x07", "1")
    assert "[b]list[int][/b] and {alpha} and %s" in held.said
    assert "[@click=app.quit]quit[/]" in held.said
    assert "\x1b" not in held.said
    assert "\\x1b[31m1\\x07" in held.said
    assert max(map(len, held.said.splitlines())) <= 72


def test_after_a_verdict_the_primer_is_a_word_away(held: Held, tmp_path: Path) -> None:
    held.library = with_primer(held.library, tmp_path)
    said = held.practise("1", ":primer", ":quit", count=2).said
    assert "(:primer explains the concept.)" in said
    after = said[said.index("explains the concept") :]
    assert "## Counting tokens" in after
    assert "    1 + α" in after
    assert "specquiz primer basics" in after


def test_the_primer_stays_shut_before_the_first_answer_and_where_none_is(held: Held, tmp_path: Path) -> None:
    assert "No primer is about this." in held.practise("1", ":primer", count=2).said
    held.library = with_primer(held.library, tmp_path)
    held.said = ""
    said = held.practise(":primer", ":next", ":primer", count=2).said
    assert said.count("[not read] The primer opens after an answer") == 2
    assert "Counting" not in said


WAYS = """
bank: ways
title: Ways
concepts: {c: C}
questions:
  - id: order
    type: order
    concepts: [c]
    level: 1
    prompt: In which order?
    items: [{id: one, text: The first}, {id: two, text: The second}, {id: three, text: The third}]
    explanation: So.
  - id: config
    type: config
    concepts: [c]
    level: 2
    prompt: Which configuration?
    of: speculative_config
    answer: {method: ngram, num_speculative_tokens: 4}
    explanation: So.
"""


@pytest.fixture
def ways(tmp_path: Path) -> Held:
    path = tmp_path / "ways.yaml"
    path.write_text(WAYS, encoding="utf-8")
    bank, problems = load_bank(path)
    assert bank is not None, problems
    return Held(Library((bank,)))


def letters(held: Held, *order: str) -> list[str]:
    """The letters under which a session shows these items."""
    shown = held.practise(":quit", only={("ways", "order")}).said
    texts = {"one": "The first", "two": "The second", "three": "The third"}
    return [next(line.strip()[0] for line in shown.splitlines() if line.endswith(texts[id])) for id in order]


@pytest.mark.parametrize("between", [" ", ", ", ""])
def test_an_order_is_typed_by_the_letters_shown(ways: Held, between: str) -> None:
    typed = between.join(letters(ways, "one", "two", "three"))

    said = ways.practise(typed, only={("ways", "order")}).said

    assert "[correct] In the right order." in said
    assert [event.text for event in ways.log if isinstance(event, Answered)] == ["one two three"]


def test_the_right_order_is_a_numbered_list(ways: Held) -> None:
    typed = " ".join(letters(ways, "two", "one", "three"))

    for line in (typed, "?"):
        said = ways.practise(line, only={("ways", "order")}).said
        assert "The right order:\n  1. The first\n  2. The second\n  3. The third\n" in said
        assert ", then" not in said


def test_a_letter_that_is_not_there_costs_nothing(ways: Held) -> None:
    said = ways.practise("a b x", "a b", only={("ways", "order")}).said

    assert "[not read] There is no item x; they are a to c." in said
    assert "[not read] An order names every item once; missing: c." in said


@pytest.mark.parametrize(
    "lines",
    [
        ('{"method": "ngram", "num_speculative_tokens": 4}',),
        ("--spec-method ngram --spec-tokens 4",),
        ("method: ngram", "num_speculative_tokens: 4", ""),
        ("{", "  method: ngram,", "  num_speculative_tokens: 4", "}", ""),
        ("speculative_config:", "  method: ngram", "  num_speculative_tokens: 4"),
    ],
)
def test_a_configuration_is_typed_on_one_line_or_on_several(ways: Held, lines: tuple[str, ...]) -> None:
    assert "[correct]" in ways.practise(*lines, only={("ways", "config")}).said
