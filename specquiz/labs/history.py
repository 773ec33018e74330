"""What the log of this machine knows of a run, held against the evidence of it.

Evidence hashes itself, so that a change shows; but whoever changes it can hash it again. The log kept the predictions
before the run began, and the hash when it ended. Evidence from another machine has no history here, and nothing is
said of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from specquiz.labs.broken import Broken
from specquiz.labs.evidence import Evidence, observed
from specquiz.sessions.events import Event, LabFinished, LabPredicted

NAME = "history"
"""What stands in place of an invariant's number."""


def contradictions(evidence: Evidence, events: Iterable[Event]) -> tuple[Broken, ...]:
    """Everything in which the evidence differs from what the log recorded of the same run, or repeats another one."""
    runs = [event for event in events if isinstance(event, LabPredicted | LabFinished)]
    mine = [event for event in runs if event.run == evidence.run]
    predicted = [event for event in mine if isinstance(event, LabPredicted)]
    finished = [event for event in mine if isinstance(event, LabFinished) and event.digest]
    reasons = [*_foreign(evidence, mine), *_reused(evidence, [event for event in runs if event.run != evidence.run])]
    if any(event.nonce not in ("", evidence.nonce) for event in predicted):
        reasons.append("the nonce is not the one that was drawn before the run")
    if predicted:
        reasons += _changed_predictions(evidence, predicted)
    # A run that broke and was taken to its end has a hash for each; the last one is of the whole.
    if finished and finished[-1].digest != evidence.digest:
        reasons.append("the hash of the evidence is not the one that the log recorded when the run ended")
    return tuple(Broken(NAME, reason) for reason in dict.fromkeys(reasons))


def _foreign(evidence: Evidence, events: Iterable[LabPredicted | LabFinished]) -> Iterator[str]:
    for event in events:
        if event.lab != evidence.lab.id:
            yield f"the log knows the run {evidence.run} as one of the lab {event.lab}"
        if isinstance(event, LabPredicted) and event.profile != evidence.profile:
            yield f"the log recorded this run for the profile {event.profile}"


def _reused(evidence: Evidence, others: Sequence[LabPredicted | LabFinished]) -> Iterator[str]:
    """A run under another name: with the nonce of one that the log knows, or with what that one observed."""
    arms = observed(evidence)
    for event in others:
        if isinstance(event, LabPredicted) and event.nonce and event.nonce == evidence.nonce:
            yield f"its nonce was drawn for the run {event.run}: a run counts once, with its own predictions"
        if isinstance(event, LabFinished) and event.observed == arms:
            yield f"what it observed is what the run {event.run} observed: a run counts once, with its own predictions"


def _changed_predictions(evidence: Evidence, events: Sequence[LabPredicted]) -> Iterator[str]:
    known = {name: text for event in events for name, text in event.predictions.items()}
    for name in sorted({*known, *evidence.predictions}):
        logged, claimed = known.get(name, "none"), evidence.predictions.get(name, "none")
        if logged != claimed:
            yield f"the prediction {name} is {claimed} here, and {logged} in the log, which had it before"
    if evidence.written != {arm: config for event in events for arm, config in event.written.items()}:
        yield "the configuration that the learner wrote is not the one in the log"
