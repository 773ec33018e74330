"""What a vLLM before 0.29 does not report by request, worked out from the tokens it gave: the drafts of each pass.

A draft model drafts K tokens in every pass, and a lookup drafts what its rule finds, so the tokens of the passes tell
what was drafted and accepted; but what a request's last pass accepted beyond its end is not among them. The counters
must agree, or nothing is worked out.
"""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.labs.counting import Tally
from specquiz.labs.engines.lookup import look_up
from specquiz.labs.evidence import ArmRun, RequestRun, WorkloadRun

Steps = list[tuple[int, int]]
"""(accepted, drafted) of each pass that had a draft."""


def worked_out(arm: ArmRun, run: WorkloadRun, counted: Tally) -> tuple[Steps, ...] | None:
    """The steps of each request; None where they cannot be told, or the counters say otherwise."""
    config = arm.config.get("speculative", {})
    k = config.get("num_speculative_tokens")
    known = config.get("method") in ("ngram", "draft_model") and isinstance(k, int)
    if not known or not all(each.steps for each in run.requests):
        return None
    found = tuple(list(_steps(arm, each, int(str(k)))) for each in run.requests)
    offered = [drafted for each in found for _, drafted in each]
    cut = counted.accepted - sum(accepted for each in found for accepted, _ in each)
    if (len(offered), sum(offered)) != (counted.drafts, counted.drafted) or not 0 <= cut <= int(str(k)) * len(found):
        return None
    return found


def _steps(arm: ArmRun, request: RequestRun, k: int) -> Iterator[tuple[int, int]]:
    at = request.steps[0]
    for emitted in request.steps[1:]:
        drafted = _drafted(arm, request, at, k)
        if drafted:
            yield min(emitted - 1, drafted), drafted
        at += emitted


def _drafted(arm: ArmRun, request: RequestRun, at: int, k: int) -> int:
    config, longest = arm.config["speculative"], arm.config.get("model", {}).get("max_model_len")
    context = [*request.prompt, *request.output[:at]]
    room = min(k, int(str(longest)) - len(context)) if longest else k
    if config["method"] != "ngram":
        return room
    shortest, most = int(str(config["prompt_lookup_min"])), int(str(config["prompt_lookup_max"]))
    return len(look_up(context, shortest, most, room))
