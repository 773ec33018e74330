"""`specquiz lab`: predict, run and grade the vLLM labs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specquiz.labs.engines.ports import SERVER_PORT

if TYPE_CHECKING:
    from specquiz.console import Console
    from specquiz.labs.model import Lab
    from specquiz.labs.unlocking import Lock

EXAMPLE = """\
A lab asks for predictions, runs a real vLLM, and grades what was observed.

examples:
  specquiz lab list
  specquiz lab show ngram-echo --recorded
  specquiz lab setup --profile cpu
  specquiz lab run ngram-echo
  specquiz lab grade evidence.json"""

PROFILES = ("cpu", "rtx4090")
_ID = "a lab's id, as `specquiz lab list` names it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLE
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, help: str, example: str) -> argparse.ArgumentParser:
        return actions.add_parser(
            name,
            help=help,
            description=help[0].upper() + help[1:] + ".",
            epilog=f"example: specquiz lab {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    listing = action("list", "list the labs, and what is missing to open each", "list --json")
    show = action("show", "show a lab's task, or a recorded run and its grade", "show ngram-echo --recorded")
    show.add_argument("id", metavar="ID", help=_ID)
    show.add_argument("--rules", action="store_true", help="also what each rule demands and why (gives answers away)")
    show.add_argument("--recorded", action="store_true", help="show a real run that ships with the lab, and grade it")
    setup = action("setup", "find a vLLM for a profile, or build its environment", "setup --profile cpu")
    setup.add_argument("--extra-index-url", metavar="URL", help="handed on to pip")
    setup.add_argument("--yes", action="store_true", help="download and build without asking")
    doctor = action("doctor", "say what the labs find on this machine and what is missing", "doctor")
    run = action("run", "predict, run a lab on a real vLLM, and be graded", "run ngram-echo --predict echo_rate=0.9")
    run.add_argument("id", metavar="ID", help=_ID)
    run.add_argument("--predict", metavar="ID=VALUE", action="append", default=[], help="commit to a prediction")
    run.add_argument("--config", metavar="TEXT", help="your speculative config, in a challenge")
    run.add_argument("--unlock", action="store_true", help="run it though it is locked; the record says so")
    run.add_argument("--download", action="store_true", help="let vLLM fetch a model that is not on this machine")
    run.add_argument(
        "--attach",
        metavar="URL",
        action="append",
        default=[],
        help="use a vLLM server that runs already, for the arms that speculate; ARM=URL for one arm",
    )
    run.add_argument("--attach-vanilla", metavar="URL", help="the server for the arms that decode plainly")
    run.add_argument("--plain", action="store_true", help="plain lines that are never redrawn")
    serve = action("serve", "start a vLLM server as an arm of a lab wants it, for --attach", "serve ngram-echo ngram")
    serve.add_argument("id", metavar="LAB", help=_ID)
    serve.add_argument("arm", metavar="ARM", help="the arm, as `specquiz lab show` names it")
    serve.add_argument(
        "--port", metavar="N", type=int, default=SERVER_PORT, help=f"where it listens (default: {SERVER_PORT})"
    )
    serve.add_argument("--config", metavar="TEXT", help="your speculative config, in a challenge")
    serve.add_argument("--download", action="store_true", help="let vLLM fetch a model that is not on this machine")
    serve.add_argument("--print", action="store_true", help="only print the command line, for another machine")
    grade = action("grade", "recompute a grade from evidence alone, without vLLM", "grade evidence.json")
    other = grade.add_argument_group("figures from elsewhere: name a lab instead of evidence")
    source = other.add_mutually_exclusive_group()
    source.add_argument("--bench", metavar="RESULT", type=Path, help="what `vllm bench serve --save-result` wrote")
    source.add_argument("--metrics", metavar=("BEFORE", "AFTER"), nargs=2, type=Path, help="two saved /metrics pages")
    other.add_argument("--of", metavar="ARM/WORKLOAD", help="what of the lab the figures are of")
    other.add_argument("--config", metavar="JSON", help="the speculative config that they were made with")
    other.add_argument("--profile", choices=PROFILES, default="cpu", help="kind of machine (default: cpu)")
    verify = action("verify", "check that evidence is whole and holds together", "verify evidence.json")
    report = action("report", "write a lab run as an HTML page with plots", "report evidence.json --out run.html")
    report.add_argument("--out", metavar="FILE", type=Path, help="where to (default: report.html beside the evidence)")
    board = action("board", "your own tries at a challenge, the best first", "board tune-to-target")
    board.add_argument("id", metavar="ID", help=_ID)
    again = action("rerun", "run evidence again and compare; take a broken run to its end", "rerun evidence.json")
    again.add_argument("--plain", action="store_true", help="plain lines that are never redrawn")
    again.add_argument("--python", metavar="PATH", type=Path, help="use the vLLM of this Python")
    grade.add_argument("evidence", metavar="EVIDENCE|LAB", type=Path)
    for each in (verify, report, again):
        each.add_argument("evidence", metavar="EVIDENCE", type=Path, help="the JSON file that a run wrote")
    for each in (setup, run, serve):
        each.add_argument("--profile", choices=PROFILES, default="cpu", help="kind of machine (default: cpu)")
        each.add_argument("--python", metavar="PATH", type=Path, help="use the vLLM of this Python")
    for each in (listing, show, doctor, grade, verify, board):
        each.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked; see the functions below."""
    from specquiz.commands.lab_board import show_board
    from specquiz.commands.lab_evidence import check_evidence, regrade, write_report
    from specquiz.commands.lab_rerun import rerun
    from specquiz.commands.lab_run import run_one
    from specquiz.commands.lab_serve import serve_one
    from specquiz.console import open_console

    actions = {
        "list": _list,
        "show": _show,
        "setup": _setup,
        "doctor": _doctor,
        "run": run_one,
        "serve": serve_one,
        "grade": regrade,
        "verify": check_evidence,
        "report": write_report,
        "rerun": rerun,
        "board": show_board,
    }
    return actions[arguments.action](arguments, open_console())


def _list(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.banks.library import open_library
    from specquiz.commands.lab_run import locks_in
    from specquiz.labs.loading import load_labs
    from specquiz.labs.recorded import proof_line
    from specquiz.labs.telling import missing_line, opening_lines
    from specquiz.labs.unlocking import Locked
    from specquiz.store.log import open_log
    from specquiz.store.projections import lab_standing

    labs, library = load_labs(), open_library()
    with open_log() as log:
        locks = locks_in(log, labs, library)
        standing = lab_standing(log.events())
    if arguments.json:
        return console.say_json({"labs": [_lab_facts(lab, locks[lab.id], standing.get(lab.id, "")) for lab in labs]})
    for lab in labs:
        lock = locks[lab.id]
        state = "locked" if isinstance(lock, Locked) else ", ".join(filter(None, ("open", standing.get(lab.id))))
        console.say(f"{lab.number or '-'}  {lab.id}  {lab.title}  ({state.replace('_', ' ')})")
        console.say_lines(f"  {line}" for line in (proof_line(lab), *opening_lines(lab)))
        if isinstance(lock, Locked):
            for each in lock.missing:
                console.say(missing_line(each, library), indent="  ")
    return 0


def _lab_facts(lab: Lab, lock: Lock, standing: str) -> dict[str, Any]:
    import msgspec

    from specquiz.labs.recorded import proved
    from specquiz.labs.unlocking import Locked

    missing = lock.missing if isinstance(lock, Locked) else ()
    return {
        "id": lab.id,
        "title": lab.title,
        "unlocked": not isinstance(lock, Locked),
        "standing": standing,
        "missing": [msgspec.to_builtins(each) for each in missing],
        "profiles": list(lab.profiles),
        "number": lab.number,
        "proved": [profile for profile in lab.profiles if proved(lab, profile)],
        "opens": lab.unlock.mastery,
    }


def _show(arguments: argparse.Namespace, console: Console) -> int:
    import msgspec

    from specquiz.commands.lab_evidence import tell
    from specquiz.labs.loading import find_lab, load_labs
    from specquiz.labs.recorded import recorded_run
    from specquiz.labs.telling import lab_lines, rule_lines

    lab = find_lab(load_labs(), arguments.id)
    if not arguments.recorded:
        if arguments.json:
            return console.say_json(msgspec.to_builtins(lab))
        console.say_lines((*lab_lines(lab), *(rule_lines(lab) if arguments.rules else ())))
        return 0
    evidence = recorded_run(lab)
    tell(lab, evidence, console, as_json=arguments.json)
    return 0


def _setup(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.errors import UsageError
    from specquiz.labs.building import set_up

    def agree() -> bool:
        if arguments.yes:
            return True
        if not console.interactive:
            raise UsageError("Nobody is here to be asked, so nothing was installed.", remedy="Agree with --yes.")
        return (console.ask("Go on? [y/N]") or "").lower() in ("y", "yes")

    found = set_up(
        arguments.profile,
        say=console.say,
        agree=agree,
        python=arguments.python,
        extra_index_url=arguments.extra_index_url,
    )
    console.say(f"vLLM {found.vllm} is ready for the profile {arguments.profile}: {found.python}")
    return 0


def _doctor(arguments: argparse.Namespace, console: Console) -> int:
    from specquiz.labs.doctor import examine
    from specquiz.terminal import visible

    findings = examine()
    if arguments.json:
        return console.say_json({"findings": findings})
    for each in findings:
        # Not wrapped, so that it can be pasted into a report of a fault as it is.
        console.sink.write(visible(f"{'ok     ' if each['ok'] else 'missing'}  {each['what']}: {each['found']}") + "\n")
    return 0
