"""A lab run as an HTML page."""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from specquiz.cli import main
from specquiz.labs.evidence import Evidence, write_evidence
from specquiz.labs.grading import Graded, NotGradable, grade
from specquiz.labs.invariants import Broken
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab
from specquiz.labs.quantities import shown
from specquiz.labs.recorded import proved, recorded_run
from specquiz.reports.html import lab_report

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">'


@pytest.fixture(scope="module")
def lab() -> Lab:
    return find_lab(load_labs(), "ngram-echo")


@pytest.fixture(scope="module")
def evidence(lab: Lab) -> Evidence:
    return recorded_run(lab)


@pytest.fixture(scope="module")
def page(lab: Lab, evidence: Evidence) -> str:
    return lab_report(lab, evidence, grade(lab, evidence))


class Tags(HTMLParser):
    """Counts the elements of a page and collects what they would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.count: dict[str, int] = {}
        self.loaded: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self.loaded += [
            value or ""
            for name, value in attrs
            if name in ("src", "href", "xlink:href") and not (value or "").startswith("#")
        ]


def test_every_figure_of_the_grade_stands_on_the_page(lab: Lab, evidence: Evidence, page: str) -> None:
    found = grade(lab, evidence)
    assert isinstance(found, Graded)

    for each in found.quantities:
        assert each.value is None or f"<td>{shown(each.value)}</td>" in page
    for rule in found.rules:
        assert rule.id in page
    assert f"Passed: {len(found.rules)} of {len(found.rules)} rules hold" in page
    assert evidence.digest in page


RUNS = [(lab, profile) for lab in load_labs() for profile in lab.profiles if proved(lab, profile)]


@pytest.mark.parametrize(("lab", "profile"), RUNS, ids=[f"{lab.id}-{profile}" for lab, profile in RUNS])
def test_every_recorded_run_makes_a_page(lab: Lab, profile: str) -> None:
    recorded = recorded_run(lab, profile)
    found = grade(lab, recorded)
    assert isinstance(found, Graded)

    made = lab_report(lab, recorded, found)

    for rule in found.rules:
        assert f"<td>{rule.id}</td>" in made
    for text in recorded.predictions.values():
        assert escape(text) in made
    assert "script" not in Tags(made).count


def test_it_stands_alone(page: str) -> None:
    tags = Tags(page)

    assert tags.count["svg"] == 3
    assert "script" not in tags.count
    assert tags.loaded == []
    assert "default-src &#x27;none&#x27;" not in page, "the policy is a policy, not a text"
    assert "default-src 'none'" in page


def test_the_same_evidence_gives_the_same_bytes(lab: Lab, evidence: Evidence, page: str) -> None:
    assert lab_report(lab, evidence, grade(lab, evidence)) == page


def test_the_figures_of_a_page_share_no_ids(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    referred = re.findall(r'url\(#([^)]+)\)|xlink:href="#([^"]+)"', page)

    needed = {one or other for one, other in referred}
    assert needed <= set(ids)
    assert all(ids.count(id) == 1 for id in needed)


def test_what_evidence_says_is_text_and_never_markup(lab: Lab, evidence: Evidence) -> None:
    arm = msgspec.structs.replace(evidence.arms["vanilla"], versions={"vllm": HOSTILE}, log_tail=HOSTILE)
    forged = msgspec.structs.replace(
        evidence, run=HOSTILE, machine={"processor": HOSTILE}, arms={**evidence.arms, "vanilla": arm}, model=HOSTILE
    )

    tags = Tags(lab_report(lab, forged, NotGradable((Broken("I1", HOSTILE),))))

    assert "script" not in tags.count
    assert "img" not in tags.count


def test_without_a_grade_the_page_says_why(lab: Lab, evidence: Evidence) -> None:
    page = lab_report(lab, evidence, NotGradable((Broken("I2", "the sums differ"),)))

    assert "Not gradable" in page
    assert "the sums differ" in page


def test_the_command_writes_the_page_beside_the_evidence(
    evidence: Evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "home"))
    write_evidence(tmp_path / "evidence.json", evidence)

    assert main(["lab", "report", str(tmp_path / "evidence.json")]) == 0

    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "report.html" in capsys.readouterr().out.replace("\n", "")


def test_a_place_that_cannot_be_written_is_told(
    evidence: Evidence, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_evidence(tmp_path / "evidence.json", evidence)

    assert main(["lab", "report", str(tmp_path / "evidence.json"), "--out", str(tmp_path / "no" / "page.html")]) == 1
    assert "--out FILE" in capsys.readouterr().err


def test_matplotlib_is_loaded_for_a_report_alone() -> None:
    code = "import specquiz.reports.html, specquiz.reports.figures, sys; print('matplotlib' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
