"""A formula in two dimensions, of Unicode characters: fractions over a bar, exponents raised, sums with bounds."""

from __future__ import annotations

from typing import NamedTuple

from specquiz.answers.expression import Call, Name, Negative, Node, Number, Operation, Sum
from specquiz.answers.writing import write


class Box(NamedTuple):
    """A block of text, all lines equally long, and the line that stands on the writing line."""

    lines: tuple[str, ...]
    base: int = 0

    @property
    def width(self) -> int:
        return len(self.lines[0])

    @property
    def below(self) -> int:
        return len(self.lines) - self.base - 1


def lay_out(tree: Node) -> tuple[str, ...]:
    """The formula as lines of text, all of the same length."""
    return _box(tree).lines


def _box(node: Node) -> Box:
    match node:
        case Negative(operand):
            return _beside(_text("−"), _factor(operand))
        case Operation("+" | "-" as sign, left, right):
            between = " + " if sign == "+" else " − "
            return _beside(_box(left), _text(between), _term(right))
        case Operation("*", left, right):
            first = _box(left) if isinstance(left, Negative) else _factor(left)
            return _beside(first, _text("·"), _factor(right))
        case Operation("/", over, under):
            return _over(_box(over), _box(under))
        case Operation("^", base, exponent):
            return _raised(_operand(base), _box(exponent))
        case Call("sqrt", (inner,)):
            return _root(_box(inner))
        case Call("abs", (inner,)):
            return _fenced(_box(inner), "│", "│")
        case Call(function, arguments):
            boxes = [_box(argument) for argument in arguments]
            listed = [part for box in boxes for part in (box, _text(", "))][:-1]
            return _beside(_text(function), _bracketed(_beside(*listed)))
        case Sum(term, counter, low, high):
            return _beside(_sigma(f"{counter} = {write(low)}", write(high)), _text(" "), _term(term))
        case _:
            return _text(write(node))


def _term(node: Node) -> Box:
    """The box of what follows a sign, in brackets where it is itself a sum of terms or begins with a sign."""
    loose = isinstance(node, Negative) or (isinstance(node, Operation) and node.sign in "+-")
    return _bracketed(_box(node)) if loose else _box(node)


def _factor(node: Node) -> Box:
    """The box of a factor, in brackets where more than a product is in it."""
    return _bracketed(_box(node)) if isinstance(node, Sum) else _term(node)


def _operand(node: Node) -> Box:
    single = isinstance(node, Name | Call) or (isinstance(node, Number) and write(node).replace(".", "").isdigit())
    return _box(node) if single else _bracketed(_box(node))


def _text(text: str) -> Box:
    return Box((text,))


def _beside(*boxes: Box) -> Box:
    """The boxes in a row on one writing line."""
    above = max(box.base for box in boxes)
    below = max(box.below for box in boxes)
    columns = [
        [" " * box.width] * (above - box.base) + list(box.lines) + [" " * box.width] * (below - box.below)
        for box in boxes
    ]
    return Box(tuple("".join(pieces) for pieces in zip(*columns, strict=True)), above)


def _over(over: Box, under: Box) -> Box:
    width = max(over.width, under.width) + 2
    lines = [*over.lines, "─" * width, *under.lines]
    return Box(tuple(line.center(width) for line in lines), len(over.lines))


def _raised(base: Box, exponent: Box) -> Box:
    upper = [" " * base.width + line for line in exponent.lines]
    lower = [line + " " * exponent.width for line in base.lines]
    return Box((*upper, *lower), len(upper) + base.base)


def _bracketed(box: Box) -> Box:
    if len(box.lines) == 1:
        return Box((f"({box.lines[0]})",))
    return _fenced(box, "⎛⎜⎝", "⎞⎟⎠")


def _fenced(box: Box, left: str, right: str) -> Box:
    """The box between two delimiters, given by their upper, middle and lower pieces (or one piece for all)."""
    last = len(box.lines) - 1
    places = [0 if line == 0 else -1 if line == last else len(left) // 2 for line in range(last + 1)]
    lines = [left[place] + line + right[place] for place, line in zip(places, box.lines, strict=True)]
    return Box(tuple(lines), box.base)


def _root(box: Box) -> Box:
    if len(box.lines) == 1:
        return Box((f"√({box.lines[0]})",))
    return _beside(_text("√"), _bracketed(box))


def _sigma(low: str, high: str) -> Box:
    width = max(len(low), len(high), 1)
    return Box((high.center(width), "Σ".center(width), low.center(width)), 1)
