"""`specquiz`, or `specquiz home`: the full-screen program; where there is no screen, a practice as plain lines."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLE = """\
examples:
  specquiz
  specquiz --bank my-questions.yaml
  specquiz --plain"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    parser.add_argument(
        "--bank", metavar="PATH", type=Path, action="append", default=[], help="also read this file or folder"
    )
    parser.add_argument("--plain", action="store_true", help="a practice of all banks as plain lines")


def run(arguments: argparse.Namespace) -> int:
    """Open the home screen; 0 when the person leaves it."""
    from specquiz.console import wants_plain

    if wants_plain(arguments.plain):
        return _practise_plain(arguments.bank)
    from specquiz.tui.app import run as run_screen
    from specquiz.tui.start import Home

    return run_screen(arguments.bank, Home())


def _practise_plain(paths: list[Path]) -> int:
    from specquiz.commands import practice

    parser = argparse.ArgumentParser()
    practice.add_arguments(parser)
    return practice.run(parser.parse_args(["--plain", *(f"--bank={path}" for path in paths)]))
