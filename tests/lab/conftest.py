"""The vLLM of this machine, and a home of each test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from specquiz.labs.environment import Environment, find
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab


@pytest.fixture(scope="session")
def vllm() -> Environment:
    return find("cpu")


@pytest.fixture(scope="session")
def lab() -> Lab:
    return find_lab(load_labs(), "ngram-echo")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vllm: Environment) -> Path:
    """An empty home. The environment was found before, with the person's own settings."""
    assert vllm.vllm
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
