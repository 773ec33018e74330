"""A tuning challenge: the learner writes a speculative config, says what it will score, and is told how far it is off.

Tries come in series of as many as the lab allows. A run that broke costs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from specquiz.answers.config_reading import read_configuration
from specquiz.answers.speculative_config import resolve
from specquiz.answers.verdict import Refusal
from specquiz.errors import UsageError
from specquiz.labs.estimates import Estimate
from specquiz.labs.evaluating import OPERATORS, evaluate
from specquiz.labs.evidence import Evidence
from specquiz.labs.expressions import parse_number
from specquiz.labs.metrics import estimate
from specquiz.labs.model import Challenge, Lab, ProfileName, Quantity, Scalar
from specquiz.labs.rules import Absolute, Arithmetic, Literally, Measured, Negative, Number
from specquiz.labs.tailoring import tailored, workloads_of
from specquiz.sessions.events import Event, LabFinished, LabPredicted
from specquiz.theory.closed_forms import tokens_per_pass

MOST_K = 16
"""Draft lengths that the model is asked about."""


@dataclass(frozen=True, slots=True)
class Try:
    """One run of a challenge."""

    run: str
    at: float
    """Seconds since the epoch, when it ended."""
    config: Mapping[str, Scalar]
    predicted: str
    """The score that was said before, as typed."""
    score: float | None
    """None where the run was not gradable."""
    passed: bool


def challenge_of(lab: Lab) -> Challenge:
    """The challenge of a lab.

    Raises:
        UsageError: the lab is none.
    """
    if lab.challenge is None:
        raise UsageError(f"The lab {lab.id} is no challenge: its configurations are fixed.")
    return lab.challenge


def read_entry(lab: Lab, profile: ProfileName, text: str) -> dict[str, Scalar]:
    """The speculative config that a learner typed, as JSON, `key=value` or flags; a draft is named as the lab does.

    Raises:
        UsageError: it cannot be read, vLLM would refuse it, or it names a model that the lab does not have.
    """
    try:
        written = read_configuration(text).values
    except Refusal as refusal:
        raise UsageError(refusal.message, where="--config") from refusal
    models = lab.profiles[profile].models
    config = {key: _named(value, models) if key == "model" else value for key, value in written.items()}
    faults = resolve({**config, "model": "draft"} if "model" in config else config, {}).faults
    if not config:
        raise UsageError("There is no configuration.", where="--config", remedy=_EXAMPLE)
    if faults:
        raise UsageError(" ".join(str(fault) for fault in faults), where="--config")
    method = config.get("method", "draft_model")
    if method not in _WITHOUT_A_HEAD:
        raise UsageError(
            f"The method {method} drafts with a head that was trained for its target, and this lab has none.",
            where="--config",
            remedy=f"Methods: {', '.join(_WITHOUT_A_HEAD)}.",
        )
    if any(isinstance(value, dict | list) for value in config.values()):
        raise UsageError("Every value is a single word or number here.", where="--config", remedy=_EXAMPLE)
    return config


_WITHOUT_A_HEAD = ("draft_model", "ngram", "ngram_gpu", "suffix")
_EXAMPLE = "Write it like method=ngram num_speculative_tokens=4 prompt_lookup_min=2 prompt_lookup_max=5."


def _named(value: object, models: Mapping[str, str]) -> str:
    name = str(value).strip("{}")
    if name not in models:
        known = ", ".join(models) or "none"
        raise UsageError(f"There is no draft model {value} here.", where="--config", remedy=f"Models: {known}.")
    return f"{{{name}}}"


def score(lab: Lab, evidence: Evidence) -> Estimate:
    """What a run scored, with its interval."""
    return evaluate(parse_number(challenge_of(lab).score), lab, evidence)


def tries(lab: Lab, events: Iterable[Event]) -> tuple[Try, ...]:
    """One's own tries at a challenge, the earliest first. Runs that broke are none."""
    begun: dict[str, LabPredicted] = {}
    found: dict[str, Try] = {}
    arm = challenge_of(lab).arm
    for event in events:
        if isinstance(event, LabPredicted) and event.lab == lab.id and event.written:
            begun[event.run] = event
        elif isinstance(event, LabFinished) and event.run in begun and event.outcome != "broken":
            entry = begun[event.run]
            found[event.run] = Try(
                run=event.run,
                at=event.at,
                config=entry.written.get(arm, {}),
                predicted=next(iter(entry.predictions.values()), ""),
                score=event.score,
                passed=event.outcome == "passed",
            )
    return tuple(found.values())


def place_in_series(lab: Lab, made: int) -> tuple[int, int]:
    """(which try the next one is, in which series), both from 1, after `made` tries."""
    runs = challenge_of(lab).runs
    return made % runs + 1, made // runs + 1


def best_first(made: Iterable[Try]) -> list[Try]:
    """The leaderboard: the highest score first, of equal ones the earlier."""
    return sorted(made, key=lambda each: (-(each.score if each.score is not None else float("-inf")), each.at))


@dataclass(frozen=True, slots=True)
class _Fit:
    """What one workload showed of a method: enough to say what another K would have given."""

    alpha: float
    coverage: float
    fullness: float
    """Drafted tokens of a draft over K; below 1 where a draft ends early."""

    def tokens(self, k: int) -> float:
        return self.coverage * float(tokens_per_pass(self.alpha, k)) + 1 - self.coverage

    def drafted(self, k: int) -> float:
        return self.coverage * self.fullness * k


def advice(lab: Lab, evidence: Evidence) -> Iterator[str]:
    """How far this K is from the best one of its method, by the model fitted to the run: one α and one coverage for
    each workload, E = c(1 − α^(K+1))/(1 − α) + 1 − c tokens per pass (Leviathan et al. 2023, Eq. 1)."""
    challenge = challenge_of(lab)
    here = tailored(lab, evidence.profile, evidence.written)
    k = int(here.arms[challenge.arm].speculative_config.get("num_speculative_tokens", 0))
    fits = {workload: _fit(evidence, challenge.arm, workload, k) for workload in workloads_of(here, challenge.arm)}
    known = {workload: fit for workload, fit in fits.items() if fit is not None}
    if k < 1 or len(known) < len(fits):
        yield "Too little was drafted to fit a model to this run."
        return
    tree = parse_number(challenge.score)
    model = {length: value for length in range(1, MOST_K + 1) if (value := _modelled(tree, known, length)) is not None}
    observed = score(lab, evidence).value
    if not model or k not in model or observed is None:
        yield "The score holds figures that the model says nothing of."
        return
    best = max(model, key=lambda length: model[length])
    told = "; ".join(
        f"on {name} α = {fit.alpha:.3f}, a draft in {fit.coverage:.0%} of the passes" for name, fit in known.items()
    )
    yield f"Fitted to this run: {told}."
    yield f"By that model K = {k} scores {model[k]:.3f}; observed was {observed:.3f}."
    if best != k:
        yield (
            f"Its best is K = {best} with {model[best]:.3f}: yours is {abs(best - k)} too "
            f"{'small' if best > k else 'large'}, which costs {model[best] - model[k]:.3f}."
        )
    else:
        yield "No other K of this method scores more by the model."
    if model[best] < challenge.target:
        yield f"No K of this method reaches {challenge.target:g} by the model: look for another method."


def _fit(evidence: Evidence, arm: str, workload: str, k: int) -> _Fit | None:
    def value(quantity: Quantity) -> float | None:
        return estimate(evidence.arms[arm], workload, quantity).value

    alpha, coverage, drafted = value("alpha"), value("draft_coverage"), value("drafted_per_pass")
    if alpha is None or not coverage or drafted is None or k < 1:
        return None
    return _Fit(alpha, coverage, drafted / coverage / k)


def _modelled(tree: Number, fits: Mapping[str, _Fit], k: int) -> float | None:
    """The score with the model's figures in place of the measured ones; None where it needs others."""
    match tree:
        case Literally(value):
            return value
        case Measured(_, workload, "tokens_per_pass"):
            return fits[workload].tokens(k)
        case Measured(_, workload, "drafted_per_pass"):
            return fits[workload].drafted(k)
        case Negative(of):
            inner = _modelled(of, fits, k)
            return None if inner is None else -inner
        case Absolute(of):
            inner = _modelled(of, fits, k)
            return None if inner is None else abs(inner)
        case Arithmetic(sign, left, right):
            one, other = _modelled(left, fits, k), _modelled(right, fits, k)
            if one is None or other is None or (sign == "/" and not other):
                return None
            return OPERATORS[sign](one, other)
    return None
