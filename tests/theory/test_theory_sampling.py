"""Accept or redraw: the right rule keeps the target's law in every setting, the wrong ones miss it as computed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import theory
from specquiz.theory.arguments import FloatArray

P, Q = (0.45, 0.25, 0.2, 0.1), (0.6, 0.1, 0.25, 0.05)
TARGET_LOGITS, DRAFT_LOGITS = (2, 1, 0, -1), (1.5, 1.2, 0, -1)
relaxed = settings(deadline=None)


def laws(size: int) -> st.SearchStrategy[FloatArray]:
    """Probability vectors, zeros included."""
    weights = st.lists(st.integers(0, 20), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: np.array(w) / sum(w))


def random_laws(*shape: int) -> FloatArray:
    return np.random.default_rng(7).dirichlet(np.full(shape[-1], 0.7), size=shape[:-1])


@relaxed
@given(laws(5), laws(5))
def test_accept_or_redraw_from_the_residual_emits_the_targets_law(p: FloatArray, q: FloatArray) -> None:
    assert theory.output_law(p, q) == pytest.approx(p, abs=1e-14)


@relaxed
@given(laws(5), laws(5))
def test_acceptance_is_one_minus_the_total_variation(p: FloatArray, q: FloatArray) -> None:
    assert theory.overlap(p, q) == pytest.approx(1 - theory.total_variation(p, q), abs=1e-14)
    assert theory.overlap(p, q) == pytest.approx((q * theory.accept_probability(p, q)).sum(), abs=1e-14)


def test_many_pairs_at_once_are_exact() -> None:
    p, q = random_laws(2000, 2, 6).swapaxes(0, 1)

    assert np.abs(theory.output_law(p, q) - p).max() < 1e-15
    assert theory.overlap(p, q).shape == (2000,)


def test_the_joint_law_of_two_tokens_is_the_targets_when_laws_depend_on_the_prefix() -> None:
    first, second = random_laws(2, 3)[0], random_laws(2, 3, 3)[0]
    draft_first, draft_second = random_laws(2, 3)[1], random_laws(2, 3, 3)[1]
    # The second position's law, given each first token: within the round, or in the next one after a rejection.
    emitted_second = theory.output_law(second, draft_second)

    accepted = draft_first * theory.accept_probability(first, draft_first)
    redrawn = ((draft_first - accepted)[:, None] * theory.redraw_laws(first, draft_first)).sum(axis=0)
    joint = accepted[:, None] * emitted_second + redrawn[:, None] * emitted_second

    assert joint == pytest.approx(first[:, None] * second, abs=1e-15)


@pytest.mark.parametrize(("redraw", "error"), [("target", 0.13), ("target-without-rejected", 0.0827)])
def test_a_wrong_redraw_misses_the_target(redraw: theory.Redraw, error: float) -> None:
    law = theory.output_law(P, Q, redraw=redraw)

    assert law.sum() == pytest.approx(1)
    assert theory.total_variation(law, P) == pytest.approx(error, abs=5e-5)


def test_leaving_the_rejected_token_out_is_right_for_a_one_hot_draft() -> None:
    assert theory.output_law(P, theory.one_hot(0, 4), redraw="target-without-rejected") == pytest.approx(P)


def test_a_ratio_with_the_draft_of_another_temperature_is_biased() -> None:
    law = theory.output_law(P, Q, ratio_q=theory.softmax(np.log(Q), 1.2))

    assert law.sum() == pytest.approx(1)
    assert 0.01 < theory.total_variation(law, P) < 0.1


def test_a_one_hot_draft_is_accepted_with_its_own_probability() -> None:
    draft = theory.one_hot(1, 4)

    assert theory.overlap(P, draft) == theory.one_hot_acceptance(P, 1) == 0.25
    assert theory.residual(P, draft) == pytest.approx([0.6, 0, 0.2 / 0.75, 0.1 / 0.75])


def test_lenience_accepts_more_and_at_one_nothing_more() -> None:
    assert theory.lenient_overlap(P, Q, 1) == theory.overlap(P, Q)
    assert theory.lenient_overlap(P, Q, [0.9, 0.5]).tolist() == sorted(theory.lenient_overlap(P, Q, [0.9, 0.5]))
    assert theory.lenient_overlap(P, Q, 0.5) == pytest.approx(0.6 + 0.1 + 0.25 + 0.05)


def test_acceptance_is_not_monotone_in_the_temperature_for_a_sampled_draft() -> None:
    temperatures = np.array([0, 0.05, 0.3974, 0.5, 1, 2, 50])

    overlaps = theory.temperature_overlap(TARGET_LOGITS, DRAFT_LOGITS, temperatures)

    assert overlaps == pytest.approx([1, 0.9975, 0.749675, 0.7580, 0.8448, 0.9267, 0.9978], abs=5e-5)
    assert overlaps.argmin() == 2


def test_acceptance_of_a_one_hot_draft_of_the_argmax_falls_with_the_temperature_to_one_in_v() -> None:
    acceptance = theory.argmax_acceptance(TARGET_LOGITS, [0, 0.25, 0.5, 1, 2, 1e9])

    assert acceptance == pytest.approx([1, 0.9817, 0.8650, 0.6439, 0.4551, 0.25], abs=5e-5)


@relaxed
@given(laws(4), laws(4), st.integers(1, 3), st.booleans())
def test_several_candidates_keep_the_law_and_never_accept_less(
    p: FloatArray, q: FloatArray, candidates: int, replacement: bool
) -> None:
    law = theory.candidates_law(p, q, candidates, replacement=replacement)
    acceptance = theory.candidates_acceptance(p, q, candidates, replacement=replacement)

    assert law == pytest.approx(p, abs=1e-12)
    assert acceptance >= theory.overlap(p, q) - 1e-12


def test_as_many_candidates_as_tokens_without_replacement_always_find_the_target() -> None:
    assert theory.candidates_acceptance((0.5, 0.3, 0.2), (0.2, 0.3, 0.5), 3, replacement=False) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: theory.overlap((0.5, 0.4), Q), r"sum of p .*0\.9"),
        (lambda: theory.overlap(P, (1.5, -0.5, 0, 0)), r"q .*1\.5"),
        (lambda: theory.overlap(P, (0.5, 0.5)), "vocabular"),
        (lambda: theory.overlap(1.0, Q), "p must be a vector"),
        (lambda: theory.residual(P, P), "nothing is rejected"),
        (lambda: theory.output_law(P, Q, redraw="draft"), "redraw .*'draft'"),  # type: ignore[arg-type]
        (lambda: theory.output_law(P, Q, ratio_q=(1, 1, 0, 0)), "sum of ratio_q .*2"),
        (lambda: theory.lenient_overlap(P, Q, 0), "lenience .*0"),
        (lambda: theory.one_hot(4, 4), "token .*4"),
        (lambda: theory.softmax(P, -1), "temperature .*-1"),
        (lambda: theory.softmax((0.0, float("inf"))), "logits .*inf"),
        (lambda: theory.candidates_law(P, Q, 0), "candidates .*0"),
        (lambda: theory.candidates_law([P], [Q], 2), "single vectors"),
    ],
)
def test_what_is_no_law_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()
