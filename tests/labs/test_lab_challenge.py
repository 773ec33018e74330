"""A tuning challenge: what may be written, how tries are counted, and what the fitted model says of a run."""

from __future__ import annotations

import msgspec
import pytest

from specquiz.errors import UsageError
from specquiz.labs.challenge import advice, best_first, challenge_of, place_in_series, read_entry, score, tries
from specquiz.labs.evidence import Evidence
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.metrics import estimate
from specquiz.labs.model import Challenge, Lab
from specquiz.labs.recorded import recorded_run
from specquiz.labs.telling_challenge import board_lines, entry_lines
from specquiz.sessions.events import LabFinished, LabPredicted
from specquiz.theory.closed_forms import tokens_per_pass

replace = msgspec.structs.replace

SCORE = "ngram.echo.tokens_per_pass / (1 + 0.1 * ngram.echo.drafted_per_pass)"
CONFIG = {"method": "ngram", "num_speculative_tokens": 4}


@pytest.fixture
def lab() -> Lab:
    """The echo lab as a challenge over its n-gram arm, with a draft model at hand."""
    shipped = find_lab(load_labs(), "ngram-echo")
    profiles = {name: replace(profile, models={"draft": "tiny/draft"}) for name, profile in shipped.profiles.items()}
    return replace(shipped, profiles=profiles, challenge=Challenge(arm="ngram", runs=3, score=SCORE, target=4.0))


@pytest.fixture
def evidence() -> Evidence:
    return recorded_run(find_lab(load_labs(), "ngram-echo"))


def begun(lab: Lab, run: str, predicted: str = "2") -> LabPredicted:
    written = {challenge_of(lab).arm: dict(CONFIG)}
    return LabPredicted(at=1.0, run=run, lab=lab.id, profile="cpu", predictions={"score": predicted}, written=written)


def ended(lab: Lab, run: str, at: float, scored: float | None, outcome: str = "failed") -> LabFinished:
    return LabFinished(at=at, run=run, lab=lab.id, outcome=outcome, score=scored)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        '{"method": "draft_model", "model": "draft", "num_speculative_tokens": 4}',
        'method=draft_model model="{draft}" num_speculative_tokens=4',
        "method: draft_model, model: draft, num_speculative_tokens: 4",
    ],
)
def test_a_draft_is_named_as_the_lab_names_it(lab: Lab, text: str) -> None:
    assert read_entry(lab, "cpu", text) == {"method": "draft_model", "model": "{draft}", "num_speculative_tokens": 4}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Write the configuration"),
        ("{}", "no configuration"),
        ("method=ngram", "num_speculative_tokens"),
        ("method=ngam num_speculative_tokens=4", "method cannot be"),
        ("method=ngram num_speculative_tokens=4 disable_by_batch_size=8", "disable_by_batch_size"),
        ("method=eagle3 model=draft num_speculative_tokens=4", "a head that was trained for its target"),
        ("method=draft_model model=/etc num_speculative_tokens=4", "no draft model /etc here"),
        ("method=ngram num_speculative_tokens=4 prompt_lookup_min=5 prompt_lookup_max=2", "prompt_lookup_min"),
        ('{"method": "ngram", "num_speculative_tokens": 4', "never closed"),
    ],
)
def test_what_vllm_would_refuse_is_refused_before_the_run(lab: Lab, text: str, reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_entry(lab, "cpu", text)
    assert reason in refused.value.what


def test_another_lab_is_no_challenge() -> None:
    with pytest.raises(UsageError, match="no challenge"):
        challenge_of(find_lab(load_labs(), "ngram-echo"))


def test_tries_are_those_that_ended_and_the_best_stands_first(lab: Lab) -> None:
    events = [
        begun(lab, "a"),
        ended(lab, "a", 2.0, 1.5),
        begun(lab, "b"),
        ended(lab, "b", 3.0, None, "not_gradable"),
        begun(lab, "c"),
        ended(lab, "c", 4.0, None, "broken"),
        begun(lab, "d"),
        ended(lab, "d", 5.0, 2.5, "passed"),
    ]

    made = tries(lab, events)

    assert [each.run for each in made] == ["a", "b", "d"]
    assert [each.run for each in best_first(made)] == ["d", "a", "b"]


def test_after_the_last_try_a_new_series_begins(lab: Lab) -> None:
    assert [place_in_series(lab, made) for made in range(5)] == [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)]
    assert "Try 2 of 3, series 2." in "\n".join(entry_lines(lab, "cpu", tries(lab, [*_made(lab, 4)])))


def _made(lab: Lab, count: int) -> list[LabPredicted | LabFinished]:
    return [
        event for number in range(count) for event in (begun(lab, f"{number}"), ended(lab, f"{number}", number, 1.0))
    ]


def test_the_board_tells_prediction_and_score_side_by_side(lab: Lab) -> None:
    lines = "\n".join(board_lines(lab, tries(lab, [begun(lab, "a", "2.25"), ended(lab, "a", 2.0, 2.5, "passed")])))

    assert "1. 2.500  predicted 2.25  passed  (try 1 of series 1" in lines
    assert "2 tries left in this series." in lines


def test_the_score_is_computed_from_the_evidence(lab: Lab, evidence: Evidence) -> None:
    arm = evidence.arms["ngram"]
    tokens, drafted = (estimate(arm, "echo", quantity).value for quantity in ("tokens_per_pass", "drafted_per_pass"))

    assert tokens is not None
    assert drafted is not None
    assert score(lab, evidence).value == pytest.approx(tokens / (1 + 0.1 * drafted))


def test_the_advice_names_the_best_k_of_the_fitted_model(lab: Lab, evidence: Evidence) -> None:
    arm = evidence.arms["ngram"]
    alpha, coverage = estimate(arm, "echo", "alpha").value, estimate(arm, "echo", "draft_coverage").value
    drafted = estimate(arm, "echo", "drafted_per_pass").value
    assert alpha is not None
    assert coverage is not None
    assert drafted is not None

    def modelled(k: int) -> float:
        tokens = coverage * float(tokens_per_pass(alpha, k)) + 1 - coverage
        return tokens / (1 + 0.1 * drafted * k / 4)

    best = max(range(1, 17), key=modelled)
    told = " ".join(advice(lab, evidence))

    assert f"By that model K = 4 scores {modelled(4):.3f}" in told
    assert f"Its best is K = {best} with {modelled(best):.3f}: yours is {best - 4} too small" in told


def test_where_no_k_reaches_the_target_another_method_is_advised(lab: Lab, evidence: Evidence) -> None:
    assert lab.challenge is not None
    high = replace(lab, challenge=replace(lab.challenge, target=100.0))

    assert "No K of this method reaches 100 by the model" in " ".join(advice(high, evidence))


def test_a_score_of_other_figures_gets_no_advice(lab: Lab, evidence: Evidence) -> None:
    assert lab.challenge is not None
    other = replace(lab, challenge=replace(lab.challenge, score="ngram.echo.mean_acceptance_length"))

    assert "the model says nothing of" in " ".join(advice(other, evidence))
