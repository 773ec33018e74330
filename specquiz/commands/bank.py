"""`specquiz bank`: list, lint, verify and count question banks, begin a new one, print the schema."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from specquiz import places
from specquiz.errors import SpecquizError, UsageError
from specquiz.terminal import visible_json

if TYPE_CHECKING:
    from specquiz.banks.library import Library
    from specquiz.banks.problems import Problem
    from specquiz.banks.verifying import Verification

EXAMPLE = """\
examples:
  specquiz bank list
  specquiz bank new my-bank
  specquiz bank lint my-bank.yaml
  specquiz bank lint --format github
  specquiz bank verify my-bank.yaml"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, help: str, example: str) -> argparse.ArgumentParser:
        return actions.add_parser(
            name, help=help, description=f"{help[0].upper()}{help[1:]}.", epilog=f"example: specquiz bank {example}"
        )

    listing = action("list", "say which banks there are, and where your own belong", "list --json")
    listing.add_argument(
        "--bank", metavar="PATH", type=Path, action="append", default=[], help="also read this file or folder"
    )
    listing.add_argument("--json", action="store_true", help="print JSON")

    linting = action("lint", "say everything that is wrong with banks; exit code 1 on an error", "lint my-bank.yaml")
    linting.add_argument(
        "paths",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="banks, primers or folders of them (default: all shipped and your own)",
    )
    linting.add_argument(
        "--format", choices=("text", "json", "github"), default="text", help="how problems are printed"
    )

    verifying = action(
        "verify", "prove and simulate the formulas of banks; exit code 1 if one is refuted", "verify my-bank.yaml"
    )
    verifying.add_argument(
        "paths", metavar="FILE", nargs="*", type=Path, help="banks or folders (default: all shipped and your own)"
    )
    verifying.add_argument("--json", action="store_true", help="print JSON, at the end")
    verifying.add_argument("--fresh", action="store_true", help="verify anew what is known from before, too")

    counting = action("inventory", "count what the banks hold and say what is missing or unfair", "inventory --json")
    counting.add_argument(
        "--bank", metavar="PATH", type=Path, action="append", default=[], help="also read this file or folder"
    )
    counting.add_argument("--json", action="store_true", help="print JSON")

    action("schema", "print the JSON Schema of a bank, for editors", "schema > specquiz.schema.json")

    new = action("new", "write a first bank with two questions to change", "new my-bank --to .")
    new.add_argument("id", metavar="ID", help="the bank's id: lower-case letters, digits and single hyphens")
    new.add_argument("--to", metavar="FOLDER", type=Path, help="where to write it (default: your own banks)")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked; 1 if what was linted has errors or what was verified is refuted."""
    match arguments.action:
        case "list":
            return _list(arguments.bank, as_json=arguments.json)
        case "lint":
            return _lint(arguments.paths, arguments.format)
        case "verify":
            return _verify(arguments.paths, as_json=arguments.json, fresh=arguments.fresh)
        case "inventory":
            from specquiz.commands.bank_inventory import print_inventory

            return print_inventory(arguments.bank, as_json=arguments.json)
        case "schema":
            from specquiz.banks.schema import schema_text

            print(schema_text(), end="")
            return 0
        case _:
            return _new(arguments.id, arguments.to or places.own_banks())


def _list(extra: list[Path], *, as_json: bool) -> int:
    from specquiz.banks.library import open_library

    library = open_library(extra)
    if as_json:
        print(visible_json(_facts(library)))
        return 0
    width = max((len(bank.id) for bank in library.banks), default=0)
    for bank in library.banks:
        print(f"{bank.id:{width}}  {len(bank.questions):4} questions  {bank.title}")
    print(f"\nYour own banks belong in {places.own_banks()}")
    if library.problems:
        print("\nLeft out until mended:")
        for problem in library.problems:
            print(f"  {problem}")
    return 0


def _facts(library: Library) -> dict[str, object]:
    banks = [
        {
            "id": bank.id,
            "title": bank.title,
            "description": bank.description,
            "questions": len(bank.questions),
            "concepts": sorted({slug for question in bank.questions for slug in question.concepts}),
            "path": str(library.files[bank.id][0]),
            "paths": [str(path) for path in library.files[bank.id]],
        }
        for bank in library.banks
    ]
    problems = [_fields(problem) for problem in library.problems]
    return {"banks": banks, "own_banks": str(places.own_banks()), "problems": problems}


def _fields(problem: Problem) -> dict[str, object]:
    return {
        "path": str(problem.path),
        "line": problem.line,
        "column": problem.column,
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
    }


def _lint(paths: list[Path], form: str) -> int:
    from specquiz.banks.library import CONCEPTS, bank_files, open_library
    from specquiz.banks.linting import lint
    from specquiz.banks.loading import load_concepts
    from specquiz.banks.primer_rules import lint_primers, missing_pages
    from specquiz.banks.primers import primer_files
    from specquiz.banks.problems import in_order

    unreadable: list[Problem] = []
    shipped = bank_files([places.shipped_questions()], (), unreadable)
    pages = [path for path in paths if path.suffix == ".md" and path.is_file()]
    named = [path for path in paths if path not in pages]
    files = bank_files((), named, unreadable) if paths else bank_files(_folders(), (), unreadable)
    pages += primer_files([path for path in named if path.is_dir()] if paths else _folders())
    strict = {path.resolve() for path in shipped}
    concepts = open_library(named).concepts
    found = lint(files, concepts, [path for path in files if path.resolve() in strict])
    shipped_pages = {path.resolve() for path in primer_files([places.shipped_questions()])}
    found += lint_primers(pages, concepts, [path for path in pages if path.resolve() in shipped_pages])
    if not paths:
        listed, _ = load_concepts(places.shipped_questions() / CONCEPTS)
        shipped_concepts = {concept.slug: concept for concept in (listed.concepts if listed else ())}
        found += tuple(missing_pages(places.shipped_questions(), shipped_concepts))
    files += pages
    problems = in_order(replace(problem, path=_from_here(problem.path)) for problem in [*unreadable, *found])
    errors = sum(problem.severity == "error" for problem in problems)
    if form == "json":
        print(visible_json({"files": len(files), "problems": [_fields(p) for p in problems]}))
        return int(errors > 0)
    for problem in problems:
        print(problem if form == "text" else _annotation(problem))
    if form == "text":
        print(f"{_count(len(files), 'file')}: {_count(errors, 'error')}, {_count(len(problems) - errors, 'warning')}")
    return int(errors > 0)


def _from_here(path: Path) -> Path:
    """The path as seen from the working directory where it lies below it, which editors and CI can follow."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _folders() -> list[Path]:
    return [places.shipped_questions(), places.own_banks()]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _annotation(problem: Problem) -> str:
    """The problem as a workflow command of GitHub Actions."""

    def escaped(text: str, more: str = "") -> str:
        for character in f"%\r\n{more}":
            text = text.replace(character, f"%{ord(character):02X}")
        return text

    place = f"file={escaped(str(problem.path), ':,')},line={problem.line},col={problem.column},title={problem.code}"
    return f"::{problem.severity} {place}::{escaped(problem.message)}"


def _verify(paths: list[Path], *, as_json: bool, fresh: bool) -> int:
    from specquiz.banks.library import CONCEPTS, bank_files
    from specquiz.banks.loading import load_bank
    from specquiz.banks.model import NumericQuestion, SymbolicQuestion
    from specquiz.banks.verified import verify_once
    from specquiz.banks.verifying import verify

    problems: list[Problem] = []
    files = bank_files((), paths, problems) if paths else bank_files(_folders(), (), problems)
    facts: list[dict[str, object]] = []
    questions = before = 0
    for path in files:
        if path.name == CONCEPTS:
            continue
        bank, found = load_bank(path)
        problems.extend(problem for problem in found if problem.severity == "error")
        questions += len(bank.questions) if bank else 0
        for question in bank.questions if bank else ():
            if isinstance(question, NumericQuestion | SymbolicQuestion):
                finding, known = (verify(question), False) if fresh else verify_once(question)
                before += known
                facts.append({"bank": bank.id if bank else "", "question": question.id, **finding._asdict()})
                if not as_json:
                    _print_finding(f"{path.stem}/{question.id}", finding)
    counts = Counter(str(fact["standing"]) for fact in facts)
    simulated = sum(bool(fact["simulated"]) for fact in facts)
    if as_json:
        shown = {
            "questions": facts,
            "without_formula": questions - len(facts),
            "problems": list(map(_fields, problems)),
        }
        print(visible_json(shown))
    else:
        for problem in problems:
            print(problem)
        print(
            f"{_count(len(facts), 'question')} with a formula of {questions}: {counts['proved']} proved, "
            f"{counts['not proved']} not proved, {counts['refuted']} refuted; {simulated} also simulated"
            + (f"; {before} known from before" if before else "")
        )
    return int(counts["refuted"] > 0 or bool(problems))


def _print_finding(name: str, finding: Verification) -> None:
    simulated = f", simulated {finding.simulated}" if finding.simulated else ""
    counts = f"{_count(finding.claims, 'claim')}, {_count(finding.variants, 'variant')}{simulated}"
    print(f"{name}: {'; '.join([finding.standing, counts, *finding.notes])}", flush=True)


def _new(bank_id: str, folder: Path) -> int:
    from specquiz.banks.question_keys import SLUG
    from specquiz.banks.schema import FILE, schema_text
    from specquiz.banks.template import new_bank

    if not SLUG.fullmatch(bank_id):
        remedy = "Use lower-case letters, digits and single hyphens, such as my-bank."
        raise UsageError("this is no id for a bank.", where=bank_id, remedy=remedy)
    path = folder / f"{bank_id}.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(new_bank(bank_id, schema=FILE))
        (folder / FILE).write_text(schema_text(), encoding="utf-8")
    except FileExistsError:
        raise UsageError("there is such a file already.", where=str(path), remedy="Choose another id.") from None
    except OSError as error:
        raise SpecquizError(f"the bank cannot be written: {error.strerror}", where=str(path)) from error
    print(f"Wrote {path}")
    print(f"Edit it, then: specquiz bank lint {path}")
    if folder == places.own_banks():
        print(f"Ask from it:   specquiz practice {bank_id}")
    else:
        print(f"Ask from it:   specquiz practice --bank {path} {bank_id}")
    return 0
