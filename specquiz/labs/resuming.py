"""Whether a run that broke can be taken to its end, and which of its arms are there already."""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.errors import SpecquizError
from specquiz.labs.attaching import was_attached
from specquiz.labs.environment import Environment
from specquiz.labs.evidence import ArmRun, Evidence, digest, plain
from specquiz.labs.model import Lab, fingerprint
from specquiz.labs.plan import other_inputs
from specquiz.labs.tailoring import failed_as_expected


def settled(lab: Lab, name: str, arm: ArmRun) -> bool:
    """Whether an arm need not run again: it finished, or failed as the lab wants to see it. `lab` is tailored."""
    return name in lab.arms and (arm.status == "finished" or failed_as_expected(lab, name, arm))


def refuse_what_differs(lab: Lab, before: Evidence, environment: Environment) -> None:
    """Make sure that the arms still to run can stand beside those that finished.

    Raises:
        SpecquizError: the evidence was changed, the lab times its arms in pairs, or the lab, its inputs or vLLM are
            not those of the finished arms.
    """
    reasons = list(_differences(lab, before, environment))
    if reasons:
        raise SpecquizError(
            f"The run {before.run} cannot be taken to its end: {'; '.join(reasons)}.",
            remedy=f"Run it anew: specquiz lab run {lab.id}",
        )


def _differences(lab: Lab, before: Evidence, environment: Environment) -> Iterator[str]:
    if digest(plain(before)) != before.digest:
        yield "its evidence was changed after it was written"
    if before.lab.fingerprint != fingerprint(lab):
        yield "the lab's task has changed since"
    if before.profile not in lab.profiles:
        yield f"the lab has no profile {before.profile}"
    if was_attached(before):
        yield "its arms ran on a server that was attached"
    if lab.pairs:
        yield "its arms are timed in pairs, one right after the other"
    yield from other_inputs(lab, before)
    used = {arm.versions["vllm"] for arm in before.arms.values() if "vllm" in arm.versions}
    if used - {environment.vllm}:
        yield f"its arms ran on vLLM {', '.join(sorted(used))}, and {environment.vllm} is here now"
