"""The `specquiz` command. A command's module is imported when that command runs, so that each starts quickly."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

from specquiz import __version__


class Command(NamedTuple):
    """A command: its module, with `add_arguments(parser)` and `run(arguments) -> exit code`, and a line of help."""

    module: str
    help: str


COMMANDS = {
    "home": Command("specquiz.commands.home", "open the home screen (what `specquiz` alone does)"),
    "practice": Command("specquiz.commands.practice", "answer questions of one or more banks"),
    "mock": Command("specquiz.commands.mock", "hold a timed mock interview"),
    "primer": Command("specquiz.commands.primer", "read about a group of concepts, or look words up"),
    "check": Command("specquiz.commands.check", "check one answer, or a file of cases, against a closed form"),
    "bank": Command("specquiz.commands.bank", "list, write, lint and verify question banks"),
    "lab": Command("specquiz.commands.lab", "predict, run and grade the vLLM labs"),
    "theory": Command("specquiz.commands.theory", "compute, tabulate and plot speculative decoding"),
    "stats": Command("specquiz.commands.stats", "show mastery by concept"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--version"], ["-V"]):
        print(f"specquiz {__version__}")
        return 0
    return _run(words)


def _run(words: list[str]) -> int:
    import argparse
    from importlib import import_module

    parser = argparse.ArgumentParser(
        prog="specquiz",
        description="Prepare for LLM-inference interviews: banks with checked answers, timed mocks, vLLM labs.",
        epilog="example: specquiz practice tuning-alpha-k",
    )
    parser.add_argument("-V", "--version", action="version", version=f"specquiz {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    named = words[0] if words and words[0] in COMMANDS else None
    if named is None and (not words or words[0].startswith("-")) and not {"-h", "--help"} & set(words):
        words, named = ["home", *words], "home"
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == named:
            import_module(command.module).add_arguments(sub)
    arguments = parser.parse_args(words)
    return _guarded(import_module(COMMANDS[arguments.command].module).run, arguments)


def _guarded(run: object, arguments: object) -> int:
    """Run a command; turn a known error into one clear message and its exit code."""
    import os

    from specquiz.errors import SpecquizError
    from specquiz.terminal import spell_out_what_streams_lack, visible

    assert callable(run)
    spell_out_what_streams_lack()
    try:
        return int(run(arguments))
    except SpecquizError as error:
        print(visible(f"specquiz: {error}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("specquiz: interrupted; what was recorded is kept.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has gone; nothing more can be said to it, and Python must not try again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
