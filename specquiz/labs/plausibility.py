"""I5, I6, I7, I9, I10 and I11: what an honest run of these labs looks like. A lab may waive one, with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specquiz.labs.broken import Broken
from specquiz.labs.counting import NoCounter, Tally, rise
from specquiz.labs.evaluating import partings
from specquiz.labs.evidence import Evidence, RequestRun, WorkloadRun
from specquiz.labs.expressions import parse
from specquiz.labs.model import Lab
from specquiz.labs.rules import OutputsEqual, Place, leaves
from specquiz.labs.tailoring import sampling_of, workloads_of
from specquiz.labs.timing import one_time

PERFECT = 0.999
"""A conditional acceptance above this, on text that is not a copy, means a loop, synthetic acceptance or a bug."""
ENOUGH_DRAFTS = 100
"""Fewer drafts reaching a position can be accepted without exception by luck."""
DISTINCT = 0.4
"""Least share of different runs of four tokens in an output, averaged over requests: a loop of eight has 0.08."""
TIME_SLACK = 0.05
"""By how much times that were taken at different places may disagree."""
FEWER_TOKENS = 0.05
"""By how much two arms' total tokens may differ before their rates can no longer be compared."""
NEAR_TIE = {"torch.float32": 0.001}
"""By precision, how far (in nats) the best token may lie above the second where outputs part by rounding alone."""
NEAR_TIE_ELSE = 0.1


def of_the_times(where: str, counted: Tally, run: WorkloadRun) -> Iterator[Broken]:
    """I5: ITL ÷ TPOT is the tokens of one output, where all requests are of one length."""
    lengths = {len(each.output) for each in run.requests}
    if len(lengths) != 1 or not counted.passes or lengths == {1}:
        return
    try:
        ratio = one_time(run, "itl") / one_time(run, "tpot")
    except (NoCounter, ZeroDivisionError):
        return  # a vLLM without these histograms has no times to contradict
    tokens = (counted.generated - counted.requests) / counted.passes
    if abs(ratio / tokens - 1) > TIME_SLACK:
        yield Broken("I5", f"{where}: ITL over TPOT is {ratio:.3f}, but a pass gave {tokens:.3f} tokens")


def of_the_throughput(where: str, run: WorkloadRun, together: int) -> Iterator[Broken]:
    """I6: no more tokens per second than the requests decoded together can give at their TPOT."""
    try:
        most = together / one_time(run, "tpot")
        rate = rise(run, "generation_tokens") / run.seconds
    except (NoCounter, ZeroDivisionError):
        return
    if rate > (1 + TIME_SLACK) * most:
        yield Broken("I6", f"{where}: {rate:.0f} tokens per second, where TPOT allows {most:.0f}")


def too_perfect(where: str, counted: Tally) -> Iterator[Broken]:
    """I7: the positions whose drafts were accepted (all but) without exception."""
    reached = (counted.drafts, *counted.per_position)
    for position, rate in enumerate(counted.conditional_rates()):
        if rate is not None and rate >= PERFECT and reached[position] >= ENOUGH_DRAFTS:
            yield Broken(
                "I7",
                f"{where}: position {position + 1} accepted {rate:.1%} of {reached[position]} drafts; natural text "
                "never does: look for a repetition loop, synthetic acceptance or a broken kernel",
            )


def degenerate(where: str, requests: Sequence[RequestRun]) -> Iterator[Broken]:
    """I9: outputs that go round in a loop."""
    shares = [_distinct(each.output) for each in requests if len(each.output) >= 16]
    share = sum(shares) / len(shares) if shares else 1.0
    if share < DISTINCT:
        yield Broken(
            "I9",
            f"{where}: only {share:.0%} of the runs of four tokens are different: the outputs repeat themselves, and "
            "every proposer looks good on a loop; mind the chat template",
        )


def _distinct(output: Sequence[int]) -> float:
    runs = [tuple(output[at : at + 4]) for at in range(len(output) - 3)]
    return len(set(runs)) / len(runs)


def disturbed(where: str, run: WorkloadRun) -> Iterator[Broken]:
    """I11: requests that were pre-empted, or prefixes that came from a cache."""
    for name, what in (("num_preemptions", "pre-emptions"), ("prefix_cache_hits", "tokens from the prefix cache")):
        try:
            count = rise(run, name)
        except NoCounter:
            continue  # not every vLLM counts it
        if count:
            yield Broken("I11", f"{where}: {count} {what}; passes of the target are hidden or done twice")


def judged_by_a_rule(lab: Lab) -> set[str]:
    """The arms whose outputs a rule of the lab holds against another's."""
    return {
        name
        for rule in lab.grade
        for leaf in leaves(parse(rule.check))
        if isinstance(leaf, OutputsEqual | Place)
        for name in ((leaf.first, leaf.second) if isinstance(leaf, OutputsEqual) else (leaf.arm,))
    }


def of_the_outputs(lab: Lab, evidence: Evidence) -> Iterator[Broken]:
    """I10: at temperature 0 every arm emits the same tokens, but for near ties. `lab` is tailored to the profile.

    Where a rule of the lab grades the equality of two arms, that is left to the rule.
    """
    judged = judged_by_a_rule(lab)
    for workload in lab.workloads:
        arms = [
            name
            for name, arm in lab.arms.items()
            if workload in workloads_of(lab, name)
            and workload in evidence.arms[name].workloads
            and not arm.model
            and sampling_of(lab, name, workload).temperature == 0
        ]
        for other in arms[1:]:
            if not {arms[0], other} <= judged:
                yield from _unequal(Place(arms[0], workload, 0), Place(other, workload, 0), evidence)


def _unequal(first: Place, second: Place, evidence: Evidence) -> Iterator[Broken]:
    where = f"{second.arm}/{second.workload}"
    one, other = (
        sum(len(request.output) for request in evidence.arms[each.arm].workloads[each.workload].requests)
        for each in (first, second)
    )
    if abs(one - other) > FEWER_TOKENS * max(one, other):
        yield Broken("I10", f"{where}: {other} tokens against {one} of {first.arm}; rates of unequal work say nothing")
    dtype = str(evidence.arms[first.arm].config.get("model", {}).get("dtype"))
    tie = NEAR_TIE.get(dtype, NEAR_TIE_ELSE)
    for each in partings(first, second, evidence) or ():
        # Half precision without margins: a split may be a near tie, and nothing here can tell.
        if (each.margin is None and dtype in NEAR_TIE) or (each.margin is not None and each.margin > tie):
            yield Broken(
                "I10",
                f"{where}: request {each.request + 1} parts from {first.arm} at token {each.token + 1}, and no near "
                "tie explains it",
            )
            return
