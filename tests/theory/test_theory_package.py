"""The package as others import it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

from specquiz import theory


def test_importing_the_package_loads_no_numpy() -> None:
    program = "import specquiz.theory, sys; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_every_public_name_of_every_module_is_exported() -> None:
    assert theory.__file__ is not None
    internal = {"geometric_sum", "residual_or_target"}
    for path in Path(theory.__file__).parent.glob("[a-z]*.py"):
        if path.stem == "arguments":
            continue
        defined = (node for node in ast.parse(path.read_text(encoding="utf-8")).body)
        names = {node.name for node in defined if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        public = {name for name in names if not name.startswith("_")} - internal
        assert public <= set(theory.__all__), path.name


@pytest.mark.parametrize("name", theory.__all__)
def test_an_exported_name_is_there_and_explained(name: str) -> None:
    exported = getattr(theory, name)

    assert name in dir(theory)
    assert not isinstance(exported, type | FunctionType) or exported.__doc__


def test_modules_are_reached_through_the_package() -> None:
    assert theory.simulate.simulate_rounds is theory.simulate_rounds


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="acceptance_rate"):
        _ = theory.acceptance_rate
