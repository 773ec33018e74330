"""What a configuration is worth: compared key by key with the right one, known mistakes first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from specquiz.answers import Correct, Invalid, Verdict, Wrong
from specquiz.answers.configuration import as_text, flat, same, shows
from specquiz.banks.config_keys import ANY
from specquiz.banks.model import ConfigQuestion


def judge_configuration(question: ConfigQuestion, text: str) -> Verdict:
    """Judge a configuration as typed."""
    if not text.strip():
        return Invalid(message="Write the configuration, such as a JSON object.")
    try:
        typed = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Invalid(message=f"This is no JSON object: {error}.")
    if not isinstance(typed, dict):
        return Invalid(message="Write a JSON object: keys with values in braces.")
    given = flat(typed)
    read_as = as_text(typed)
    for number, misconception in enumerate(question.misconceptions):
        if shows(misconception.where, given):
            return Wrong(message=misconception.say, read_as=read_as, misconception=number)
    faults = list(_faults(question, given))
    if faults:
        return Wrong(message=" ".join(faults), read_as=read_as)
    return Correct(message="Every key is right.", read_as=read_as)


def _faults(question: ConfigQuestion, given: dict[str, Any]) -> Iterator[str]:
    """A sentence for each key that is missing, is too much, or has the wrong value."""
    right = flat(question.answer)
    for key, value in right.items():
        if key not in given:
            if key not in question.optional:
                yield f"{key} is missing."
        elif not (same(given[key], value) or _accepted(question, key, given[key])):
            yield f"{key} has the wrong value: {as_text(given[key])}."
    for key in given:
        if key not in right and key not in question.optional and not _accepted(question, key, given[key]):
            yield f"{key} does not belong."


def _accepted(question: ConfigQuestion, key: str, value: object) -> bool:
    accepted = question.accept.get(key, ())
    return accepted == ANY or any(same(value, other) for other in accepted)
