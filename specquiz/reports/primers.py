"""Primers as lines of text and as plain facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specquiz.banks.primers import Block, Primer, Section
from specquiz.terminal import visible, wrapped


def page_lines(primer: Primer, width: int) -> Iterator[str]:
    """A whole page in lines of at most `width` columns where words allow."""
    yield from section_lines(primer.introduction, width, mark="#")
    for section in primer.sections:
        yield ""
        yield from section_lines(section, width)


def section_lines(section: Section, width: int, mark: str = "##") -> Iterator[str]:
    """A heading and what stands under it, blocks apart from each other."""
    yield f"{mark} {visible(section.heading)}"
    before = ""
    for block in section.blocks:
        if not (block.kind == before == "item"):
            yield ""
        yield from _block_lines(block, width)
        before = block.kind


def _block_lines(block: Block, width: int) -> Iterator[str]:
    text = visible(block.text)
    match block.kind:
        case "paragraph":
            yield from wrapped(text, width)
        case "item":
            for number, line in enumerate(wrapped(text, width - 2)):
                yield f"{'  ' if number else '- '}{line}"
        case "formula":
            yield from (f"    {line}".rstrip() for line in text.split("\n"))


def page_facts(primer: Primer) -> dict[str, Any]:
    """A page for programs."""
    return {
        "group": primer.group,
        "primer": primer.slug,
        "path": str(primer.path),
        "introduction": primer.introduction.text,
        "sections": [section_facts(section) for section in primer.sections],
    }


def section_facts(section: Section) -> dict[str, Any]:
    """A section for programs."""
    blocks = [{"kind": block.kind, "text": block.text} for block in section.blocks]
    return {"heading": section.heading, "line": section.line, "blocks": blocks}
