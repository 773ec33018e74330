"""Does the observed acceptance agree with theory? Token by token, as a z-score.

Given the tokens before it, a drafted token that is judged is accepted with a probability b that the two models' logits
fix; so accepted − Σ b is a martingale whose variance is Σ b(1 − b), however unlike the positions are.
"""

from __future__ import annotations

import math

import numpy as np

from specquiz.labs.estimates import Estimate, resamples
from specquiz.labs.evidence import Theory, WorkloadRun

LEAST_VARIANCE = 1.0
"""In tokens squared: that of a deviation of one token."""
_NO_THEORY = "no data: the reference computation has no figures for it"


def reference_acceptance(run: WorkloadRun) -> Estimate:
    """The mean probability of acceptance of the judged tokens, with an interval over requests."""
    theory = run.theory
    if theory is None:
        return Estimate(None, note=_NO_THEORY)
    tests = np.asarray([len(each.predicted) for each in theory.requests], dtype=np.float64)
    sums = np.asarray([sum(each.predicted) for each in theory.requests], dtype=np.float64)
    if not tests.sum():
        return Estimate(None, note="no data: no drafted token was judged")
    chosen = resamples(len(tests))
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = sums[chosen].sum(axis=1) / tests[chosen].sum(axis=1)
    return Estimate(float(sums.sum() / tests.sum()), draws)


def reference_z(run: WorkloadRun) -> Estimate:
    """How many standard deviations the accepted tokens lie above those that theory predicts.

    At temperature 0 theory leaves nothing to chance: 0 if every token came out as predicted, else no value. Where it
    leaves next to nothing, the sum is no normal one and a single token would be many deviations: a deviation is then
    taken for one token at least.
    """
    theory = run.theory
    if theory is None:
        return Estimate(None, note=_NO_THEORY)
    accepted, predicted = _tests(theory)
    if not predicted:
        return Estimate(None, note="no data: no drafted token was judged")
    variance = math.fsum(b * (1 - b) for b in predicted)
    if variance > 0:
        return Estimate((sum(accepted) - math.fsum(predicted)) / math.sqrt(max(variance, LEAST_VARIANCE)))
    otherwise = sum(a != b for a, b in zip(accepted, predicted, strict=True))
    if otherwise:
        return Estimate(None, note=f"no z: theory leaves no room for chance, and {otherwise} tokens came out otherwise")
    return Estimate(0.0)


def _tests(theory: Theory) -> tuple[list[int], list[float]]:
    """Outcome and probability of every judged token."""
    accepted = [outcome for each in theory.requests for outcome in each.accepted]
    return accepted, [b for each in theory.requests for b in each.predicted]
