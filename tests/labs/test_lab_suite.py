"""The suite of labs: complete, reachable, and each with a real run that still earns its grade."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from specquiz import places
from specquiz.banks.library import open_library
from specquiz.labs.comparison import compare
from specquiz.labs.evidence import read_evidence
from specquiz.labs.expressions import parse
from specquiz.labs.grading import Graded, grade
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab, Rule, fingerprint
from specquiz.labs.plan import other_inputs
from specquiz.labs.recorded import proof_line, proved, recorded_file, recorded_run
from specquiz.labs.rules import Committed, Predicted, leaves
from specquiz.labs.tailoring import tailored, workloads_of
from specquiz.sessions.mastery import NEEDED

LABS = load_labs()
ON_CPU = [lab for lab in LABS if "cpu" in lab.profiles]
ONLY_ON_CARDS = {"L05", "L10", "L11"}
EVIDENCE = Path(__file__).parents[1] / "lab" / "evidence"
LARGEST = 400_000
"""Bytes of one recorded run."""


def named(labs: list[Lab]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("lab", labs, ids=lambda lab: f"{lab.number}-{lab.id}")


each_lab = named(list(LABS))
each_lab_on_a_cpu = named(ON_CPU)


def test_every_number_of_the_curriculum_has_one_lab() -> None:
    assert [lab.number for lab in LABS] == [f"L{number:02}" for number in range(14)]


def test_all_labs_have_a_profile_for_a_card_and_all_but_three_one_for_a_cpu() -> None:
    assert all("rtx4090" in lab.profiles for lab in LABS)
    assert {lab.number for lab in LABS if "cpu" not in lab.profiles} == ONLY_ON_CARDS


@each_lab
def test_a_lab_opens_by_concepts_that_there_are(lab: Lab) -> None:
    assert lab.unlock.mastery
    assert set(lab.unlock.mastery) <= set(open_library().concepts)


@each_lab
def test_a_lab_can_be_opened_with_the_questions_that_ship(lab: Lab) -> None:
    asked = Counter(slug for bank in open_library().banks for question in bank.questions for slug in question.concepts)
    assert {slug: asked[slug] for slug in lab.unlock.mastery if asked[slug] < NEEDED} == {}


@each_lab
def test_a_lab_says_what_it_is_for_what_it_expects_and_what_each_rule_teaches(lab: Lab) -> None:
    assert lab.goal.strip()
    assert lab.predict
    assert any(each.expect is not None for each in lab.predict) or lab.number == "L04"
    assert all(rule.why.strip() for rule in lab.grade)
    assert all(waiver.why.strip() for waiver in lab.waive)


@each_lab
def test_every_prediction_is_graded_by_some_rule(lab: Lab) -> None:
    assert {each.id for each in lab.predict} == set().union(*map(committed_in, lab.grade))


@each_lab
def test_on_each_profile_the_rules_are_about_arms_that_run(lab: Lab) -> None:
    for profile in lab.profiles:
        here = tailored(lab, profile)
        asked = {each.id for each in here.predict}
        ran = {(arm, workload) for arm in here.arms for workload in workloads_of(here, arm)}
        for rule in here.grade:
            for leaf in leaves(parse(rule.check)):
                if isinstance(leaf, Predicted | Committed):
                    assert leaf.id in asked, (profile, rule.id)
                elif hasattr(leaf, "workload"):
                    assert (leaf.arm, leaf.workload) in ran, (profile, rule.id)


@each_lab
def test_where_time_is_graded_arms_take_turns(lab: Lab) -> None:
    for profile in lab.profiles:
        here = tailored(lab, profile)
        timed = [rule.id for rule in here.grade if any(word in rule.check for word in ("speedup(", ".tpot", ".itl"))]
        assert not timed or here.pairs >= 2, (profile, timed)


@each_lab_on_a_cpu
def test_a_lab_on_a_cpu_is_proved_by_a_recorded_run_that_passes(lab: Lab) -> None:
    evidence = recorded_run(lab, "cpu")

    assert evidence.lab.fingerprint == fingerprint(lab)
    assert other_inputs(lab, evidence) == ()
    found = grade(lab, evidence)
    assert isinstance(found, Graded), found
    assert [(rule.id, rule.outcome) for rule in found.rules if rule.outcome != "passed"] == []
    assert {rule.id for rule in found.rules} == {rule.id for rule in tailored(lab, "cpu").grade}


@pytest.mark.parametrize(
    "place", [lambda lab: recorded_file(lab, "cpu"), lambda lab: second_run(lab)], ids=["first", "second"]
)
@each_lab_on_a_cpu
def test_a_recorded_run_is_small_and_names_no_folder_of_its_machine(lab: Lab, place: Callable[[Lab], Path]) -> None:
    path = place(lab)

    assert path.stat().st_size < LARGEST
    text = path.read_text(encoding="utf-8").replace("vllm/lib/python3.11/site-packages", "vllm")
    assert not [place for place in ("site-packages", "/home/", "/Users/", "/root/") if place in text]
    assert not re.findall(r'File \\"/[^"]*', text), "a traceback names files from the program's own folder on"


@each_lab_on_a_cpu
def test_predictions_that_come_after_an_arm_were_stored_before_the_next_one_started(lab: Lab) -> None:
    evidence = recorded_run(lab, "cpu")

    staged = {each.after for each in tailored(lab, "cpu").predict if each.after}
    assert set(evidence.predicted_after) == staged
    for arm, at in evidence.predicted_after.items():
        index = evidence.order.index(arm)
        assert evidence.arms[arm].started < at < evidence.arms[evidence.order[index + 1]].started


def test_what_has_not_run_is_called_unproved() -> None:
    assert proof_line(find_lab(LABS, "k-sweep")) == "cpu proved, rtx4090 unproved"
    assert not any(proved(lab, "rtx4090") for lab in LABS)


def test_every_recorded_run_belongs_to_a_lab() -> None:
    names = {f"{lab.id}-{profile}.json" for lab in LABS for profile in lab.profiles}
    files = sorted((places.shipped_labs() / "recorded").glob("*.json"))
    assert {path.name for path in files} <= names
    for path in files:
        assert read_evidence(path).profile == path.stem.rpartition("-")[2]


def documented(lab: Lab) -> str:
    opens = ", ".join(lab.unlock.mastery)
    return f"| {lab.number} | `{lab.id}` | {lab.title} | {opens} | {proof_line(lab)} |"


def test_the_page_of_all_labs_is_in_step_with_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "labs.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| L")]
    assert rows == [documented(lab) for lab in LABS]


def second_run(lab: Lab) -> Path:
    """Another real run of a lab, made with predictions that are far off."""
    return EVIDENCE / f"{lab.id}-cpu-far-prediction.json"


@each_lab_on_a_cpu
def test_a_real_run_with_far_predictions_fails_by_them_alone(lab: Lab) -> None:
    found = grade(lab, read_evidence(second_run(lab)))

    assert isinstance(found, Graded), found
    assert not found.passed
    for rule in found.rules:
        about_predictions = any(isinstance(leaf, Predicted | Committed) for leaf in leaves(parse(rule.check)))
        assert rule.outcome == "passed" or about_predictions, rule


@each_lab_on_a_cpu
def test_every_prediction_of_a_lab_can_cost_the_grade(lab: Lab) -> None:
    found = grade(lab, read_evidence(second_run(lab)))

    assert isinstance(found, Graded)
    outcomes = {rule.id: rule.outcome for rule in found.rules}
    here = tailored(lab, "cpu")
    for prediction in here.predict:
        about = {rule.id for rule in here.grade if prediction.id in committed_in(rule)}
        assert "failed" in {outcomes[name] for name in about}, prediction.id


def committed_in(rule: Rule) -> set[str]:
    """The predictions that a rule is about."""
    return {leaf.id for leaf in leaves(parse(rule.check)) if isinstance(leaf, Predicted | Committed)}


@each_lab_on_a_cpu
def test_two_real_runs_of_a_lab_agree_within_their_intervals(lab: Lab) -> None:
    first, second = recorded_run(lab, "cpu"), read_evidence(second_run(lab))
    assert first.nonce != second.nonce
    graded = [grade(lab, each) for each in (first, second)]
    assert all(isinstance(each, Graded) for each in graded)

    compared = compare(*graded)  # type: ignore[arg-type]

    assert [each for each in compared if each.standing == "differs"] == []
    assert any(each.standing == "agrees" for each in compared)


@each_lab_on_a_cpu
def test_every_time_of_a_real_run_has_an_interval(lab: Lab) -> None:
    found = grade(lab, recorded_run(lab, "cpu"))

    assert isinstance(found, Graded)
    times = [each for each in found.quantities if each.quantity in ("tpot", "itl", "ttft")]
    assert times
    assert [each for each in times if each.low is None] == []


def told_of(path: Path) -> str:
    """The line that the page beside the runs has for one of them."""
    evidence = read_evidence(path)
    vllm = next(arm.versions["vllm"] for arm in evidence.arms.values() if arm.versions)
    machine = f"{evidence.machine['processor']}, {evidence.machine['cores']} cores"
    return f"| `{path.name}` | {evidence.run} | {vllm} | {machine} | {evidence.digest[:12]} |"


def test_the_page_beside_the_second_runs_says_which_each_is() -> None:
    page = (EVIDENCE / "README.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and "far-prediction" in line]

    assert rows == [told_of(path) for path in sorted(EVIDENCE.glob("*-far-prediction.json"))]
