"""Whether the formulas of a question are true: proved, judged alike for every variant, and simulated where they can be.

A finding is `refuted` only on evidence: an exact point, a proof, a verdict of the checker, or a simulation more than
five standard errors away. What cannot be decided is `not proved`.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

from specquiz.answers import Correct, Question, check
from specquiz.answers.arithmetic import Meter, TooBig, Value
from specquiz.answers.comparison import REFERENCE_WORK, value_at
from specquiz.answers.expression import Node
from specquiz.answers.proof import SECONDS, Equal, NotProved, prove_question
from specquiz.answers.subject import Subject
from specquiz.banks.formula_rules import choose_variants
from specquiz.banks.model import NumericQuestion, SymbolicQuestion
from specquiz.banks.variants import answer_question

STANDARD_ERRORS = 5
"""A simulation this far from the answer, or further, contradicts it (by chance once in 1.7 million)."""
ROUNDS = 200_000
"""Rounds simulated per variant."""
SIMULATED_VARIANTS = 4
MOST_DRAFTED = 64
"""Longer drafts are not simulated."""

Standing = Literal["proved", "not proved", "refuted"]


class _Statistic(NamedTuple):
    """A property of `SimulatedRounds`, and whether it is a share of the K drafted tokens."""

    name: Literal["tokens_per_pass", "mean_accepted", "draft_acceptance_rate"]
    per_drafted: bool = False


SIMULATED: Mapping[str, _Statistic] = {
    "tokens_per_pass": _Statistic("tokens_per_pass"),
    "mean_acceptance_length": _Statistic("tokens_per_pass"),
    "accepted_per_draft": _Statistic("mean_accepted"),
    "draft_acceptance_rate": _Statistic("draft_acceptance_rate", per_drafted=True),
}
"""Quantity of a question in alpha and K alone to what is simulated."""

_POINTS: tuple[dict[str, str], ...] = (
    {"alpha": "0.3", "K": "1"},
    {"alpha": "0.5", "K": "3"},
    {"alpha": "0.8", "K": "5"},
    {"alpha": "0.9", "K": "8"},
)
"""Where a symbolic answer, which draws no numbers, is simulated."""


class Verification(NamedTuple):
    """What was found about one question."""

    standing: Standing
    notes: tuple[str, ...]
    """What is refuted, else what is not proved; a sentence each."""
    claims: int
    """Other forms and misconceptions that were compared with the answer."""
    variants: int
    """Variants that the checker judged."""
    simulated: int
    """Variants that a simulation agreed with."""


def verify(question: NumericQuestion | SymbolicQuestion, seconds: float = SECONDS) -> Verification:
    """Verify one question.

    Args:
        question: its formulas may be wrong, or no formulas at all.
        seconds: bound on each proof.
    """
    variants = choose_variants(question)
    try:
        proofs = prove_question(answer_question(question, variants[0]), seconds)
        refuted = [note for values in variants for note in _misjudged(answer_question(question, values), values)]
        runs = list(_simulations(question))
    except (ValueError, TooBig) as error:
        return Verification("refuted", (f"a formula cannot be used: {error}",), 0, 0, 0)
    unproved = []
    for proof in proofs:
        if isinstance(proof.finding, NotProved):
            unproved.append(f"{proof.formula}: {proof.finding.why}")
        elif not proof.holds:
            equal = isinstance(proof.finding, Equal)
            how = "this mistake equals the answer" if equal else f"this form differs. {proof.finding[0]}"
            refuted.append(f"{proof.formula}: {how}")
    refuted += [run for run in runs if run]
    standing: Standing = "refuted" if refuted else "not proved" if unproved else "proved"
    notes = tuple(dict.fromkeys(refuted or unproved))
    return Verification(standing, notes, len(proofs), len(variants), runs.count(""))


def _misjudged(asked: Question, values: Mapping[str, str]) -> Iterator[str]:
    """What the checker says of one variant that it must not say, of formulas and of the exact numbers they yield."""
    subject = Subject(asked)
    for text in (asked.reference, *asked.also, *_number(asked, subject, subject.tree)):
        if check(asked, text).outcome == "wrong":
            yield f"{text} is judged wrong{_where(values)}"
    for wrong, tree in zip(asked.misconceptions, subject.misconceptions, strict=True):
        if any(isinstance(check(asked, text), Correct) for text in (wrong.answer, *_number(asked, subject, tree))):
            yield f"{wrong.answer}: this mistake is judged correct{_where(values)}"


def _number(asked: Question, subject: Subject, tree: Node) -> tuple[str, ...]:
    """The exact number that a learner could type for a formula in a numeric question, if it is rational."""
    value = value_at(tree, subject.values, Meter(REFERENCE_WORK)) if asked.kind == "numeric" else None
    return (str(value),) if isinstance(value, Fraction) else ()


def _simulations(question: NumericQuestion | SymbolicQuestion) -> Iterator[str]:
    """For each simulated variant how the simulation contradicts the answer, `""` where it agrees."""
    statistic = SIMULATED.get(question.quantity)
    if statistic is None or set(question.vars) != {"alpha", "K"}:
        return
    seed = zlib.crc32(question.id.encode())
    for values in _simulated_variants(question, seed):
        answer = _value(question, values)
        yield _contradiction(statistic, values, answer, seed)


def _simulated_variants(question: NumericQuestion | SymbolicQuestion, seed: int) -> list[dict[str, str]]:
    if isinstance(question, NumericQuestion):
        variants = choose_variants(question)
        variants = random.Random(seed).sample(variants, min(SIMULATED_VARIANTS, len(variants)))
    else:
        variants = list(_POINTS)
    domain = {variable.name: variable for variable in Subject(answer_question(question, {})).variables}
    inside = [v for v in variants if all(domain[name].holds(Fraction(text)) for name, text in v.items())]
    return [v for v in inside if 0 < Fraction(v["alpha"]) < 1 and 1 <= Fraction(v["K"]) <= MOST_DRAFTED]


def _value(question: NumericQuestion | SymbolicQuestion, values: Mapping[str, str]) -> Value | None:
    subject = Subject(answer_question(question, values))
    return value_at(subject.tree, subject.values, Meter(REFERENCE_WORK))


def _contradiction(statistic: _Statistic, values: Mapping[str, str], answer: Value | None, seed: int) -> str:
    from specquiz.theory import simulate_rounds

    k = int(Fraction(values["K"]))
    rounds = simulate_rounds(float(Fraction(values["alpha"])), k, ROUNDS, seed=seed)
    found = float(getattr(rounds, statistic.name))
    error = rounds.standard_error / (k if statistic.per_drafted else 1)
    if answer is None:
        return f"the answer has no value{_where(values)}"
    if abs(found - float(answer)) <= STANDARD_ERRORS * error:
        return ""
    return f"the answer is {float(answer):.6g}{_where(values)}, simulated is {found:.6g} ± {error:.2g}"


def _where(values: Mapping[str, str]) -> str:
    return f" at {', '.join(f'{name} = {value}' for name, value in values.items())}" if values else ""
