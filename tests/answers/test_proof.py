"""Proofs for authors."""

from __future__ import annotations

import pytest

from specquiz.answers import Misconception, Question
from specquiz.answers.domain import read_domain
from specquiz.answers.proof import Claim, Different, Equal, NotProved, prove, prove_question
from specquiz.answers.reading import read
from specquiz.answers.vocabulary import Vocabulary


def claim(left: str, right: str, domain: str) -> Claim:
    variables = read_domain(domain)
    vocabulary = Vocabulary([variable.name for variable in variables], {})
    return Claim(read(left, vocabulary).tree, read(right, vocabulary).tree, variables)


GEOMETRIC = "0 < a < 1; K integer >= 1; 0 < c < 1"
IDENTITIES = [
    ("Sum(a^i, (i, 0, K))", "(1-a^(K+1))/(1-a)", GEOMETRIC),
    ("Sum(a^i, (i, 1, K+1))/a", "(1-a^(K+1))/(1-a)", GEOMETRIC),
    ("1 + a*(1-a^K)/(1-a)", "(1-a^(K+1))/(1-a)", GEOMETRIC),
    ("(1-a^(2*K))/(1-a^K)", "1 + a^K", GEOMETRIC),
    ("Sum(a^i,(i,0,K))/(K*c+1)", "(1-a^(K+1))/((1-a)*(K*c+1))", GEOMETRIC),
    ("Sum(i*(1-a)*a^i, (i, 0, K-1)) + K*a^K", "a*(1-a^K)/(1-a)", GEOMETRIC),
    ("1-min(p,q)-min(1-p,1-q)", "|p-q|", "0 < p < 1; 0 < q < 1"),
    ("max(0,p-q)+max(0,q-p)", "|p-q|", "0 < p < 1; 0 < q < 1"),
    ("sqrt((p-q)^2)", "max(p,q)-min(p,q)", "0 < p < 1; 0 < q < 1"),
    ("min(p,q)*max(p,q)", "p*q", "0 < p < 1; 0 < q < 1"),
    ("max(0, p-q) + |q-p| + min(p, q)", "2*p - q", "0.5 < p < 1; 0 < q < 0.5"),
    ("ln(1/2)/ln(a)", "-log(2)/log(a)", GEOMETRIC),
    ("log2(1/2)/log2(a)", "-log(2)/log(a)", GEOMETRIC),
    ("2*L*H/(B/b)", "L*H*b*2/B", "L > 0; H > 0; B > 0; b > 0"),
]


def test_the_identities_of_the_subject_are_proved() -> None:
    findings = prove([claim(*identity) for identity in IDENTITIES])

    assert {
        left: finding
        for (left, _, _), finding in zip(IDENTITIES, findings, strict=True)
        if not isinstance(finding, Equal)
    } == {}


def test_a_difference_is_proved_by_a_point() -> None:
    (finding,) = prove([claim("(1-a^K)/(1-a)", "(1-a^(K+1))/(1-a)", GEOMETRIC)])

    assert isinstance(finding, Different)
    assert finding.point.startswith("At a = 0.5")


def test_what_no_recipe_proves_is_not_guessed() -> None:
    (finding,) = prove([claim("round(K)", "K", GEOMETRIC)])

    assert isinstance(finding, NotProved)


def test_a_proof_that_takes_too_long_is_given_up_and_the_next_one_begun() -> None:
    findings = prove([claim("Sum(a^i, (i, 0, K))", "(1-a^(K+1))/(1-a)", GEOMETRIC)] * 2, seconds=0.01)

    assert [type(finding) for finding in findings] == [NotProved, NotProved]


def test_a_child_without_memory_proves_nothing_and_harms_nothing() -> None:
    (finding,) = prove([claim("a + a", "2*a", GEOMETRIC)], megabytes=1)

    assert isinstance(finding, NotProved)


def test_a_questions_forms_are_proved_equal_and_its_misconceptions_different() -> None:
    question = Question(
        "(1 - alpha^(K+1))/(1 - alpha)",
        "0 < alpha < 1; K integer >= 1",
        also=("Sum(alpha^i, (i, 0, K))",),
        misconceptions=(Misconception("K*alpha + 1", "That counts every draft."),),
    )

    proofs = prove_question(question)

    assert [proof.formula for proof in proofs] == ["Sum(alpha^i, (i, 0, K))", "K*alpha + 1"]
    assert all(proof.holds for proof in proofs)


def test_a_form_that_differs_does_not_hold() -> None:
    (proof,) = prove_question(Question("a", "0 < a < 1", also=("a^2",)))

    assert not proof.holds


def test_an_unreadable_form_is_refused() -> None:
    with pytest.raises(ValueError, match="not a name"):
        prove_question(Question("a", "0 < a < 1", also=("b",)))
