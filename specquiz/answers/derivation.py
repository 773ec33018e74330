"""A closed form derived step by step, each step printed in two dimensions by SymPy in a child process.

SymPy takes a third of a second to import, so that whoever shows a derivation calls this outside the event loop.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence

from specquiz.answers.layout import lay_out
from specquiz.answers.question import Question
from specquiz.answers.reading import read
from specquiz.answers.subject import Subject

SECONDS = 15.0
"""How long printing may take, the start of SymPy included."""


def print_steps(question: Question, forms: Sequence[str], seconds: float = SECONDS) -> list[tuple[str, ...]]:
    """The lines of each form of `question`'s answer, in two dimensions.

    Where SymPy does not answer in time the forms are laid out by `layout`, which looks plainer.

    Raises:
        ValueError: a form cannot be read.
    """
    vocabulary = Subject(question).vocabulary
    trees = [read(form, vocabulary).tree for form in forms]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "specquiz.answers.pretty"],
            input=pickle.dumps(trees),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=True,
            env={**os.environ, "SYMPY_GROUND_TYPES": "python"},
        )
    except (subprocess.SubprocessError, OSError):
        return [lay_out(tree) for tree in trees]
    return [tuple(lines) for lines in json.loads(done.stdout)]
