"""Figures from elsewhere are graded with what they hold. The files are of one real run: `vllm bench serve` on the echo
prompts against a server with the lab's n-gram configuration, and its /metrics before and after."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from specquiz.errors import SpecquizError, UsageError
from specquiz.labs.elsewhere import from_bench, from_metrics, grade_elsewhere, place_in
from specquiz.labs.evidence import Evidence
from specquiz.labs.grading import Graded, NotGradable, grade
from specquiz.labs.model import Lab

FILES = Path(__file__).parent.parent / "lab" / "evidence"
TIMES = {"tpot", "itl", "ttft"}
BENCH, BEFORE, AFTER = FILES / "bench-serve.json", FILES / "metrics-before.txt", FILES / "metrics-after.txt"
PLACE = ("ngram", "echo")


def outcomes(lab: Lab, *, bench: bool) -> dict[str, str]:
    arm = from_bench(BENCH) if bench else from_metrics(BEFORE, AFTER)
    found = grade_elsewhere(lab, "cpu", PLACE, arm, None)
    assert isinstance(found, Graded)
    assert not found.passed
    return {rule.id: rule.outcome for rule in found.rules}


@pytest.mark.parametrize("bench", [True, False], ids=["bench", "metrics"])
def test_a_rule_that_needs_more_than_counters_has_no_data(lab: Lab, bench: bool) -> None:
    found = outcomes(lab, bench=bench)

    assert found.pop("model_fits") == "passed"
    assert set(found.values()) == {"no_data"}


def test_counters_from_elsewhere_measure_what_a_run_of_the_lab_measures(lab: Lab, evidence: Evidence) -> None:
    own = grade(lab, evidence)
    elsewhere = grade_elsewhere(lab, "cpu", PLACE, from_metrics(BEFORE, AFTER), None)
    benched = grade_elsewhere(lab, "cpu", PLACE, from_bench(BENCH), None)
    assert isinstance(own, Graded)
    assert isinstance(elsewhere, Graded)
    assert isinstance(benched, Graded)

    here = {each.quantity: each.value for each in own.quantities if (each.arm, each.workload) == PLACE}
    assert {each.quantity for each in elsewhere.quantities} == here.keys()
    for each in elsewhere.quantities:
        assert each.low is None
        if each.quantity not in TIMES:
            assert each.value == pytest.approx(here[each.quantity], rel=0.01), each
    told = {each.quantity: each for each in benched.quantities}
    assert told["draft_acceptance_rate"].value == pytest.approx(here["draft_acceptance_rate"], rel=0.01)
    assert told["tokens_per_pass"].value is None
    assert told["tokens_per_pass"].note.startswith("no data")
    assert benched.positions == elsewhere.positions


def test_a_page_that_lists_a_series_twice_is_refused_by_name_and_not_added_up(tmp_path: Path) -> None:
    twice = tmp_path / "after.txt"
    twice.write_text(AFTER.read_text() * 2)

    with pytest.raises(SpecquizError, match=r"vllm:[a-z_]+{.*} is listed twice") as refused:
        from_metrics(BEFORE, twice)

    assert refused.value.where == str(twice)


def test_another_number_of_draft_tokens_or_a_lossy_acceptance_is_no_run_of_the_lab(lab: Lab) -> None:
    longer = {**lab.arms["ngram"].speculative_config, "num_speculative_tokens": 6}
    other = replace(lab, arms={**lab.arms, "ngram": replace(lab.arms["ngram"], speculative_config=longer)})
    arm = from_bench(BENCH)
    lossy = {**lab.arms["ngram"].speculative_config, "rejection_sample_method": "synthetic"}
    narrow = {**lab.arms["ngram"].speculative_config, "prompt_lookup_min": 5}

    for found in (
        grade_elsewhere(other, "cpu", PLACE, arm, None),
        grade_elsewhere(lab, "cpu", PLACE, arm, lossy),
        grade_elsewhere(lab, "cpu", PLACE, arm, narrow),
    ):
        assert isinstance(found, NotGradable)
        assert {each.invariant for each in found.broken} == {"I8"}


def test_pages_in_the_wrong_order_or_without_a_run_between_them_are_not_graded(lab: Lab) -> None:
    for pages in ((AFTER, BEFORE), (AFTER, AFTER)):
        found = grade_elsewhere(lab, "cpu", PLACE, from_metrics(*pages), None)
        assert isinstance(found, NotGradable)
        assert {each.invariant for each in found.broken} == {"counters"}


def test_files_of_another_kind_are_named(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"answer": 42}')
    with pytest.raises(SpecquizError, match="no result of vllm bench serve"):
        from_bench(tmp_path / "other.json")
    with pytest.raises(SpecquizError, match="not JSON"):
        from_bench(AFTER)
    with pytest.raises(SpecquizError, match="no /metrics page"):
        from_metrics(BENCH, AFTER)
    with pytest.raises(SpecquizError, match="cannot be read"):
        from_metrics(tmp_path / "none.txt", AFTER)


def test_where_figures_can_be_of_several_places_the_person_says_which(lab: Lab) -> None:
    assert place_in(lab, "ngram/echo") == PLACE
    with pytest.raises(UsageError, match="--of: vanilla/echo, vanilla/novel, ngram/echo, ngram/novel"):
        place_in(lab, None)
    with pytest.raises(UsageError, match="no 'ngram/text'"):
        place_in(lab, "ngram/text")


def test_the_command_says_that_nothing_is_recorded_and_passes_nothing(tmp_path: Path) -> None:
    home = {**os.environ, "SPECQUIZ_HOME": str(tmp_path / "home")}
    grade = [sys.executable, "-m", "specquiz", "lab", "grade", "ngram-echo"]
    command = [*grade, "--bench", str(BENCH), "--of", "ngram/echo"]
    told = subprocess.run(command, capture_output=True, text=True, env=home)
    facts = subprocess.run([*command, "--json"], capture_output=True, text=True, env=home)
    wrong = subprocess.run([*command, "--config", "method: ngram"], capture_output=True, text=True, env=home)

    assert (told.returncode, facts.returncode, wrong.returncode) == (1, 1, 2)
    assert "the grade is not recorded" in " ".join(told.stdout.split())
    assert json.loads(facts.stdout)["passed"] is False
    assert "--config is not JSON" in wrong.stderr
    assert not (tmp_path / "home").exists()
