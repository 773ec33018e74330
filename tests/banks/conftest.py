"""A bank that is right, to be made wrong in one place at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specquiz.banks.loading import load_bank
from specquiz.banks.model import Bank
from specquiz.banks.problems import Problem

RIGHT = """\
bank: sample
title: Sample
questions:
  - id: first
    type: single
    concepts: [limits]
    level: 1
    prompt: Which one?
    choices: [this, that]
    answer: this
    explanation: Because.
    source: a book
  - id: second
    type: numeric
    concepts: [limits]
    level: 2
    vars:
      K: {in: [2, 3], domain: "K integer >= 1"}
    prompt: "Double of {K}?"
    answer: 2*K
    misconceptions:
      - answer: K + 10
        say: That adds.
    explanation: Twice.
"""


@pytest.fixture
def right() -> str:
    """A bank without a fault."""
    return RIGHT


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str | bytes], tuple[Bank | None, tuple[Problem, ...]]]:
    """Write a bank's file and load it."""

    def written(content: str | bytes) -> tuple[Bank | None, tuple[Problem, ...]]:
        path = tmp_path / "bank.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return load_bank(path)

    return written
