"""Evidence against the log of the machine that made it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from specquiz import places
from specquiz.cli import main
from specquiz.labs.evidence import Evidence, observed, read_evidence, write_evidence
from specquiz.labs.history import contradictions
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.recorded import recorded_run
from specquiz.sessions.events import LabFinished, LabPredicted
from specquiz.store.log import open_log


@pytest.fixture
def evidence() -> Evidence:
    return recorded_run(find_lab(load_labs(), "ngram-echo"))


def predicted(evidence: Evidence) -> LabPredicted:
    return LabPredicted(
        at=evidence.predicted_at,
        run=evidence.run,
        lab=evidence.lab.id,
        profile=evidence.profile,
        predictions=evidence.predictions,
    )


def finished(evidence: Evidence, digest: str) -> LabFinished:
    return LabFinished(at=2.0, run=evidence.run, lab=evidence.lab.id, outcome="passed", digest=digest)


def test_the_log_of_another_machine_says_nothing(evidence: Evidence) -> None:
    foreign = LabFinished(at=2.0, run="another", lab=evidence.lab.id, outcome="passed", digest="0" * 64)

    assert contradictions(evidence, []) == ()
    assert contradictions(evidence, [foreign]) == ()


def test_evidence_as_it_was_recorded_agrees(evidence: Evidence) -> None:
    assert contradictions(evidence, [predicted(evidence), finished(evidence, evidence.digest)]) == ()


def test_a_run_that_broke_has_no_hash_to_compare(evidence: Evidence) -> None:
    assert contradictions(evidence, [finished(evidence, "")]) == ()


def test_another_hash_than_the_recorded_one_is_told(evidence: Evidence) -> None:
    (found,) = contradictions(evidence, [finished(evidence, "0" * 64)])

    assert "not the one that the log recorded" in found.reason


def test_a_run_under_another_name_is_known_by_its_nonce(evidence: Evidence) -> None:
    begun = msgspec.structs.replace(predicted(evidence), nonce=evidence.nonce)
    renamed = msgspec.structs.replace(evidence, run=f"{evidence.run}-again", predictions={})

    (found,) = contradictions(renamed, [begun])

    assert (
        found.reason == f"its nonce was drawn for the run {evidence.run}: a run counts once, with its own predictions"
    )


def test_a_run_under_another_name_and_nonce_is_known_by_what_it_observed(evidence: Evidence) -> None:
    ended = msgspec.structs.replace(finished(evidence, evidence.digest), observed=observed(evidence))
    renamed = msgspec.structs.replace(evidence, run=f"{evidence.run}-again", nonce="0" * 32)

    (found,) = contradictions(renamed, [ended])

    assert found.reason.startswith(f"what it observed is what the run {evidence.run} observed")


def test_another_nonce_than_the_one_drawn_before_the_run_is_told(evidence: Evidence) -> None:
    begun = msgspec.structs.replace(predicted(evidence), nonce="0" * 32)

    (found,) = contradictions(evidence, [begun])

    assert found.reason == "the nonce is not the one that was drawn before the run"


def test_a_prediction_changed_after_the_run_is_named_with_both_values(evidence: Evidence) -> None:
    name, value = next(iter(evidence.predictions.items()))
    changed = msgspec.structs.replace(evidence, predictions={**evidence.predictions, name: "0.123"})

    (found,) = contradictions(changed, [predicted(evidence)])

    assert found.reason == f"the prediction {name} is 0.123 here, and {value} in the log, which had it before"


def test_predictions_made_between_two_arms_are_known_from_events_of_their_own(evidence: Evidence) -> None:
    *early, last = evidence.predictions
    first = msgspec.structs.replace(
        predicted(evidence), predictions={name: evidence.predictions[name] for name in early}
    )
    second = msgspec.structs.replace(predicted(evidence), predictions={last: evidence.predictions[last]})

    assert contradictions(evidence, [first, second]) == ()
    assert len(contradictions(evidence, [first])) == 1


def test_of_a_run_that_was_taken_to_its_end_the_last_hash_counts(evidence: Evidence) -> None:
    assert contradictions(evidence, [finished(evidence, "0" * 64), finished(evidence, evidence.digest)]) == ()


def test_evidence_hashed_again_after_a_change_is_refused_at_home_and_cannot_be_known_elsewhere(
    evidence: Evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    name, value = next(iter(evidence.predictions.items()))
    better = f"{value}1"
    path = tmp_path / "evidence.json"
    write_evidence(path, msgspec.structs.replace(evidence, predictions={**evidence.predictions, name: better}))
    assert read_evidence(path).predictions[name] == better

    assert main(["lab", "verify", str(path)]) == 0
    assert not places.log_file().exists(), "grading only reads"
    with open_log() as log:
        log.append(predicted(evidence))
        log.append(finished(evidence, evidence.digest))
    capsys.readouterr()

    assert main(["lab", "verify", str(path)]) == 1
    assert main(["lab", "grade", str(path)]) == 1
    assert f"the prediction {name} is {better} here" in capsys.readouterr().out.replace("\n", " ")
