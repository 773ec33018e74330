"""What is decided and what is said."""

from __future__ import annotations

import pytest

from specquiz.answers import Misconception, Question, Wrong, check, reference_problem

DOMAIN = "0 < alpha < 1; K integer >= 1"
TOKENS = "(1 - alpha^(K+1))/(1 - alpha)"
ACCEPTED = Misconception("alpha*(1 - alpha^K)/(1 - alpha)", "Those are the accepted drafts.")
LINEAR = Misconception("K*alpha + 1", "A draft counts only if every one before it was accepted.")
SYMBOLIC = Question(TOKENS, DOMAIN, misconceptions=(ACCEPTED, LINEAR))
NUMERIC = SYMBOLIC._replace(kind="numeric", tolerance="places:2", values={"alpha": "0.7", "K": "4"})


@pytest.mark.parametrize(
    "typed",
    [
        "2.77",
        "277/100",
        "(1-0.7^5)/(1-0.7)",
        "1+α+α²+α³+α⁴",
        r"\frac{1-\alpha^5}{1-\alpha}",
        "Σ_{i=0}^{K} α^i",
        "Σ_{i=0}^{4} 0.7^i",
        "Sum(0.7^i, (i, 0, K))",
        "(1-α^(K+1))/(1-α)",
        "(1-α^(K+1))/0.3",
    ],
)
def test_a_numeric_question_takes_the_number_the_formula_or_the_formula_with_numbers(typed: str) -> None:
    verdict = check(NUMERIC, typed)

    assert verdict.outcome == "correct"
    assert verdict.value in ("2.77", "2.7731")


def test_a_formula_that_is_right_by_accident_of_the_values_is_wrong() -> None:
    question = NUMERIC._replace(values={"alpha": "0.5", "K": "2"})

    verdict = check(question, "1/(1-α) - α^K")

    assert verdict.value == "1.75"
    assert verdict.outcome == "wrong"
    assert "by accident" in verdict.message


def test_a_counterexample_never_gives_away_the_value_asked_for() -> None:
    for alpha in ("0.5", "0.8", "0.2"):
        for draft in range(1, 9):
            question = Question(TOKENS, DOMAIN, "numeric", values={"alpha": alpha, "K": str(draft)})
            right = check(question, TOKENS).value

            assert right not in check(question, "α^K + K/7").message.split()


def test_a_formula_with_a_rounded_constant_is_within_the_tolerance() -> None:
    question = Question("W*ln(2)", "W > 0", "numeric", "sig:3", values={"W": "10"})

    assert check(question, "0.69315*W").outcome == "correct"
    assert check(question, "0.7*W").outcome == "wrong"


@pytest.mark.parametrize("question", [SYMBOLIC, NUMERIC], ids=["symbolic", "numeric"])
def test_the_first_matching_misconception_speaks(question: Question) -> None:
    verdict = check(question, "α - α^(K+1)/1 + 0")
    assert not (isinstance(verdict, Wrong) and verdict.misconception == 0)

    verdict = check(question, "(α - α^(K+1))/(1-α)")

    assert isinstance(verdict, Wrong)
    assert (verdict.misconception, verdict.message) == (0, ACCEPTED.say)


def test_a_misconceptions_number_is_recognised_within_the_tolerance() -> None:
    verdict = check(NUMERIC, "3.80")

    assert isinstance(verdict, Wrong)
    assert verdict.misconception == 1


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("(1 - α^K+1)/(1-α)", "Write a^(K+1)"),
        ("1 - α^(K+1)/1 - α", "Write (a-b)/(c-d)"),
        ("1 - α^K+1/1 - α", "around the exponent and around"),
        ("(1 - α^K)/(1-α)", "K − 1 in place of K"),
        ("Sum(α^i, (i, 0, K+1))", "K + 1 in place of K"),
        ("(α^(K+1) - 1)/(1-α)", "sign"),
        ("(1-α)/(1 - α^(K+1))", "reciprocal"),
        ("10*(1 - α^(K+1))/(1-α)", "10 times too large"),
        ("Sum(α^i, (i, 1, K))", "one less"),
        ("1 + Sum(α^i, (i, 0, K))", "one more"),
        ("α^K", "the right formula gives"),
        ("1/(α-1/2)", "undefined"),
        ("5", "At α ="),
    ],
)
def test_a_wrong_formula_is_told_the_slip_that_explains_it(typed: str, words: str) -> None:
    verdict = check(SYMBOLIC._replace(misconceptions=()), typed)

    assert verdict.outcome == "wrong"
    assert words in verdict.message


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("27.7", "10 times too large"),
        ("0.0277", "100 times too small"),
        ("-2.77", "sign"),
        ("0.3606", "reciprocal"),
        ("2.53", "K − 1 in place of K"),
        ("1.77", "one less"),
        ("3.77", "one more"),
        ("2.8", "rounded too far"),
        ("2.78", "outside what is accepted"),
        ("2", "not the value"),
    ],
)
def test_a_wrong_number_is_told_the_slip_that_explains_it(typed: str, words: str) -> None:
    verdict = check(NUMERIC._replace(misconceptions=()), typed)

    assert verdict.outcome == "wrong"
    assert words in verdict.message


@pytest.mark.parametrize(
    ("answer", "tolerance", "typed", "words"),
    [
        ("5", "sig:3", "6", "not the value"),
        ("5", "sig:3", "4", "not the value"),
        ("5.2", "sig:3", "6", "not the value"),
        ("5.2", "sig:3", "5", "rounded too far"),
        ("5.7", "sig:3", "5", "rounded too far"),
        ("5.7", "sig:3", "6", "rounded too far"),
        ("101", "sig:5", "100", "outside what is accepted"),
    ],
)
def test_only_what_the_answer_rounds_or_is_cut_to_counts_as_rounded(
    answer: str, tolerance: str, typed: str, words: str
) -> None:
    assert words in check(Question(answer, kind="numeric", tolerance=tolerance), typed).message


def test_a_forgotten_percent_sign_is_told() -> None:
    assert "needs its % sign" in check(Question("0.5", kind="numeric"), "50").message


def test_a_wide_tolerance_makes_no_slip_of_an_unrelated_number() -> None:
    question = Question("0.003", kind="numeric", tolerance="places:2")

    assert "times too" not in check(question, "5").message


def test_a_formula_must_be_right_along_the_whole_run_of_an_integer() -> None:
    product = "*".join(f"(K-{k})" for k in range(1, 6))

    assert check(SYMBOLIC, f"{TOKENS} + {product}").outcome == "wrong"
    assert check(SYMBOLIC, f"{TOKENS} + 0*{product}").outcome == "correct"


def test_a_tiny_difference_is_a_difference() -> None:
    verdict = check(SYMBOLIC, f"{TOKENS} + 10^-30")

    assert verdict.outcome == "wrong"


def test_two_integers_are_never_confused() -> None:
    question = Question("K^2 + B", "K integer >= 1; B integer >= 1")

    assert check(question, "B^2 + K").outcome == "wrong"
    assert check(question, "K*K + B").outcome == "correct"


def test_every_region_of_a_minimum_is_visited() -> None:
    question = Question("min(F/P, W/B)", "F > 0; P > 0; W > 0; B > 0")

    assert check(question, "F/P").outcome == "wrong"
    assert check(question, "W/B").outcome == "wrong"
    assert check(question, "(F/P + W/B - |F/P - W/B|)/2").outcome == "correct"


def test_an_answer_undefined_inside_the_domain_is_wrong_and_one_that_is_undefined_everywhere_is_invalid() -> None:
    assert check(SYMBOLIC, "ln(-α)").outcome == "wrong"
    assert check(SYMBOLIC, "1/0").outcome == "invalid"
    assert check(SYMBOLIC, "α^(1/0)").outcome == "invalid"


def test_a_reference_with_holes_in_its_domain_is_still_compared() -> None:
    question = Question("(K^2-9)/(K-3)", "K integer >= 1")

    assert check(question, "K+3").outcome == "correct"


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("closed", TOKENS, "Sum(alpha^i, (i, 0, K))"),
        ("max-nodes:11", TOKENS, f"({TOKENS})*1"),
    ],
)
def test_a_right_formula_in_another_form_is_invalid(form: str, good: str, bad: str) -> None:
    question = SYMBOLIC._replace(form=form)

    assert check(question, good).outcome == "correct"
    verdict = check(question, bad)
    assert verdict.outcome == "invalid"
    assert verdict.message.startswith("Right value, but")
    assert check(question, "alpha").outcome == "wrong"


@pytest.mark.parametrize(
    ("form", "typed", "outcome"),
    [
        ("lowest-terms", "2/3", "correct"),
        ("lowest-terms", "-(-2)/3", "invalid"),
        ("lowest-terms", "4/6", "invalid"),
        ("lowest-terms", "⅔", "correct"),
        ("fraction", "4/6", "correct"),
        ("fraction", "1-1/3", "invalid"),
        ("decimal", "2/3", "invalid"),
    ],
)
def test_the_form_of_a_number_is_judged_after_its_value(form: str, typed: str, outcome: str) -> None:
    assert check(Question("2/3", kind="numeric", form=form), typed).outcome == outcome


def test_an_expanded_answer_has_no_product_or_power_of_a_sum() -> None:
    question = Question("1 + 2*a + a^2", "0 < a < 1", form="expanded")

    assert check(question, "a^2 + 2a + 1").outcome == "correct"
    assert check(question, "(1+a)^2").outcome == "invalid"
    assert check(question, "1 + a(2+a)").outcome == "invalid"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (SYMBOLIC, None),
        (NUMERIC, None),
        (Question("1/(x", "0 < x < 1"), "never closed"),
        (Question("1/y", "0 < x < 1"), "not a name"),
        (Question("ln(-x)", "0 < x < 1"), "undefined"),
        (Question("x", "x < 1"), "none of"),
        (Question("x", "1 < x < 0"), "empty"),
        (Question("x", "0 < x < 1; x > 0"), "twice"),
        (Question("x", "0 < x < 1", aliases={"y": "z"}), "does not declare"),
        (Question("x", "0 < x < 1", form="pretty"), "form"),
        (Question("x", "0 < x < 1", also=("x + 0", "2*x")), "does not equal"),
        (Question("x", "0 < x < 1", misconceptions=(Misconception("x*1", "?"),)), "equals the answer"),
        (Question("x", "0 < x < 1", misconceptions=(Misconception("2x", "?"), Misconception("x+x", "?"))), "the same"),
        (Question("x", "0 < x < 1", "numeric"), "no value is given"),
        (Question("1/(x-1/2)", "0 < x < 1", "numeric", values={"x": "0.5"}), "undefined at"),
        (
            Question("x", "0 < x < 1", "numeric", values={"x": "1/2"}, misconceptions=(Misconception("x^2+1/4", "?"),)),
            "cannot be told",
        ),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_checked_fairly_says_why(question: Question, words: str | None) -> None:
    problem = reference_problem(question)

    assert problem is None if words is None else problem is not None and words in problem


def test_greek_names_may_be_declared_and_given_values_in_greek() -> None:
    question = Question("1/(1-α)", "0 < α < 1", "numeric", values={"α": "1/2"}, aliases={"acc": "α"})

    assert check(question, "2").outcome == "correct"
    assert check(question, "1/(1-acc)").outcome == "correct"
