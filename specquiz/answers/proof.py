"""Proofs for authors: that other forms equal the answer, and that misconceptions differ from it.

A difference is proved by one exact point. Equality is proved by SymPy in a child process with bounds on time and memory
(`symbolic`); where no recipe succeeds the finding is `NotProved`, never a guess.
"""

from __future__ import annotations

import os
import pickle
import selectors
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from specquiz.answers.arithmetic import Meter
from specquiz.answers.comparison import REFERENCE_WORK, Graph, reference_graph
from specquiz.answers.domain import Variable, plain_points
from specquiz.answers.expression import Node
from specquiz.answers.question import Question
from specquiz.answers.reading import read
from specquiz.answers.slips import counterexample, difference
from specquiz.answers.subject import Subject

SECONDS = 20.0
"""How long one proof may take, the start of SymPy included."""
MEGABYTES = 2048
"""Address space of the child process."""


class Claim(NamedTuple):
    """Two formulas and the domain on which they are compared."""

    left: Node
    right: Node
    variables: tuple[Variable, ...]


class Equal(NamedTuple):
    """The two sides are proved equal."""

    recipe: str
    """How, such as `cancelling`."""


class Different(NamedTuple):
    """The two sides are proved different."""

    point: str
    """A sentence with a point of the domain and both values."""


class NotProved(NamedTuple):
    """Neither is proved."""

    why: str


Finding = Equal | Different | NotProved


class Proof(NamedTuple):
    """What was found about one formula of a question."""

    formula: str
    expected: type[Equal] | type[Different]
    """What has to be found: another form must be `Equal`, a misconception `Different`."""
    finding: Finding

    @property
    def holds(self) -> bool:
        """Whether what was expected is proved."""
        return isinstance(self.finding, self.expected)


def prove_question(question: Question, seconds: float = SECONDS) -> tuple[Proof, ...]:
    """Prove every other form equal to the reference, and every misconception different from it.

    Raises:
        ValueError: a formula of the question cannot be read.
    """
    subject = Subject(question)
    formulas = [*question.also, *(wrong.answer for wrong in question.misconceptions)]
    trees = [*(read(form, subject.vocabulary).tree for form in question.also), *subject.misconceptions]
    expected = [Equal] * len(question.also) + [Different] * len(subject.misconceptions)
    findings = prove([Claim(tree, subject.tree, subject.variables) for tree in trees], seconds)
    return tuple(map(Proof, formulas, expected, findings))


def prove(claims: Sequence[Claim], seconds: float = SECONDS, megabytes: int = MEGABYTES) -> list[Finding]:
    """Decide each claim; those that no exact point disproves go to SymPy.

    Args:
        claims: what to decide.
        seconds: bound on each proof.
        megabytes: bound on the memory of the child process.

    Raises:
        ValueError: a right-hand side is undefined on most of its domain.
    """
    findings: list[Finding | None] = [_difference(claim) for claim in claims]
    while None in findings:
        place = findings.index(None)
        open_places = [index for index in range(place, len(claims)) if findings[index] is None]
        decided = _recipes([claims[index] for index in open_places], seconds, megabytes)
        for index, finding in zip(open_places, decided, strict=False):
            findings[index] = finding
    return [finding for finding in findings if finding is not None]


def _difference(claim: Claim) -> Different | None:
    reference = reference_graph(claim.right, claim.variables, {})
    graph = Graph(claim.left, reference.points, Meter(REFERENCE_WORK))
    if graph.agrees(reference):
        return None
    plain = counterexample(graph, claim.right, plain_points(claim.variables))
    known = zip(reference.points, graph, reference, strict=True)
    return Different(
        plain or next(say for point, one, two in known if two is not None and (say := difference(point, one, two)))
    )


def _recipes(claims: list[Claim], seconds: float, megabytes: int) -> list[Finding]:
    """The findings of one child process on as many of the claims as it decides, at least one."""
    findings: list[Finding] = []
    child = subprocess.Popen(
        [sys.executable, "-m", "specquiz.answers.symbolic"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "SYMPY_GROUND_TYPES": "python"},
    )
    assert child.stdin
    assert child.stdout
    try:
        with child.stdin as pipe:
            pickle.dump((megabytes, claims), pipe)
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            for _ in claims:
                if not selector.select(seconds):
                    return [*findings, NotProved(f"no proof was found within {seconds:g} seconds")]
                line = child.stdout.readline().decode()
                if not line:
                    return [*findings, NotProved("the proof needed more memory than is allowed")]
                recipe = line.strip()
                findings.append(Equal(recipe) if recipe else NotProved("no recipe turned the difference into zero"))
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    return findings
