"""Tables of answers with the verdicts that are expected of a checker, as tab-separated text."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, cast

from specquiz.answers.checking import check
from specquiz.answers.question import Question

COLUMNS = ["id", "reference", "domain", "kind", "tolerance", "unit", "form", "aliases", "submitted", "expected", "why"]

_REPEAT = re.compile(r"«REPEAT (\S+) (\d{1,6})»")
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})")


class Case(NamedTuple):
    """One row: a question, what was submitted, and the outcome that is right."""

    id: str
    question: Question
    submitted: str
    expected: str
    why: str


def read_cases(text: str) -> list[Case]:
    """The rows of a table whose first line names the columns; `-` stands for nothing.

    `«REPEAT s n»` in a submitted answer stands for `s` written n times, `\\x00` for that control character.

    Raises:
        ValueError: a row does not have the columns, or holds an unknown kind.
    """
    lines = text.splitlines()
    if not lines or lines[0].split("\t") != COLUMNS:
        raise ValueError(f"the first line must name the columns {', '.join(COLUMNS)}")
    return [_case(line, number) for number, line in enumerate(lines[1:], start=2) if line.strip()]


def _case(line: str, number: int) -> Case:
    cells = line.split("\t")
    if len(cells) == len(COLUMNS) - 1:
        cells.append("")
    if len(cells) != len(COLUMNS):
        raise ValueError(f"line {number} has {len(cells)} columns in place of {len(COLUMNS)}")
    row = dict(zip(COLUMNS, cells, strict=True))
    given = {column: "" if row[column].strip() == "-" else row[column] for column in COLUMNS[:8]}
    if given["kind"] not in ("numeric", "symbolic"):
        raise ValueError(f"line {number}: the kind “{given['kind']}” is neither numeric nor symbolic")
    question = Question(
        reference=given["reference"],
        domain=given["domain"],
        kind=cast(Literal["numeric", "symbolic"], given["kind"]),
        tolerance=given["tolerance"] or "exact",
        unit=given["unit"],
        form=given["form"],
        aliases=dict(_pair(part) for part in re.split(r"[;,]", given["aliases"]) if part.strip()),
    )
    return Case(row["id"], question, _expanded(row["submitted"]), row["expected"].strip(), row["why"])


def _pair(text: str) -> tuple[str, str]:
    alias, _, name = text.partition("=")
    return alias.strip(), name.strip()


def _expanded(text: str) -> str:
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return _REPEAT.sub(lambda match: match[1] * int(match[2]), text)


def verdict_on(case: Case) -> tuple[str, str]:
    """The outcome and message for a case; `broken` for a question that cannot be used."""
    try:
        verdict = check(case.question, case.submitted)
    except ValueError as error:
        return "broken", str(error)
    return verdict.outcome, verdict.message
