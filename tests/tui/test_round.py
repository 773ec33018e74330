"""One round on the screen, and the law of many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot
from tui_samples import screen_text, seen, words  # type: ignore[import-not-found]

from specquiz.theory.sampling import Redraw
from specquiz.tui.app import SpecquizApp
from specquiz.tui.round_model import K_MAX, REDRAWS, WORDS, Mode, RoundSetting, drift, models, play
from specquiz.tui.screens.round import RoundScreen
from specquiz.tui.start import RoundStart

MakeApp = Callable[..., SpecquizApp]
SETTINGS = st.builds(
    RoundSetting,
    k=st.integers(1, K_MAX),
    seed=st.integers(0, 1000),
    mode=st.sampled_from(get_args(Mode)),
    redraw=st.sampled_from(list(REDRAWS)),
)


async def held(pilot: Pilot[Any]) -> RoundScreen:
    """Wait until the round is on the screen."""
    await seen(pilot, RoundScreen)
    while "computing" in words(pilot.app):
        await pilot.pause(0.01)
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, RoundScreen)
    return screen


# The round


def test_every_next_word_law_is_a_law_of_the_vocabulary() -> None:
    for mode in get_args(Mode):
        for model in models(mode):
            for last in range(len(WORDS)):
                law = model((last,))
                assert len(law) == len(WORDS)
                assert sum(law) == pytest.approx(1)


@settings(deadline=None, max_examples=100)
@given(SETTINGS)
def test_the_steps_tell_exactly_the_round(setting: RoundSetting) -> None:
    played = play(setting)
    steps, round_ = played.steps, played.round
    assert (steps[0].drafted, steps[0].judged, steps[-1].judged) == (0, 0, len(round_.judged))
    assert [step.drafted for step in steps] == sorted(step.drafted for step in steps)
    assert [step.drawn for step in steps] == [False] * (len(steps) - 1) + [True]
    coins = [step.say for step in steps if "The coin" in step.say]
    assert len(coins) == len(round_.judged)
    for one, say in zip(round_.judged, coins, strict=True):
        assert WORDS[one.token] in say
        assert say.endswith("accepted." if one.accepted else "rejected.")
        assert one.accepted == (one.coin < one.acceptance)
    assert steps[-1].shown.picked == round_.last
    assert f"takes {len(round_.emitted)} pass" in steps[-1].say


@settings(deadline=None, max_examples=50)
@given(SETTINGS)
def test_the_same_seed_gives_the_same_round(setting: RoundSetting) -> None:
    assert play(setting) == play(setting)


def test_the_greedy_round_accepts_while_the_likeliest_words_agree() -> None:
    for seed in range(5):
        for one in play(RoundSetting(mode="greedy", seed=seed)).round.judged:
            assert one.accepted == (one.target[one.token] == 1)


def test_k_keeps_to_its_range_and_modes_and_samplers_come_round() -> None:
    assert RoundSetting().with_k(0).k == 1
    assert RoundSetting().with_k(99).k == K_MAX
    setting = RoundSetting()
    for _ in get_args(Mode):
        setting = setting.next_mode()
    for _ in REDRAWS:
        setting = setting.next_redraw()
    assert setting == RoundSetting()


# The law of many rounds


@pytest.mark.parametrize(
    ("mode", "redraw", "right"),
    [
        ("sampled", "residual", True),
        ("sampled", "target", False),
        ("sampled", "target-without-rejected", False),
        ("one-hot", "residual", True),
        ("one-hot", "target", False),
        ("one-hot", "target-without-rejected", True),
        ("greedy", "target", True),
    ],
)
def test_wrong_samplers_drift_from_the_targets_law_and_right_ones_do_not(
    mode: Mode, redraw: Redraw, right: bool
) -> None:
    found = drift(RoundSetting(seed=3, mode=mode, redraw=redraw), 20_000)
    assert (found.distance < 1e-9) == right
    assert found.test.rejects(1e-6) != right
    assert ("is right" in found.say) == right


def test_more_rounds_bring_a_right_sampler_closer_and_a_wrong_one_not() -> None:
    right, wrong = RoundSetting(), RoundSetting(redraw="target")
    assert drift(right, 100_000).test.total_variation < drift(right, 100).test.total_variation / 3
    assert drift(wrong, 100_000).test.total_variation == pytest.approx(drift(wrong, 100_000).distance, abs=0.01)


# On the screen


async def test_a_round_goes_forward_and_back(make_app: MakeApp) -> None:
    app = make_app(RoundStart(seed=1))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await held(pilot)
        assert "The text so far is “the”" in words(app)
        assert "accepted" not in words(app)
        await pilot.press("right")
        first = screen_text(app)
        assert "the draft proposes “cat”" in words(app)
        await pilot.press("end")
        assert "The bonus word is “a”." in words(app)
        assert "the [cat ran the sat a] 5 words from 1 target pass" in words(app)
        assert "the [cat][ran][the][sat][a] 5 passes" in words(app)
        await pilot.press("home", "right")
        assert screen_text(app) == first
        assert screen.at == 1


async def test_a_rejection_shows_the_residual_and_the_word_recovered_from_it(make_app: MakeApp) -> None:
    app = make_app(RoundStart(seed=0))
    async with app.run_test(size=(80, 24)) as pilot:
        await held(pilot)
        await pilot.press("end", "left")
        text = words(app)
        assert "rejected" in text
        assert "In place of “cat” a word is drawn from the residual" in text
        assert "target p draft q residual" in text
        assert text.count("unjudged") == 3
        await pilot.press("right")
        assert "+ ran recovered" in words(app)


async def test_k_seed_and_mode_begin_another_round(make_app: MakeApp) -> None:
    app = make_app(RoundStart(seed=1))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await held(pilot)
        await pilot.press("end", "up")
        assert "step 1 of 14, K 5, seed 1, sampled" in words(app)
        await pilot.press("m")
        assert "seed 1, greedy" in words(app)
        await pilot.press("s")
        assert f"seed {screen.setting.seed}, greedy" in words(app)
        assert screen.setting == replace(RoundSetting(), k=5, mode="greedy", seed=screen.setting.seed)


async def test_a_wrong_sampler_is_seen_to_drift(make_app: MakeApp) -> None:
    app = make_app(RoundStart(seed=1))
    async with app.run_test(size=(80, 24)) as pilot:
        await held(pilot)
        await pilot.press("d")
        assert "The first word of 10,000 rounds" in words(app)
        assert "This sampler is right" in words(app)
        await pilot.press("w", "n")
        found = drift(RoundSetting(seed=1, redraw="target"), 100_000)
        assert f"counted {found.test.total_variation:.4f}, exact {found.distance:.4f}" in words(app)
        assert "This sampler is wrong" in words(app)


async def test_keys_before_numpy_is_there_are_kept(make_app: MakeApp) -> None:
    app = make_app(RoundStart(seed=1))
    async with app.run_test(size=(80, 24)) as pilot:
        await seen(pilot, RoundScreen)
        await pilot.press("w", "right", "right")
        screen = await held(pilot)
        assert screen.at == 2
        assert "step 3 of 12, K 4, seed 1, sampled, redraw target" in words(app)


async def test_step_and_law_are_in_sight_at_40_by_12_and_side_by_side_at_120_by_40(make_app: MakeApp) -> None:
    app = make_app(RoundStart(seed=1))
    async with app.run_test(size=(40, 12)) as pilot:
        await held(pilot)
        await pilot.press(*["right"] * 6)
        assert "The coin 0.312 is below it: accepted." in words(app)
        assert "1 cat 0.60 0.45 0.75 0.312 accepted" in words(app)
        await pilot.press("d")
        assert "cat 0.450" in words(app)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert "The coin 0.312" in words(app)
        assert "cat 0.450" in words(app)
