"""Sessions as plain lines: the same practice and mock interview for a pipe, a screen reader or a dumb terminal.

Every state is printed in full and nothing is ever redrawn. Commands start with a colon, so that no answer can be taken
for one. What happened is in the log before it is printed.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from string import ascii_lowercase
from types import FrameType

from specquiz.answers import Correct, Invalid
from specquiz.banks.model import (
    ConfigQuestion,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.console import Console
from specquiz.reports.derivations import derivation_lines, has_derivation
from specquiz.reports.markdown import clock_text
from specquiz.sessions.engine import summarise
from specquiz.sessions.events import Item
from specquiz.sessions.judging import wanted_number
from specquiz.sessions.mock import Mock, OutOfTime, Saved
from specquiz.sessions.practice import Practice
from specquiz.sessions.sitting import Sitting

PRACTICE_HELP = """\
An answer is a line of its own. Choices: numbers as shown, or letters (1 is a); several with spaces or commas.
Numbers and formulas: as you would write them, such as 3/4, 0.75 or (1 - alpha**(K+1))/(1 - alpha).

  ?         I don't know, show me (counts as not right)
  :hint     one more hint
  :steps    the formula of the question before, derived step by step
  :next     leave this question unanswered and go on
  :flag     flag this question, or take the flag off
  :time     time on this question so far
  :finish   end this practice now
  :quit     leave; it goes on here next time
  :help     this list"""

MOCK_HELP = """\
An answer is a line of its own and is saved at once; answering again replaces it. Right or wrong is said at the end.
Choices: numbers as shown, or letters (1 is a); several with spaces or commas.

  :skip     go to the next question (:next does the same)
  :back     go to the question before
  :go 7     go to question 7
  :flag     flag this question, or take the flag off
  :time     time left, and what is unanswered or flagged
  :finish   hand in: the interview ends and is graded
  :quit     leave; answers are kept and the clock runs on
  :help     this list"""


class Leaving(BaseException):
    """A signal asks the program to leave."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


class TimeIsUp(BaseException):
    """The clock of an interview has run out while a line was awaited."""


def hold_practice(practice: Practice, console: Console, again: Callable[[tuple[Item, ...]], Practice]) -> int:
    """Hold a practice to its end, to `:quit` or to the end of input; return the exit code.

    Args:
        practice: the practice, new or resumed.
        console: where it is held.
        again: starts a practice of the given missed items.
    """
    with _leaving_in_order(practice):
        try:
            following = _practice_to_the_end(practice, console, again)
        except Leaving as leaving:
            _leave(practice, console)
            return leaving.exit_code
    return 0 if following is None else hold_practice(following, console, again)


def hold_mock(mock: Mock, console: Console, report: Callable[[Mock], str]) -> int:
    """Hold a mock interview to its end, to `:quit` or to the end of input; return the exit code.

    Args:
        mock: the interview, new or resumed.
        console: where it is held.
        report: writes the report and returns what to say about it.
    """
    _say_notes(mock, console)
    with _leaving_in_order(mock):
        try:
            while mock.phase != "done":
                with _time_limit(mock):
                    if not _interview(mock, console):
                        _leave(mock, console)
                        return 0
        except Leaving as leaving:
            _leave(mock, console)
            return leaving.exit_code
    say_mock_end(mock, console, report)
    return 0


def say_mock_end(mock: Mock, console: Console, report: Callable[[Mock], str]) -> None:
    """Say how the interview went, and where its report is."""
    finished, counts = mock.session.finished, summarise(mock.session)
    console.say()
    console.say("Time is up." if finished is not None and finished.how == "time" else "Handed in.")
    console.say(f"{counts.right} of {counts.asked} right, {counts.wrong} wrong, {counts.unanswered} unanswered.")
    console.say(report(mock))


def _practice_to_the_end(
    practice: Practice, console: Console, again: Callable[[tuple[Item, ...]], Practice]
) -> Practice | None:
    """Hold one practice; return the next one if the learner wants the missed questions again."""
    _say_notes(practice, console)
    while practice.phase != "done":
        _say_question(practice, console)
        if practice.phase == "feedback":
            _say_feedback(practice, console)
            practice.advance()
        elif not _practise(practice, console):
            _leave(practice, console)
            return None
    counts = practice.summary()
    console.say()
    console.say(
        f"Done: {counts.right} of {counts.asked} right, {counts.wrong} wrong, {counts.shown} shown, "
        f"{counts.unanswered} unanswered, {clock_text(counts.seconds)} on questions."
    )
    missed = practice.missed_items()
    while missed:
        line = console.ask(f":again = only the {len(missed)} missed, :quit = leave>")
        if line is None or line in (":quit", ":q"):
            return None
        if line == ":again":
            return again(missed)
        console.say("[not read] Type :again or :quit.")
    return None


def _practise(practice: Practice, console: Console) -> bool:
    """Take lines until the question at hand is behind us; False when the learner leaves."""
    index = practice.session.index
    while practice.phase != "done" and practice.session.index == index:
        line = console.ask(_prompt_line(practice, "? = show me, :help"))
        if line is None:
            return False
        match _command(practice, line):
            case "quit", _:
                return False
            case "show", _:
                practice.show()
                _say_feedback(practice, console)
                practice.advance()
            case "hint", _:
                hint = practice.hint()
                console.say(f"Hint: {hint}" if hint is not None else "There is no further hint.")
            case "steps", _:
                _say_steps(practice, index - 1, console)
            case "next" | "skip", _:
                practice.advance()
            case "flag", _:
                console.say("Flagged." if practice.flag() else "Not flagged.")
            case "time", _:
                console.say(f"{clock_text(practice.seconds)} on this question.")
            case "finish", _:
                practice.finish()
            case "help", _:
                console.say(PRACTICE_HELP)
            case "answer", text:
                typed = _typed(practice, text)
                verdict = typed if isinstance(typed, Invalid) else practice.answer(typed)
                if isinstance(verdict, Invalid):
                    console.say(f"[not read] {verdict.message}")
                else:
                    _say_feedback(practice, console, typed=text)
                    practice.advance()
            case word, _:
                console.say(f"[not read] There is no command :{word} here; :help lists them.")
    return True


def _interview(mock: Mock, console: Console) -> bool:
    """Take lines until the interview ends; False when the learner leaves."""
    shown: int | None = None
    warned = False
    while not mock.expire():
        if shown != mock.session.index:
            _say_question(mock, console)
            shown = mock.session.index
        line = console.ask(_prompt_line(mock, ":help"))
        if line is None:
            return False
        match _command(mock, line):
            case "quit", _:
                return False
            case "show" | "hint", _:
                console.say("Nothing is shown before the end of an interview; :skip goes on.")
            case "next" | "skip", _:
                if not mock.skip() and not mock.expire():
                    console.say("This is the only question.")
            case "back", _:
                if not mock.back() and not mock.expire():
                    console.say("This is the first question.")
            case "go", text:
                if not (text.isdecimal() and mock.go(int(text) - 1)) and not mock.expire():
                    console.say(f"[not read] Questions are numbered 1 to {mock.position[1]}, such as :go 2.")
            case "flag", _:
                console.say("Flagged." if mock.flag() else "Not flagged.")
            case "time", _:
                console.say(_standing(mock))
            case "finish", _:
                if mock.unanswered and console.interactive and not warned:
                    console.say(f"{_standing(mock)} :finish once more hands in.")
                    warned = True
                else:
                    mock.finish()
            case "help", _:
                console.say(MOCK_HELP)
            case "answer", text:
                typed = _typed(mock, text)
                _say_saved(typed if isinstance(typed, Invalid) else mock.answer(typed), mock, console)
            case word, _:
                console.say(f"[not read] There is no command :{word} here; :help lists them.")
    return True


def _command(sitting: Sitting, line: str) -> tuple[str, str]:
    """(command, what follows it); an answer is ("answer", the line)."""
    if line == "?":
        return "show", ""
    word, _, rest = line[1:].partition(" ")
    word = {"q": "quit", "h": "help"}.get(word, word)
    known = {"quit", "hint", "next", "skip", "back", "go", "flag", "time", "finish", "help", "show", "steps"}
    if line.startswith(":") and (word in known or not isinstance(sitting.question, TraceQuestion)):
        return word, rest.strip()
    return "answer", line


def _typed(sitting: Sitting, text: str) -> str | Invalid:
    """What was typed; for a choice question the ids at the places typed, by number or letter (1 is a)."""
    choices = sitting.choices
    if not choices:
        return text
    places = {str(place): id for place, (id, _) in enumerate(choices, 1)}
    places |= {chr(ord("a") + place): id for place, (id, _) in enumerate(choices[:26])}
    words = [word.rstrip(".)") for word in text.lower().replace(",", " ").split()]
    unknown = [word for word in words if word not in places]
    if unknown:
        return Invalid(message=f"There is no choice {unknown[0]}; they are numbered 1 to {len(choices)}.")
    return " ".join(places[word] for word in words)


def _prompt_line(sitting: Sitting, commands: str) -> str:
    match sitting.question:
        case SingleQuestion():
            what = "Number of the right choice"
        case MultiQuestion():
            what = "Numbers of all right choices"
        case NumericQuestion() as question:
            what = f"Number ({wanted_number(question)}) or formula"
        case SymbolicQuestion(vars=variables):
            what = f"Formula in {', '.join(variables)}"
        case TraceQuestion():
            what = "Tokens in order"
        case OrderQuestion():
            what = "Letters in the right order, such as c a b"
        case ConfigQuestion():
            what = "Keys with values"
        case ShortQuestion():
            what = "Your answer"
    return f"{what} ({commands})>"


def _say_question(sitting: Sitting, console: Console) -> None:
    (place, count), question = sitting.position, sitting.question
    head = [f"Question {place} of {count}", sitting.item.bank, f"level {question.level}"]
    if isinstance(sitting, Mock):
        head.append(f"{clock_text(sitting.remaining_seconds())} left")
        head += ["answered"] * sitting.answered + ["flagged"] * sitting.flagged
    console.say()
    console.say(" · ".join(head))
    console.say()
    console.say(sitting.prompt)
    if isinstance(question, ConfigQuestion) and question.start:
        console.say(question.start)
    letters = isinstance(question, OrderQuestion)
    for number, (_, text) in enumerate(sitting.choices, 1):
        console.option(f"{ascii_lowercase[number - 1] if letters else number}.", text)
    for name, variable in getattr(question, "vars", {}).items():
        if variable.say:
            console.say(f"{name}: {variable.say}", indent="  ")
    for hint in sitting.hints:
        console.say(f"Hint: {hint}")


def _say_feedback(practice: Practice, console: Console, typed: str = "") -> None:
    """The verdict and its reason (or that the answer was shown), the answer, and the explanation."""
    verdict = practice.last_verdict
    if verdict is None:
        console.say("[shown]")
    else:
        console.say(f"[{verdict.outcome}] {verdict.message}")
        if typed and verdict.read_as and verdict.read_as != typed:
            console.say(f"Read as: {verdict.read_as}")
    if not isinstance(verdict, Correct):
        console.say(f"The answer: {practice.solution}")
    console.say(practice.explanation)
    if has_derivation(practice.question):
        console.say("(:steps derives the formula.)")


def _say_steps(practice: Practice, index: int, console: Console) -> None:
    """The derivation of an earlier question's formula."""
    question = practice.question_at(index)
    lines = derivation_lines(question, practice.session.plan[index].values) if question is not None else []
    for line in lines or ["[not read] The question before has no formula that is derived step by step."]:
        console.say(line)


def _say_saved(result: Saved | Invalid | OutOfTime, mock: Mock, console: Console) -> None:
    match result:
        case Saved(read_as=read_as):
            console.say(f"[saved] {read_as}".rstrip())
            if not mock.unanswered:
                console.say("All questions have an answer. :finish hands in; answering again replaces an answer.")
        case Invalid(message=message):
            console.say(f"[not read] {message}")
        case OutOfTime():
            console.say("[not counted] The time had run out before this answer.")


def _standing(mock: Mock) -> str:
    """Time left, and what is unanswered or flagged."""
    parts = [f"{clock_text(mock.remaining_seconds())} left."]
    for name, indices in (("Unanswered", mock.unanswered), ("Flagged", mock.flags)):
        if indices:
            parts.append(f"{name}: {', '.join(str(index + 1) for index in indices)}.")
    return " ".join(parts)


def _say_notes(sitting: Sitting, console: Console) -> None:
    for note in sitting.notes:
        console.say(note)


def _leave(sitting: Sitting, console: Console) -> None:
    """Leave, and say what is kept. The reader may be gone already, and that must not undo an orderly leave."""
    sitting.leave()
    with suppress(OSError):
        console.say()
        if isinstance(sitting, Mock):
            console.say(f"Left; the clock runs on. {_standing(sitting)} `specquiz mock --resume` goes on.")
        else:
            done = sum(state.settled for state in sitting.session.items)
            console.say(f"Left; {done} of {sitting.position[1]} done and kept. The same command goes on here.")
        console.sink.flush()


@contextmanager
def _leaving_in_order(sitting: Sitting) -> Iterator[None]:
    """However the block ends, note that the learner left; SIGTERM and SIGHUP end it with `Leaving`."""

    def leave(number: int, _frame: FrameType | None) -> None:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        raise Leaving(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sitting.leave()


@contextmanager
def _time_limit(mock: Mock) -> Iterator[None]:
    """End the block when time is up, even while a line is awaited (where the system has such a timer)."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TimeIsUp

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, mock.remaining_seconds() + 0.01)
    try:
        with suppress(TimeIsUp):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
