"""A derivation as lines of text: what each step does, and the formula that comes of it in two dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from specquiz.answers.derivation import print_steps
from specquiz.banks.model import AnyQuestion, NumericQuestion, SymbolicQuestion
from specquiz.banks.variants import answer_question, fill


def has_derivation(question: AnyQuestion) -> bool:
    """Whether the question's answer can be shown step by step."""
    return isinstance(question, NumericQuestion | SymbolicQuestion) and bool(question.derivation)


def derivation_lines(question: AnyQuestion, values: Mapping[str, str]) -> list[str]:
    """The steps from a form that is plainly right to the answer; empty where the author gave none.

    Takes up to some seconds, since SymPy prints the formulas: call it outside the event loop.
    """
    if not isinstance(question, NumericQuestion | SymbolicQuestion) or not question.derivation:
        return []
    printed = print_steps(answer_question(question, values), [step.form for step in question.derivation])
    says = [" ".join(fill(step.say, values).split()) for step in question.derivation]
    return list(_numbered(says, printed))[:-1]


def _numbered(says: list[str], printed: list[tuple[str, ...]]) -> Iterator[str]:
    for number, (say, lines) in enumerate(zip(says, printed, strict=True), 1):
        yield f"{number}. {say}"
        yield ""
        yield from (f"    {line}".rstrip() for line in lines)
        yield ""
