"""Evidence is whole or it is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import places
from specquiz.errors import SpecquizError, UsageError
from specquiz.labs.evidence import Evidence, decode_evidence, read_evidence, write_evidence

RECORDED = places.shipped_labs() / "recorded" / "ngram-echo-cpu.json"
PLAIN: dict[str, Any] = json.loads(RECORDED.read_bytes())


def leaves(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict) and value:
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    if isinstance(value, list) and value:
        return [leaf for index, item in enumerate(value) for leaf in leaves(item, (*path, index))]
    return [path]


LEAVES = leaves(PLAIN)


def another(value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "x"
    return "something"


@settings(deadline=None)
@given(st.sampled_from(LEAVES))
def test_no_figure_can_be_changed_unnoticed(path: tuple[str | int, ...]) -> None:
    plain = json.loads(RECORDED.read_bytes())
    holder = plain
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = another(holder[path[-1]])

    with pytest.raises(SpecquizError):
        decode_evidence(plain, where="evidence.json")


@settings(deadline=None)
@given(st.sampled_from(LEAVES))
def test_no_figure_can_be_taken_out_unnoticed(path: tuple[str | int, ...]) -> None:
    plain = json.loads(RECORDED.read_bytes())
    holder = plain
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]

    with pytest.raises(SpecquizError):
        decode_evidence(plain, where="evidence.json")


def test_nothing_can_be_added_unnoticed() -> None:
    with pytest.raises(SpecquizError, match="damaged"):
        decode_evidence({**PLAIN, "verdict": "passed"}, where="evidence.json")


def test_what_is_written_is_read_back_the_same(tmp_path: Path, evidence: Evidence) -> None:
    path = tmp_path / "new" / "evidence.json"

    assert write_evidence(path, evidence) == evidence
    assert read_evidence(path) == evidence
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "This is not JSON"),
        (b"\xff\xfe", "This is not JSON"),
        (b"[]", "This is not the evidence of a lab run"),
        (b"{}", "This is not the evidence of a lab run"),
        (b'{"format": 2, "digest": ""}', "This evidence has format 2; this specquiz reads format 1"),
        (b'{"format": 1, "digest": ""}', "damaged"),
        (RECORDED.read_bytes()[:5000], "This is not JSON"),
    ],
)
def test_what_is_no_evidence_is_told_in_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "evidence.json"
    path.write_bytes(content)
    with pytest.raises(SpecquizError) as caught:
        read_evidence(path)
    assert says in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_evidence(tmp_path / "none.json")


def test_a_folder_that_cannot_be_written_says_where_and_what_to_do(tmp_path: Path, evidence: Evidence) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SpecquizError, match="SPECQUIZ_HOME"):
        write_evidence(tmp_path / "file" / "evidence.json", evidence)


@pytest.mark.parametrize("place", ["site-packages", "/home/", "/Users/", str(Path.home()) + "/"])
def test_the_recorded_run_names_no_folder_of_the_machine_it_ran_on(place: str) -> None:
    text = RECORDED.read_text(encoding="utf-8").replace("vllm/lib/python3.11/site-packages", "vllm")
    assert place not in text


def test_a_disk_without_room_is_told_and_the_evidence_before_stays(tmp_path: Path, evidence: Evidence) -> None:
    """The system itself refuses a file that grows too large, as a full disk does."""
    path = tmp_path / "evidence.json"
    write_evidence(path, evidence)
    before = path.read_bytes()
    program = (
        "import resource, signal, sys; from pathlib import Path;"
        "from specquiz.labs.evidence import read_evidence, write_evidence;"
        "path = Path(sys.argv[1]); evidence = read_evidence(path);"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "write_evidence(path, evidence)"
    )

    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)

    assert "The evidence could not be written: File too large." in done.stderr
    assert "run the lab again" in done.stderr
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path], "no half file stays"
