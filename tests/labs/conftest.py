"""The shipped lab, and two real runs of it: the one that ships, and one whose prediction was far off."""

from __future__ import annotations

from pathlib import Path

import pytest

from specquiz import places
from specquiz.labs.evidence import Evidence, read_evidence
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab
from specquiz.labs.recorded import recorded_run

FAR_PREDICTION = Path(__file__).parent.parent / "lab" / "evidence" / "ngram-echo-cpu-far-prediction.json"


@pytest.fixture(scope="session")
def lab() -> Lab:
    return find_lab(load_labs(), "ngram-echo")


@pytest.fixture(scope="session")
def evidence(lab: Lab) -> Evidence:
    return recorded_run(lab, "cpu")


@pytest.fixture(scope="session")
def evidence_file(lab: Lab) -> Path:
    return places.shipped_labs() / "recorded" / f"{lab.id}-cpu.json"


@pytest.fixture(scope="session")
def far_prediction() -> Evidence:
    return read_evidence(FAR_PREDICTION)


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SPECQUIZ_CACHE", str(tmp_path / "cache"))
