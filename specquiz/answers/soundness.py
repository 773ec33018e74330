"""Whether a question can be checked at all: what lint asks of its reference, its other forms and its misconceptions."""

from __future__ import annotations

from specquiz.answers.arithmetic import Meter, TooBig
from specquiz.answers.comparison import REFERENCE_WORK, Graph, value_at
from specquiz.answers.question import Question
from specquiz.answers.reading import read
from specquiz.answers.subject import Subject


def reference_problem(question: Question) -> str | None:
    """Why the question cannot be checked fairly, None if it can.

    The reference, the other forms and the misconceptions must be readable and defined; the other forms must equal the
    reference; each misconception must differ from it and from every other. For a numeric question they must differ at
    its values by more than twice the tolerance.
    """
    try:
        subject = Subject(question)
        return _problem(subject)
    except (ValueError, TooBig) as error:
        return str(error.args[0])


def _problem(subject: Subject) -> str | None:
    question = subject.question
    graph = subject.graph()
    for form in question.also:
        if not Graph(read(form, subject.vocabulary).tree, graph.points, Meter(REFERENCE_WORK)).agrees(graph):
            return f"“{form}” does not equal the answer"
    wrong = [subject.misconception_graph(index) for index in range(len(question.misconceptions))]
    for index, one in enumerate(wrong):
        if one.agrees(graph):
            return f"the misconception “{question.misconceptions[index].answer}” equals the answer"
        for earlier in range(index):
            if one.agrees(wrong[earlier]):
                return f"the misconceptions {earlier + 1} and {index + 1} are the same"
    return _problem_at_values(subject) if question.kind == "numeric" else None


def _problem_at_values(subject: Subject) -> str | None:
    reference = subject.value()
    for tree, misconception in zip(subject.misconceptions, subject.question.misconceptions, strict=True):
        value = value_at(tree, subject.values, Meter(REFERENCE_WORK))
        if value is not None and subject.tolerance.near(value, reference):
            return f"the misconception “{misconception.answer}” cannot be told from the answer at these values"
    return None
