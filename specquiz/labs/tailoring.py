"""A lab as it is on one kind of machine, and in which order its arms run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from specquiz.errors import UsageError
from specquiz.labs.evidence import ArmRun
from specquiz.labs.model import Arm, Lab, Sampling, SamplingChange, Scalar

MODEL_NAME = re.compile(r"\{([a-z_]+)\}")
"""A model of the profile, as an arm writes it."""

replace = msgspec.structs.replace


class Leg(NamedTuple):
    """One start of the engine: an arm, and how often its workloads run on it."""

    arm: str
    repeats: int


def tailored(lab: Lab, profile: str, written: Mapping[str, Mapping[str, Scalar]] | None = None) -> Lab:
    """`lab` with what `profile` has of it, and with the models' names filled in.

    Args:
        written: arm to the speculative config that the learner wrote for it, in a challenge.

    Raises:
        UsageError: the lab does not run on such a machine.
    """
    if profile not in lab.profiles:
        raise UsageError(
            f"The lab {lab.id} has no profile {profile}.", remedy=f"Its profiles are: {', '.join(lab.profiles)}."
        )
    models = {"target": lab.profiles[profile].model, **lab.profiles[profile].models}
    arms = {
        name: _with_models(arm, models) for name, arm in lab.arms.items() if not arm.profiles or profile in arm.profiles
    }
    for name, config in (written or {}).items():
        if name in arms:
            arms[name] = _with_models(replace(arms[name], speculative_config=dict(config)), models)
    return replace(
        lab,
        arms=arms,
        predict=tuple(each for each in lab.predict if not each.profiles or profile in each.profiles),
        grade=tuple(each for each in lab.grade if not each.profiles or profile in each.profiles),
        waive=tuple(each for each in lab.waive if each.of.partition("/")[0] in arms),
        pairs=lab.profiles[profile].pairs or lab.pairs,
    )


def misfit(lab: Lab, profile: str, written: Mapping[str, Mapping[str, Scalar]]) -> str:
    """Why the learner's own configurations cannot be of this lab, which has `profile`; empty if they can.

    Only what could not be read as one is told: what they are worth, vLLM and the rules say.
    """
    fixed = set(written) - ({lab.challenge.arm} if lab.challenge is not None else set())
    if fixed:
        return f"the evidence has a configuration of the learner's own for {min(fixed)}, an arm that the lab fixes"
    for config in written.values():
        model = config.get("model")
        named = {name for value in config.values() for name in MODEL_NAME.findall(str(value))}
        if named - set(lab.profiles[profile].models) or (model is not None and not MODEL_NAME.fullmatch(str(model))):
            return "the learner's own configuration names a model that the lab does not have"
        if not isinstance(tokens := config.get("num_speculative_tokens", 0), int):
            return f"the learner's own configuration has {tokens} draft tokens, which is no number of them"
    return ""


def _with_models(arm: Arm, models: Mapping[str, str]) -> Arm:
    def filled(value: Scalar) -> Scalar:
        return MODEL_NAME.sub(lambda found: models[found[1]], value) if isinstance(value, str) else value

    return replace(
        arm,
        speculative_config={key: filled(value) for key, value in arm.speculative_config.items()},
        engine={key: filled(value) for key, value in arm.engine.items()},
        model=str(filled(arm.model)),
    )


def workloads_of(lab: Lab, arm: str) -> tuple[str, ...]:
    """The workloads that an arm runs, in the lab's order."""
    return tuple(name for name in lab.workloads if not lab.arms[arm].workloads or name in lab.arms[arm].workloads)


def sampling_of(lab: Lab, arm: str, workload: str) -> Sampling:
    """How `arm` samples on `workload`; the workload has the last word."""
    found = lab.sampling
    setting = lab.settings.get(workload)
    for change in (lab.arms[arm].sampling, setting.sampling if setting else None):
        if change is not None:
            found = _changed(found, change)
    return found


def _changed(sampling: Sampling, change: SamplingChange) -> Sampling:
    wanted = {key: value for key, value in msgspec.structs.asdict(change).items() if value is not None}
    return replace(sampling, **wanted)


def is_sampled(lab: Lab, arm: str) -> bool:
    """Whether an arm samples anything above temperature 0."""
    return any(sampling_of(lab, arm, workload).temperature > 0 for workload in workloads_of(lab, arm))


def schedule(lab: Lab) -> tuple[Leg, ...]:
    """The starts of the engine, in order.

    Where time is graded the arms come as A B B A A B B A …, so that a machine that slows down or speeds up over the
    minutes favours neither; neighbours of one arm share a start.
    """
    if not lab.pairs:
        return tuple(Leg(arm, 1) for arm in lab.arms)
    names = list(lab.arms)
    order = [name for pair in range(lab.pairs) for name in (names if pair % 2 == 0 else reversed(names))]
    legs: list[Leg] = []
    for name in order:
        if legs and legs[-1].arm == name:
            legs[-1] = Leg(name, legs[-1].repeats + 1)
        else:
            legs.append(Leg(name, 1))
    return tuple(legs)


def failed_as_expected(lab: Lab, name: str, arm: ArmRun) -> bool:
    """Whether an arm failed, and in the way that the lab wants to be seen."""
    expected = lab.arms[name].expect
    said = f"{arm.reason}\n{arm.log_tail}"
    return arm.status == "failed" and expected is not None and expected.failure in said
