"""The HTML report in a real headless Chromium."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from matplotlib.image import imread

from specquiz.labs.grading import grade
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.recorded import recorded_run
from specquiz.reports.html import lab_report

pytestmark = pytest.mark.browser

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab = find_lab(load_labs(), "ngram-echo")
    evidence = recorded_run(lab)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(lab_report(lab, evidence, grade(lab, evidence)), encoding="utf-8")
    return path


def browse(page: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Open the page in a browser of its own, which ends by itself."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "this test needs Chromium on the path"
    profile = page.parent / "profile"
    command = [program, *QUIET, f"--user-data-dir={profile}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def test_the_browser_sees_every_section_and_every_plot(page: Path) -> None:
    seen = browse(page, "--dump-dom").stdout

    for heading in ("Prediction and observation", "Rules", "Observed", "Acceptance by draft position", "What was run"):
        assert f"<h2>{heading}</h2>" in seen
    assert seen.count("<svg") == 3


def test_nothing_is_refused_and_nothing_fails(page: Path) -> None:
    told = browse(page, "--dump-dom", "--enable-logging=stderr").stderr

    assert "Refused to" not in told
    assert ":CONSOLE" not in told


# High enough for the whole page: in a narrow window the tables wrap, and the plots below them stand lower.
@pytest.mark.parametrize(("width", "height"), [(400, 10_000), (1000, 5_000)])
def test_it_is_drawn_and_fits_the_window(page: Path, width: int, height: int) -> None:
    picture = page.parent / f"{width}.png"
    browse(page, f"--screenshot={picture}", f"--window-size={width},{height}")

    pixels = imread(picture)[..., :3]
    paper = pixels[2, 2]
    drawn = (abs(pixels - paper) > 0.1).any(axis=2)

    assert pixels.shape[1] == width
    assert 0.01 < drawn.mean() < 0.6, "text and plots, and paper between them"
    assert not drawn[:, -4:].any(), "nothing runs out of the window on the right"
    blue = (pixels[..., 2] - pixels[..., 0] > 0.3).sum()
    assert blue > 300, "the observed figures are plotted"
