"""Proofs of identities with SymPy: the child process of `proof`, run as `python -m specquiz.answers.symbolic`.

It reads pickled claims from standard input and writes one line for each: the recipe that proved it, or nothing. It gets
trees of our own parser, never text. Every recipe turns the difference of the two sides into zero by steps that hold for
real values, so that it proves equality wherever both sides are defined.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import sympy

from specquiz.answers.domain import Variable
from specquiz.answers.expression import Call, Name, Negative, Node, Number, Operation, Sum

if TYPE_CHECKING:
    from specquiz.answers.proof import Claim


class Untranslatable(ValueError):
    """The formula has a part that is not treated symbolically."""


def main() -> None:
    """Prove the claims of standard input, one line of output for each as soon as it is decided."""
    megabytes, claims = pickle.load(sys.stdin.buffer)
    _limit_memory(megabytes)
    for claim in claims:
        sys.stdout.write(f"{proving_recipe(claim) or ''}\n")
        sys.stdout.flush()


def _limit_memory(megabytes: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))


def proving_recipe(claim: Claim) -> str | None:
    """The name of the first recipe that proves the two sides equal on the domain, None if none does."""
    symbols = {variable.name: _symbol(variable) for variable in claim.variables}
    try:
        difference = translate(claim.left, symbols) - translate(claim.right, symbols)
        difference = _without_sums(difference, claim.variables, symbols)
        difference = _with_known_signs(difference, claim.variables, symbols)
        for name, recipe in RECIPES.items():
            if recipe(difference, claim.variables, symbols):
                return name
    except (Untranslatable, NotImplementedError, MemoryError, RecursionError):
        return None
    return None


Symbols = Mapping[str, sympy.Symbol]


def _symbol(variable: Variable) -> sympy.Symbol:
    return sympy.Symbol(
        variable.name, real=True, integer=variable.integer or None, positive=_is_positive(variable) or None
    )


def _is_positive(variable: Variable) -> bool:
    return variable.low > 0 or (variable.low == 0 and not variable.integer)


_FUNCTIONS: dict[str, Callable[..., sympy.Expr]] = {
    "sqrt": sympy.sqrt,
    "exp": sympy.exp,
    "ln": sympy.log,
    "log2": lambda x: sympy.log(x) / sympy.log(2),
    "log10": lambda x: sympy.log(x) / sympy.log(10),
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
}


def translate(tree: Node, symbols: Symbols) -> sympy.Expr:
    """The formula as a SymPy expression.

    Raises:
        Untranslatable: it holds a function that has no counterpart.
    """
    match tree:
        case Number(number):
            return sympy.Rational(number.numerator, number.denominator)
        case Name(name):
            return symbols[name]
        case Negative(operand):
            return -translate(operand, symbols)
        case Operation(sign, left, right):
            one, other = translate(left, symbols), translate(right, symbols)
            match sign:
                case "+":
                    return one + other
                case "-":
                    return one - other
                case "*":
                    return one * other
                case "/":
                    return one / other
            return one**other
        case Call(function, arguments) if function in _FUNCTIONS:
            return _FUNCTIONS[function](*(translate(argument, symbols) for argument in arguments))
        case Sum(term, counter, low, high):
            index = sympy.Dummy(counter, integer=True)
            inner = translate(term, {**symbols, counter: index})
            return sympy.Sum(inner, (index, translate(low, symbols), translate(high, symbols)))
    raise Untranslatable(tree)


def inside_domain(expression: sympy.Expr, variables: tuple[Variable, ...], symbols: Symbols) -> sympy.Expr:
    """The expression with each variable replaced so that its domain is that of new positive symbols.

    A variable between two bounds becomes `low + (high - low)/(1 + t)`, one above a bound `low + t`, an integer
    `low + n`.
    """
    for variable in variables:
        low = sympy.Rational(variable.low.numerator, variable.low.denominator)
        if variable.integer:
            inner = low + sympy.Dummy("n", integer=True, nonnegative=True)
        elif variable.high is None:
            inner = low + sympy.Dummy("t", positive=True)
        else:
            width = variable.high - variable.low
            inner = low + sympy.Rational(width.numerator, width.denominator) / (1 + sympy.Dummy("t", positive=True))
        expression = expression.subs(symbols[variable.name], inner)
    return expression


def _without_sums(expression: sympy.Expr, variables: tuple[Variable, ...], symbols: Symbols) -> sympy.Expr:
    """Sums in closed form, of whose branches the one is taken that holds on the domain."""

    def closed(series: sympy.Sum) -> sympy.Expr:
        value = series.doit()
        while isinstance(value, sympy.Piecewise):
            branch, condition = value.args[0]
            inside = sympy.simplify(inside_domain(condition, variables, symbols))
            if inside == sympy.true:
                value = branch
            elif inside == sympy.false:
                value = sympy.Piecewise(*value.args[1:])
            else:
                raise Untranslatable(condition)
        return value

    return expression.replace(sympy.Sum, lambda *arguments: closed(sympy.Sum(*arguments)))


def _with_known_signs(expression: sympy.Expr, variables: tuple[Variable, ...], symbols: Symbols) -> sympy.Expr:
    """Minimum, maximum and absolute value resolved where the domain decides them: linear terms of bounded variables."""
    bounds = {symbols[variable.name]: variable for variable in variables}

    def is_never_negative(value: sympy.Expr) -> bool:
        value = sympy.expand(value)
        least = value.as_independent(*bounds, as_Add=True)[0]
        for symbol, variable in bounds.items():
            slope = value.coeff(symbol)
            end = variable.low if slope.is_nonnegative else variable.high
            if not slope.is_Rational or end is None:
                return False
            value -= slope * symbol
            least += slope * sympy.Rational(end.numerator, end.denominator)
        return bool(not value.free_symbols and least.is_Rational and least >= 0)

    def largest(*values: sympy.Expr) -> sympy.Expr:
        kept = [one for one in values if not any(one != two and is_never_negative(two - one) for two in values)]
        return sympy.Max(*kept) if kept else sympy.Max(*values)

    def smallest(*values: sympy.Expr) -> sympy.Expr:
        return -largest(*(-value for value in values))

    def absolute(value: sympy.Expr) -> sympy.Expr:
        return value if is_never_negative(value) else -value if is_never_negative(-value) else sympy.Abs(value)

    return expression.replace(sympy.Max, largest).replace(sympy.Min, smallest).replace(sympy.Abs, absolute)


Recipe = Callable[[sympy.Expr, tuple[Variable, ...], Symbols], bool]


def _cancels(expression: sympy.Expr, variables: tuple[Variable, ...], symbols: Symbols) -> bool:  # noqa: ARG001
    """Take each power with a symbolic exponent, each logarithm and each |x| for a new symbol; the rest is rational."""
    expression = _through_absolute_values(expression)
    expression = sympy.expand_log(sympy.expand_power_exp(expression), force=True)
    known: dict[tuple[sympy.Expr, sympy.Expr], sympy.Symbol] = {}

    def symbol_power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        coefficient, rest = exponent.as_coeff_Mul()
        if rest == 1 or not coefficient.is_Integer:
            return base**exponent
        return known.setdefault((base, rest), sympy.Dummy()) ** coefficient

    expression = expression.replace(sympy.Pow, symbol_power)
    return bool(sympy.cancel(sympy.together(expression)) == 0)


def _through_absolute_values(expression: sympy.Expr) -> sympy.Expr:
    """Minimum and maximum of two by the absolute value of their difference, |x| and |-x| as one symbol."""
    known: dict[sympy.Expr, sympy.Symbol] = {}

    def folded(sign: int) -> Callable[..., sympy.Expr]:
        def fold(*values: sympy.Expr) -> sympy.Expr:
            result = values[0]
            for value in values[1:]:
                result = (result + value + sign * absolute(result - value)) / 2
            return result

        return fold

    def absolute(value: sympy.Expr) -> sympy.Expr:
        value = sympy.expand(value)
        value = -value if value.could_extract_minus_sign() else value
        return known.setdefault(value, sympy.Dummy(nonnegative=True))

    expression = expression.replace(sympy.Min, folded(-1)).replace(sympy.Max, folded(1))
    return expression.replace(sympy.Abs, absolute)


def _ordered(expression: sympy.Expr, variables: tuple[Variable, ...], symbols: Symbols) -> bool:
    """For two variables p and q, cancel once with p = q + u and once with q = p + u, where u is not negative."""
    used = [variable for variable in variables if expression.has(symbols[variable.name])]
    if len(used) != 2:
        return False
    p, q = (symbols[variable.name] for variable in used)
    more = sympy.Dummy("u", nonnegative=True)
    cases = expression.subs(p, q + more), expression.subs(q, p + more)
    return all(_cancels(case, variables, symbols) for case in cases)


def _inside(expression: sympy.Expr, variables: tuple[Variable, ...], symbols: Symbols) -> bool:
    """Simplify with the domain written into the variables, where signs become known."""
    return bool(sympy.simplify(sympy.factor_terms(inside_domain(expression, variables, symbols))) == 0)


def _simplifies(expression: sympy.Expr, variables: tuple[Variable, ...], symbols: Symbols) -> bool:  # noqa: ARG001
    return bool(sympy.simplify(expression) == 0)


RECIPES: dict[str, Recipe] = {
    "cancelling": _cancels,
    "ordering the variables": _ordered,
    "simplifying": _simplifies,
    "simplifying inside the domain": _inside,
}

if __name__ == "__main__":
    main()
