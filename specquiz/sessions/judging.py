"""What an answer to an item is worth, for every type of question. Choices are judged by id, never by place."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import assert_never

from specquiz.answers import Correct, Invalid, Verdict, Wrong, check
from specquiz.answers.configuration import as_text
from specquiz.answers.tolerance import read_tolerance
from specquiz.banks.model import (
    AnyQuestion,
    Choice,
    ConfigQuestion,
    MultiQuestion,
    NumericQuestion,
    OrderItem,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.banks.variants import answer_question, draw_values
from specquiz.sessions.configuring import judge_configuration
from specquiz.sessions.events import Item
from specquiz.sessions.ordering import in_order, judge_order

MAX_ANSWER = 10_000
"""Characters of typed text that are looked at; more is no answer."""


def wanted_number(question: NumericQuestion) -> str:
    """What kind of number is asked for: how exact and in which unit, such as `3 significant figures, in ms`."""
    exactness = read_tolerance(question.tolerance).say()
    return f"{exactness}, in {question.unit}" if question.unit else exactness


def judge(question: AnyQuestion, item: Item, text: str) -> Verdict:
    """Judge what was typed, or for choices and orders the ids separated by spaces. `Invalid` costs nothing."""
    if len(text) > MAX_ANSWER:
        return Invalid(message=f"That is {len(text)} characters long; an answer has at most {MAX_ANSWER}.")
    match question:
        case SingleQuestion():
            return _judge_single(question, text.split())
        case MultiQuestion():
            return _judge_multi(question, text.split())
        case NumericQuestion() | SymbolicQuestion():
            return check(answer_question(question, item.values), text)
        case TraceQuestion():
            return _judge_trace(question, text)
        case OrderQuestion():
            return judge_order(question, item, text.split())
        case ConfigQuestion():
            return judge_configuration(question, text)
        case ShortQuestion():
            return Invalid(message="A written answer is marked by a person against the rubric.")
    assert_never(question)


def solution(question: AnyQuestion, item: Item) -> str:
    """The right answer, readable: texts of choices or items, the formula with its value, tokens, or the keys."""
    match question:
        case SingleQuestion():
            return _quoted(question.choices, (question.answer,))
        case MultiQuestion():
            return _quoted(question.choices, question.answer)
        case NumericQuestion() | SymbolicQuestion():
            verdict = judge(question, item, question.answer)
            formula = verdict.read_as or question.answer
            return f"{formula} = {verdict.value}" if verdict.value and verdict.value != formula else formula
        case TraceQuestion():
            return " ".join(question.answer)
        case OrderQuestion():
            return in_order(question, question.answer)
        case ConfigQuestion():
            return as_text(question.answer)
        case ShortQuestion():
            return question.answers.senior
    assert_never(question)


def right_order(question: AnyQuestion) -> tuple[str, ...]:
    """The texts of the items in the right order; empty where nothing is to be put in order."""
    items = question.items if isinstance(question, OrderQuestion) else ()
    return tuple(" ".join(item.text.split()) for item in items)


def fits(question: AnyQuestion, item: Item) -> bool:
    """Whether the item was drawn from this form of the question: same options, same variables; texts may differ."""
    match question:
        case SingleQuestion() | MultiQuestion() | OrderQuestion():
            return sorted(item.choices) == sorted(option.id for option in options(question))
        case NumericQuestion() | SymbolicQuestion():
            return item.values.keys() == draw_values(question, random.Random(0)).keys()
        case TraceQuestion() | ConfigQuestion() | ShortQuestion():
            return True
    assert_never(question)


def readable(question: AnyQuestion, text: str) -> str:
    """A recorded answer as people read it: ids of choices and items become their texts."""
    if isinstance(question, SingleQuestion | MultiQuestion):
        return _quoted(question.choices, text.split())
    if isinstance(question, OrderQuestion):
        return in_order(question, text.split())
    return text


def right_ids(question: AnyQuestion) -> tuple[str, ...]:
    """The ids of the right choices, or of all items in the right order; none in other questions."""
    if isinstance(question, SingleQuestion):
        return (question.answer,)
    return question.answer if isinstance(question, MultiQuestion | OrderQuestion) else ()


def options(question: AnyQuestion) -> tuple[Choice, ...] | tuple[OrderItem, ...]:
    """The choices of a choice question, or the items to be put in order; none in other questions."""
    if isinstance(question, SingleQuestion | MultiQuestion):
        return question.choices
    return question.items if isinstance(question, OrderQuestion) else ()


def _judge_single(question: SingleQuestion, chosen: Sequence[str]) -> Verdict:
    invalid = _invalid_choice(question.choices, chosen)
    if invalid is not None:
        return invalid
    if len(set(chosen)) > 1:
        return Invalid(message="Only one choice can be right here; choose one.")
    choice = next(choice for choice in question.choices if choice.id == chosen[0])
    if choice.id == question.answer:
        return Correct(message=choice.say or "That is the right choice.", read_as=choice.text)
    return Wrong(message=choice.say or "That is not the right choice.", read_as=choice.text)


def _judge_multi(question: MultiQuestion, chosen: Sequence[str]) -> Verdict:
    invalid = _invalid_choice(question.choices, chosen)
    if invalid is not None:
        return invalid
    read_as = _quoted(question.choices, chosen)
    right = set(question.answer)
    if set(chosen) == right:
        return Correct(message="Exactly the right ones.", read_as=read_as)
    sentences = [
        f"{_quoted(question.choices, (choice.id,))} does not belong." + (f" {choice.say}" if choice.say else "")
        for choice in question.choices
        if choice.id in set(chosen) - right
    ]
    missing = [choice.id for choice in question.choices if choice.id in right - set(chosen)]
    if missing:
        sentences.append(f"Missing: {_quoted(question.choices, missing)}.")
    return Wrong(message=" ".join(sentences), read_as=read_as)


def _invalid_choice(choices: Sequence[Choice], chosen: Sequence[str]) -> Invalid | None:
    if not chosen:
        return Invalid(message="Nothing was chosen.")
    unknown = [id for id in chosen if id not in {choice.id for choice in choices}]
    return Invalid(message=f"There is no choice {unknown[0]}.") if unknown else None


def _quoted(choices: Sequence[Choice], ids: Sequence[str]) -> str:
    """The texts of the choices with these ids, in the bank's order."""
    return "; ".join(f"“{' '.join(choice.text.split())}”" for choice in choices if choice.id in ids)


def _judge_trace(question: TraceQuestion, text: str) -> Verdict:
    given = tokens(text)
    if not given:
        return Invalid(message="Type the tokens in order, separated by spaces or commas.")
    read_as = " ".join(given)
    wanted = tokens(" ".join(question.answer))
    if given == wanted:
        return Correct(message="Token for token.", read_as=read_as)
    departure = _departure(given, wanted)
    for number, misconception in enumerate(question.misconceptions):
        if given == tokens(misconception.answer):
            return Wrong(message=f"{departure} {misconception.say}", read_as=read_as, misconception=number)
    return Wrong(message=departure, read_as=read_as)


def tokens(text: str) -> list[str]:
    """Tokens as typed: separated by spaces or commas; enclosing brackets and quotes are dropped."""
    return [
        token for token in (re.sub(r"^[\[('\"]+|[\])'\"]+$", "", part) for part in re.split(r"[\s,]+", text)) if token
    ]


def _departure(given: Sequence[str], wanted: Sequence[str]) -> str:
    """At which token two different sequences part."""
    for place, (mine, right) in enumerate(zip_longest(given, wanted), 1):
        if mine == right:
            continue
        if mine is None:
            return f"It stops too early: after {place - 1} of {len(wanted)} tokens."
        if right is None:
            return f"It goes on too long: it should end after {len(wanted)} tokens, and token {place} is one too many."
        return f"It departs at token {place}: you wrote “{mine}” where “{right}” is right."
    raise AssertionError("the sequences are equal")
