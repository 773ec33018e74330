"""A lab, its lock, its progress and its grade as plain lines, for every face."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from specquiz.banks.library import Library
from specquiz.labs.comparison import Compared
from specquiz.labs.evidence import ArmRun, Evidence
from specquiz.labs.grading import Grade, Graded, NotGradable, Observation, Positions, Rate, RuleVerdict
from specquiz.labs.model import Arm, Lab, Prediction, SamplingChange, Setting
from specquiz.labs.predictions import ends, interval_example
from specquiz.labs.quantities import MEANINGS, shown
from specquiz.labs.recorded import proved
from specquiz.labs.running import Progress
from specquiz.labs.telling_scale import comparison_on_scales
from specquiz.labs.unlocking import Locked, Missing

_OUTCOMES = {"passed": "passed", "failed": "FAILED", "no_data": "NO DATA"}


def question(lab: Lab, prediction: Prediction) -> str:
    """What a learner is asked before the run. `lab` is tailored to the profile."""
    return f"{_asked(prediction)} ({_answer(lab, prediction)})"


def _asked(prediction: Prediction) -> str:
    if prediction.quantity is None:
        return prediction.ask.strip()
    meaning = MEANINGS[prediction.quantity]
    position = f" at draft position {prediction.position}" if prediction.position else ""
    return f"{meaning.name} of {prediction.arm} on {prediction.workload}{position}: {meaning.says} = {meaning.formula}"


def _answer(lab: Lab, prediction: Prediction) -> str:
    """In which form the answer is wanted."""
    low, high = ends(lab, prediction)
    match prediction.kind:
        case "number":
            return f"{low:g} to {high:g}"
        case "interval":
            wide = f", at most {prediction.width:g} wide" if prediction.width else ""
            return f"an interval such as `{interval_example(lab, prediction)}`{wide}"
        case "choice":
            return f"one of: {', '.join(prediction.choices)}"
        case "order":
            return f"in order, the greatest first: {' > '.join(prediction.choices)}"


def lab_lines(lab: Lab) -> Iterator[str]:
    """What a lab is about, what it asks and how it grades."""
    yield f"{lab.number}  {lab.id}: {lab.title}".strip()
    yield ""
    yield from lab.goal.rstrip().splitlines()
    yield ""
    yield from opening_lines(lab)
    yield from setting_lines(lab)
    yield "profiles"
    for name, profile in lab.profiles.items():
        proof = "proved: a recorded run ships" if proved(lab, name) else "unproved: it has not run there yet"
        yield f"  {name}: {profile.model}, about {profile.seconds:g} s ({proof})"
    yield "you predict"
    for prediction in lab.predict:
        when = f" [after {prediction.after}]" if prediction.after else ""
        yield f"  {prediction.id}: {question(lab, prediction)}{when}{_only(prediction.profiles)}"
    yield f"graded by: {', '.join(rule.id for rule in lab.grade)}"
    yield "What each rule demands, and why, is told with the grade; `--rules` tells it now."


def rule_lines(lab: Lab) -> Iterator[str]:
    """What each rule demands, and why: this gives the answers away."""
    yield "graded by"
    for rule in lab.grade:
        yield f"  {rule.id}: {' '.join(rule.check.split())}{_only(rule.profiles)}"
        yield from (f"      {line}" for line in rule.why.rstrip().splitlines())
    for waiver in lab.waive:
        yield f"  waived: {waiver.invariant} of {waiver.of}. {waiver.why}"


def _only(profiles: tuple[str, ...]) -> str:
    return f" (on {', '.join(profiles)})" if profiles else ""


def opening_lines(lab: Lab) -> Iterator[str]:
    """What opens a lab."""
    rules = " and ".join(f"{bound:.0%} of {concept}" for concept, bound in lab.unlock.mastery.items())
    yield f"opens with: {rules or 'nothing; it is always open'}"


def setting_lines(lab: Lab) -> Iterator[str]:
    """What will be run: what a prediction has to start from."""
    yield "arms"
    for name, arm in lab.arms.items():
        yield f"  {name}: {_arm_text(arm)}{_only(arm.profiles)}"
    yield "workloads"
    for name in lab.workloads:
        yield f"  {name}{_setting_text(lab.settings.get(name))}"
    yield f"  temperature {lab.sampling.temperature:g}, {lab.sampling.max_tokens} tokens for each request"
    for pairs, profiles in _turns(lab).items():
        yield f"  time is graded{_only(profiles)}: each arm runs {pairs} times, in the order A B B A"
    if lab.challenge:
        yield f"  you write the configuration of {lab.challenge.arm}, in up to {lab.challenge.runs} runs"
        for name, profile in lab.profiles.items():
            drafts = ", ".join(f"model={each} ({path})" for each, path in profile.models.items())
            yield f"  draft models that it can name on {name}: {drafts or 'none'}"
        yield f"  score to reach {lab.challenge.target:g}: {' '.join(lab.challenge.score.split())}"


def _turns(lab: Lab) -> dict[int, tuple[str, ...]]:
    """How often arms take turns, to the profiles where they do."""
    found: dict[int, tuple[str, ...]] = {}
    for name, profile in lab.profiles.items():
        if pairs := profile.pairs or lab.pairs:
            found[pairs] = (*found.get(pairs, ()), name)
    return found


def _arm_text(arm: Arm) -> str:
    parts = [f"{key} {value}" for key, value in (*arm.speculative_config.items(), *arm.engine.items())]
    if arm.model:
        parts.insert(0, f"the model {arm.model} as the target")
    if arm.expect:
        parts.append("expected to fail")
    return ", ".join(parts) or "plain decoding"


def _setting_text(setting: Setting | None) -> str:
    if setting is None:
        return ""
    sampling = setting.sampling or SamplingChange()
    parts = [
        f"{setting.take} prompts" if setting.take else "",
        f"{setting.together} at a time" if setting.together else "",
        f"temperature {sampling.temperature:g}" if sampling.temperature is not None else "",
        f"{sampling.max_tokens} tokens" if sampling.max_tokens is not None else "",
    ]
    return f": {', '.join(part for part in parts if part)}"


def missing_line(missing: Missing, library: Library) -> str:
    """What is missing of one concept, and what to practise for it."""
    rest = missing.needed - missing.answered
    answers = f"answer {rest} more of its questions; " if rest > 0 else ""
    standing = f"{missing.share:.0%} right of {missing.answered} answered; " if missing.answered else ""
    bank = library.bank_about(missing.concept)
    way = f" (specquiz practice {bank.id})" if bank is not None else ""
    return f"{library.concept_name(missing.concept)}: {standing}{answers}{missing.bound:.0%} right opens it{way}"


def lock_lines(lab: Lab, locked: Locked, library: Library) -> Iterator[str]:
    """Why a lab is closed and what opens it."""
    yield f"{lab.id} is locked. What is missing:"
    yield from (f"  {missing_line(each, library)}" for each in locked.missing)


def progress_line(progress: Progress) -> str:
    """One stage of a run."""
    tokens = f", {progress.tokens} tokens" if progress.tokens else ""
    match progress.kind:
        case "failed":
            return f"  {progress.arm}  failed after {progress.seconds:.1f} s: {progress.message}"
        case "finished":
            return f"  {progress.arm}  {progress.stage}  {progress.seconds:.1f} s{tokens}"
        case "started" | "running":
            return f"  {progress.arm}  {progress.stage}  … {progress.seconds:.0f} s{tokens}"


def run_lines(evidence: Evidence) -> Iterator[str]:
    """When, where and with what a run was made, and how long each stage took."""
    arm = max(evidence.arms.values(), key=lambda each: bool(each.versions))
    day = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(evidence.started_at))
    machine = evidence.machine
    where = machine.get("card") or f"{machine.get('processor', 'unknown')}, {machine.get('cores', '?')} cores"
    if machine.get("attached"):
        where = "a server that ran already"
    yield f"run {evidence.run} on {day}"
    yield f"profile {evidence.profile}, model {evidence.model}, vLLM {arm.versions.get('vllm', 'unknown')}, {where}"
    if evidence.unlocked_by == "override":
        yield "the lab was opened with --unlock, not by mastery"
    for name, each in evidence.arms.items():
        stages = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in each.stages.items())
        yield f"  {name}  {stages}"
        yield from _memory_lines(name, each)
        untold = each.config.get("server", {}).get("unverified")
        if untold:
            yield f"  {name}  the server did not tell, and nobody checked: {untold}"


def _memory_lines(name: str, arm: ArmRun) -> Iterator[str]:
    from specquiz.labs.metrics import estimate

    peak = [estimate(arm, workload, "peak_memory").value for workload in arm.workloads]
    highest = max((each for each in peak if each is not None), default=None)
    room = estimate(arm, "", "kv_tokens").value
    parts = [f"peak memory {highest:.2f} GiB"] if highest is not None else []
    parts += [f"KV cache for {room:.0f} tokens"] if room is not None else []
    if parts:
        yield f"  {name}  {', '.join(parts)}"


def grade_lines(grade: Grade) -> Iterator[str]:
    """Prediction beside observation, and the verdict of each rule with its reason."""
    match grade:
        case NotGradable(broken):
            yield "Not gradable:"
            yield from (f"  {each.invariant}: {each.reason}" for each in broken)
        case Graded(quantities, positions, rules):
            compared = list(comparison_on_scales(grade))
            yield from (*compared, "") if compared else ()
            yield "observed, with the 95 % interval over requests"
            yield from table_lines(quantities, positions)
            yield ""
            yield "rules"
            for rule in rules:
                yield from _rule_lines(rule)
            yield ""
            right = sum(rule.outcome == "passed" for rule in rules)
            yield f"{'Passed' if grade.passed else 'Not passed'}: {right} of {len(rules)} rules hold."
            if grade.advice:
                yield f"Advice only on this profile: {grade.advice.strip()}"


def grade_facts(grade: Grade) -> dict[str, Any]:
    """A grade as plain JSON values."""
    match grade:
        case NotGradable(broken):
            return {"gradable": False, "passed": False, "broken": [asdict(each) for each in broken]}
        case Graded(quantities, positions, rules):
            return {
                "gradable": True,
                "passed": grade.passed,
                "advice": grade.advice,
                "quantities": [asdict(each) for each in quantities],
                "positions": [asdict(each) for each in positions],
                "rules": [asdict(each) for each in rules],
            }


def table_lines(quantities: Sequence[Observation], positions: Sequence[Positions]) -> Iterator[str]:
    """What was measured, place by place."""
    width = max((len(MEANINGS[each.quantity].name) for each in quantities), default=0)
    by_place = {(each.arm, each.workload): each for each in positions}
    for place in dict.fromkeys((each.arm, each.workload) for each in quantities):
        here = [each for each in quantities if (each.arm, each.workload) == place]
        yield f"  {place[0]} on {place[1]}"
        for each in here:
            yield f"    {MEANINGS[each.quantity].name:<{width}}  {_figures(each)}"
        if place in by_place:
            yield from _position_lines(by_place[place], width)


def _position_lines(found: Positions, width: int) -> Iterator[str]:
    rates = [_rates(column) for column in (found.of_all, found.given_before)]
    column = max(len("of all drafts"), *map(len, rates[0]))
    yield f"    {'accepted at position':<{width}}  {'of all drafts':<{column}}  given those before"
    for place, (of_all, given_before) in enumerate(zip(*rates, strict=True), start=1):
        yield f"    {place:>{width}}  {of_all:<{column}}  {given_before}"


def _rates(column: Sequence[Rate]) -> list[str]:
    """Rates as they are told; where others of the column have an interval, one without says why."""
    told = any(each.low is not None for each in column)
    return [
        _with_interval(each.value, each.low, each.high)
        + (" (too few drafts)" if told and each.value is not None and each.low is None else "")
        for each in column
    ]


def _with_interval(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "-"
    between = "" if low is None or high is None else f" [{shown(low)}, {shown(high)}]"
    return f"{shown(value)}{between}"


def _figures(observation: Observation) -> str:
    predicted = "" if observation.predicted is None else f"  predicted {observation.predicted:.3f}"
    if observation.interval is not None:
        predicted += f"  predicted {observation.interval[0]:g} to {observation.interval[1]:g}"
    if observation.value is None:
        return f"{observation.note}{predicted}"
    note = f" ({observation.note})" if observation.note else ""
    return f"{_with_interval(observation.value, observation.low, observation.high)}{predicted}{note}"


def _rule_lines(rule: RuleVerdict) -> Iterator[str]:
    yield f"  {_OUTCOMES[rule.outcome]:<7}  {rule.id}: {rule.observed}"
    yield from (f"           {line}" for line in rule.why.rstrip().splitlines())
    yield from (f"           {line}" for line in rule.learn.rstrip().splitlines())


def comparison_lines(compared: tuple[Compared, ...]) -> Iterator[str]:
    """Two runs side by side."""
    width = max((len(MEANINGS[each.quantity].name) for each in compared), default=0)
    place = ("", "")
    for each in compared:
        if place != (place := (each.arm, each.workload)):
            yield f"  {each.arm} on {each.workload}"
        name = MEANINGS[each.quantity].name
        yield f"    {name:<{width}}  {_figures(each.first)}  then {_figures(each.second)}: {each.standing}"
    differing = sum(each.standing == "differs" for each in compared)
    judged = sum(each.standing != "not judged" for each in compared)
    yield ""
    yield f"{judged - differing} of {judged} figures agree within their intervals."
