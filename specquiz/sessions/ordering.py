"""What an order is worth: right, or wrong with the first neighbours that stand the wrong way round."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from string import ascii_lowercase

from specquiz.answers import Correct, Invalid, Verdict, Wrong
from specquiz.banks.model import OrderQuestion
from specquiz.sessions.events import Item


def judge_order(question: OrderQuestion, item: Item, given: Sequence[str]) -> Verdict:
    """Judge the ids of all items in the order given."""
    if not given:
        return Invalid(message="Give the items in order.")
    letters = dict(zip(item.choices or question.answer, ascii_lowercase, strict=False))
    unknown = [id for id in given if id not in letters]
    if unknown:
        return Invalid(message=f"There is no item {unknown[0]}.")
    twice = [id for place, id in enumerate(given) if id in given[:place]]
    missing = [id for id in letters if id not in given]
    if twice or missing:
        what = f"{letters[twice[0]]} comes twice" if twice else f"missing: {', '.join(letters[id] for id in missing)}"
        return Invalid(message=f"An order names every item once; {what}.")
    read_as = in_order(question, given)
    if tuple(given) == question.answer:
        return Correct(message="In the right order.", read_as=read_as)
    departure = _first_pair(question, given)
    for number, misconception in enumerate(question.misconceptions):
        if list(given) == misconception.answer.split():
            return Wrong(message=f"{departure} {misconception.say}", read_as=read_as, misconception=number)
    return Wrong(message=departure, read_as=read_as)


def in_order(question: OrderQuestion, ids: Sequence[str]) -> str:
    """The texts of items in this order, on one line; an id that is no item's stays as it is."""
    texts = {item.id: f"“{' '.join(item.text.split())}”" for item in question.items}
    return ", then ".join(texts.get(id, id) for id in ids)


def _first_pair(question: OrderQuestion, given: Sequence[str]) -> str:
    """The first two neighbours that stand the wrong way round."""
    for one, other in pairwise(given):
        if question.answer.index(one) > question.answer.index(other):
            texts = [in_order(question, (id,)) for id in (one, other)]
            return f"{texts[0]} comes after {texts[1]}, not before it."
    raise AssertionError("the orders are equal")
