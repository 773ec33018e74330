"""A mock interview as plain lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from specquiz.answers import Invalid
from specquiz.console import Console
from specquiz.plain.asking import command_in, prompt_line, say_notes, say_question, say_written
from specquiz.plain.ending import Leaving, leaving_in_order, time_limit
from specquiz.plain.marking import answer_in, mark, say_marked
from specquiz.reports.markdown import clock_text
from specquiz.sessions.engine import summarise
from specquiz.sessions.mock import Mock, OutOfTime, Saved, time_left
from specquiz.terminal import counted

MOCK_HELP = """\
An answer is a line of its own and is saved at once; answering again replaces it. Right or wrong is said at the end.
Choices: numbers as shown, or letters (1 is a); several with spaces or commas.
An order: the letters of all items, such as c a b. A configuration: JSON or flags on one line, or keys with values in
lines up to an empty one.
Written answers: several lines, ended by an empty one. They are marked once the clock has stopped.

  :skip     go to the next question (:next does the same)
  :back     go to the question before
  :go 7     go to question 7
  :flag     flag this question, or take the flag off
  :time     time left, and what is unanswered or flagged
  :finish   hand in: the interview ends and is graded
  :quit     leave; answers are kept and the clock runs on
  :help     this list"""


def hold_mock(mock: Mock, console: Console, report: Callable[[Mock], str]) -> int:
    """Hold a mock interview to its end, to `:quit` or to the end of input; return the exit code.

    Args:
        mock: the interview, new or resumed.
        console: where it is held.
        report: writes the report and returns what to say about it.
    """
    say_notes(mock, console)
    with leaving_in_order(mock):
        try:
            while mock.phase == "asking":
                with time_limit(mock):
                    if not _interview(mock, console):
                        _leave(mock, console)
                        return 0
            if not _mark_all(mock, console):
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
    unmarked = f", {counts.unmarked} not marked" if counts.unmarked else ""
    console.say(
        f"{counts.right} of {counts.asked} right, {counts.wrong} wrong, {counts.unanswered} unanswered{unmarked}."
    )
    console.say(report(mock))


def _interview(mock: Mock, console: Console) -> bool:
    """Take lines until the interview ends; False when the learner leaves."""
    shown: int | None = None
    warned = False
    say_time = _time_announcer(mock, console)
    while not mock.expire():
        if shown != mock.session.index:
            say_question(mock, console)
            shown = mock.session.index
        say_time()
        line = console.ask(prompt_line(mock, ":help"))
        if line is None:
            return False
        match command_in(mock, line):
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
                open_ones = mock.unanswered
                if open_ones and console.interactive and not warned:
                    console.say(f"{_standing(mock)} :finish once more hands in.")
                    warned = True
                else:
                    mock.finish()
                    if open_ones and not console.interactive:
                        console.say(
                            f"{_without_an_answer(open_ones)} Handing in all the same, since nobody can be asked."
                        )
            case "help", _:
                console.say(MOCK_HELP)
            case "answer", text:
                typed = answer_in(mock, text, console, say_time)
                if typed is None:
                    return False
                _say_saved(typed if isinstance(typed, Invalid) else mock.answer(typed), mock, console)
            case word, _:
                console.say(f"[not read] There is no command :{word} here; :help lists them.")
    return True


def _mark_all(mock: Mock, console: Console) -> bool:
    """Mark the written answers, now that the clock has stopped; False when the learner leaves."""
    if mock.phase == "marking":
        console.say()
        console.say(f"The clock has stopped. {_standing(mock)}")
    while mock.phase == "marking":
        console.say()
        console.say(f"Question {mock.position[0]} of {mock.position[1]} · {mock.item.bank}")
        console.say()
        console.say(mock.prompt)
        say_written(mock, console)
        if mock.state.settled:
            say_marked(mock, console)
        if not mark(mock, console):
            return False
    return True


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


def _time_announcer(mock: Mock, console: Console) -> Callable[[], None]:
    """Says, each time once, that half of the time is gone, that a fifth is left, and the last minute."""
    said = ""

    def say_time() -> None:
        nonlocal said
        remaining = mock.remaining_seconds()
        words = time_left(remaining, mock.session.start.seconds or 1.0)
        if words not in ("", said) and remaining > 0:
            console.say(f"[time] {clock_text(int(remaining))} to go, {words}.")
            said = words

    return say_time


def _without_an_answer(indices: Sequence[int]) -> str:
    numbers = ", ".join(str(index + 1) for index in indices)
    return f"{counted(len(indices), 'question')} without an answer: {numbers}."


def _standing(mock: Mock) -> str:
    """Time left, and what is unanswered or flagged; or what is to be marked."""
    if mock.phase == "marking":
        return f"Written answers to be marked: {len(mock.to_mark)}."
    parts = [f"{clock_text(mock.remaining_seconds())} left."]
    for name, indices in (("Unanswered", mock.unanswered), ("Flagged", mock.flags)):
        if indices:
            parts.append(f"{name}: {', '.join(str(index + 1) for index in indices)}.")
    return " ".join(parts)


def _leave(mock: Mock, console: Console) -> None:
    """Leave, and say what is kept. The reader may be gone already, and that must not undo an orderly leave."""
    mock.leave()
    with suppress(OSError):
        console.say()
        clock = "the clock runs on" if mock.phase == "asking" else "the clock has stopped"
        console.say(f"Left; {clock}. {_standing(mock)} `specquiz mock --resume` goes on.")
        console.sink.flush()
