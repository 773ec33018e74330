"""Lab tasks and their prompts from YAML, strictly: every fault has its file, line and column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args

from specquiz.banks.decoding import FAILED, Decoders
from specquiz.banks.parsing import MappingNode, Node, Report, ScalarNode, node_at, parse, read_text
from specquiz.banks.problems import in_order, suggestion
from specquiz.errors import SpecquizError
from specquiz.labs.expressions import ExpressionError, parse_number
from specquiz.labs.expressions import parse as parse_rule
from specquiz.labs.model import Lab, ProfileName, Workload
from specquiz.labs.rules import Check, Committed, Fails, Leaf, Measured, Number, OutputsEqual, Place, Predicted, leaves
from specquiz.labs.tailoring import MODEL_NAME

T = TypeVar("T")


def read_lab(path: Path) -> Lab:
    """The lab task in a file.

    Raises:
        SpecquizError: it is wrong; the message names file, line and column of each fault.
    """
    return _read(path, Lab, Decoders(after={Lab: partial(_checked, path)}))


def read_workload(path: Path) -> Workload:
    """The prompts in a file.

    Raises:
        SpecquizError: as `read_lab`.
    """
    return _read(path, Workload, Decoders())


def _read(path: Path, record: type[T], decoders: Decoders) -> T:
    report = Report(path)
    text = read_text(report)
    node = parse(text, report) if text is not None else None
    made = decoders.of(record, "the file")(node, report) if node is not None else FAILED
    if report.problems or made is FAILED:
        raise SpecquizError("\n".join(str(problem) for problem in in_order(report.problems)))
    assert isinstance(made, record)
    return made


def _checked(path: Path, lab: Lab, node: MappingNode, report: Report) -> Any:
    """What the types cannot say: names that must mean something, and rules that must be readable."""
    before = len(report.problems)
    if lab.id != path.stem:
        report.error(node_at(node, "id"), "SL301", f"the lab's id {lab.id!r} is not its file's name {path.stem!r}")
    _known(report, node_at(node, "profiles"), "profile", lab.profiles, get_args(ProfileName))
    for name in lab.arms:
        _check_arm(report, node, name, lab)
    for name, file in lab.workloads.items():
        if not (path.parent / file).is_file():
            report.error(node_at(node, "workloads", name), "SL303", f"there is no file {file}")
    for name in lab.settings:
        _known(report, node_at(node, "settings", name), "workload", [name], lab.workloads)
    for index in range(len(lab.predict)):
        _check_prediction(report, node, index, lab)
    for index, waiver in enumerate(lab.waive):
        _known_place(report, node_at(node, "waive", index, "of"), waiver.of, lab, arm_alone=True)
    for index, rule in enumerate(lab.grade):
        _check_rule(report, node_at(node, "grade", index, "check"), rule.check, lab)
    if lab.challenge is not None:
        _known(report, node_at(node, "challenge", "arm"), "arm", [lab.challenge.arm], lab.arms)
        _check_rule(report, node_at(node, "challenge", "score"), lab.challenge.score, lab, parse_number)
    return lab if len(report.problems) == before else FAILED


def _check_arm(report: Report, node: MappingNode, name: str, lab: Lab) -> None:
    arm = lab.arms[name]
    tokens = arm.speculative_config.get("num_speculative_tokens", 1)
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
        place = node_at(node, "arms", name, "speculative_config", "num_speculative_tokens")
        report.error(place, "SL302", "num_speculative_tokens is a whole number from 1")
    if arm.speculative_config and "num_speculative_tokens" not in arm.speculative_config:
        place = node_at(node, "arms", name, "speculative_config")
        report.error(place, "SL302", "num_speculative_tokens is missing: the labs must know K")
    place = node_at(node, "arms", name)
    _known(report, place, "workload", arm.workloads, lab.workloads)
    _known(report, place, "profile", arm.profiles, lab.profiles)
    for text in (arm.model, *arm.speculative_config.values(), *arm.engine.values()):
        for wanted in MODEL_NAME.findall(text) if isinstance(text, str) else ():
            for profile in arm.profiles or lab.profiles:
                _known(report, place, f"model of the profile {profile}", [wanted], _models(lab, profile))


def _models(lab: Lab, profile: str) -> list[str]:
    return ["target", *(lab.profiles[profile].models if profile in lab.profiles else ())]


def _check_prediction(report: Report, node: MappingNode, index: int, lab: Lab) -> None:
    """A prediction is about something that is there, and its kind has what it needs."""
    prediction, place = lab.predict[index], node_at(node, "predict", index)
    if prediction.quantity is not None or prediction.of:
        _known_place(report, node_at(node, "predict", index, "of"), prediction.of, lab)
    elif not prediction.ask:
        report.error(place, "SL306", "a prediction has a quantity, or a question in 'ask'")
    if prediction.kind in ("choice", "order") and len(prediction.choices) < 2:
        report.error(place, "SL306", f"a prediction of the kind {prediction.kind} has at least two choices")
    if prediction.after:
        _known(report, node_at(node, "predict", index, "after"), "arm", [prediction.after], lab.arms)
        if prediction.after == list(lab.arms)[-1]:
            report.error(place, "SL306", "after the last arm nothing is left to predict")


def _known_place(report: Report, place: Node, text: str, lab: Lab, *, arm_alone: bool = False) -> None:
    arm, mark, workload = text.partition("/")
    _known(report, place, "arm", [arm], lab.arms)
    if mark or not arm_alone:
        _known(report, place, "workload", [workload], lab.workloads)


def _known(report: Report, place: Node, what: str, names: Any, known: Any) -> None:
    for name in names:
        if name not in known:
            hint = suggestion(name, known) or f"; there are {', '.join(known)}"
            report.error(place, "SL304", f"there is no {what} {name!r}{hint}")


def _check_rule(
    report: Report, place: Node, text: str, lab: Lab, read: Callable[[str], Check | Number] = parse_rule
) -> None:
    try:
        check = read(text)
    except ExpressionError as error:
        _at(report, place, error.column, "SL305", str(error))
        return
    for leaf in leaves(check):
        for what, name, known in _names(leaf, lab):
            if name not in known:
                hint = suggestion(name, known) or f"; there are {', '.join(known)}"
                _at(report, place, leaf.column, "SL304", f"there is no {what} {name!r}{hint}")


def _names(leaf: Leaf, lab: Lab) -> Iterator[tuple[str, str, list[str]]]:
    match leaf:
        case Measured(arm, workload) | Place(arm, workload):
            yield "arm", arm, list(lab.arms)
            yield "workload", workload, list(lab.workloads)
        case OutputsEqual(first, second):
            yield "arm", first, list(lab.arms)
            yield "arm", second, list(lab.arms)
        case Fails(arm):
            yield "arm that is expected to fail", arm, [name for name, each in lab.arms.items() if each.expect]
        case Predicted(name):
            yield "predicted number", name, [each.id for each in lab.predict if each.kind == "number"]
        case Committed(name, kind, _, choices):
            named = [each for each in lab.predict if each.kind == kind]
            yield f"predicted {kind}", name, [each.id for each in named]
            for choice in choices:
                yield "choice", choice, [text for each in named if each.id == name for text in each.choices]


def _at(report: Report, place: Node, column: int, code: str, message: str) -> None:
    """Report at a column within a one-line text."""
    inside = column + (1 if isinstance(place, ScalarNode) and place.style in ("'", '"') else 0)
    report.error_at(place.start.line + 1, place.start.column + 1 + inside, code, message)
