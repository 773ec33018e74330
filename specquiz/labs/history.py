"""What the log of this machine knows of a run, held against the evidence of it.

Evidence hashes itself, so that a change shows; but whoever changes it can hash it again. The log kept the predictions
before the run began, and the hash when it ended. Evidence from another machine has no history here, and nothing is
said of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from specquiz.labs.broken import Broken
from specquiz.labs.evidence import Evidence
from specquiz.sessions.events import Event, LabFinished, LabPredicted

NAME = "history"
"""What stands in place of an invariant's number."""


def contradictions(evidence: Evidence, events: Iterable[Event]) -> tuple[Broken, ...]:
    """Everything in which the evidence differs from what the log recorded of the same run."""
    mine = [event for event in events if isinstance(event, LabPredicted | LabFinished) and event.run == evidence.run]
    found = [reason for event in mine for reason in _differences(evidence, event)]
    found += _other_predictions(evidence, [event for event in mine if isinstance(event, LabPredicted)])
    return tuple(Broken(NAME, reason) for reason in found)


def _differences(evidence: Evidence, event: LabPredicted | LabFinished) -> Iterator[str]:
    if event.lab != evidence.lab.id:
        yield f"the log knows the run {evidence.run} as one of the lab {event.lab}"
    if isinstance(event, LabFinished):
        if event.digest and event.digest != evidence.digest:
            yield "the hash of the evidence is not the one that the log recorded when the run ended"
        return
    if event.profile != evidence.profile:
        yield f"the log recorded this run for the profile {event.profile}"


def _other_predictions(evidence: Evidence, events: Sequence[LabPredicted]) -> Iterator[str]:
    """Predictions that differ from those logged, at the run's start or between two arms."""
    if not events:
        return
    logged = {name: text for event in events for name, text in event.predictions.items()}
    for name in sorted({*logged, *evidence.predictions}):
        before, claimed = logged.get(name, "none"), evidence.predictions.get(name, "none")
        if before != claimed:
            yield f"the prediction {name} is {claimed} here, and {before} in the log, which had it before the run"
    times = {event.at for event in events}
    for at in (evidence.predicted_at, *evidence.predicted_after.values()):
        if at not in times:
            yield "a prediction was stored at a time that the log does not know"
