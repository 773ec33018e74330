"""The small language of a lab's rules, read into a tree. Nothing is ever evaluated as code.

A rule is one of
    NUMBER < NUMBER                           also <=, > and >=
    within(NUMBER, NUMBER, tolerance)         they differ by no more than the tolerance
    falling(NUMBER, NUMBER, …)                each is less than the one before
    outputs_equal(vanilla, ngram)             both arms gave the same tokens to every request
    fails(arm)                                the arm failed at its start with the message that the lab expects
    covers(predicted.id, NUMBER)              the interval committed to holds the number
    says(predicted.id, "text")                the choice committed to is this one
    near_best(predicted.id, slack, a=NUMBER, b=NUMBER, …)   the choice has the greatest number, or at most the share
                                              `slack` less
    ordered(predicted.id, slack, a=NUMBER, b=NUMBER, …)     the numbers fall in the order committed to
    at_least(n, RULE, RULE, …)                n of these hold
and a number is
    0.8                                       a literal
    ngram.echo.tokens_per_pass                a measured quantity: arm.workload.quantity
    draft.novel.conditional_rate[2]           a rate at a draft position, from 1
    predicted.echo_rate                       a committed number
    low(predicted.id), high(predicted.id)     an end of an interval committed to
    a + b, a - b, a * b, a / b, -a, abs(a)    arithmetic, with intervals carried along
    lower(a), upper(a)                        an end of the 95 % interval of a
    expected_length(a, K)                     (1 − a^(K+1)) / (1 − a)
    speedup(vanilla.novel, draft.novel)       TPOT of the first over that of the second, paired run by run
    processor_speedup(a.x, b.x)               the same of processor time per token, which a busy machine leaves alone
    parted(vanilla.all, draft.all)            how many requests got other tokens
    unexplained(vanilla.all, draft.all, gap)  how many of these part where the first one's margin exceeds gap
    more_often(parted(a, b), parted(c, d))    Fisher's one-sided p that requests part more often in the second
"""

from __future__ import annotations

import ast
from typing import Literal, get_args

from specquiz.labs.model import Quantity
from specquiz.labs.quantities import POSITIONAL
from specquiz.labs.rules import (
    Absolute,
    Arithmetic,
    AtLeast,
    Bound,
    Check,
    Committed,
    CommittedEnd,
    Comparison,
    Covers,
    ExpectedLength,
    Fails,
    Falling,
    Literally,
    Measured,
    MoreOften,
    NearBest,
    Negative,
    Number,
    Ordered,
    OutputsEqual,
    Parted,
    Place,
    Predicted,
    Says,
    Speedup,
    Within,
)


class ExpressionError(ValueError):
    """The text is no rule. `column` is where, counted from 0."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


_MAX_LENGTH = 900
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
    return _check(_tree(text))


def parse_number(text: str) -> Number:
    """Read a number, such as the score of a challenge.

    Raises:
        ExpressionError: the text is not in the language.
    """
    return _number(_tree(text))


def _tree(text: str) -> ast.expr:
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"a rule has at most {_MAX_LENGTH} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = (error.offset or 1) - 1 if isinstance(error, SyntaxError) else 0
        raise ExpressionError("this cannot be read as a rule", column) from error


def _check(node: ast.expr) -> Check:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _COMPARISON:
            return Comparison(_number(left), _COMPARISON[type(operator)], _number(right))
        case ast.Call(func=ast.Name("outputs_equal"), args=[ast.Name(first), ast.Name(second)], keywords=[]):
            return OutputsEqual(first, second, node.col_offset)
        case ast.Call(func=ast.Name("within"), args=[left, right, tolerance], keywords=[]):
            return Within(_number(left), _number(right), _literal(tolerance, "the tolerance"))
        case ast.Call(func=ast.Name("falling"), args=[_, _, *_] as numbers, keywords=[]):
            return Falling(tuple(_number(each) for each in numbers))
        case ast.Call(func=ast.Name("fails"), args=[ast.Name(arm)], keywords=[]):
            return Fails(arm, node.col_offset)
        case ast.Call(func=ast.Name("covers"), args=[interval, of], keywords=[]):
            return Covers(_committed(interval, "interval"), _number(of))
        case ast.Call(func=ast.Name("says"), args=[choice, ast.Constant(value=str() as answer)], keywords=[]):
            return Says(_committed(choice, "choice", (answer,)), answer)
        case ast.Call(func=ast.Name("near_best"), args=[choice, slack], keywords=[_, _, *_] as keywords):
            options = _options(node, keywords)
            names = tuple(name for name, _ in options)
            return NearBest(_committed(choice, "choice", names), _literal(slack, "the slack"), options)
        case ast.Call(func=ast.Name("ordered"), args=[order, slack], keywords=[_, _, *_] as keywords):
            options = _options(node, keywords)
            names = tuple(name for name, _ in options)
            return Ordered(_committed(order, "order", names), _literal(slack, "the slack"), options)
        case ast.Call(func=ast.Name("at_least"), args=[count, _, *_], keywords=[]):
            checks = tuple(_check(each) for each in node.args[1:])
            return AtLeast(_whole(count, "the count"), checks)
    raise ExpressionError("this is no rule of the language", node.col_offset)


def _number(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Literally(float(value))
        case ast.Attribute(value=ast.Name("predicted"), attr=name):
            return Predicted(name, node.col_offset)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(arm), attr=workload), attr=quantity):
            return _measured(arm, workload, quantity, node, 0)
        case ast.Subscript(
            value=ast.Attribute(value=ast.Attribute(value=ast.Name(arm), attr=workload), attr=quantity), slice=position
        ):
            return _measured(arm, workload, quantity, node, _whole(position, "the position"))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
            return Arithmetic(_ARITHMETIC[type(operator)], _number(left), _number(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Negative(_number(operand))
        case ast.Call(func=ast.Name(function), args=arguments, keywords=[]):
            return _call(function, arguments, node)
    raise ExpressionError("this is not a number of the rule language", node.col_offset)


def _call(function: str, arguments: list[ast.expr], node: ast.expr) -> Number:
    match function, arguments:
        case "abs", [argument]:
            return Absolute(_number(argument))
        case "lower" | "upper", [argument]:
            return Bound("lower" if function == "lower" else "upper", _number(argument))
        case "low" | "high", [interval]:
            return CommittedEnd("low" if function == "low" else "high", _committed(interval, "interval"))
        case "expected_length", [alpha, k]:
            return ExpectedLength(_number(alpha), _whole(k, "K"))
        case "speedup", [base, fast]:
            return Speedup(_place(base), _place(fast))
        case "processor_speedup", [base, fast]:
            return Speedup(_place(base), _place(fast), "processor")
        case "parted", [first, second]:
            return Parted(_place(first), _place(second))
        case "unexplained", [first, second, gap]:
            return Parted(_place(first), _place(second), _literal(gap, "the gap"))
        case "more_often", [control, test]:
            return MoreOften(_parted(control), _parted(test))
    raise ExpressionError("this is not a number of the rule language", node.col_offset)


def _parted(node: ast.expr) -> Parted:
    found = _number(node)
    if not isinstance(found, Parted):
        raise ExpressionError("this is parted(…) or unexplained(…)", node.col_offset)
    return found


def _place(node: ast.expr) -> Place:
    match node:
        case ast.Attribute(value=ast.Name(arm), attr=workload):
            return Place(arm, workload, node.col_offset)
    raise ExpressionError("this is arm.workload", node.col_offset)


def _committed(
    node: ast.expr, kind: Literal["interval", "choice", "order"], choices: tuple[str, ...] = ()
) -> Committed:
    match node:
        case ast.Attribute(value=ast.Name("predicted"), attr=name):
            return Committed(name, kind, node.col_offset, choices)
    raise ExpressionError("this is predicted.ID", node.col_offset)


def _options(node: ast.expr, keywords: list[ast.keyword]) -> tuple[tuple[str, Number], ...]:
    names = [keyword.arg for keyword in keywords]
    if None in names or len(set(names)) < len(names):
        raise ExpressionError("each option is name=NUMBER, once", node.col_offset)
    return tuple((keyword.arg or "", _number(keyword.value)) for keyword in keywords)


def _literal(node: ast.expr, what: str) -> float:
    found = _number(node)
    if not isinstance(found, Literally):
        raise ExpressionError(f"{what} is a plain number", node.col_offset)
    return found.value


def _whole(node: ast.expr, what: str) -> int:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool) and value >= 1:
            return value
    raise ExpressionError(f"{what} is a whole number from 1", node.col_offset)


def _measured(arm: str, workload: str, quantity: str, node: ast.expr, position: int) -> Measured:
    for known in get_args(Quantity):
        if quantity == known:
            if (known in POSITIONAL) != (position > 0):
                wanted = "needs a position, as in [1]" if known in POSITIONAL else "has no positions"
                raise ExpressionError(f"{quantity} {wanted}", node.col_offset)
            return Measured(arm, workload, known, node.col_offset, position)
    known_names = ", ".join(get_args(Quantity))
    raise ExpressionError(f"there is no quantity {quantity!r}; there are {known_names}", node.col_offset)
