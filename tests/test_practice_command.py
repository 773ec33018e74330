"""`specquiz practice --bank`: an author's own file is asked, or told wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BANK = """
bank: mine
title: Mine
concepts: {c: C}
questions:
  - {id: a, type: numeric, concepts: [c], level: 1, prompt: How much is 2 + 2?, explanation: Four., answer: 2 + 2}
"""


def practise(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    places = {"SPECQUIZ_HOME": str(folder / "home"), "SPECQUIZ_CACHE": str(folder / "cache")}
    words = [sys.executable, "-m", "specquiz", "practice", "--plain", "--bank", str(file)]
    return subprocess.run(words, input="4\n", env=os.environ | places, capture_output=True, text=True, check=False)


def test_a_file_named_without_a_bank_is_asked_alone(tmp_path: Path) -> None:
    session = practise(tmp_path, BANK)

    assert session.returncode == 0, session.stderr
    assert "Question 1 of 1 · mine" in session.stdout
    assert "[correct]" in session.stdout


def test_a_named_file_that_is_wrong_starts_no_session_on_other_banks(tmp_path: Path) -> None:
    session = practise(tmp_path, BANK.replace("2 + 2}", "2 +}"))

    assert session.returncode == 1
    assert "mine.yaml:6:" in session.stderr
    assert "Question" not in session.stdout
    assert "Traceback" not in session.stderr
