"""What was found when questions were verified, kept under the user's cache folder by the content of each question.

A finding holds for exactly one content of a question and one state of the code that judged it. Nothing depends on it:
a finding that is missing or damaged is made anew. What could not be proved is not kept, for a quieter machine may.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from specquiz import answers, places, theory
from specquiz.banks import formula_rules, variants, verifying
from specquiz.banks.cache import write_whole
from specquiz.banks.model import NumericQuestion, SymbolicQuestion
from specquiz.banks.verifying import Verification, verify


def verify_once(question: NumericQuestion | SymbolicQuestion) -> tuple[Verification, bool]:
    """The finding about a question, and whether it was known from before."""
    file = places.cache() / "verified" / f"{_digest(question)}.json"
    known = _recall(file)
    if known is not None:
        return known, True
    finding = verify(question)
    if finding.standing != "not proved":
        _keep(file, finding)
    return finding, False


def _recall(file: Path) -> Verification | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Verification)
    except (OSError, msgspec.DecodeError):
        return None


def _keep(file: Path, finding: Verification) -> None:
    try:
        write_whole(file, msgspec.json.encode(finding))
    except OSError:
        # A cache that cannot be written to costs time, which is no reason to stop or to complain.
        return


def _digest(question: NumericQuestion | SymbolicQuestion) -> str:
    content = msgspec.json.encode(question, order="deterministic")
    return hashlib.sha256(_code() + content).hexdigest()


@cache
def _code() -> bytes:
    """A digest of the code that verifies: the checker, the theory, and what stands between them and a question."""
    packages = [Path(next(iter(package.__path__))) for package in (answers, theory)]
    files = [file for folder in packages for file in sorted(folder.glob("*.py"))]
    files += [Path(str(module.__file__)) for module in (formula_rules, variants, verifying)]
    found = hashlib.sha256(version("sympy").encode())
    for file in files:
        found.update(file.name.encode() + file.read_bytes())
    return found.digest()
