"""`specquiz check`: judge one answer, or a file of cases, against a closed form."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from specquiz.answers import Question, Verdict

_EXAMPLES = """\
examples:
  specquiz check --reference "(1-a^(K+1))/(1-a)" --domain "0 < a < 1; K integer >= 1" --answer "Sum(a^i, (i, 0, K))"
  specquiz check --reference "(1-a^(K+1))/(1-a)" --domain "0 < a < 1; K integer >= 1" \\
                 --set a=0.7,K=4 --tolerance places:2 --answer 2.77
  specquiz check --cases cases.tsv

exit code: 0 the answer is right (or every case agrees), 1 it is wrong or invalid, 2 the command was used wrongly
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = _EXAMPLES
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--answer", metavar="TEXT", help="the answer to judge; it may begin with a minus sign")
    what.add_argument("--cases", metavar="FILE.tsv", type=Path, help="judge every row and compare with its verdict")
    parser.add_argument("--reference", metavar="EXPR", help="the closed form")
    parser.add_argument("--domain", default="", help='such as "0 < a < 1; K integer >= 1"')
    parser.add_argument("--set", metavar="NAME=VALUE,…", default="", help="a numeric question's values")
    parser.add_argument(
        "--kind", choices=("numeric", "symbolic"), help="default: numeric with --set or without --domain"
    )
    parser.add_argument(
        "--tolerance", default="exact", help="exact (default), places:N, sig:N, rel:X, abs:X, decades:X"
    )
    parser.add_argument("--unit", default="", help="the unit of the reference, such as ms, GB/s or %%")
    parser.add_argument("--form", default="", help="closed, expanded, fraction, lowest-terms, decimal, max-nodes:N")
    parser.add_argument(
        "--alias", metavar="ALIAS=NAME", action="append", default=[], help="another spelling; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print verdict, message, read_as and value as JSON")
    _let_answers_begin_with_minus(parser)


def _let_answers_begin_with_minus(parser: argparse.ArgumentParser) -> None:
    """Join `--answer -a/2` to `--answer=-a/2`, which argparse would take for an option."""
    parse = parser.parse_known_args

    def parse_joined(args: Sequence[str] | None = None, namespace: object = None) -> object:
        words = list(sys.argv[1:] if args is None else args)
        if "--answer" in words[:-1]:
            place = words.index("--answer")
            words[place : place + 2] = [f"--answer={words[place + 1]}"]
        return parse(words, namespace)

    parser.parse_known_args = parse_joined  # type: ignore[method-assign, assignment]


def run(arguments: argparse.Namespace) -> int:
    """Judge what was asked and print it."""
    from specquiz.errors import UsageError

    if arguments.cases:
        return _run_cases(arguments.cases)
    if arguments.reference is None:
        raise UsageError("there is nothing to check against", remedy="Give the closed form with --reference.")
    from specquiz.answers import check

    try:
        verdict = check(_question(arguments), arguments.answer)
    except ValueError as error:
        raise UsageError(f"the question cannot be used: {error}", remedy="See specquiz check --help.") from error
    _print(verdict, arguments.answer, arguments.json)
    return 0 if verdict.outcome == "correct" else 1


def _question(arguments: argparse.Namespace) -> Question:
    from specquiz.answers import Question

    values = _pairs(arguments.set.split(","), "--set a=0.7,K=4")
    kind: Literal["numeric", "symbolic"]
    kind = arguments.kind or ("symbolic" if arguments.domain and not values else "numeric")
    return Question(
        arguments.reference,
        arguments.domain,
        kind,
        arguments.tolerance,
        arguments.unit,
        arguments.form,
        _pairs(arguments.alias, "--alias alpha=a"),
        values,
    )


def _pairs(texts: Sequence[str], example: str) -> dict[str, str]:
    from specquiz.errors import UsageError

    pairs = {}
    for text in filter(str.strip, texts):
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise UsageError(f"“{text}” is not of the form NAME=VALUE", remedy=f"For example: {example}")
        pairs[name] = value
    return pairs


def _print(verdict: Verdict, answer: str, as_json: bool) -> None:
    if as_json:
        from specquiz.terminal import visible_json

        facts = {
            "verdict": verdict.outcome,
            "message": verdict.message,
            "read_as": verdict.read_as,
            "value": verdict.value,
        }
        print(visible_json(facts, indent=None))
        return
    print(f"{verdict.outcome}: {verdict.message}")
    at = verdict.at if verdict.outcome == "invalid" else None
    if at is not None and answer.isprintable():
        print(f"  {answer}\n  {' ' * at}^")
    if verdict.read_as:
        value = f" = {verdict.value}" if verdict.value and verdict.value != verdict.read_as else ""
        print(f"  read as {verdict.read_as}{value}")


def _run_cases(path: Path) -> int:
    from specquiz.answers.cases import read_cases, verdict_on
    from specquiz.errors import UsageError

    try:
        cases = read_cases(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError("the cases cannot be read", where=str(path), remedy=str(error.strerror)) from error
    except ValueError as error:
        raise UsageError(str(error), where=str(path)) from error
    agreeing = 0
    for case in cases:
        outcome, message = verdict_on(case)
        if outcome == case.expected:
            agreeing += 1
        else:
            print(f"{case.id}: “{case.submitted}” expected {case.expected}, got {outcome}: {message}")
    print(f"{agreeing} agree, {len(cases) - agreeing} disagree")
    return 0 if agreeing == len(cases) else 1
