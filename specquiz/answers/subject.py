"""A question with its reference read: what `checking` works on. Kept between answers to the same question."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from specquiz.answers import forms
from specquiz.answers.arithmetic import Meter, Value
from specquiz.answers.comparison import REFERENCE_WORK, Graph, reference_graph, value_at
from specquiz.answers.domain import read_domain
from specquiz.answers.measures import PERCENT
from specquiz.answers.question import Question
from specquiz.answers.reading import read
from specquiz.answers.tolerance import read_tolerance
from specquiz.answers.units import read_unit
from specquiz.answers.vocabulary import Vocabulary, spelled_out


class Subject:
    """A question's parts, read and ready.

    Args:
        question: the question; values and domain decide nothing about the answer yet.

    Raises:
        ValueError: a part of the question cannot be read.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.variables = read_domain(question.domain)
        declared = [variable.name for variable in self.variables]
        self.values = {spelled_out(name): constant(text) for name, text in question.values.items()}
        undeclared = [name for name in self.values if name not in declared]
        self.vocabulary = Vocabulary([*declared, *undeclared], question.aliases)
        self.tree = read(question.reference, self.vocabulary).tree
        self.misconceptions = tuple(read(wrong.answer, self.vocabulary).tree for wrong in question.misconceptions)
        self.tolerance = read_tolerance(question.tolerance)
        forms.check_form(question.form)
        self.counts_bytes = self._counts_bytes(question.unit)
        """The unit counts bytes or bits."""
        self.counts_drafts = any(v.integer for v in self.variables) and any(
            v.low == 0 and v.high == 1 for v in self.variables
        )
        """The question has an integer and a share between 0 and 1: tokens by draft length and acceptance."""
        self._graphs: dict[frozenset[str], Graph] = {}
        self._misconception_graphs: dict[tuple[int, frozenset[str]], Graph] = {}

    @staticmethod
    def _counts_bytes(unit: str) -> bool:
        if unit in ("", PERCENT):
            return False
        measured = read_unit(unit)
        if measured is None:
            raise ValueError(f"“{unit}” is not a unit that is known here")
        return "byte" in measured.dimension

    def value(self) -> Value:
        """The reference at the question's values.

        Raises:
            ValueError: it is undefined there, or a variable has no value.
        """
        missing = [name for name in self.vocabulary.names if name not in self.values]
        if missing:
            raise ValueError(f"no value is given for {', '.join(missing)}")
        value = value_at(self.tree, self.values, Meter(REFERENCE_WORK))
        if value is None:
            raise ValueError("the reference is undefined at the question's values")
        return value

    def graph(self, fixed: frozenset[str] = frozenset()) -> Graph:
        """The reference on the domain, the variables in `fixed` staying at the question's values.

        Raises:
            ValueError: it is undefined on most of the domain.
        """
        if fixed not in self._graphs:
            sampled = tuple(variable for variable in self.variables if variable.name not in fixed)
            self._graphs[fixed] = reference_graph(self.tree, sampled, {name: self.values[name] for name in fixed})
        return self._graphs[fixed]

    def misconception_graph(self, index: int, fixed: frozenset[str] = frozenset()) -> Graph:
        """The formula of a misconception at the points of `graph(fixed)`."""
        key = index, fixed
        if key not in self._misconception_graphs:
            tree, points = self.misconceptions[index], self.graph(fixed).points
            self._misconception_graphs[key] = Graph(tree, points, Meter(REFERENCE_WORK))
        return self._misconception_graphs[key]


def constant(text: str) -> Fraction:
    """A number of a bank, exactly as written.

    Raises:
        ValueError: it is no rational number.
    """
    value = value_at(read(text, Vocabulary((), {})).tree, {}, Meter())
    if not isinstance(value, Fraction):
        raise ValueError(f"“{text}” is not an exact number")
    return value


class _Key(NamedTuple):
    """A question by content: mappings, which have no hash, as items."""

    question: Question

    def __hash__(self) -> int:
        question = self.question
        return hash((question.reference, question.domain, tuple(question.values.items())))


@lru_cache(maxsize=2048)
def _subject(key: _Key) -> Subject:
    return Subject(key.question)


def subject_of(question: Question) -> Subject:
    """The question, read; the same object for an equal question."""
    return _subject(_Key(question))
