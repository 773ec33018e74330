"""What prompt lookup can have drafted: it copies, so what it was right about stood in the context before.

This holds for any lookup with a least match, whichever of several places it copies from and however long its drafts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from specquiz.labs.broken import Broken
from specquiz.labs.evidence import RequestRun, WorkloadRun


def of_the_copies(where: str, run: WorkloadRun, shortest: int) -> Iterator[Broken]:
    """Passes that accepted what stood nowhere before, and drafts where there was nothing to copy.

    Args:
        shortest: the least length of a match (`prompt_lookup_min`).
    """
    for index, each in enumerate(run.requests):
        if not each.steps:
            continue
        passes = list(_passes(each, shortest))
        if not all(found for _, found in passes):
            yield Broken("lookup", f"{where}: request {index + 1} accepted tokens that stood nowhere in its context")
        elif len(each.drafted or ()) > sum(possible for possible, _ in passes):
            yield Broken("lookup", f"{where}: request {index + 1} has drafts where there was nothing to look up")


def _passes(request: RequestRun, shortest: int) -> Iterator[tuple[bool, bool]]:
    """For each decode pass: whether it can have had a draft, and whether a draft can have given what it accepted."""
    context = (*request.prompt, *request.output)
    follows = defaultdict(list)  # what stands behind each place of a run of tokens
    for place in range(shortest, len(context)):
        follows[context[place - shortest : place]].append(place)
    at = len(request.prompt) + request.steps[0]
    for emitted in request.steps[1:]:
        places = [place for place in follows[context[max(at - shortest, 0) : at]] if place < at]
        accepted = context[at : at + emitted - 1]
        yield (
            bool(places),
            not accepted or any(context[place : min(place + len(accepted), at)] == accepted for place in places),
        )
        at += emitted
