"""What importing the checker brings along."""

from __future__ import annotations

import subprocess
import sys

_HEAVY = ("mpmath", "sympy", "numpy", "dataclasses", "inspect", "random", "difflib", "ast", "asyncio", "json")


def test_the_checker_needs_only_light_parts_of_the_standard_library() -> None:
    script = (
        "import sys; from specquiz.answers import Question, check;"
        "check(Question('ln(2)*a', '0 < a < 1'), 'a*ln 2');"
        f"print([name for name in {_HEAVY!r} if name in sys.modules])"
    )

    shown = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True).stdout

    assert shown.strip() == "[]"
