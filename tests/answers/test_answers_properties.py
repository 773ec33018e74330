"""Rules that hold for any formula and any text."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import islice

import mpmath
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from specquiz.answers import Question, check
from specquiz.answers.arithmetic import Meter, TooBig, Undefined, equal
from specquiz.answers.domain import random_points, read_domain
from specquiz.answers.expression import Call, Name, Negative, Node, Number, Operation, Sum, children
from specquiz.answers.reading import read
from specquiz.answers.tolerance import read_tolerance
from specquiz.answers.vocabulary import Vocabulary
from specquiz.answers.writing import write

# A busy machine must not fail a rule; times are measured where they are the rule.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

DOMAIN = "0 < alpha < 1; K integer >= 1; F > 0"
VOCABULARY = Vocabulary(("alpha", "K", "F"), {})
POINTS = list(islice(random_points(read_domain(DOMAIN)), 4))

numbers = st.builds(
    lambda digits, places: Number(Fraction(digits, 10**places)), st.integers(0, 99), st.integers(0, 2)
) | st.builds(lambda digits, power: Number(digits * Fraction(10) ** power), st.integers(1, 99), st.integers(-30, 30))
names = st.sampled_from([Name("alpha"), Name("K"), Name("F")])


def _grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    small = st.builds(lambda number: Number(Fraction(number)), st.integers(0, 4))
    summand = st.builds(lambda base: Operation("^", base, Name("i")), inner) | inner
    return st.one_of(
        st.builds(Negative, inner),
        st.builds(Operation, st.sampled_from("+-*/"), inner, inner),
        st.builds(lambda base, exponent: Operation("^", base, exponent), inner, small | inner),
        st.builds(
            lambda function, value: Call(function, (value,)), st.sampled_from(["abs", "sqrt", "floor", "ln"]), inner
        ),
        st.builds(lambda function, one, two: Call(function, (one, two)), st.sampled_from(["min", "max"]), inner, inner),
        st.builds(lambda term, high: Sum(term, "i", Number(Fraction(0)), high), summand, small | st.just(Name("K"))),
    )


trees = st.recursive(numbers | names, _grown, max_leaves=8)


def value(tree: Node, point: Mapping[str, Fraction]) -> object:
    try:
        return tree.value(point, Meter(50_000))
    except Undefined:
        return "undefined"
    except TooBig:
        return "too big"


def has_nested_sum(tree: Node, inside: bool = False) -> bool:
    is_sum = isinstance(tree, Sum)
    return (is_sum and inside) or any(has_nested_sum(child, inside or is_sum) for child in children(tree))


@given(trees)
def test_what_is_written_reads_back_with_the_same_value(tree: Node) -> None:
    assume(not has_nested_sum(tree))
    text = write(tree)
    assume(len(text) <= 400)

    again = read(text, VOCABULARY).tree

    for point in POINTS:
        one, two = value(tree, point), value(again, point)
        assert one == two or (not isinstance(one, str) and not isinstance(two, str) and equal(one, two)), text  # type: ignore[arg-type]


rational = st.recursive(
    numbers | names,
    lambda inner: st.builds(Operation, st.sampled_from("+-*/"), inner, inner) | st.builds(Negative, inner),
    max_leaves=6,
)

ONE, TWO, ALPHA, K, F = Number(Fraction(1)), Number(Fraction(2)), Name("alpha"), Name("K"), Name("F")


def op(sign: str, left: Node, right: Node) -> Node:
    return Operation(sign, left, right)


IDENTITIES: list[Callable[[Node], Node]] = [
    lambda x: Negative(Negative(x)),
    lambda x: op("+", x, Number(Fraction(0))),
    lambda x: op("-", op("+", x, F), F),
    lambda x: op("-", op("*", TWO, x), x),
    lambda x: op("/", op("*", op("+", K, ONE), x), op("+", ONE, K)),
    lambda x: op("*", op("^", ALPHA, Negative(K)), op("*", x, op("^", ALPHA, K))),
    lambda x: op("/", Sum(x, "i", ONE, K), K),
    lambda x: op("-", Call("max", (x, F)), op("-", F, Call("min", (F, x)))),
]


def swapped(tree: Node) -> Node:
    """Every sum and product the other way round."""
    match tree:
        case Operation("+" | "*" as sign, left, right):
            return Operation(sign, swapped(right), swapped(left))
        case Operation("-", left, right):
            return Operation("+", Negative(swapped(right)), swapped(left))
        case Operation(sign, left, right):
            return Operation(sign, swapped(left), swapped(right))
        case Negative(operand):
            return Operation("*", swapped(operand), Negative(Number(Fraction(1))))
        case _:
            return tree


def question_of(tree: Node) -> Question:
    text = write(tree)
    assume(len(text) <= 400)
    question = Question(text, DOMAIN)
    try:
        check(question, "1")
    except ValueError:
        assume(False)
    return question


@given(rational, st.sampled_from([*IDENTITIES, swapped]))
def test_an_algebraic_transformation_changes_no_verdict(tree: Node, change: Callable[[Node], Node]) -> None:
    question = question_of(tree)
    text = write(change(tree))
    assume(len(text) <= 400)

    assert check(question, text).outcome == "correct", text


def mutated(tree: Node, choice: int) -> Node:
    """The tree with one node changed, chosen by counting down."""
    count = 0

    def walk(node: Node) -> Node:
        nonlocal count
        count += 1
        if count - 1 == choice:
            match node:
                case Number(number):
                    return Number(number + Fraction(1, 10**6))
                case Name(name):
                    return Name({"alpha": "F", "K": "alpha", "F": "K"}[name])
                case Negative(operand):
                    return operand
                case Operation(sign, left, right):
                    return Operation({"+": "-", "-": "+", "*": "/", "/": "*", "^": "*"}[sign], left, right)
        match node:
            case Negative(operand):
                return Negative(walk(operand))
            case Operation(sign, left, right):
                return Operation(sign, walk(left), walk(right))
            case _:
                return node

    return walk(tree)


def by_mpmath(tree: Node, point: Mapping[str, Fraction]) -> mpmath.mpf:
    match tree:
        case Number(number):
            return mpmath.mpf(number.numerator) / number.denominator
        case Name(name):
            return mpmath.mpf(point[name].numerator) / point[name].denominator
        case Negative(operand):
            return -by_mpmath(operand, point)
        case Operation(sign, left, right):
            one, two = by_mpmath(left, point), by_mpmath(right, point)
            return {"+": one + two, "-": one - two, "*": one * two}[sign] if sign != "/" else one / two
    raise AssertionError(tree)


@given(rational, st.integers(0, 12))
def test_a_mutation_is_told_apart_unless_an_independent_evaluation_agrees(tree: Node, choice: int) -> None:
    other = mutated(tree, choice)
    assume(other != tree)
    question, text = question_of(tree), write(other)
    assume(len(text) <= 400)

    outcome = check(question, text).outcome

    points = [{"alpha": Fraction(n, 17), "K": Fraction(n), "F": Fraction(n * n + 3, 7)} for n in range(1, 9)]
    differ, compared = False, 0
    with mpmath.workdps(120):
        for point in points:
            try:
                one, two = by_mpmath(tree, point), by_mpmath(other, point)
            except ZeroDivisionError:
                continue
            compared += 1
            differ = differ or abs(one - two) > mpmath.mpf(10) ** -90 * max(abs(one), abs(two))
    assume(compared >= 6)
    assert (outcome != "correct") == differ, (question.reference, text)


@given(st.fractions(min_value=-1000, max_value=1000), st.integers(0, 6), st.booleans())
def test_the_ends_of_the_band_are_in_it_and_nothing_beyond(reference: Fraction, places: int, upper: bool) -> None:
    tolerance = read_tolerance(f"places:{places}")
    end = reference + (1 if upper else -1) * tolerance.band(reference)
    beyond = end + (1 if upper else -1) * Fraction(1, 10**30)

    assert tolerance.accepts(end, reference)
    assert not tolerance.accepts(beyond, reference)


QUESTIONS = [
    Question("(1-alpha^(K+1))/(1-alpha)", DOMAIN, aliases={"a": "alpha"}),
    Question("2.7731", kind="numeric", tolerance="places:2"),
    Question("3350", kind="numeric", unit="GB/s", tolerance="rel:0.005"),
    Question("55.46", kind="numeric", unit="%", tolerance="sig:3"),
    Question("alpha*F^K", DOMAIN, "numeric", values={"alpha": "0.7", "K": "4", "F": "2"}),
    Question("ln(F)/ln(alpha)", DOMAIN, form="closed"),
]
CHARACTERS = "0123456789.,'_ +-*/^()[]{}|=<>!%$~#;:\\\t\0αKFaie²½√∑∞−×÷≈⌊⌋а𝛼\u200b"
WORDS = (
    "alpha e3 ** // ... Sum( Σ_{i= }^{ ,(i,0, sqrt exp( log2( abs( min( floor( round( x ⁻¹ 10^ 9^9 1e 99999 (1-α ^(K+1)"
)
COMMANDS = r"\frac{ \sum_ \left \right \cdot \alpha GB/s ms per tokens %%"
PIECES = [*CHARACTERS, *WORDS.split(), *COMMANDS.split()]
hostile = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.text(max_size=420),
    st.binary(max_size=300).map(lambda octets: octets.decode("latin-1")),
)
MOST_SECONDS = 0.05


def cpu_seconds(question: Question, text: str) -> float:
    started = time.process_time()
    check(question, text)
    return time.process_time() - started


@settings(max_examples=600)
@given(st.sampled_from(QUESTIONS), hostile)
@example(QUESTIONS[0], "Sum(Sum(Sum(a^(i*j*k),(i,0,199)),(j,0,199)),(k,0,199))")
@example(QUESTIONS[0], "Sum(exp(Sum(ln(a+i+j),(i,0,199))),(j,0,199))")
@example(QUESTIONS[0], "(" * 39 + "a" + ")^99" * 39)
@example(QUESTIONS[0], "*".join(["(a+1/3)^600"] * 20))
@example(QUESTIONS[0], "+".join(f"1/(a+{n})^90" for n in range(25)))
@example(QUESTIONS[0], "+".join(["ln(a)^a"] * 50))
@example(QUESTIONS[0], "Sum(a**i,(i(0,9))")
@example(QUESTIONS[0], "exp(" * 39 + "a" + ")" * 39)
@example(QUESTIONS[1], "1" + "+1" * 199)
@example(QUESTIONS[1], "2^" * 199 + "2")
@example(QUESTIONS[1], "-" * 399 + "1")
@example(QUESTIONS[1], "exp(-exp(exp(9)))")
@example(QUESTIONS[1], "(1^333333333.33/3333)^166616")
@example(QUESTIONS[1], "exp(29000) - exp(29000.1)")
@example(QUESTIONS[1], "exp(-29000)*2^(1/3)")
@example(QUESTIONS[0], "exp(-29900*a) + 2^(-12000)/3")
@example(QUESTIONS[1], "floor(exp(700))*10^300")
@example(QUESTIONS[1], "round(10^300*ln 2)")
@example(QUESTIONS[2], "1 " + "GB/" * 130 + "s")
@example(QUESTIONS[2], "1 " + "g/" * 190 + "s")
@example(QUESTIONS[2], "1 B" + "^9" * 190)
@example(QUESTIONS[4], "aK" * 200)
@example(QUESTIONS[0], "ⅷ" * 400)
def test_no_text_raises_or_takes_long(question: Question, text: str) -> None:
    verdict = check(question, text)

    assert verdict.outcome in ("correct", "wrong", "invalid")
    assert verdict.message
    # The machine may have been busy: the least of a few tries is the checker's own time.
    assert min(cpu_seconds(question, text) for _ in range(3)) < MOST_SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9^9",
        "Sum(a^i,(i,0,199))",
        "(a+1)^999*(a+2)^999",
        "10^308*10^308",
        "Sum(Sum(i^j,(i,0,99)),(j,0,99))",
        "a" * 400,
    ],
)
def test_no_text_takes_much_memory(text: str) -> None:
    check(QUESTIONS[0], text)
    tracemalloc.start()
    check(QUESTIONS[0], text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 20 * 2**20
