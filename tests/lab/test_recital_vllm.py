"""What is written down of the shipped target is what its own tokenizer and weights say. `make lab-test` runs this."""

from __future__ import annotations

import subprocess

import pytest

from specquiz.labs.environment import find
from specquiz.places import shipped_labs

pytestmark = pytest.mark.vllm


def test_the_recital_is_what_the_target_says() -> None:
    script = shipped_labs() / "tiny" / "recital.py"

    done = subprocess.run([find("cpu").python, script, "--check"], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
