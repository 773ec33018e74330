"""The form in which a right value must be written. A right value in another form costs nothing."""

from __future__ import annotations

import math
import re

from specquiz.answers.expression import Call, Negative, Node, Number, Operation, Sum, parts
from specquiz.answers.writing import terminating

_MOST_NODES = r"max[-_]nodes\s*:\s*(\d+)"
_RULES = ("closed", "expanded", "fraction", "lowest-terms", "decimal")


def check_form(form: str) -> None:
    """Raises `ValueError` if `form` is none of those that exist."""
    if form and form not in _RULES and not re.fullmatch(_MOST_NODES, form):
        raise ValueError(f"the form “{form}” is none of {', '.join(_RULES)}, max-nodes:n")


def fault(tree: Node, form: str) -> str | None:
    """What is missing for `tree` to have the form, as the rest of a sentence that begins “Right value, but”."""
    if match := re.fullmatch(_MOST_NODES, form):
        most = int(match[1])
        return None if sum(1 for _ in parts(tree)) <= most else "it can be written more simply; cancel what is common."
    match form:
        case "closed":
            if any(isinstance(part, Sum) for part in parts(tree)):
                return "give it in closed form, without a sum."
        case "expanded":
            if any(_holds_a_sum_together(part) for part in parts(tree)):
                return "multiply it out: no product, quotient or power of a sum."
        case "fraction" | "lowest-terms":
            return _fraction_fault(tree, lowest=form == "lowest-terms")
        case "decimal":
            if not isinstance(_unsigned(tree), Number):
                return "give it as a decimal number."
    return None


def _unsigned(tree: Node) -> Node:
    return tree.operand if isinstance(tree, Negative) else tree


def _fraction_fault(tree: Node, lowest: bool) -> str | None:
    tree = _unsigned(tree)
    if isinstance(tree, Number) and tree.number.denominator == 1:
        return None
    if isinstance(tree, Number) and terminating(tree.number) is None:
        return None
    match tree:
        case Operation("/", over, Number(under)):
            over = _unsigned(over)
            if isinstance(over, Number) and over.number.denominator == 1 and under.denominator == 1:
                if lowest and math.gcd(over.number.numerator, under.numerator) > 1:
                    return "reduce the fraction to lowest terms."
                return None
    return "give it as a fraction of whole numbers."


def _holds_a_sum_together(node: Node) -> bool:
    match node:
        case Operation("*", left, right):
            return _is_sum(left) or _is_sum(right)
        case Operation("/", left, right):
            return _is_sum(left) or _is_sum(right)
        case Operation("^", base, _):
            return _is_sum(base)
        case Negative(operand):
            return _is_sum(operand)
        case _:
            return False


def _is_sum(node: Node) -> bool:
    node = _unsigned(node)
    if isinstance(node, Call):
        return False
    return isinstance(node, Sum) or (isinstance(node, Operation) and node.sign in "+-")
