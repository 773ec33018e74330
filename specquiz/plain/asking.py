"""A question as lines: what is asked, and what a typed line means."""

from __future__ import annotations

from string import ascii_lowercase

from specquiz.answers import Invalid
from specquiz.answers.config_reading import goes_on
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
from specquiz.reports.markdown import clock_text
from specquiz.sessions.judging import wanted_number
from specquiz.sessions.mock import Mock
from specquiz.sessions.sitting import Sitting


def say_notes(sitting: Sitting, console: Console) -> None:
    for note in sitting.notes:
        console.say(note)


def say_question(sitting: Sitting, console: Console) -> None:
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
    if sitting.written:
        say_written(sitting, console)


def say_written(sitting: Sitting, console: Console) -> None:
    """The written answer at hand, as far as it goes."""
    console.say("Your answer:" if sitting.state.handed_over else "Your answer so far; what you type goes on from here:")
    for line in sitting.written.split("\n"):
        console.say(line, indent="  ")


def command_in(sitting: Sitting, line: str) -> tuple[str, str]:
    """(command, what follows it); an answer is ("answer", the line)."""
    if line == "?":
        return "show", ""
    word, _, rest = line[1:].partition(" ")
    word = {"q": "quit", "h": "help"}.get(word, word)
    known = {"quit", "hint", "next", "skip", "back", "go", "flag", "time", "finish", "help", "show", "steps", "primer"}
    if line.startswith(":") and (word in known or not isinstance(sitting.question, TraceQuestion)):
        return word, rest.strip()
    return "answer", line


def typed_in(sitting: Sitting, text: str, console: Console) -> str | Invalid:
    """What was typed; for choices and orders the ids at the places typed, by number or letter (1 is a).

    A configuration may go on in further lines, up to an empty one.
    """
    choices = sitting.choices
    if isinstance(sitting.question, ConfigQuestion) and goes_on(text):
        return "\n".join((text, *console.further_lines()))
    if not choices:
        return text
    places = {str(place): id for place, (id, _) in enumerate(choices, 1)}
    places |= {chr(ord("a") + place): id for place, (id, _) in enumerate(choices[:26])}
    spread = text.lower().replace(",", " ")
    if isinstance(sitting.question, OrderQuestion) and spread.isalpha():
        spread = " ".join(spread)
    words = [word.rstrip(".)") for word in spread.split()]
    unknown = [word for word in words if word not in places]
    if unknown and isinstance(sitting.question, OrderQuestion):
        return Invalid(message=f"There is no item {unknown[0]}; they are a to {ascii_lowercase[len(choices) - 1]}.")
    if unknown:
        return Invalid(message=f"There is no choice {unknown[0]}; they are numbered 1 to {len(choices)}.")
    return " ".join(places[word] for word in words)


def prompt_line(sitting: Sitting, commands: str) -> str:
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
            what = "JSON or flags on one line, or keys with values in lines up to an empty one"
        case ShortQuestion():
            what = "Your answer, in lines; an empty line ends it"
    return f"{what} ({commands})>"
