"""What is said of a text that breaks the grammar: each fault with its place and what to change."""

from __future__ import annotations

from specquiz.answers.tokens import Token
from specquiz.answers.verdict import Refusal
from specquiz.answers.vocabulary import OFFERED, Vocabulary

_ABSENT = frozenset(("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "factorial", "mod"))


def stray_number(token: Token, before: Token) -> Refusal:
    """A number right after something else: a missing sign, or two numbers."""
    if before.kind == "number":
        return Refusal(
            f"{before.text} and {token.text} are two numbers. Give one, or put a sign between them.", token.at
        )
    return Refusal(f"Put a sign before {token.text}: “*” to multiply or “^” for a power.", token.at)


def unknown(token: Token, following: Token, vocabulary: Vocabulary) -> Refusal:
    """A word that is no name here: what may have been meant, else what there is."""
    word, names = token.text, vocabulary.names
    if word.lower() in ("inf", "infinity", "nan", "oo", "zoo"):
        return Refusal("The answer is a finite number.", token.at)
    if near := vocabulary.near(word):
        return Refusal(f"“{word}” is not a name here. Did you mean {' or '.join(near)}?", token.at)
    if following.kind == "(":
        return Refusal(f"“{word}” is not a function here. There are {OFFERED}.", token.at)
    if word in _ABSENT:
        return Refusal(f"There is no {word} here. The functions are {OFFERED}.", token.at)
    for function in ("sqrt", "exp", "log", "ln", "abs", "min", "max"):
        if word.startswith(function):
            rest = word.removeprefix(function)
            return Refusal(f"Put brackets around what {function} applies to: {function}({rest}).", token.at)
    if word[-1].isdigit() and (stem := word.rstrip("0123456789")) in vocabulary.spellings:
        digits = word.removeprefix(stem)
        return Refusal(f"Write {stem}^{digits} for a power or {stem}*{digits} for a product.", token.at)
    if word == "e":
        return Refusal("Write exp(x) for a power of e.", token.at)
    if not names:
        return Refusal(f"“{word}” is not a number. Give a number, or a calculation with numbers.", token.at)
    return Refusal(f"“{word}” is not a name here. The formula may use {', '.join(names)}.", token.at)


def unexpected(token: Token, before: Token | None) -> Refusal:
    """A token where none of its kind can stand."""
    match token.kind:
        case "end":
            assert before
            return Refusal(f"Something is missing after “{before.text}”.", token.at)
        case ")" | "}" if before is None or before.kind not in ("+", "-", "*", "/", "^", "(", "{", ","):
            return Refusal(f"“{token.text}” closes a bracket that was never opened.", token.at)
        case "[" | "]":
            return Refusal("Use round brackets: ( ).", token.at)
        case "!":
            return Refusal("There is no factorial here. Write the product out.", token.at)
        case "=" | "~":
            return Refusal("Give one value, not an equation.", token.at)
        case ",":
            return Refusal("A comma may only stand inside a number or between the values of a function.", token.at)
    if before is None or before.kind not in ("+", "-", "*", "/", "^", "("):
        return Refusal(f"“{token.text}” does not belong here.", token.at)
    return Refusal(f"Something is missing between “{before.text}” and “{token.text}”.", token.at)


def boundless(token: Token) -> Refusal:
    """A sum without index and bounds."""
    return Refusal("A sum needs an index and bounds: Sum(a^i, (i, 0, K)) or Σ_{i=0}^{K} a^i.", token.at)
