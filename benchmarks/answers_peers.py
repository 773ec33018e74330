"""This checker beside math-verify, SymPy's `simplify` and SymPy's `equals`: verdicts and times on the same pairs.

The pairs are the rows of the table of cases that need neither unit, form nor tolerance. A peer is asked whether the
submitted answer equals the reference, both as typed and not prepared for it (math-verify would rather have LaTeX); an
exception is a refusal, more than five seconds a hang. Each runs in a process of its own, and all in an environment of
their own, so that none becomes a dependency:

    python -m venv peers && peers/bin/pip install math-verify[antlr4_13_2] sympy && peers/bin/pip install -e .
    peers/bin/python benchmarks/answers_peers.py
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from specquiz.answers.cases import Case, read_cases

TABLE = Path(__file__).parent.parent / "tests" / "answers" / "cases.tsv"
MOST_SECONDS = 5.0

Accepts = Callable[[Case], bool]


def specquiz(case: Case) -> bool:
    from specquiz.answers import check

    return check(case.question, case.submitted).outcome == "correct"


def _sympy_difference(case: Case) -> object:
    """Reference minus answer as SymPy reads them, the variables with the assumptions that SymPy can hold."""
    import sympy
    from sympy.parsing.sympy_parser import (
        convert_xor,
        implicit_multiplication_application,
        parse_expr,
        standard_transformations,
    )

    from specquiz.answers.domain import read_domain

    names: dict[str, object] = {
        variable.name: sympy.Symbol(variable.name, positive=True, integer=variable.integer or None)
        for variable in read_domain(case.question.domain)
    }
    names |= {alias: names[name] for alias, name in case.question.aliases.items()}
    functions = {"min": sympy.Min, "max": sympy.Max, "ln": sympy.log, "abs": sympy.Abs}
    rules = (*standard_transformations, convert_xor, implicit_multiplication_application)

    def parsed(text: str) -> object:
        return parse_expr(text, local_dict={**functions, **names}, transformations=rules)

    return parsed(case.question.reference) - parsed(case.submitted)  # type: ignore[operator]


def sympy_simplify(case: Case) -> bool:
    import sympy

    return bool(sympy.simplify(_sympy_difference(case)).doit() == 0)


def sympy_equals(case: Case) -> bool:
    return _sympy_difference(case).doit().equals(0) is True  # type: ignore[attr-defined]


def math_verify(case: Case) -> bool:
    from math_verify import parse, verify

    return bool(verify(parse(f"${case.question.reference}$"), parse(f"${case.submitted}$")))


CHECKERS: dict[str, Accepts] = {
    "specquiz": specquiz,
    "math-verify": math_verify,
    "SymPy simplify": sympy_simplify,
    "SymPy equals": sympy_equals,
}


class Trial(NamedTuple):
    """What a checker did with one case; `accepted` is None for a refusal, `seconds` None for a hang."""

    case: Case
    accepted: bool | None
    seconds: float | None


def _serve(name: str, pipe: Connection) -> None:
    accepts = CHECKERS[name]
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives; some peers run what is typed
    while True:
        case = pipe.recv()
        started = time.perf_counter()
        try:
            accepted: bool | None = accepts(case)
        except BaseException:  # noqa: BLE001 - whatever a peer raises is its way of refusing, `quit()` included
            accepted = None
        pipe.send((accepted, time.perf_counter() - started))


class Worker:
    """A checker in a process of its own, begun anew after a hang and warmed up by a first case that is not timed."""

    def __init__(self, name: str, first: Case) -> None:
        self.name = name
        self.first = first
        self.begin()

    def begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(self.name, theirs), daemon=True)
        self.process.start()
        self.pipe.send(self.first)
        self.pipe.poll(60)
        self.pipe.recv()

    def judge(self, case: Case) -> Trial:
        self.pipe.send(case)
        if self.pipe.poll(MOST_SECONDS):
            return Trial(case, *self.pipe.recv())
        self.end()
        self.begin()
        return Trial(case, None, None)

    def end(self) -> None:
        self.process.kill()
        self.process.join()


def row(name: str, trials: list[Trial]) -> str:
    right = [trial for trial in trials if trial.case.expected == "correct"]
    other = [trial for trial in trials if trial.case.expected != "correct"]
    times = [1e3 * trial.seconds for trial in trials if trial.seconds is not None]
    return (
        f"{name:16} {sum(bool(trial.accepted) for trial in right):4} of {len(right):3}"
        f" {sum(bool(trial.accepted) for trial in other):10} of {len(other):3}"
        f" {sum(trial.seconds is None for trial in trials):6}"
        f" {median(times):10.2f} {quantiles(times, n=100, method='inclusive')[98]:10.1f}"
    )


def main() -> None:
    rows = read_cases(TABLE.read_text(encoding="utf-8"))
    plain = ("exact", "", "")
    cases = [case for case in rows if (case.question.tolerance, case.question.unit, case.question.form) == plain]
    print(f"{len(cases)} pairs       right accepted   wrong accepted  hangs  median ms     p99 ms")
    for name in CHECKERS:
        worker = Worker(name, cases[0])
        print(row(name, [worker.judge(case) for case in cases]), flush=True)
        worker.end()


if __name__ == "__main__":
    main()
