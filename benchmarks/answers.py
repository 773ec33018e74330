"""How long a verdict takes: symbolic, numeric and hostile answers, and the import of the checker.

Times are processor time of `check` for the first answer to a question, so that reading its reference is included; each
answer is timed a few times on a fresh question and the least counts. Exit code 1 if a budget is not met. `--smoke`
times each answer twice and, as the machine may be busy, stretches the budgets by how much slower than usual it adds
fractions.

    python benchmarks/answers.py [--smoke]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from specquiz.answers import Question, check
from specquiz.answers.cases import Case, read_cases

TABLE = Path(__file__).parent.parent / "tests" / "answers" / "cases.tsv"
USUAL_ADDITION = 1.3e-6
"""Seconds that adding two short fractions takes on the machine where the budgets were set."""

HOSTILE = [
    "Sum(Sum(Sum(a^(i*j*k),(i,0,199)),(j,0,199)),(k,0,199))",
    "Sum(exp(Sum(ln(a+i+j),(i,0,199))),(j,0,199))",
    "Sum(a^i,(i,0,199))",
    "Sum((1/i)^60,(i,1,199))",
    "+".join(["ln(a)^a"] * 50),
    "*".join(["(a+1/3)^600"] * 20),
    "(" * 39 + "a" + ")^99" * 39,
    "2^" * 199 + "2",
    "a" * 400,
    "9**9**9**9",
    "\\frac{" * 60,
    "1,234" * 80,
]


class Budget(NamedTuple):
    """A figure, what it may be at most, and its name. Milliseconds."""

    name: str
    measured: float
    most: float


def least(action: Callable[[int], object], rounds: int) -> float:
    """The least processor time of an action, in milliseconds."""
    times = []
    for turn in range(rounds):
        started = time.process_time_ns()
        action(turn)
        times.append((time.process_time_ns() - started) / 1e6)
    return min(times)


def verdict_time(question: Question, text: str, rounds: int) -> float:
    """The time of the first answer to a question; a note that changes makes the question a new one each time."""
    return least(lambda turn: check(question._replace(also=(f"{text} {turn} {rounds}",)), text), rounds)


def share(times: Sequence[float], percent: int) -> float:
    """The time that `percent` of the answers do not exceed."""
    return quantiles(times, n=100, method="inclusive")[percent - 1]


def import_time(rounds: int) -> float:
    """Processor time that a fresh interpreter takes longer with the checker than without, in milliseconds."""

    def run(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-I", "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3

    pairs = [(run("import specquiz.answers"), run("pass")) for _ in range(rounds)]
    return min(long for long, _ in pairs) - min(short for _, short in pairs)


def slowness() -> float:
    """How many times slower than usual this machine is now, at least 1."""
    one, other = Fraction(1234567, 7654321), Fraction(7654321, 2345671)

    def add(_: int) -> None:
        for _ in range(1000):
            one + other

    return max(1.0, least(add, 5) / 1e6 / USUAL_ADDITION)


def figures(cases: Sequence[Case], rounds: int) -> list[Budget]:
    """Everything measured."""
    symbolic, numeric = (
        [
            verdict_time(case.question, case.submitted, rounds)
            for case in cases
            if case.question.kind == kind and not case.why.startswith("hostile")
        ]
        for kind in ("symbolic", "numeric")
    )
    geometric = Question("(1-a^(K+1))/(1-a)", "0 < a < 1; K integer >= 1")
    refused = [case.submitted for case in cases if case.why.startswith("hostile")]
    hostile = [verdict_time(geometric, text, rounds) for text in [*refused, *HOSTILE]]
    return [
        Budget("symbolic answer, median", median(symbolic), 1.5),
        Budget("symbolic answer, p99", share(symbolic, 99), 10),
        Budget("numeric answer, median", median(numeric), 0.2),
        Budget("numeric answer, p99", share(numeric, 99), 1.5),
        Budget("hostile text, longest", max(hostile), 50),
        Budget("import", import_time(max(5, rounds)), 25),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Time the answer checker.")
    parser.add_argument("--smoke", action="store_true", help="a few seconds; budgets stretch on a busy machine")
    smoke = parser.parse_args().smoke
    stretch = slowness() * 1.5 if smoke else 1.0
    measured = figures(read_cases(TABLE.read_text(encoding="utf-8")), rounds=2 if smoke else 7)
    for name, value, most in measured:
        print(f"{name:26} {value:8.3f} ms   budget {most * stretch:6.2f} ms")
    over = [name for name, value, most in measured if value > most * stretch]
    print(f"over budget: {', '.join(over)}" if over else "all within budget")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
