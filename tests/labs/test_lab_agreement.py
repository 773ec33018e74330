"""Observed acceptance against theory, token by token, and how a run's drafted tokens are found again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz.labs.agreement import reference_acceptance, reference_z
from specquiz.labs.engines.lookup import look_up
from specquiz.labs.engines.reference import Trial, judged
from specquiz.labs.evidence import Evidence, Judged, Theory, WorkloadRun

REQUESTS, TESTS = 24, 200


def with_theory(run: WorkloadRun, accepted: list[list[int]], predicted: list[list[float]]) -> WorkloadRun:
    """A real run with other tests: only these decide what is tested here."""
    from msgspec.structs import replace

    tests = tuple(
        Judged(at=tuple(range(len(got))), depth=(0,) * len(got), accepted=tuple(got), predicted=tuple(chances))
        for got, chances in zip(accepted, predicted, strict=True)
    )
    return replace(run, theory=Theory(rule="overlap", temperature=1.0, requests=tests))


@pytest.fixture
def run(evidence: Evidence) -> WorkloadRun:
    return evidence.arms["ngram"].workloads["novel"]


def test_outcomes_that_follow_theory_give_z_scores_of_unit_size(run: WorkloadRun) -> None:
    draw = np.random.default_rng(7)
    scores = []
    for _ in range(200):
        chances = draw.beta(1, 1, size=(REQUESTS, TESTS))
        outcomes = (draw.random((REQUESTS, TESTS)) < chances).astype(int)
        scores.append(reference_z(with_theory(run, outcomes.tolist(), chances.tolist())).value)

    assert abs(float(np.mean(scores))) < 5 / np.sqrt(len(scores))
    assert float(np.std(scores)) == pytest.approx(1.0, abs=5 / np.sqrt(2 * len(scores)))


def test_outcomes_of_another_draft_are_far_off(run: WorkloadRun) -> None:
    draw = np.random.default_rng(8)
    chances = draw.beta(2, 2, size=(REQUESTS, TESTS))
    outcomes = (draw.random((REQUESTS, TESTS)) < draw.permuted(chances) * 0.8).astype(int)
    found = with_theory(run, outcomes.tolist(), chances.tolist())

    z = reference_z(found).value
    assert z is not None
    assert z < -5
    acceptance = reference_acceptance(found)
    assert acceptance.value == pytest.approx(chances.mean())
    low, high = acceptance.interval() or (1.0, 0.0)
    assert low < chances.mean() < high


def test_where_nothing_is_left_to_chance_one_token_decides(run: WorkloadRun) -> None:
    exact = with_theory(run, [[1, 0], [1, 1]], [[1.0, 0.0], [1.0, 1.0]])
    off = with_theory(run, [[1, 0], [1, 0]], [[1.0, 0.0], [1.0, 1.0]])

    assert reference_z(exact).value == 0.0
    assert reference_z(off).value is None
    assert "1 tokens came out otherwise" in reference_z(off).note


def test_a_run_without_theory_has_no_data(run: WorkloadRun) -> None:
    assert reference_z(run).value is None
    assert reference_acceptance(run).note.startswith("no data")


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(1, 3), st.integers(0, 3), st.integers(1, 5))
def test_a_lookup_copies_what_followed_the_longest_earliest_match(
    context: list[int], shortest: int, more: int, num_tokens: int
) -> None:
    found = look_up(context, shortest, shortest + more, num_tokens)

    def places(length: int) -> list[int]:
        return [start for start in range(len(context) - length) if context[start : start + length] == context[-length:]]

    lengths = [n for n in range(shortest, min(shortest + more, len(context) - 1) + 1) if places(n)]
    if not lengths:
        assert found == []
    else:
        start = places(max(lengths))[0] + max(lengths)
        assert found == context[start : start + num_tokens]


def request(**changes: object) -> dict[str, object]:
    shown = {"prompt": [1, 2], "output": [5, 6, 7, 8, 9, 9], "accepted": [2, 1], "drafted": [4, 4]}
    return shown | changes


def trials(given: dict[str, object], *, lookup: object = None, worked_out: bool = False) -> list[Trial]:
    return list(judged(given, {"lookup": lookup, "worked_out": worked_out}))


def test_every_token_up_to_the_first_rejected_one_was_judged() -> None:
    assert trials(request()) == [
        Trial(1, 0, True, -1),
        Trial(2, 1, True, -1),
        Trial(3, 2, False, -1),
        Trial(4, 0, True, -1),
        Trial(5, 1, False, -1),
    ]


def test_what_was_judged_beyond_the_end_of_an_output_is_left_out() -> None:
    found = trials(request(accepted=[2, 4]))

    assert [each.at for each in found] == [1, 2, 3, 4, 5]
    assert all(each.accepted for each in found[3:])


def test_where_steps_are_worked_out_the_last_token_is_no_trial_whatever_came_of_it() -> None:
    """Its pass may have ended there, or gone on unseen."""
    assert [each.at for each in trials(request(), worked_out=True)] == [1, 2, 3, 4]
    assert [each.at for each in trials(request(accepted=[4], drafted=[4]), worked_out=True)] == [1, 2, 3, 4]


def test_a_pass_in_which_the_lookup_finds_nothing_judges_nothing() -> None:
    """The output's 5 comes without a draft, 6 too; then 5, 6 stood before, and 7 follows."""
    lookup = {"min": 2, "max": 3, "num_tokens": 2, "max_model_len": 100}
    once = request(prompt=[5, 6, 7, 8], output=[5, 6, 7, 8, 1], accepted=[2], drafted=[2])

    assert trials(once, lookup=lookup) == [Trial(2, 0, True, 7), Trial(3, 1, True, 8)]


def test_where_theory_leaves_next_to_nothing_to_chance_one_token_is_no_evidence(run: WorkloadRun) -> None:
    chances = [[0.999] * 20 + [0.001] * 20 for _ in range(REQUESTS)]
    likely = [[1] * 20 + [0] * 20 for _ in range(REQUESTS)]
    luck = [[1] * 20 + [0] * 19 + [1], *likely[1:]]

    z = reference_z(with_theory(run, luck, chances)).value

    assert z is not None
    assert 0 < z <= 1


def test_several_tokens_against_near_certainty_are(run: WorkloadRun) -> None:
    chances = [[0.999] * 40 for _ in range(REQUESTS)]
    outcomes = [[0] + [1] * 39 if request < 6 else [1] * 40 for request in range(REQUESTS)]

    z = reference_z(with_theory(run, outcomes, chances)).value

    assert z is not None
    assert z < -3
