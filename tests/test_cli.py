"""The `specquiz` command itself: what it prints, what it returns, what it imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from specquiz import __version__
from specquiz.cli import COMMANDS


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
    )


def specquiz(*words: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "specquiz", *words)


def imported_by(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after `statement`."""
    ran = python("-c", f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})")
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.split())


def test_the_version_is_printed() -> None:
    assert specquiz("--version").stdout == f"specquiz {__version__}\n"


def test_help_names_every_command() -> None:
    shown = specquiz("--help")

    assert shown.returncode == 0
    assert all(name in shown.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    shown = specquiz(command, "--help")

    assert shown.returncode == 0, shown.stderr
    assert f"specquiz {command}" in shown.stdout.replace("specquiz [", "")
    assert "example" in shown.stdout.lower()


def test_an_unknown_command_is_used_wrongly() -> None:
    refused = specquiz("frobnicate")

    assert refused.returncode == 2
    assert "frobnicate" in refused.stderr


def test_an_unknown_bank_is_used_wrongly_and_a_near_one_is_suggested() -> None:
    refused = specquiz("practice", "--plain", "tuning-alpha")

    assert refused.returncode == 2
    assert "tuning-alpha-k" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_version_needs_no_argument_parser() -> None:
    assert "argparse" not in imported_by("from specquiz.cli import main; main(['--version'])")


@pytest.mark.parametrize(
    "module", ["answers", "banks.library", "sessions.practice", "sessions.mock", "store.log", "labs.grading"]
)
def test_the_core_knows_no_screen_and_starts_light(module: str) -> None:
    loaded = imported_by(f"import specquiz.{module}")

    assert not loaded & {"textual", "rich", "sympy", "numpy", "mpmath"}


def test_the_home_screen_starts_without_the_heavy_libraries() -> None:
    assert not imported_by("import specquiz.tui.app") & {"sympy", "numpy", "mpmath", "yaml"}
