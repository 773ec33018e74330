"""What is wrong with primers: headings, missing parts, Markdown that they do without, lines that are too wide.

The codes are explained in docs/bank-codes.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

from specquiz.banks.model import Concept
from specquiz.banks.parsing import Report, read_text
from specquiz.banks.primers import FOLDER, WORKED_NUMBER, Primer, Section, group_slug, parse_primer
from specquiz.banks.problems import Problem, in_order, suggestion
from specquiz.banks.scalars import UNCERTAIN_WIDTH, UNSEEN

WIDEST = 110
"""Characters of a line."""

_TAGS = "a|b|i|u|em|strong|br|p|div|span|sub|sup|code|pre|table|tr|td|th|ul|ol|li|img|h[1-6]|details|summary|hr|kbd"

# What to look for in a line outside formulas, and what to do instead. Signs of multiplication stand beside a letter, a
# digit or a bracket on both sides, or have spaces on both; those of emphasis do not.
_BEYOND = (
    (re.compile(r"(```|~~~)"), "fences are not shown; indent the lines by four spaces"),
    (re.compile(r"\s*\|.*\|\s*$"), "tables are not shown; write a list"),
    (re.compile(r">( |$)"), "block quotes are not shown; write a paragraph"),
    (re.compile(r"[*+] "), "begin the items of a list with '- '"),
    (re.compile(r"\d+[.)] "), "numbered lists are not shown; begin the items with '- '"),
    (re.compile(r"(=+|-{2,}|_{3,}|\*{3,})\s*$"), "rules and underlined headings are not shown; take the line out"),
    (re.compile(r" {1,3}- "), "lists within lists are not shown; begin the item in the first column"),
)
_BEYOND_ANYWHERE = (
    (re.compile(r"!?\[[^\]]*\]\([^)]*\)|<https?:|https?://"), "links are not shown; say it in words"),
    (re.compile(rf"</?(?:{_TAGS})\s*/?>|<(?:{_TAGS})\s+\w+\s*=|<!--"), "HTML is not shown; say it in words"),
    (re.compile(r"(?<![\w)\]*])\*\*(?=[^\s*])[^*]+(?<=\S)\*\*(?![\w(])"), "bold is not shown; use plain words"),
    (
        re.compile(r"(?<![\w)\]*])\*(?=[^\s*])[^*]+(?<=[^\s*])\*(?![\w(*])"),
        "emphasis is not shown; use plain words",
    ),
    (re.compile(r"(?<!\w)__?(?=[^\s_])[^_]+(?<=[^\s_])__?(?!\w)"), "emphasis is not shown; use plain words"),
)


def lint_primers(
    files: Iterable[Path], concepts: Mapping[str, Concept], strict: Collection[Path] = ()
) -> tuple[Problem, ...]:
    """All problems of these pages, as a reader meets them.

    Args:
        files: the pages.
        concepts: slug to concept, for all concepts that are known.
        strict: the files that must be whole; elsewhere what is missing is a warning.
    """
    return in_order(problem for path in files for problem in _lint_page(path, concepts, path in strict))


def missing_pages(folder: Path, concepts: Mapping[str, Concept]) -> Iterator[Problem]:
    """A problem for each group of concepts that has no page in this folder of banks."""
    for group in dict.fromkeys(concept.group for concept in concepts.values()):
        path = folder / FOLDER / f"{group_slug(group)}.md"
        if not path.is_file():
            yield Problem(path, 1, 1, "SQ409", "error", f"the page of the group {group!r} is missing")


def _lint_page(path: Path, concepts: Mapping[str, Concept], strict: bool) -> list[Problem]:
    report = Report(path)
    text = (read_text(report) or "").replace("\r\n", "\n")
    if report.problems:
        return report.problems
    if not text.strip():
        report.error_at(1, 1, "SQ106", "the file is empty")
        return report.problems
    primer = parse_primer(path, text)
    _check_group(primer, concepts, strict, report)
    _check_headings(primer, concepts, text, report)
    _check_whole(primer, concepts, strict, report)
    _check_lines(text, report)
    return report.problems


def _check_group(primer: Primer, concepts: Mapping[str, Concept], strict: bool, report: Report) -> None:
    """The first line names a group, and the file is called after it."""
    if primer.introduction.line != 1:
        report.error_at(1, 1, "SQ401", "a page begins with '# ' and the name of its group")
        return
    groups = list(dict.fromkeys(concept.group for concept in concepts.values()))
    if primer.group not in groups:
        close = suggestion(primer.group, groups)
        if strict or close:
            report.error_at(1, 3, "SQ401", f"there is no group {primer.group!r} of concepts{close}")
    if primer.path.stem != primer.slug:
        message = f"the page of {primer.group!r} belongs in {primer.slug}.md, not in {primer.path.name}"
        report.error_at(1, 3, "SQ410", message)


def _check_headings(primer: Primer, concepts: Mapping[str, Concept], text: str, report: Report) -> None:
    """Every section is headed `## ` by a concept of the group, once; the worked number comes last."""
    lines = text.split("\n")
    mine = {concept.name for concept in concepts.values() if concept.group == primer.group}
    known = {WORKED_NUMBER, *(mine or (concept.name for concept in concepts.values()))}
    first: dict[str, int] = {}
    for section in primer.sections:
        if not re.match("##[^#]", lines[section.line - 1]):
            report.error_at(section.line, 1, "SQ402", "a section begins with '## ', and there are no others")
        elif section.heading not in known:
            elsewhere = next((c.group for c in concepts.values() if c.name == section.heading), "")
            hint = f"; it belongs to {elsewhere!r}" if elsewhere else suggestion(section.heading, known)
            message = f"{section.heading!r} is no concept of {primer.group!r}{hint}"
            report.error_at(section.line, 4, "SQ402", message)
        elif section.heading in first:
            message = f"the section {section.heading!r} comes twice; line {first[section.heading]} has it already"
            report.error_at(section.line, 4, "SQ404", message)
        first.setdefault(section.heading, section.line)


def _check_whole(primer: Primer, concepts: Mapping[str, Concept], strict: bool, report: Report) -> None:
    """Nothing is missing and nothing is empty."""
    note = report.error_at if strict else report.warning_at
    for concept in concepts.values():
        if concept.group == primer.group and primer.section(concept.name) is None:
            note(1, 1, "SQ403", f"the concept {concept.name!r} has no section")
    for section in (primer.introduction, *primer.sections):
        if section.line and not section.blocks:
            report.error_at(section.line, 1, "SQ406", f"nothing stands under {section.heading!r}")
    _check_worked_number(primer.section(WORKED_NUMBER), primer, note, report)


def _check_worked_number(
    worked: Section | None, primer: Primer, note: Callable[[int, int, str, str], None], report: Report
) -> None:
    if worked is None:
        note(1, 1, "SQ405", f"the page does not end with '## {WORKED_NUMBER}'")
    elif worked is not primer.sections[-1]:
        report.error_at(worked.line, 1, "SQ405", f"'## {WORKED_NUMBER}' is not the last section")
    elif worked.blocks and not re.search(r"\d", worked.text):
        report.error_at(worked.line, 1, "SQ405", "the worked number has no number in it")


def _check_lines(text: str, report: Report) -> None:
    """Only Markdown that is shown, in lines that fit, of characters that can be seen."""
    inside = ""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDEST:
            message = f"the line has {len(line)} characters; {WIDEST} are the most"
            report.error_at(number, WIDEST + 1, "SQ408", message)
        _check_characters(number, line, report)
        indented = line.startswith("    ")
        if not line.strip() or line.startswith("#"):
            inside = inside if inside == "formula" and not line.strip() else ""
        elif indented and inside in ("", "formula"):
            inside = "formula"
        elif indented and inside == "paragraph":
            report.error_at(
                number, 5, "SQ407", "this still belongs to the paragraph; leave a blank line before a formula"
            )
        else:
            for place, advice in _beyond(line):
                report.error_at(number, place + 1, "SQ407", advice)
            inside = "item" if line.startswith("- ") or inside == "item" else "paragraph"


def _check_characters(number: int, line: str, report: Report) -> None:
    for found in UNSEEN.finditer(line):
        message = f"the text holds U+{ord(found[0]):04X}, which nobody can see; take it out"
        report.error_at(number, found.start() + 1, "SQ112", message)
    for found in UNCERTAIN_WIDTH.finditer(line):
        message = f"U+{ord(found[0]):04X} has no certain width in a terminal; say it in words"
        report.warning_at(number, found.start() + 1, "SQ313", message)
    if "\t" in line:
        report.error_at(number, line.index("\t") + 1, "SQ407", "tabs have no certain width; use spaces")


def _beyond(line: str) -> Iterator[tuple[int, str]]:
    """Where a line uses Markdown that is not shown, and what to do instead."""
    for pattern, advice in _BEYOND:
        if pattern.match(line):
            yield 0, advice
            return
    for pattern, advice in _BEYOND_ANYWHERE:
        found = pattern.search(line)
        if found:
            yield found.start(), advice
            return
