"""I1 to I4, and that counters, requests and theory are of one run: what no honest run can break."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

from specquiz.labs.broken import Broken
from specquiz.labs.counting import NoCounter, Tally, finished, rise
from specquiz.labs.evidence import Judged, RequestRun, WorkloadRun
from specquiz.labs.model import Sampling

_ROUNDED = 1e-6
"""By how much a sum of probabilities may exceed 1."""


def of_the_counters(where: str, counted: Tally, k: int) -> Iterator[Broken]:
    """I1 to I4."""
    drafts, drafted, accepted = counted.drafts, counted.drafted, counted.accepted
    if not accepted <= drafted <= k * drafts:
        yield Broken("I1", f"{where}: accepted {accepted}, drafted {drafted}, K × drafts {k * drafts} are out of order")
    positions = (drafts, *counted.per_position)
    if sum(counted.per_position) != accepted or any(late > early for early, late in pairwise(positions)):
        yield Broken("I2", f"{where}: accepted by position {counted.per_position} does not fit {accepted} accepted")
    if drafts and 1 + accepted / drafts > k + 1:
        yield Broken("I3", f"{where}: mean acceptance length {1 + accepted / drafts:.3f} is above K + 1 = {k + 1}")
    if counted.passes is None:
        return
    if drafts > counted.passes:
        yield Broken("I4", f"{where}: {drafts} drafts in only {counted.passes} decode passes")
    cut = counted.passes + accepted - (counted.generated - counted.requests)
    if not 0 <= cut <= k * counted.requests:
        yield Broken(
            "I4",
            f"{where}: {counted.passes} decode passes and {accepted} accepted tokens cannot give "
            f"{counted.generated - counted.requests} tokens",
        )


def of_the_requests(where: str, counted: Tally, run: WorkloadRun, k: int) -> Iterator[Broken]:
    """The counters and the requests' own detail tell the same story."""
    try:
        told = _told_twice(counted, run, k)
    except NoCounter as missing:
        yield Broken("counters", f"{where}: {missing}")
        return
    for what, (by_counter, by_request) in told.items():
        if by_counter != by_request:
            yield Broken("detail", f"{where}: the counters say {by_counter} {what}, the requests {by_request}")
    for index, each in enumerate(run.requests, start=1):
        if (each.steps and sum(each.steps) != len(each.output)) or not each.output:
            yield Broken("detail", f"{where}: request {index} has {len(each.output)} tokens that its steps do not give")
            continue
        offered, got = each.drafted or (), each.accepted or ()
        if len(offered) != len(got) or any(not 0 <= a <= d for a, d in zip(got, offered, strict=False)):
            yield Broken("detail", f"{where}: request {index} accepted more than it was offered")
        elif any(drafted > k for drafted in offered):
            yield Broken("detail", f"{where}: request {index} was offered more than K = {k} tokens at once")
        elif each.steps and not _fits_the_steps(each, k):
            yield Broken("detail", f"{where}: the steps of request {index} are not those of its accepted tokens")
        if each.margins is not None and (len(each.margins) != len(each.output) or min(each.margins, default=0) < 0):
            yield Broken("detail", f"{where}: request {index} has margins that are not those of its tokens")


def _told_twice(counted: Tally, run: WorkloadRun, k: int) -> dict[str, tuple[object, object]]:
    """What the counters and the requests both tell, once by each.

    Raises:
        NoCounter: as `rise`.
    """
    told: dict[str, tuple[object, object]] = {
        "generated tokens": (counted.generated, sum(len(each.output) for each in run.requests)),
    }
    if any(name.startswith("vllm:request_success") for name in run.after):
        told["finished requests"] = (finished(run), len(run.requests))
    for reason in ("length", "stop"):
        counter = f'request_success{{finished_reason="{reason}"}}'
        if f"vllm:{counter}" in run.after:
            ended = sum(each.finish == reason for each in run.requests)
            told[f"requests that ended by {reason}"] = (rise(run, counter), ended)
    if "vllm:prompt_tokens" in run.after:
        told["prompt tokens"] = (rise(run, "prompt_tokens"), sum(len(each.prompt) for each in run.requests))
    if counted.passes is not None and all(each.steps for each in run.requests):
        told["decode passes"] = (counted.passes, sum(len(each.steps) - 1 for each in run.requests))
    if all(each.accepted is not None and each.drafted is not None for each in run.requests):
        told |= {
            "drafts": (counted.drafts, sum(len(each.drafted or ()) for each in run.requests)),
            "drafted tokens": (counted.drafted, sum(sum(each.drafted or ()) for each in run.requests)),
            "accepted tokens": (counted.accepted, sum(sum(each.accepted or ()) for each in run.requests)),
            "drafts accepted up to each position": (
                counted.per_position,
                tuple(sum(got > depth for each in run.requests for got in each.accepted or ()) for depth in range(k)),
            ),
        }
    return told


def of_the_endings(where: str, run: WorkloadRun, sampling: Sampling, longest: int) -> Iterator[Broken]:
    """Each request ended where the sampling has it end: at `max_tokens`, or at an end token where that counts.

    Args:
        longest: tokens of prompt and output together at which vLLM ends a request in any case.
    """
    for index, each in enumerate(run.requests, start=1):
        full = len(each.output) == sampling.max_tokens or len(each.prompt) + len(each.output) == longest
        over = len(each.output) > sampling.max_tokens or len(each.prompt) + len(each.output) > longest
        if over or not (full if each.finish == "length" else each.finish == "stop" and not sampling.ignore_eos):
            yield Broken(
                "detail",
                f"{where}: request {index} ended by {each.finish or 'nothing'} after {len(each.output)} tokens; "
                f"the lab asks for {sampling.max_tokens}",
            )


def _fits_the_steps(request: RequestRun, k: int) -> bool:
    """Whether each pass gave one token and those it accepted. The last one may have accepted beyond the end."""
    *passes, last = request.steps
    if min(request.steps) < 1 or max(request.steps[1:], default=1) > k + 1:
        return False
    if request.accepted is None or len(request.steps) == 1:
        return True
    if len(request.accepted) > len(request.steps) - 1:
        return False
    longer = [emitted - 1 for emitted in passes[1:] if emitted > 1]
    accepted = [got for got in request.accepted if got]
    return accepted[: len(longer)] == longer and (
        (len(accepted) == len(longer) and last == 1) or (len(accepted) == len(longer) + 1 and accepted[-1] >= last - 1)
    )


def of_the_theory(where: str, run: WorkloadRun, temperature: float) -> Iterator[Broken]:
    """What theory says is about the tokens that were judged in this run, and no others."""
    if run.theory is None:
        return
    if run.theory.temperature != temperature:
        yield Broken("theory", f"{where}: theory was computed for temperature {run.theory.temperature:g}")
    if len(run.theory.requests) != len(run.requests):
        yield Broken("theory", f"{where}: theory speaks of {len(run.theory.requests)} requests")
        return
    for index, (told, request) in enumerate(zip(run.theory.requests, run.requests, strict=True)):
        if len(request.accepted or ()) != len(request.drafted or ()):
            continue  # refused already, and no theory fits it
        judged = sum(min(got + 1, offered) for got, offered in zip(*_steps(request), strict=True))
        accepted = sum(request.accepted or ())
        lengths = {len(told.at), len(told.depth), len(told.accepted), len(told.predicted)}
        # What a request's last pass accepted beyond its end has no prefix, and theory leaves it out.
        cut = max(request.drafted or (0,))
        if request.accepted is None:
            judged = accepted = cut = len(request.output)  # what was drafted is not told, only how much it can be
        fits = len(lengths) == 1 and judged - cut - 1 <= len(told.at) <= judged
        fits = fits and accepted - cut <= sum(told.accepted) <= accepted and set(told.accepted) <= {0, 1}
        fits = fits and _fits_the_drafts(told, request)
        if not fits or not all(0 <= chance <= 1 + _ROUNDED for chance in told.predicted):
            yield Broken("theory", f"{where}: theory does not fit the drafted tokens of request {index + 1}")


def _fits_the_drafts(told: Judged, request: RequestRun) -> bool:
    """Whether the judged tokens are the drafts of the request, one after the other, where its passes began."""
    if any(late <= early for early, late in pairwise((0, *told.at, len(request.output)))):
        return False
    if request.accepted is None:
        return min(told.depth, default=0) >= 0
    begins, place = set(accumulate(request.steps[:-1])), 0
    for got, offered in zip(*_steps(request), strict=True):
        if place == len(told.at):
            break
        start = told.at[place]
        depths = range(min(got + 1, offered, len(request.output) - start))
        part = slice(place, place + len(depths))
        if (
            (request.steps and start not in begins)
            or told.depth[part] != tuple(depths)
            or told.at[part] != tuple(start + depth for depth in depths)
            or told.accepted[part] != tuple(int(depth < got) for depth in depths)
        ):
            return False
        begins = {begin for begin in begins if begin > start}
        place += len(depths)
    return place == len(told.at)


def _steps(request: RequestRun) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return request.accepted or (), request.drafted or ()
