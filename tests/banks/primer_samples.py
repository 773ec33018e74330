"""A page without a fault, its concepts, and a folder of banks that has it."""

from __future__ import annotations

from pathlib import Path

from specquiz.banks.model import Concept

CONCEPTS = {
    slug: Concept(slug=slug, name=name, group=group)
    for slug, name, group in (
        ("branch-mask", "The attention mask", "Drafting trees"),
        ("branch-length", "Expected length of α", "Drafting trees"),
        ("accept-rule", "Accept with min(1, p/q)", "Exactness"),
    )
}

PAGE = """\
# Drafting trees

Drafts may branch. One pass of the target verifies all branches,
and keeps the longest that it agrees with.

## The attention mask

A node sees its ancestors only. Take two branches:

- the first is the cat,
  which sat
- the second is a dog

Each has its own rows:

    1 0
    1 1

    the end

## Expected length of α

With α = 0.5 a tree of (1 - alpha**3)/(1 - alpha**1) nodes has 2*3*4 ways, and m_i of them are [0, 1).

## A worked number

Two branches of one node each, α = 0.5:

    1 + 1 - (1 - 0.5)(1 - 0.5) = 1.75
"""


def folder_with(folder: Path, page: str = PAGE, name: str = "drafting-trees.md") -> Path:
    """A folder of banks that has `page` as a primer; returns the folder."""
    (folder / "primers").mkdir(parents=True, exist_ok=True)
    (folder / "primers" / name).write_text(page, encoding="utf-8")
    return folder
