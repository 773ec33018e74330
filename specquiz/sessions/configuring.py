"""What a configuration is worth: known mistakes first, then vLLM's own rules, then key by key with the right one."""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.answers import Correct, Invalid, Verdict, Wrong
from specquiz.answers.config_reading import Written, read_configuration
from specquiz.answers.config_taking import Taken, take
from specquiz.answers.configuration import as_text, briefly, flat, same, shows
from specquiz.answers.speculative_config import MOST_FAULTS
from specquiz.answers.verdict import Refusal
from specquiz.banks.config_keys import ANY
from specquiz.banks.model import ConfigQuestion


def judge_configuration(question: ConfigQuestion, text: str) -> Verdict:
    """Judge a configuration as typed."""
    try:
        given = take(question.of, question.given, read_configuration(text))
    except Refusal as refusal:
        return Invalid(message=refusal.message, at=refusal.at)
    read_as = as_text(given.written)
    for number, misconception in enumerate(question.misconceptions):
        if shows(misconception.where, flat(given.written)):
            return Wrong(message=misconception.say, read_as=read_as, misconception=number)
    sentences = [str(fault) for fault in given.faults] or list(_differences(question, given))
    if sentences:
        return Wrong(message=" ".join(sentences[:MOST_FAULTS]), read_as=read_as)
    return Correct(message="vLLM takes it, and every key is right.", read_as=read_as)


def _differences(question: ConfigQuestion, given: Taken) -> Iterator[str]:
    """A sentence for each key that is missing, is too much, or has the wrong value."""
    wanted = take(question.of, question.given, Written(dict(question.answer), flags=False))
    written, asked = flat(given.written), flat(question.answer)
    # What neither says is what vLLM makes of the rest, which is spoken of already.
    for key in (
        key for key in dict.fromkeys((*asked, *wanted.values, *given.values)) if key in written or key in asked
    ):
        value, right = given.values.get(key), wanted.values.get(key)
        if same(value, right) or _accepted(question, key, value):
            continue
        if key in question.optional and (right is None or key not in written):
            continue
        if value is None:
            yield f"{key} is missing."
        elif key not in written:
            yield f"{key} is missing, and vLLM takes {briefly(as_text(value))} for it."
        elif right is None:
            yield f"{briefly(key)} does not belong here."
        else:
            yield f"{key} is {briefly(as_text(value))}, which is not what is asked for."


def _accepted(question: ConfigQuestion, key: str, value: object) -> bool:
    accepted = question.accept.get(key, ())
    return accepted == ANY or any(same(value, other) for other in accepted)
