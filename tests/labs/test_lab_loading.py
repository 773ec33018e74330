"""Lab files are read strictly, and every fault has its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from specquiz import places
from specquiz.errors import SpecquizError
from specquiz.labs.loading import find_lab, load_lab, load_labs, load_workload
from specquiz.labs.model import Lab, fingerprint

SHIPPED = (places.shipped_labs() / "ngram-echo.yaml").read_text(encoding="utf-8")


def written(folder: Path, text: str) -> Path:
    (folder / "prompts").mkdir()
    for name in ("echo", "novel"):
        (folder / "prompts" / f"{name}.yaml").write_text("prompts: [{id: a, text: b}]\n", encoding="utf-8")
    path = folder / "ngram-echo.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def faults(folder: Path, before: str, after: str) -> list[str]:
    assert before in SHIPPED
    path = written(folder, SHIPPED.replace(before, after))
    with pytest.raises(SpecquizError) as caught:
        load_lab(path)
    return [line.removeprefix(f"{path}:") for line in str(caught.value).splitlines()]


def test_the_shipped_labs_are_sound_and_so_are_their_prompts() -> None:
    for lab in load_labs():
        for file in lab.workloads.values():
            assert load_workload(file).prompts


def place_of(text: str) -> str:
    line = next(number for number, each in enumerate(SHIPPED.splitlines(), 1) if text in each)
    return f"{line}:{SHIPPED.splitlines()[line - 1].index(text) + 1}"


def test_an_unknown_quantity_in_a_rule_is_told_with_its_column(tmp_path: Path) -> None:
    found = faults(tmp_path, "abs(ngram.echo.model_acceptance_length", "abs(ngram.echo.model_acceptance_lenght")

    assert found[0].startswith(place_of("ngram.echo.model_acceptance_length") + ": SL305 there is no quantity")


def test_an_unknown_arm_in_a_rule_comes_with_the_one_that_was_meant(tmp_path: Path) -> None:
    found = faults(tmp_path, "outputs_equal(vanilla, ngram)", "outputs_equal(vanila, ngram)")

    assert found == [f"{place_of('outputs_equal(vanilla')}: SL304 there is no arm 'vanila' (did you mean 'vanilla'?)"]


def test_a_prediction_of_an_arm_that_is_not_there_is_told(tmp_path: Path) -> None:
    found = faults(tmp_path, "of: ngram/novel", "of: ngram/nvel")

    assert "there is no workload 'nvel' (did you mean 'novel'?)" in found[0]


def test_an_unknown_key_is_told(tmp_path: Path) -> None:
    found = faults(tmp_path, "title:", "titel:")

    assert found == [f"{place_of('title:')}: SQ202 unknown key 'titel' in a lab (did you mean 'title'?)"]


def test_a_missing_prompt_file_is_told(tmp_path: Path) -> None:
    assert "SL303 there is no file prompts/none.yaml" in faults(tmp_path, "prompts/novel.yaml", "prompts/none.yaml")[0]


def test_a_profile_that_no_machine_has_is_told(tmp_path: Path) -> None:
    assert "SL304 there is no profile 'gpu'" in faults(tmp_path, "  rtx4090: {", "  gpu: {")[0]


def test_a_draft_of_no_tokens_is_told(tmp_path: Path) -> None:
    assert "SL302" in faults(tmp_path, "num_speculative_tokens: 4", "num_speculative_tokens: 0")[0]


def test_an_unknown_lab_is_told_with_those_there_are(lab: Lab) -> None:
    with pytest.raises(SpecquizError, match=r"There is no lab 'ngram-ecko' \(did you mean 'ngram-echo'\?\)"):
        find_lab([lab], "ngram-ecko")


def test_rewording_keeps_the_fingerprint_and_another_threshold_changes_it(tmp_path: Path, lab: Lab) -> None:
    reworded = load_lab(written(tmp_path, SHIPPED.replace("Echo against novel text", "Copying against reciting")))
    (tmp_path / "other").mkdir()
    stricter = load_lab(written(tmp_path / "other", SHIPPED.replace("> 0.8", "> 0.7")))

    assert fingerprint(reworded) == fingerprint(lab)
    assert fingerprint(stricter) != fingerprint(lab)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("  vanilla: {}", '  vanilla: {model: "{tiny}"}', "SL304 there is no model of the profile cpu 'tiny'"),
        ("  vanilla: {}", "  vanilla: {workloads: [eco]}", "SL304 there is no workload 'eco'"),
        ("sampling:", "settings: {eco: {take: 3}}\nsampling:", "SL304 there is no workload 'eco'"),
        ("predict:\n", "predict:\n  - {id: a}\n", "SL306 a prediction has a quantity, or a question in 'ask'"),
        (
            "predict:\n",
            "predict:\n  - {id: a, ask: b, kind: choice, choices: [x]}\n",
            "SL306 a prediction of the kind choice has at least two choices",
        ),
        ("predict:\n", "predict:\n  - {id: a, ask: b, after: ngram}\n", "SL306 after the last arm"),
        ("predict:\n", "predict:\n  - {id: a, ask: b, after: vanila}\n", "SL304 there is no arm 'vanila'"),
        ("outputs_equal(vanilla, ngram)", "fails(vanilla)", "SL304 there is no arm that is expected to fail"),
        ("outputs_equal(vanilla, ngram)", "says(predicted.echo_rate, 'x')", "SL304 there is no predicted choice"),
        ("outputs_equal(vanilla, ngram)", "parted(vanilla.echo, ngram.eco) < 1", "SL304 there is no workload 'eco'"),
        ("  - invariant: I7", "  - invariant: I1", "not 'I1'"),
        (
            "grade:\n",
            "challenge: {arm: mine, runs: 6, score: ngram.echo.alpha, target: 1}\ngrade:\n",
            "SL304 there is no arm 'mine'",
        ),
    ],
)
def test_what_a_lab_cannot_mean_is_told(tmp_path: Path, before: str, after: str, says: str) -> None:
    found = faults(tmp_path, before, after)
    assert any(says in fault for fault in found), found
