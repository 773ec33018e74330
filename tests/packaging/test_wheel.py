"""The wheel carries all that the program needs: tried from an empty directory, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as built from this checkout, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def specquiz(site: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PYTHONPATH": str(site),
        "SPECQUIZ_HOME": str(cwd / "home"),
        "SPECQUIZ_CACHE": str(cwd / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-m", "specquiz", *words],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_banks_travel_in_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    listed = specquiz(unpacked, tmp_path, "bank", "list", "--json")

    assert listed.returncode == 0, listed.stderr
    banks = {bank["id"]: bank["questions"] for bank in json.loads(listed.stdout)["banks"]}
    assert banks.keys() >= {"exactness", "memory-bound", "tuning-alpha-k"}


def test_the_primers_travel_in_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    pages = sorted((CHECKOUT / "questions" / "primers").glob("*.md"))
    listed = specquiz(unpacked, tmp_path, "primer", "--json")

    assert listed.returncode == 0, listed.stderr
    assert sorted(page["primer"] for page in json.loads(listed.stdout)["primers"]) == [page.stem for page in pages]


def test_the_labs_and_their_recorded_runs_travel_in_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    shown = specquiz(unpacked, tmp_path, "lab", "show", "ngram-echo", "--recorded")

    assert shown.returncode == 0, shown.stderr
    assert "draft acceptance rate" in shown.stdout


def test_the_tiny_models_travel_in_the_wheel(unpacked: Path) -> None:
    for model in ("target", "draft"):
        assert (unpacked / "specquiz" / "content" / "labs" / "tiny" / model / "model.safetensors").is_file()


def test_what_a_servers_worker_is_given_travels_in_the_wheel(unpacked: Path) -> None:
    worker = unpacked / "specquiz" / "labs" / "engines" / "worker"
    program = "import specquiz_worker; print(specquiz_worker.Sampler.specquiz_cpu_sampler.__name__)"

    told = subprocess.run([sys.executable, "-c", program], cwd=worker, capture_output=True, text=True, check=False)

    assert told.stdout == "specquiz_cpu_sampler\n", told.stderr


def test_a_session_starts_from_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    session = specquiz(unpacked, tmp_path, "practice", "--plain", "tuning-alpha-k")

    assert session.returncode == 0, session.stderr
    assert "Question 1 of" in session.stdout
