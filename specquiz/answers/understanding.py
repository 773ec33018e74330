"""A typed answer as the question's reader understands it: number, formula and unit, before anything is judged."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from specquiz.answers import measures
from specquiz.answers.arithmetic import Meter, TooBig, Undefined, Value
from specquiz.answers.expression import Node, names
from specquiz.answers.reading import LONGEST, read
from specquiz.answers.subject import Subject
from specquiz.answers.verdict import Refusal
from specquiz.answers.writing import write


class Answer(NamedTuple):
    """A typed answer, read."""

    tree: Node
    read_as: str
    notes: tuple[str, ...]
    factor: Fraction = Fraction(1)
    """What the number is multiplied by to be in the question's unit."""
    unit: str = ""
    """The unit as typed."""


def understand(subject: Subject, text: str) -> Answer:
    """Read a typed answer.

    Raises:
        Refusal: it cannot be read, or its unit does not fit.
    """
    question = subject.question
    if len(text) > LONGEST:
        raise Refusal(f"That is longer than {LONGEST} characters. Write it more briefly.", LONGEST)
    if question.kind == "symbolic":
        tree, notes = read(text, subject.vocabulary)
        return Answer(tree, write(tree), notes)
    measure = measures.split(text, question.unit, subject.vocabulary.spellings)
    try:
        tree, notes = read(text[: measure.end], subject.vocabulary)
    except Refusal:
        if question.unit and (refusal := measures.unknown_unit(text, question.unit)):
            raise refusal from None
        raise
    if question.unit not in ("", measures.PERCENT) and not measure.unit and not names(tree):
        raise Refusal(f"The unit is missing. Give the answer in {question.unit}.", len(text.rstrip()))
    return Answer(tree, f"{write(tree)} {measure.unit}".rstrip(), notes, measure.factor, measure.unit)


def value_of(tree: Node, subject: Subject) -> Value:
    """The value at the question's numbers, which for a formula without names needs none.

    Raises:
        Refusal: it is undefined or too big.
    """
    try:
        return tree.value(subject.values, Meter())
    except (Undefined, TooBig) as fault:
        raise refusal_of(fault) from fault


def refusal_of(fault: Undefined | TooBig) -> Refusal:
    """What to say of a formula that cannot be evaluated, with the place of the fault."""
    message = str(fault.args[0])
    at = fault.args[1] if len(fault.args) > 1 else None
    return Refusal(f"{message}, so it has no value." if isinstance(fault, Undefined) else message, at)
