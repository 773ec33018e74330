"""Formulas as SymPy prints them: the child process of `derivation`, run as `python -m specquiz.answers.pretty`.

It reads pickled trees of our own parser from standard input, never text, and writes a JSON list with the lines of each.
Nothing is simplified: a step of a derivation has to look as its author wrote it.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable

import sympy

from specquiz.answers.expression import Call, Name, Negative, Node, Number, Operation, Sum
from specquiz.answers.writing import write

_FUNCTIONS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "sqrt": lambda x: sympy.Pow(x, sympy.Rational(1, 2), evaluate=False),
    "exp": lambda x: sympy.exp(x, evaluate=False),
    "abs": lambda x: sympy.Abs(x, evaluate=False),
    "floor": lambda x: sympy.floor(x, evaluate=False),
    "ceil": lambda x: sympy.ceiling(x, evaluate=False),
}


def main() -> None:
    """Print the formulas of standard input."""
    json.dump([printed(tree) for tree in pickle.load(sys.stdin.buffer)], sys.stdout)


def printed(tree: Node) -> list[str]:
    """The lines of one formula, without blanks at their ends."""
    text = sympy.pretty(unevaluated(tree), use_unicode=True, order="none", wrap_line=False)
    return [line.rstrip() for line in text.splitlines()]


def unevaluated(tree: Node) -> sympy.Expr:
    """The formula as a SymPy expression in which nothing is carried out."""
    match tree:
        case Number(number) if number.denominator == 1 and number >= 0:
            return sympy.Integer(number.numerator)
        case Number():
            # A symbol keeps the spelling: 0.35 stays 0.35 instead of becoming 7/20.
            return sympy.Symbol(write(tree))
        case Name(name):
            return sympy.Symbol(name)
        case Negative(operand):
            return _product(sympy.Integer(-1), unevaluated(operand))
        case Operation("+", left, right):
            return sympy.Add(unevaluated(left), unevaluated(right), evaluate=False)
        case Operation("-", left, right):
            return sympy.Add(unevaluated(left), _product(sympy.Integer(-1), unevaluated(right)), evaluate=False)
        case Operation("*", Operation("/", Number(number), under), right) if number == 1:
            return _fraction(unevaluated(right), unevaluated(under))
        case Operation("*", left, right):
            return _product(unevaluated(left), unevaluated(right))
        case Operation("/", left, right):
            return _fraction(unevaluated(left), unevaluated(right))
        case Operation(_, left, right):
            return sympy.Pow(unevaluated(left), unevaluated(right), evaluate=False)
        case Call(function, arguments):
            made = _FUNCTIONS.get(function, sympy.Function(function))
            return made(*(unevaluated(argument) for argument in arguments))
        case Sum(term, counter, low, high):
            return sympy.Sum(unevaluated(term), (sympy.Symbol(counter), unevaluated(low), unevaluated(high)))
    raise TypeError(tree)


def _product(left: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    return sympy.Mul(left, right, evaluate=False)


def _fraction(over: sympy.Expr, under: sympy.Expr) -> sympy.Expr:
    inverse = sympy.Pow(under, sympy.Integer(-1), evaluate=False)
    return inverse if over == 1 else _product(over, inverse)


if __name__ == "__main__":
    main()
