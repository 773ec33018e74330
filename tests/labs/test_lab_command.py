"""`specquiz lab`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specquiz import __version__
from specquiz.cli import main
from specquiz.labs.loading import load_labs

Output = pytest.CaptureFixture[str]


def run(capsys: Output, *words: str) -> tuple[int, str, str]:
    code = main(["lab", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_listing_says_what_is_missing_to_open_a_lab(capsys: Output) -> None:
    code, out, _ = run(capsys, "list")

    assert code == 0
    assert "L02  ngram-echo  Echo against novel text  (locked)" in out
    assert "cpu proved, rtx4090 unproved" in out
    assert "Tokens per target pass: answer 3 more of its questions; 75% right opens it" in out


def test_listing_as_json_has_the_facts(capsys: Output) -> None:
    _, out, _ = run(capsys, "list", "--json")

    labs = json.loads(out)["labs"]
    assert [each["number"] for each in labs] == sorted(each["number"] for each in labs)
    echo = next(each for each in labs if each["id"] == "ngram-echo")
    assert (echo["number"], echo["unlocked"], echo["profiles"]) == ("L02", False, ["cpu", "rtx4090"])
    assert [each["concept"] for each in echo["missing"]] == ["tokens-per-pass", "acceptance-metrics"]
    assert (echo["proved"], echo["opens"]) == (["cpu"], {"tokens-per-pass": 0.75, "acceptance-metrics": 0.75})


def test_a_locked_lab_does_not_run_and_says_what_opens_it(capsys: Output) -> None:
    code, out, _ = run(capsys, "run", "ngram-echo", "--predict", "echo_rate=0.9")

    assert code == 1
    assert "ngram-echo is locked. What is missing:" in out
    assert "--unlock" in out


def test_without_vllm_a_run_says_how_to_get_one(capsys: Output) -> None:
    code, _, err = run(capsys, "run", "ngram-echo", "--unlock")

    assert code == 1
    assert "`specquiz lab setup --profile cpu` finds or builds one" in err


def test_a_lab_is_shown_with_what_is_predicted_and_without_the_answers(capsys: Output) -> None:
    code, out, _ = run(capsys, "show", "ngram-echo")

    assert code == 0
    assert "draft acceptance rate of ngram on echo" in out
    assert "echo_rate_high" in out
    assert "> 0.8" not in out, "a threshold tells the learner where the number lies"


def test_a_lab_is_shown_with_its_rules_on_request(capsys: Output) -> None:
    code, out, _ = run(capsys, "show", "ngram-echo", "--rules")

    assert code == 0
    assert "lower(ngram.echo.draft_acceptance_rate) > 0.8" in out


def test_the_recorded_run_shows_predictions_beside_observations(capsys: Output) -> None:
    code, out, _ = run(capsys, "show", "ngram-echo", "--recorded")

    assert code == 0
    lines = [line.strip() for line in out.splitlines()]
    first = lines.index("ngram on echo") + 1
    assert lines[first].startswith("draft acceptance rate")
    assert lines[first].endswith("predicted 0.900")
    assert "Passed: 6 of 6 rules hold." in out


def test_grading_recomputes_from_the_file(capsys: Output, evidence_file: Path) -> None:
    code, out, _ = run(capsys, "grade", str(evidence_file), "--json")

    facts = json.loads(out)
    assert code == 0
    assert facts["passed"] is True
    assert facts["quantities"][0]["quantity"] == "draft_acceptance_rate"
    assert [rule["outcome"] for rule in facts["rules"]] == ["passed"] * 6


def test_a_failed_grade_has_exit_code_one(capsys: Output) -> None:
    far = Path(__file__).parent.parent / "lab" / "evidence" / "ngram-echo-cpu-far-prediction.json"
    code, out, _ = run(capsys, "grade", str(far))

    assert code == 1
    assert "FAILED   prediction: predicted 0.550" in out
    assert "Not passed: 4 of 6 rules hold." in out


def test_changed_evidence_is_not_graded(capsys: Output, evidence_file: Path, tmp_path: Path) -> None:
    changed = tmp_path / "evidence.json"
    changed.write_text(evidence_file.read_text().replace('"echo_rate":"0.9"', '"echo_rate":"0.97"'))
    code, _, err = run(capsys, "grade", str(changed))

    assert code == 1
    assert "was changed after it was written" in err


def test_verifying_says_whether_it_holds(capsys: Output, evidence_file: Path) -> None:
    code, out, _ = run(capsys, "verify", str(evidence_file))

    assert code == 0
    assert "is whole and holds together" in out


def test_the_doctor_says_what_is_there_and_what_is_missing(capsys: Output) -> None:
    code, out, _ = run(capsys, "doctor", "--json")

    findings = {each["what"]: each for each in json.loads(out)["findings"]}
    assert code == 0
    assert findings["model tiny/target"]["ok"] is True
    assert "specquiz lab setup --profile cpu" in findings["vLLM for cpu"]["found"]
    assert {f"lab {lab.id}" for lab in load_labs()} <= findings.keys()
    assert findings["lab ngram-echo"]["found"].startswith("cpu: no vLLM; rtx4090: no vLLM")
    assert findings["port 8000 on loopback"]["ok"] is True


def test_the_doctor_says_it_in_one_block(capsys: Output) -> None:
    code, out, _ = run(capsys, "doctor")

    assert code == 0
    assert "" not in out.strip().splitlines()
    assert f"specquiz: {__version__}, Python" in out


def test_setting_up_without_anyone_to_ask_installs_nothing(capsys: Output) -> None:
    code, out, err = run(capsys, "setup", "--profile", "cpu")

    assert code == 2
    assert "downloads about 1 GB" in out
    assert "--yes" in err


@pytest.mark.parametrize("words", [("run", "nothing"), ("show", "nothing"), ("run", "ngram-echo", "--profile", "tpu")])
def test_what_does_not_exist_is_wrong_use(words: tuple[str, ...]) -> None:
    try:
        code = main(["lab", *words])
    except SystemExit as left:
        code = int(left.code or 0)
    assert code == 2
