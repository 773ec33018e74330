"""What the log of this machine knows of a run, held against the evidence of it.

Evidence hashes itself, so that a change shows; but whoever changes it can hash it again. The log kept the predictions
before the run began, and the hash when it ended. Evidence from another machine has no history here, and nothing is
said of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specquiz.labs.evidence import Evidence
from specquiz.labs.invariants import Broken
from specquiz.sessions.events import Event, LabFinished, LabPredicted

NAME = "history"
"""What stands in place of an invariant's number."""


def contradictions(evidence: Evidence, events: Iterable[Event]) -> tuple[Broken, ...]:
    """Everything in which the evidence differs from what the log recorded of the same run."""
    mine = [event for event in events if isinstance(event, LabPredicted | LabFinished) and event.run == evidence.run]
    return tuple(Broken(NAME, reason) for event in mine for reason in _differences(evidence, event))


def _differences(evidence: Evidence, event: LabPredicted | LabFinished) -> Iterator[str]:
    if event.lab != evidence.lab.id:
        yield f"the log knows the run {evidence.run} as one of the lab {event.lab}"
    if isinstance(event, LabFinished):
        if event.digest and event.digest != evidence.digest:
            yield "the hash of the evidence is not the one that the log recorded when the run ended"
        return
    if event.profile != evidence.profile:
        yield f"the log recorded this run for the profile {event.profile}"
    for name in sorted({*event.predictions, *evidence.predictions}):
        logged, claimed = event.predictions.get(name, "none"), evidence.predictions.get(name, "none")
        if logged != claimed:
            yield f"the prediction {name} is {claimed} here, and {logged} in the log, which had it before the run"
