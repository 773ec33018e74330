"""How a text reads while it is typed. Nothing here knows whether it is right."""

from __future__ import annotations

from typing import NamedTuple

from specquiz.answers.arithmetic import Meter, TooBig, multiply
from specquiz.answers.config_reading import read_configuration
from specquiz.answers.configuration import as_text
from specquiz.answers.expression import names
from specquiz.answers.layout import lay_out
from specquiz.answers.question import Question
from specquiz.answers.subject import subject_of
from specquiz.answers.understanding import understand, value_of
from specquiz.answers.verdict import Refusal
from specquiz.answers.writing import rounded


class Live(NamedTuple):
    """A text as it is read so far."""

    lines: tuple[str, ...] = ()
    """The formula in two dimensions; empty where it cannot be read."""
    value: str = ""
    """Its value at the question's numbers, in the question's unit; empty where there is none."""
    message: str = ""
    """What to change, or how a number was read."""
    at: int | None = None
    """0-based column of the typed text that the message speaks of."""
    read_as: str = ""
    """The formula on one line, with the unit as typed; empty where it cannot be read."""


def live_reading(question: Question, text: str) -> Live:
    """How `text` reads as an answer to `question`, in at most some tens of milliseconds.

    Raises:
        ValueError: the question itself is broken.
    """
    subject = subject_of(question)
    try:
        answer = understand(subject, text)
    except Refusal as refusal:
        return Live(message=refusal.message, at=refusal.at)
    read = Live(lay_out(answer.tree), message=" ".join(answer.notes), read_as=answer.read_as)
    if not names(answer.tree) <= subject.values.keys():
        return read
    try:
        value = multiply(value_of(answer.tree, subject), answer.factor, Meter())
    except Refusal as refusal:
        return read._replace(message=refusal.message, at=refusal.at)
    except TooBig as fault:
        return read._replace(message=str(fault.args[0]))
    return read._replace(value=rounded(value, 10))


def live_configuration(text: str) -> Live:
    """How `text` reads as a configuration: as JSON on one line."""
    try:
        read_as = as_text(read_configuration(text).values)
    except Refusal as refusal:
        return Live(message=refusal.message, at=refusal.at)
    return Live((read_as,), read_as=read_as)
