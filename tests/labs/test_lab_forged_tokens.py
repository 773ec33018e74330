"""Tokens, prompts and drafts that no run of the shipped models gives, in evidence whose arms agree with one another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from forging import (
    OfRequest,
    reasons,
    recorded,
    replace,
    shipped_lab,
    with_arm,
    with_every_request,
    with_every_run,
    with_run,
)
from hypothesis import given
from hypothesis import strategies as st

from specquiz.labs.copying import of_the_copies
from specquiz.labs.engines.lookup import look_up
from specquiz.labs.evidence import ArmRun, Evidence, RequestRun, WorkloadRun, sealed
from specquiz.labs.grading import Graded, grade
from specquiz.labs.plan import other_inputs
from specquiz.labs.recital import recital, vocabulary_size
from specquiz.places import shipped_labs

TINY = shipped_labs() / "tiny"
SAMPLED = "sampling-acceptance"
"""Above temperature 0 no token is determined, so only the vocabulary can speak."""
EQUAL = "k-sweep"
"""All of its arms draft, and no rule of its own judges whether their outputs are equal."""


def all_changed(lab: str, change: OfRequest) -> Evidence:
    return with_every_run(recorded(lab), lambda run: with_every_request(run, change))


@pytest.mark.parametrize("token", [-1, 512, 10**9])
def test_a_token_that_the_model_does_not_have_is_refused(token: int) -> None:
    forged = all_changed(SAMPLED, lambda each: replace(each, output=(token, *each.output[1:])))

    found = reasons(shipped_lab(SAMPLED), forged)

    assert ("tokens", "sampled/warm: request 1 has a token id that tiny/target does not have") in found


def test_a_prompt_of_as_many_other_tokens_is_refused_in_all_arms() -> None:
    forged = all_changed(EQUAL, lambda each: replace(each, prompt=(each.prompt[0] + 1, *each.prompt[1:])))

    found = reasons(shipped_lab(EQUAL), forged)

    assert ("prompts", "k8/novel: request 24 was not given the lab's prompt as tiny/target reads it") in found


def test_at_temperature_0_the_shipped_target_says_what_it_says() -> None:
    forged = all_changed(EQUAL, lambda each: replace(each, output=(*each.output[:-1], each.output[-1] ^ 1)))

    found = reasons(shipped_lab(EQUAL), forged)

    assert ("tokens", "k1/novel: request 1 has another text than tiny/target gives") in found


def test_whether_speculation_changes_the_text_is_left_to_the_rule_that_judges_it() -> None:
    def slipped(run: WorkloadRun) -> WorkloadRun:
        return with_every_request(run, lambda each: replace(each, output=(*each.output[:-1], each.output[-1] ^ 1)))

    lab, evidence = shipped_lab("exactness"), recorded("exactness")
    other_text = with_run(evidence, "vanilla", "echo", slipped)
    changed_text = with_run(evidence, "draft", "echo", slipped)

    assert reasons(lab, other_text)[0] == ("tokens", "vanilla/echo: request 1 has another text than tiny/target gives")
    assert isinstance(grade(lab, sealed(changed_text)), Graded)


def test_a_draft_model_is_not_right_where_it_drafts_another_token() -> None:
    def always_right(request: RequestRun) -> RequestRun:
        steps = (1, *[5] * 19, 4)
        return replace(request, steps=steps, accepted=(4,) * 20, drafted=(4,) * 20)

    lab, evidence = shipped_lab(EQUAL), recorded(EQUAL)
    forged = with_run(evidence, "k4", "novel", lambda run: with_every_request(run, always_right))

    assert ("tokens", "k4/novel: request 1 accepted tokens that tiny/draft does not draft") in reasons(lab, forged)


def test_fewer_prompts_than_the_lab_asks_for_are_named() -> None:
    fewer = with_every_run(recorded(EQUAL), lambda run: replace(run, requests=run.requests[:12]))

    assert other_inputs(shipped_lab(EQUAL), fewer)[0] == "k4 ran 12 prompts of novel; the lab asks for 24"


@pytest.mark.parametrize("lab", [EQUAL, "tune-to-target"])
def test_a_draft_without_its_files_is_named_whether_the_lab_or_the_learner_chose_it(lab: str) -> None:
    bare = replace(recorded(lab), further_files={})

    assert other_inputs(shipped_lab(lab), bare) == ("the model tiny/draft is not the one that the labs ship",)


def test_a_folder_that_the_lab_does_not_ask_for_is_not_held_against_anything_here(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    lab, evidence, folder = shipped_lab(EQUAL), recorded(EQUAL), str(tmp_path)

    target = other_inputs(lab, replace(evidence, model=folder))
    further = other_inputs(lab, replace(evidence, further_files={**evidence.further_files, folder: {}}))

    assert target == (f"the model is {folder}; the lab asks for tiny/target on cpu",)
    assert further == (f"the lab does not ask for the model {folder}",)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model": "{nosuch}"}, "names a model that the lab does not have"),
        ({"model": "/proc"}, "names a model that the lab does not have"),
        ({"method": "{nosuch}"}, "names a model that the lab does not have"),
        ({"num_speculative_tokens": "six"}, "has six draft tokens"),
    ],
)
def test_a_configuration_that_no_learner_can_have_written_is_refused_by_name(change: dict[str, str], says: str) -> None:
    lab, evidence = shipped_lab("tune-to-target"), recorded("tune-to-target")
    forged = replace(evidence, written={"yours": {**evidence.written["yours"], **change}})

    assert says in dict(reasons(lab, forged))["lab"]
    assert [reason for reason in other_inputs(lab, forged) if says in reason]


def test_the_vocabulary_is_that_of_the_models_configuration() -> None:
    assert [vocabulary_size(f"tiny/{name}") for name in ("target", "draft", "blind", "other-vocab")] == [512] * 3 + [
        640
    ]
    assert vocabulary_size("Qwen/Qwen3-8B-AWQ") is None
    assert vocabulary_size("tiny/none") is None


def test_the_recital_is_the_shipped_prompts_and_the_corpus_that_they_open() -> None:
    letters = _letters()

    def text(ids: tuple[int, ...]) -> str:
        return b"".join(letters[token] for token in ids).decode()

    corpus = {each["id"]: each["text"] for each in yaml.safe_load((TINY / "corpus.yaml").read_text())["paragraphs"]}
    for name, told in recital()["tiny/target"].items():
        prompts = yaml.safe_load((shipped_labs() / name).read_text())["prompts"]
        assert [text(each.prompt) for each in told] == [each["text"] for each in prompts]
        for prompt, each in zip(prompts, told, strict=True):
            opening = prompt["text"].rpartition("\n")[2]
            assert corpus[prompt["id"]].startswith(opening + text(each.output))


def _letters() -> dict[int, bytes]:
    """Token id to its bytes; byte-level BPE writes those that do not print as letters from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    byte_of = {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}
    vocabulary = json.loads((TINY / "target" / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return {token: bytes(byte_of[letter] for letter in written) for written, token in vocabulary.items() if token}


def looked_up(prompt: list[int], text: list[int], shortest: int, longest: int, k: int) -> RequestRun:
    """A request as prompt lookup decodes `text`, whatever the target: what agrees with it is accepted."""
    output, steps, accepted, drafted = text[:1], [1], [], []
    while len(output) < len(text):
        draft, rest = look_up([*prompt, *output], shortest, longest, k), text[len(output) :]
        right = next((at for at, (one, other) in enumerate(zip(draft, rest, strict=False)) if one != other), len(draft))
        right = min(right, len(rest))
        if draft:
            accepted.append(right)
            drafted.append(len(draft))
        steps.append(min(right + 1, len(rest)))
        output += rest[: right + 1]
    return RequestRun(
        prompt=tuple(prompt),
        output=tuple(output),
        steps=tuple(steps),
        finish="length",
        accepted=tuple(accepted),
        drafted=tuple(drafted),
    )


def run_of(request: RequestRun) -> WorkloadRun:
    return WorkloadRun(started=0.0, seconds=1.0, before={}, after={}, requests=(request,))


TOKENS = st.lists(st.integers(0, 3), min_size=1, max_size=40)


@given(TOKENS, TOKENS, st.integers(1, 4), st.integers(0, 4), st.integers(1, 5))
def test_what_a_lookup_accepts_stands_in_its_context(
    prompt: list[int], text: list[int], shortest: int, more: int, k: int
) -> None:
    request = looked_up(prompt, text, shortest, shortest + more, k)

    assert list(of_the_copies("ngram/any", run_of(request), shortest)) == []


def test_a_draft_without_a_match_is_refused() -> None:
    request = looked_up([1, 2, 3], [4, 5, 6, 7], 2, 3, 4)
    assert request.drafted == ()

    (found,) = of_the_copies("ngram/any", run_of(replace(request, accepted=(0,), drafted=(4,))), 2)

    assert found.reason == "ngram/any: request 1 has drafts where there was nothing to look up"


def test_a_lookup_is_held_to_its_window_where_a_server_does_not_tell_it() -> None:
    """The run of the arm with the shortest window, as one of a server whose window is the longest."""
    lab, evidence = shipped_lab("lookup-window"), recorded("lookup-window")
    shortest, longest = (evidence.arms[name].workloads["echo"] for name in ("w13", "w55"))

    def on_a_server(arm: ArmRun) -> ArmRun:
        told = {key: value for key, value in arm.config["speculative"].items() if "lookup" not in key}
        unverified = {"unverified": "prompt_lookup_min, prompt_lookup_max"}
        claimed = replace(shortest, started=longest.started, processor_seconds=0.0, peak_memory=0)
        return replace(
            arm,
            config={**arm.config, "speculative": told, "server": unverified},
            versions={"vllm": arm.versions["vllm"]},
            workloads={"echo": claimed},
            stages={**arm.stages, "echo": shortest.seconds},
        )

    claimed = replace(with_arm(evidence, "w55", on_a_server), finished_at=evidence.finished_at + 60)
    found = reasons(lab, claimed)

    assert any(name == "lookup" and reason.startswith("w55/echo") for name, reason in found)
