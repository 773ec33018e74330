"""Coverage-guided fuzzing of the answer checker with atheris, which needs an environment of its own.

    python -m venv fuzzing && fuzzing/bin/pip install atheris && fuzzing/bin/pip install -e .
    fuzzing/bin/python tests/fuzz/answers.py -max_total_time=600 -max_len=400 [CORPUS]

A finding is an exception, or a text that takes more than 150 ms of processor time three times over: the budget is
50 ms, and code runs two to three times slower when it is instrumented for coverage. Time such a text without.
"""

from __future__ import annotations

import sys
import time

import atheris

with atheris.instrument_imports(include=["specquiz"]):
    from specquiz.answers import Question, check

DOMAIN = "0 < alpha < 1; K integer >= 1; F > 0"
VALUES = {"alpha": "0.7", "K": "4", "F": "2"}
QUESTIONS = (
    Question("(1-alpha^(K+1))/(1-alpha)", DOMAIN, aliases={"a": "alpha"}),
    Question("min(alpha, F)*ln(F)", DOMAIN, form="closed"),
    Question("alpha*F^K", DOMAIN, "numeric", "sig:3", values=VALUES),
    Question("2.7731", kind="numeric", tolerance="places:2"),
    Question("3350", kind="numeric", tolerance="rel:0.005", unit="GB/s"),
    Question("55.46", kind="numeric", tolerance="sig:3", unit="%"),
)
MOST_SECONDS = 0.15


def judge(octets: bytes) -> None:
    """Check the octets, as text, against the question that the first of them chooses."""
    if not octets:
        return
    question = QUESTIONS[octets[0] % len(QUESTIONS)]
    text = octets[1:].decode("utf-8", "replace")
    if _seconds(question, text) > MOST_SECONDS:
        fastest = min(_seconds(question, text) for _ in range(3))
        if fastest > MOST_SECONDS:
            raise RuntimeError(f"{fastest * 1e3:.0f} ms for {text!r}")


def _seconds(question: Question, text: str) -> float:
    started = time.process_time()
    check(question, text)
    return time.process_time() - started


if __name__ == "__main__":
    atheris.Setup(sys.argv, judge)
    atheris.Fuzz()
