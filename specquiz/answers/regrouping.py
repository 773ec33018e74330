"""Formulas that a learner may have meant where brackets are missing or an exponent is off by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from specquiz.answers.arithmetic import ONE
from specquiz.answers.expression import Call, Negative, Node, Number, Operation, Sum


def regroupings(tree: Node) -> Iterator[tuple[Node, str]]:
    """Formulas that may have been meant, each with the sentence that says what to type."""
    exponent = _with_long_exponents(tree)
    if exponent != tree:
        yield exponent, "Brackets are missing: a^K+1 is read as (a^K) + 1. Write a^(K+1)."
    quotient = _as_one_quotient(tree)
    if quotient is not None:
        yield quotient, "Brackets are missing: a-b/c-d is read as a − (b/c) − d. Write (a-b)/(c-d)."
        if (both := _with_long_exponents(quotient)) != quotient:
            yield both, "Brackets are missing around the exponent and around numerator and denominator."
    denominator = _with_wide_denominators(tree)
    if denominator != tree:
        yield denominator, "Brackets are missing: x/y*z is read as (x/y)·z. Write x/(y*z) to divide by both."
    for step, way in ((-ONE, "large"), (ONE, "small")):
        moved = _with_moved_exponents(tree, step)
        if moved != tree:
            yield moved, f"Off by one: the exponents are 1 too {way}."


def _with_long_exponents(tree: Node) -> Node:
    """`b^e + n` as `b^(e + n)` wherever a number follows a power."""
    match tree:
        case Operation("+" | "-" as sign, left, Number() as number):
            left = _with_long_exponents(left)
            match left:
                case Operation("^", base, exponent):
                    return Operation("^", base, Operation(sign, exponent, number))
                case Operation(outer, first, Operation("^", base, exponent)) if outer in "+-*":
                    return Operation(outer, first, Operation("^", base, Operation(sign, exponent, number)))
            return Operation(sign, left, number)
        case _:
            return _rebuilt(tree, _with_long_exponents)


def _as_one_quotient(tree: Node) -> Node | None:
    """`a ± b/c ± d` as `(a ± b)/(c ± d)`, for a sum with exactly one quotient in it."""
    terms = list(_terms(tree))
    quotients = [place for place, (_, term) in enumerate(terms) if isinstance(term, Operation) and term.sign == "/"]
    if len(terms) < 2 or len(quotients) != 1:
        return None
    place = quotients[0]
    sign, quotient = terms[place]
    assert isinstance(quotient, Operation)
    over = _joined([*terms[:place], (sign, quotient.left)])
    return Operation("/", over, _joined([("+", quotient.right), *terms[place + 1 :]]))


def _terms(tree: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(tree, Operation) and tree.sign in "+-":
        yield from _terms(tree.left)
        yield tree.sign, tree.right
    else:
        yield "+", tree


def _joined(terms: list[tuple[str, Node]]) -> Node:
    sign, joined = terms[0]
    joined = Negative(joined) if sign == "-" else joined
    for sign, term in terms[1:]:
        joined = Operation(sign, joined, term)
    return joined


def _with_wide_denominators(tree: Node) -> Node:
    """`x/y*z` as `x/(y*z)`."""
    match tree:
        case Operation("*", Operation("/", over, under), factor):
            return _rebuilt(Operation("/", over, Operation("*", under, factor)), _with_wide_denominators)
        case _:
            return _rebuilt(tree, _with_wide_denominators)


def _rebuilt(tree: Node, change: Callable[[Node], Node]) -> Node:
    match tree:
        case Negative(operand):
            return Negative(change(operand))
        case Operation(sign, left, right):
            return Operation(sign, change(left), change(right))
        case Call(function, arguments):
            return Call(function, tuple(change(argument) for argument in arguments))
        case Sum(term, index, low, high):
            return Sum(change(term), index, change(low), change(high))
        case _:
            return tree


def _with_moved_exponents(tree: Node, step: Fraction) -> Node:
    """Every whole exponent above 1 moved by `step`."""

    def moved(node: Node) -> Node:
        match node:
            case Operation("^", base, Number(exponent)) if exponent.denominator == 1 and exponent > 1:
                return Operation("^", moved(base), Number(exponent + step))
        return _rebuilt(node, moved)

    return moved(tree)
