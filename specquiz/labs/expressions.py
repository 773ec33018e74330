"""The small language of a lab's rules, read into a tree. Nothing is ever evaluated as code.

A rule is one of
    outputs_equal(vanilla, ngram)             both arms gave the same tokens to every request
    within(NUMBER, NUMBER, tolerance)         they differ by no more than the tolerance
    NUMBER < NUMBER                           also <=, > and >=
and a number is
    0.8                                       a literal
    ngram.echo.tokens_per_pass                a measured quantity: arm.workload.quantity
    predicted.echo_rate                       a prediction
    a + b, a - b, a * b, a / b, -a, abs(a)    arithmetic, with intervals carried along
    lower(a), upper(a)                        an end of the 95 % interval of a
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from specquiz.labs.model import Quantity


class ExpressionError(ValueError):
    """The text is no rule. `column` is where, counted from 0."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True, slots=True)
class Literally:
    """A number as written."""

    value: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured quantity."""

    arm: str
    workload: str
    quantity: Quantity
    column: int


@dataclass(frozen=True, slots=True)
class Predicted:
    """A committed prediction."""

    id: str
    column: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two numbers combined."""

    operator: Literal["+", "-", "*", "/"]
    left: Number
    right: Number


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus a number."""

    of: Number


@dataclass(frozen=True, slots=True)
class Absolute:
    """The size of a number."""

    of: Number


@dataclass(frozen=True, slots=True)
class Bound:
    """An end of a number's 95 % interval."""

    end: Literal["lower", "upper"]
    of: Number


Number = Literally | Measured | Predicted | Arithmetic | Negative | Absolute | Bound


@dataclass(frozen=True, slots=True)
class OutputsEqual:
    """Two arms gave the same tokens."""

    first: str
    second: str
    column: int


@dataclass(frozen=True, slots=True)
class Within:
    """Two numbers differ by at most a tolerance."""

    left: Number
    right: Number
    tolerance: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One number lies beyond another."""

    left: Number
    operator: Literal["<", "<=", ">", ">="]
    right: Number


Check = OutputsEqual | Within | Comparison

_MAX_LENGTH = 500
_ARITHMETIC: dict[type[ast.operator], Literal["+", "-", "*", "/"]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
_COMPARISON: dict[type[ast.cmpop], Literal["<", "<=", ">", ">="]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def parse(text: str) -> Check:
    """Read a rule.

    Raises:
        ExpressionError: the text is not in the language.
    """
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"a rule has at most {_MAX_LENGTH} characters")
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = (error.offset or 1) - 1 if isinstance(error, SyntaxError) else 0
        raise ExpressionError("this cannot be read as a rule", column) from error
    match node:
        case ast.Call(func=ast.Name("outputs_equal"), args=[ast.Name(first), ast.Name(second)], keywords=[]):
            return OutputsEqual(first, second, node.col_offset)
        case ast.Call(func=ast.Name("within"), args=[left, right, tolerance], keywords=[]):
            limit = _number(tolerance)
            if not isinstance(limit, Literally):
                raise ExpressionError("the tolerance is a plain number", tolerance.col_offset)
            return Within(_number(left), _number(right), limit.value)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _COMPARISON:
            return Comparison(_number(left), _COMPARISON[type(operator)], _number(right))
    raise ExpressionError("a rule is outputs_equal(a, b), within(a, b, tolerance) or a comparison", node.col_offset)


def _number(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Literally(float(value))
        case ast.Attribute(value=ast.Name("predicted"), attr=name):
            return Predicted(name, node.col_offset)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(arm), attr=workload), attr=quantity):
            return _measured(arm, workload, quantity, node)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
            return Arithmetic(_ARITHMETIC[type(operator)], _number(left), _number(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Negative(_number(operand))
        case ast.Call(func=ast.Name("abs"), args=[argument], keywords=[]):
            return Absolute(_number(argument))
        case ast.Call(func=ast.Name("lower" | "upper" as end), args=[argument], keywords=[]):
            return Bound("lower" if end == "lower" else "upper", _number(argument))
    raise ExpressionError("this is not a number of the rule language", node.col_offset)


def _measured(arm: str, workload: str, quantity: str, node: ast.expr) -> Measured:
    for known in get_args(Quantity):
        if quantity == known:
            return Measured(arm, workload, known, node.col_offset)
    known_names = ", ".join(get_args(Quantity))
    raise ExpressionError(f"there is no quantity {quantity!r}; there are {known_names}", node.col_offset)


def leaves(tree: Check | Number) -> Iterator[Measured | Predicted | OutputsEqual]:
    """The things that a rule is about, in the order written."""
    match tree:
        case Measured() | Predicted() | OutputsEqual():
            yield tree
        case Arithmetic(_, left, right) | Comparison(left, _, right) | Within(left, right, _):
            yield from leaves(left)
            yield from leaves(right)
        case Negative(of) | Absolute(of) | Bound(_, of):
            yield from leaves(of)
        case Literally():
            return
