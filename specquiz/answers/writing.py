"""Write a formula or a value as people read it: Unicode maths on one line, which `reading` reads back."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from specquiz.answers.arithmetic import Value, as_decimal, as_fraction
from specquiz.answers.expression import Call, Name, Negative, Node, Number, Operation, Sum
from specquiz.answers.vocabulary import shown

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LOOSE, _SUMMATION, _FACTOR, _SIGNED, _POWER, _OPERAND = range(6)
"""How tightly a piece of text holds together: a sum least, a single operand most."""
_SIGNS = {"+": " + ", "-": " − ", "*": "·", "/": "/"}
_LONGEST_PLAIN = 15
_LARGEST_PLAIN = 10**21
_LONGEST_BITS = 4_000
_SMALLEST_PLAIN = -7


def write(node: Node) -> str:
    """The formula on one line, such as `(1 − α⁵)/(1 − α)`."""
    return _written(node)[0]


def _written(node: Node) -> tuple[str, int]:
    match node:
        case Number(number):
            return _number(number)
        case Name(name):
            return shown(name), _OPERAND
        case Negative(operand):
            return f"−{_within(operand, _POWER)}", _SIGNED
        case Operation("^", base, (Number(number) | Negative(Number(number))) as exponent) if number.denominator == 1:
            raised = -number.numerator if isinstance(exponent, Negative) else number.numerator
            return f"{_within(base, _OPERAND)}{_superscript(raised)}", _POWER
        case Operation("^", base, exponent):
            return f"{_within(base, _OPERAND)}^{_within(exponent, _OPERAND)}", _POWER
        case Operation(sign, left, right):
            tight = _LOOSE if sign in "+-" else _FACTOR
            return f"{_within(left, tight)}{_SIGNS[sign]}{_within(right, tight + 1)}", tight
        case Call("sqrt", (inner,)):
            return f"√({write(inner)})", _OPERAND
        case Call("abs", (inner,)):
            text = write(inner)
            return (f"abs({text})" if "|" in text else f"|{text}|"), _OPERAND
        case Call(function, arguments):
            return f"{function}({', '.join(write(argument) for argument in arguments)})", _OPERAND
        case Sum(term, index, low, high):
            return f"Σ_{{{index}={write(low)}}}^{{{write(high)}}} {_within(term, _FACTOR)}", _SUMMATION


def _within(node: Node, tight: int) -> str:
    text, own = _written(node)
    return text if own >= tight else f"({text})"


def _superscript(exponent: int) -> str:
    return str(exponent).translate(_SUPERSCRIPTS)


def _number(number: Fraction) -> tuple[str, int]:
    text = terminating(number)
    if text is None:
        return f"{number.numerator}/{number.denominator}", _FACTOR
    if len(text) > _LONGEST_PLAIN:
        exponent = magnitude(number)
        digits = terminating(number / Fraction(10) ** exponent)
        if digits and len(digits) < _LONGEST_PLAIN:
            return f"{digits}·10{_superscript(exponent)}", _FACTOR
    return text, _OPERAND


def terminating(number: Fraction) -> str | None:
    """The number as a decimal, if it has finitely many places and is not too long to be shown."""
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _LONGEST_BITS:
        return None
    twos = (number.denominator & -number.denominator).bit_length() - 1
    rest, fives = number.denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if number < 0 else text


def magnitude(number: Fraction) -> int:
    """The power of ten of the first significant digit of a number that is not zero."""
    guess = as_decimal(number).adjusted()
    return guess if abs(number) >= Fraction(10) ** guess else guess - 1


def rounded(value: Value, digits: int = 6) -> str:
    """The value as a decimal number: in full if that takes few more than `digits` digits, else rounded to them."""
    if not value:
        return "0"
    number = as_fraction(value)
    if isinstance(value, Fraction) and abs(number) < _LARGEST_PLAIN:
        text = terminating(number)
        if text is not None and (number.denominator == 1 or len(text.replace(".", "").lstrip("-0")) <= digits + 2):
            return text
    text = f"{as_decimal(value):.{digits - 1}e}"
    if _SMALLEST_PLAIN < as_decimal(value).adjusted() < digits:
        plain = format(Decimal(text), "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def told_apart(one: Value, other: Value) -> tuple[str, str]:
    """Both values with as many digits as it takes to see that they differ."""
    for digits in (6, 12, 24, 48):
        pair = rounded(one, digits), rounded(other, digits)
        if pair[0] != pair[1]:
            break
    return pair
