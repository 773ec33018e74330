"""What is said of figures and states, and when an Enter counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.tui import wording
from specquiz.tui.guard import EnterGuard


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(1800, "30:00"), (1799.2, "30:00"), (61, "1:01"), (0.1, "0:01"), (0, "0:00"), (3723, "1:02:03")],
)
def test_the_clock_shows_0_only_when_time_is_up(seconds: float, said: str) -> None:
    assert wording.clock(seconds) == said


@given(st.floats(0, 1), st.integers(1, 60))
def test_a_bar_always_has_its_width(share: float, width: int) -> None:
    assert wording.bar(share, width).cell_length == width


@given(st.sets(st.integers(0, 60)))
def test_numbers_name_each_question_once(indices: set[int]) -> None:
    named: list[int] = []
    for part in filter(None, wording.numbers(sorted(indices)).split(", ")):
        first, _, last = part.partition("-")
        named += range(int(first), int(last or first) + 1)
    assert named == [index + 1 for index in sorted(indices)]


def test_a_paragraph_is_joined_what_is_laid_out_stays_and_control_characters_are_made_visible() -> None:
    assert (
        wording.prose("one\ntwo\n\n    three\n    four\n\x1b[31mred") == "one two\n\n    three\n    four\n\\x1b[31mred"
    )


@given(st.lists(st.floats(0.001, 0.14), min_size=1, max_size=20))
def test_a_held_enter_is_refused_for_as_long_as_it_is_held(repeats: list[float]) -> None:
    time = [0.0]
    guard = EnterGuard(lambda: time[0])
    guard.changed()
    for gap in repeats:
        time[0] += gap
        assert not guard.passes()
    time[0] += 1
    assert guard.passes()
