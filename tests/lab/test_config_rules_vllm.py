"""Our rules for configurations against a real vLLM: it takes what we take and refuses what we refuse."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specquiz import places
from specquiz.answers.config_reading import Written
from specquiz.answers.config_taking import take
from specquiz.answers.configuration import ABSENT, NESTED, flat
from specquiz.answers.engine_args import RANKS, split
from specquiz.answers.speculative_config import MOST_DRAFTED, resolve
from specquiz.banks.library import open_library
from specquiz.banks.model import ConfigQuestion
from specquiz.labs.environment import Environment

pytestmark = pytest.mark.vllm

Case = dict[str, Any]
TABLE = Path(__file__).parent.parent / "answers" / "speculative_cases.json"
ENVIRONMENT = ("Arctic Inference", "not supported for now", "Unsupported speculative method")
"""What vLLM says of an environment or of models that stand in for others, and not of the configuration."""


def of_the_table() -> Iterator[Case]:
    for case in json.loads(TABLE.read_text(encoding="utf-8")):
        yield {"name": json.dumps(case["config"]), "config": case["config"], "given": case.get("given", {})}


def of_the_banks() -> Iterator[Case]:
    """Every configuration question's answer, and each known mistake put into it."""
    for bank in open_library().banks:
        for question in bank.questions:
            if isinstance(question, ConfigQuestion):
                name = f"{bank.id}/{question.id}"
                yield from as_case(name, question, question.answer)
                for place, wrong in enumerate(question.misconceptions, 1):
                    yield from as_case(f"{name} mistake {place}", question, changed(question.answer, wrong.where))


def changed(answer: dict[str, Any], where: dict[str, Any]) -> dict[str, Any]:
    """The answer with a part of it replaced; keys of a nested configuration have a dot."""
    values = {**flat(answer), **where}
    kept = {key: value for key, value in values.items() if value != ABSENT}
    whole = {key: value for key, value in kept.items() if "." not in key}
    inner = {key.partition(".")[2]: value for key, value in kept.items() if key.startswith(f"{NESTED}.")}
    return {**whole, NESTED: inner} if inner else whole


def as_case(name: str, question: ConfigQuestion, values: dict[str, Any]) -> Iterator[Case]:
    """The speculative configuration in what was written, if the engine arguments around it are taken."""
    if question.of == "speculative_config":
        yield {"name": name, "config": values, "given": question.given}
        return
    engine, speculative, faults = split(values)
    if not faults and speculative is not None:
        ranks = {RANKS: int(engine[RANKS])} if RANKS in engine else {}
        yield {"name": name, "config": speculative, "given": {**question.given, **ranks}}


def test_vllm_takes_what_the_rules_take_and_refuses_what_they_refuse(vllm: Environment) -> None:
    cases = [*of_the_table(), *of_the_banks()]
    for case in cases:
        case["given"] = {RANKS: 1, **case["given"]}
        case["found"] = take("speculative_config", case["given"], Written(case["config"], flags=False))
        case["method"] = str(resolve(case["config"], case["given"]).values.get("method", ""))
    child = [
        str(vllm.python),
        str(Path(__file__).with_name("vllm_takes.py")),
        str(places.shipped_labs() / "tiny"),
    ]
    asked = json.dumps([{key: case[key] for key in ("config", "given", "method")} for case in cases])

    said = json.loads(subprocess.run(child, input=asked, capture_output=True, text=True, check=True).stdout)

    apart = []
    for case, message in zip(cases, said, strict=True):
        faults = case["found"].faults
        if any(part in message for part in ENVIRONMENT):
            continue
        if bool(message) != bool([fault for fault in faults if str(MOST_DRAFTED) not in fault.say]):
            apart.append(f"{case['name']}\n    ours: {'; '.join(map(str, faults))}\n    vLLM: {message}")
    assert not apart, "\n".join(apart)
