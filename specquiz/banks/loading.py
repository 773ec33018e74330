"""The one strict loader of banks, for the program, the linter and CI: YAML to checked records, all errors at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from specquiz.banks.decoding import FAILED, Decoders, sequence, text, unique_keys, wrong_kind
from specquiz.banks.model import AnyQuestion, Bank, Concept, ConceptList
from specquiz.banks.parsing import MappingNode, Node, Report, ScalarNode, SequenceNode, node_at, parse, read_text
from specquiz.banks.problems import Problem, in_order
from specquiz.banks.question_keys import decode_question, is_slug, slug

T = TypeVar("T")


class Reading(NamedTuple):
    """A bank's file as read: what could be made of it, with the nodes that tell where everything stands."""

    bank: Bank | None
    """With the questions that are whole; None if the bank's own keys are wrong."""
    questions: tuple[tuple[AnyQuestion, MappingNode], ...]
    root: Node | None
    problems: tuple[Problem, ...]
    text: str


def load_bank(path: Path) -> tuple[Bank | None, tuple[Problem, ...]]:
    """The bank in a YAML file and everything that is wrong with the file. A bank with an error is None."""
    reading = read_bank(path)
    return (None if reading.problems else reading.bank), reading.problems


def load_concepts(path: Path) -> tuple[ConceptList | None, tuple[Problem, ...]]:
    """The concepts in a `concepts.yaml` and everything that is wrong with it. With an error there are none."""
    return load_record(path, ConceptList, Decoders(fields={(ConceptList, "concepts"): _listed_concepts}))


def load_record(path: Path, kind: type[T], decoders: Decoders) -> tuple[T | None, tuple[Problem, ...]]:
    """A file that holds one record of type `kind`, read as strictly as a bank. With an error the record is None."""
    report = Report(path)
    source = read_text(report)
    root = parse(source, report) if source is not None else None
    record = decoders.of(kind, "the file")(root, report) if root is not None else None
    return (None if report.problems else record), in_order(report.problems)


def read_bank(path: Path) -> Reading:
    """Read a bank's file as far as it can be read; the linter goes on from here."""
    report = _BankReport(path)
    source = read_text(report)
    root = parse(source, report) if source is not None else None
    bank = _decode_bank(root, report) if root is not None else None
    return Reading(
        bank=None if bank is FAILED else bank,
        questions=tuple(report.questions),
        root=root,
        problems=in_order(report.problems),
        text=source or "",
    )


class _BankReport(Report):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.questions: list[tuple[AnyQuestion, MappingNode]] = []


def _questions(node: Node, report: Report) -> Any:
    """The questions that are whole, each noted with its node; ids must differ."""
    if not isinstance(node, SequenceNode):
        return wrong_kind(node, report, "'questions'", "a list", '; each question begins with "- "')
    assert isinstance(report, _BankReport)
    _check_twice(node, "id", report, "SQ208")
    for item in node.items:
        question = decode_question(item, report)
        if question is not FAILED:
            report.questions.append((question, item))
    if not node.items:
        report.error(node, "SQ212", "'questions' must not be empty")
    return tuple(question for question, _ in report.questions)


def _check_twice(node: Node, key: str, report: Report, code: str) -> None:
    """Report each entry of a list that has the same `key` as an earlier one."""
    lines: dict[str, int] = {}
    for item in node.items if isinstance(node, SequenceNode) else ():
        named = node_at(item, key)
        if not isinstance(named, ScalarNode) or named is item:
            continue
        if named.value in lines:
            first = lines[named.value]
            report.error(named, code, f"the {key} {named.value!r} comes twice; line {first} has it already")
        lines.setdefault(named.value, named.start.line + 1)


def _listed_concepts(node: Node, report: Report) -> Any:
    _check_twice(node, "slug", report, "SQ213")
    return sequence(_decode_concept, "'concepts'")(node, report)


def _own_concepts(node: Node, report: Report) -> Any:
    """Slugs with names."""
    if not isinstance(node, MappingNode):
        return wrong_kind(node, report, "'concepts'", "keys with values", ", such as 'my-concept: My concept'")
    name = text("the name of a concept")
    names = {}
    for key, (key_node, value_node) in unique_keys(node, report).items():
        is_slug(key, key_node, report, "a concept")
        names[key] = name(value_node, report)
    return FAILED if FAILED in names.values() else names


_decode_concept = Decoders(fields={(Concept, "slug"): slug("'slug'")}).of(Concept, "a concept")
_decode_bank = Decoders(
    fields={(Bank, "id"): slug("'bank'"), (Bank, "questions"): _questions, (Bank, "concepts"): _own_concepts}
).of(Bank, "the file")
