"""Exact arithmetic with bounds: rationals as `Fraction`, everything else as `Decimal` to 60 digits.

A value is a `Fraction` where it is known exactly. Logarithms, exponentials and roots that are not rational are
`Decimal`, correctly rounded to 60 digits by the standard library's libmpdec. No floats.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import gcd, isqrt

Value = Fraction | Decimal

ZERO = Fraction(0)
ONE = Fraction(1)
POWER_BITS = 20_000
"""A power whose result would have more bits is refused before it is computed."""
WORK = 20_000
"""What evaluating one answer may cost, in rational operations on short numbers (2 µs each)."""

_DIGITS = 60
_AGREEING = Decimal("1e-35")
"""Two values of 60 digits are equal within this share of the larger."""
_CANCELLED = 45
"""A difference this many digits below its terms is zero: what is left is rounding."""
_ROOT_BITS = 4_000
_CONTEXT = decimal.Context(
    prec=_DIGITS,
    # Beyond what any rational here may be, and short enough to be turned into one.
    Emax=13_000,
    Emin=-13_000,
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow, decimal.Underflow],
)
COMPARING = decimal.Context(prec=_DIGITS, traps=[decimal.InvalidOperation, decimal.DivisionByZero])
"""For conversions and comparisons, which stay clear of the bounds of values."""
_DECIMAL_COST = 60


class Undefined(ArithmeticError):
    """The expression has no real value here."""


class TooBig(ArithmeticError):
    """The value, or the work of finding it, is beyond the bounds."""


class Meter:
    """Counts the work of an evaluation and stops it."""

    __slots__ = ("left",)

    def __init__(self, work: int = WORK) -> None:
        self.left = work

    def spend(self, work: int) -> None:
        """Raises `TooBig` once more than the allowed work is spent."""
        self.left -= work
        if self.left < 0:
            raise TooBig("This takes too much work to check.")

    def spend_on(self, value: Fraction) -> None:
        """Charge for having computed `value`: more for longer numbers (common divisors take quadratic time)."""
        words = self.words(value)
        self.spend(1 + words + words * words // 20)

    def spend_on_power(self, value: Fraction) -> None:
        """Charge for a power, whose terms need no common divisor taken out."""
        self.spend(1 + self.words(value) // 2)

    def words(self, value: Fraction) -> int:
        """The length of a number in 512 bits; raises `TooBig` beyond twice the longest power."""
        words = (value.numerator.bit_length() + value.denominator.bit_length()) >> 9
        if words > POWER_BITS >> 8:
            raise TooBig("The numbers become too big to check.")
        return words


def as_decimal(value: Value) -> Decimal:
    """The value to 60 digits."""
    if isinstance(value, Decimal):
        return value
    return COMPARING.divide(Decimal(value.numerator), Decimal(value.denominator))


def as_fraction(value: Value) -> Fraction:
    """The value as a rational: itself, or its 60 digits."""
    return value if isinstance(value, Fraction) else Fraction(value)


def equal(one: Value, other: Value) -> bool:
    """Identical rationals, or agreement to a 10^-35th part where one is known to 60 digits only."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one == other
    x, y = as_decimal(one), as_decimal(other)
    largest = max(x.copy_abs(), y.copy_abs())
    return COMPARING.subtract(x, y).copy_abs() <= COMPARING.multiply(_AGREEING, largest)


def less(one: Value, other: Value) -> bool:
    """Whether `one` is below `other`."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one < other
    return as_decimal(one) < as_decimal(other)


def add(one: Value, other: Value, meter: Meter) -> Value:
    """The sum."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        exact = one + other
        meter.spend_on(exact)
        return exact
    meter.spend(4)
    x, y = as_decimal(one), as_decimal(other)
    total = _bounded(_CONTEXT.add, x, y)
    if not total or (x and y and total.adjusted() < max(x.adjusted(), y.adjusted()) - _CANCELLED):
        return ZERO
    return total


def total(values: list[Value], meter: Meter) -> Value:
    """The sum of many values. Rationals are brought to one denominator and reduced once, at the end."""
    exact = [value for value in values if isinstance(value, Fraction)]
    numerator, denominator = 0, max((value.denominator for value in exact), default=1)
    for value in exact:
        meter.spend(1 + (denominator.bit_length() >> 11))
        quotient, remainder = divmod(denominator, value.denominator)
        if remainder:
            growth = value.denominator // gcd(denominator, value.denominator)
            numerator, denominator = numerator * growth, denominator * growth
            meter.spend_on(Fraction(1, denominator))
            quotient = denominator // value.denominator
        numerator += value.numerator * quotient
    result: Value = Fraction(numerator, denominator)
    for inexact in values:
        if isinstance(inexact, Decimal):
            result = add(result, inexact, meter)
    return result


def negative(value: Value) -> Value:
    """The value with the other sign, digits untouched."""
    return -value if isinstance(value, Fraction) else value.copy_negate()


def absolute(value: Value) -> Value:
    """The value without its sign."""
    return negative(value) if value < 0 else value


def multiply(one: Value, other: Value, meter: Meter) -> Value:
    """The product."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        exact = one * other
        meter.spend_on(exact)
        return exact
    meter.spend(4)
    if not one or not other:
        return ZERO
    return _bounded(_CONTEXT.multiply, as_decimal(one), as_decimal(other))


def divide(one: Value, other: Value, meter: Meter) -> Value:
    """The quotient.

    Raises:
        Undefined: division by zero.
    """
    if not other:
        raise Undefined("It divides by zero")
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        exact = one / other
        meter.spend_on(exact)
        return exact
    meter.spend(4)
    return _bounded(_CONTEXT.divide, as_decimal(one), as_decimal(other)) if one else ZERO


def power(base: Value, exponent: Value, meter: Meter) -> Value:
    """`base` to the `exponent`, over the reals; 0^0 is 1.

    Raises:
        Undefined: zero to a negative power, or a negative base under a root.
        TooBig: the result would have more than 20,000 bits.
    """
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(base, int(exponent), meter)
    if base < 0:
        raise Undefined("It takes a root of a negative number")
    if not base:
        if exponent < 0:
            raise Undefined("It divides by zero")
        return ZERO
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        root = _root(base, exponent.denominator, meter)
        if isinstance(root, Fraction) or exponent.denominator == 2:
            return _whole_power(root, exponent.numerator, meter)
    meter.spend(2 * _DECIMAL_COST)
    return _bounded(_CONTEXT.power, as_decimal(base), as_decimal(exponent))


def _whole_power(base: Value, exponent: int, meter: Meter) -> Value:
    if not base and exponent < 0:
        raise Undefined("It divides by zero")
    if isinstance(base, Decimal):
        meter.spend(_DECIMAL_COST)
        return _bounded(_CONTEXT.power, base, Decimal(exponent))
    if base in (0, 1, -1):
        return base ** (exponent if exponent < 2 else 2 + exponent % 2)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(exponent) > POWER_BITS:
        raise TooBig("That power is too big to check.")
    exact = base**exponent
    meter.spend_on_power(exact)
    return exact


def _root(base: Fraction, degree: int, meter: Meter) -> Value:
    """The positive root: a `Fraction` if it is rational; else for degree 2 its 60 digits, for others just `base`'s."""
    meter.spend(8)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits <= _ROOT_BITS and degree <= bits:
        numerator, denominator = _whole_root(base.numerator, degree), _whole_root(base.denominator, degree)
        if numerator**degree == base.numerator and denominator**degree == base.denominator:
            return Fraction(numerator, denominator)
    return _CONTEXT.sqrt(as_decimal(base)) if degree == 2 else as_decimal(base)


def _whole_root(number: int, degree: int) -> int:
    """The whole part of the root (Newton's method from above)."""
    if degree == 2:
        return isqrt(number)
    guess = 1 << -(-number.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def logarithm(value: Value, base: int | None, meter: Meter) -> Value:
    """The logarithm to base 2 or 10, or the natural one; exact where the value is a power of the base.

    Raises:
        Undefined: the value is not positive.
    """
    if value <= 0:
        raise Undefined("It takes the logarithm of a number that is not positive")
    if value == 1:
        return ZERO
    if base is not None and isinstance(value, Fraction) and 1 in (value.numerator, value.denominator):
        whole = max(value.numerator, value.denominator)
        exponent = whole.bit_length() - 1 if base == 2 else len(str(whole)) - 1 if whole.bit_length() < 2_000 else 0
        if base**exponent == whole:
            return Fraction(exponent if value > 1 else -exponent)
    meter.spend(_DECIMAL_COST)
    number = as_decimal(value)
    if base == 10:
        return _CONTEXT.log10(number)
    natural = _CONTEXT.ln(number)
    return natural if base is None else _CONTEXT.divide(natural, _ln2())


def exponential(value: Value, meter: Meter) -> Value:
    """e to the value."""
    if not value:
        return ONE
    meter.spend(_DECIMAL_COST)
    return _bounded(_CONTEXT.exp, as_decimal(value))


def whole_part(value: Value) -> Fraction:
    """The largest integer not above the value; 60 digits that all but reach an integer are that integer."""
    if isinstance(value, Fraction):
        return Fraction(value.__floor__())
    if value.adjusted() > _DIGITS - 15:
        raise TooBig("The numbers become too big to check.")
    nearest = Fraction(round(value))
    return nearest if equal(nearest, value) else Fraction(value.__floor__())


def _bounded(operation: Callable[..., Decimal], *operands: Decimal) -> Decimal:
    try:
        return operation(*operands)
    except (decimal.Overflow, decimal.Underflow) as error:
        raise TooBig("The numbers become too big or too small to check.") from error


_constants: list[Decimal] = []


def _ln2() -> Decimal:
    if not _constants:
        _constants.append(_CONTEXT.ln(Decimal(2)))
    return _constants[0]
