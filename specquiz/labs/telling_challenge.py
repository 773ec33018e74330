"""A challenge as plain lines, for every face: what to write, the leaderboard, and how far the best K is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from specquiz.answers.configuration import as_text
from specquiz.labs.challenge import Try, best_first, challenge_of, place_in_series
from specquiz.labs.model import Lab, ProfileName, Scalar


def entry_lines(lab: Lab, profile: ProfileName, made: Sequence[Try]) -> Iterator[str]:
    """What the learner is asked to write, and which try it is."""
    challenge = challenge_of(lab)
    number, series = place_in_series(lab, len(made))
    yield f"Try {number} of {challenge.runs}" + (f", series {series}." if series > 1 else ".")
    yield f"Write a speculative config for the arm {challenge.arm}, to score at least {challenge.target:g}."
    yield "As JSON, or like method=ngram num_speculative_tokens=4 prompt_lookup_min=2 prompt_lookup_max=5."
    models = ", ".join(lab.profiles[profile].models)
    if models:
        yield f"Draft models here: {models} (method=draft_model model=…)."


def board_lines(lab: Lab, made: Sequence[Try]) -> Iterator[str]:
    """One's own tries, the best first, with what was predicted beside what was scored."""
    challenge = challenge_of(lab)
    yield f"{lab.title}: the target is {challenge.target:g}"
    if not made:
        yield f"No try yet: specquiz lab run {lab.id}"
        return
    order = {each.run: number for number, each in enumerate(made)}
    for place, each in enumerate(best_first(made), 1):
        number, series = order[each.run] % challenge.runs + 1, order[each.run] // challenge.runs + 1
        scored = "not gradable" if each.score is None else f"{each.score:.3f}"
        mark = "  passed" if each.passed else ""
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.at))
        yield f"{place}. {scored}  predicted {each.predicted}{mark}  (try {number} of series {series}, {day})"
        yield f"   {as_text({key: _plain(value) for key, value in each.config.items()})}"
    number, _ = place_in_series(lab, len(made))
    left = challenge.runs - number + 1
    yield (
        f"{left} {'try' if left == 1 else 'tries'} left in this series."
        if number > 1
        else "The next try begins a new series."
    )


def _plain(value: Scalar) -> Scalar:
    """A model by the name that learners call it."""
    return value.strip("{}") if isinstance(value, str) else value
