"""One question, many numbers: drawing a variant, putting it into texts, and handing it to the checker."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Literal

from specquiz import answers
from specquiz.banks.model import AnyQuestion, NumericQuestion, SymbolicQuestion

PLACEHOLDER = re.compile(r"\{(\w+)\}")


def draw_values(question: AnyQuestion, rng: random.Random) -> dict[str, str]:
    """Variable name to one of its numbers, as written. Empty for a question whose numbers do not vary."""
    if not isinstance(question, NumericQuestion):
        return {}
    return {name: rng.choice(variable.values) for name, variable in question.vars.items() if variable.values}


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with `{name}` replaced by the variant's number. Other braces are text."""
    return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text) if values else text


def answer_question(question: NumericQuestion | SymbolicQuestion, values: Mapping[str, str]) -> answers.Question:
    """What the checker needs to know, with the variant's numbers put into what it may say."""
    kind: Literal["numeric", "symbolic"]
    if isinstance(question, NumericQuestion):
        kind, tolerance, unit = "numeric", question.tolerance, question.unit
    else:
        kind, tolerance, unit = "symbolic", "exact", ""
    return answers.Question(
        reference=question.answer,
        domain="; ".join(variable.domain for variable in question.vars.values()),
        kind=kind,
        tolerance=tolerance,
        unit=unit,
        form=question.form,
        aliases={alias: name for name, variable in question.vars.items() for alias in variable.aliases},
        values=values,
        also=question.also + tuple(step.form for step in question.derivation),
        misconceptions=tuple(
            answers.Misconception(answer=wrong.answer, say=fill(wrong.say, values)) for wrong in question.misconceptions
        ),
    )
