"""`specquiz theory`: values, tables, plots and JSON; estimates, machines, rounds and advice."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specquiz import theory
from specquiz.commands import theory as command
from specquiz.errors import UsageError


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command with these words and returns what it prints."""

    def run(*words: str) -> str:
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        assert command.run(parser.parse_args(words)) == 0
        return capsys.readouterr().out

    return run


def test_one_value_is_said_with_its_formula(ask: Any) -> None:
    said = ask("tokens", "--alpha", "0.7", "--k", "4")

    assert said == "tokens per target pass: 2.7731\n  (1 − α^(K+1)) / (1 − α) at α = 0.7, K = 4\n"


def test_json_names_the_arguments_and_the_value(ask: Any) -> None:
    assert json.loads(ask("tokens", "--alpha", "0.7", "--k", "4", "--json")) == {
        "alpha": 0.7,
        "k": 4,
        "tokens_per_pass": theory.tokens_per_pass(0.7, 4),
    }


def test_two_ranges_give_a_matrix(ask: Any) -> None:
    lines = ask("speedup", "--alpha", "0.5:0.95:0.05", "--k", "1:8", "--draft-cost", "0.1").splitlines()

    assert len(lines) == 3 + 1 + 10
    assert lines[3].split() == ["α", "\\", "K", *"12345678"]
    assert lines[8].split()[0] == "0.7"
    assert lines[8].split()[4] == f"{theory.speedup(0.7, 4, 0.1):.4f}"


def test_ranges_in_json_are_rows(ask: Any) -> None:
    rows = json.loads(ask("rate", "--alpha", "0.7", "--k", "1,2,4,8", "--json"))["rows"]

    assert [row["k"] for row in rows] == [1, 2, 4, 8]
    assert [row["draft_acceptance_rate"] for row in rows] == pytest.approx([0.7, 0.595, 0.443275, 0.274853], abs=1e-6)


def test_three_ranges_give_a_row_each(ask: Any) -> None:
    lines = ask("speedup", "--alpha", "0.5,0.7", "--k", "1,2", "--draft-cost", "0.1,0.2").splitlines()

    assert len(lines) == 3 + 1 + 8
    assert lines[-1].split() == ["0.7", "2", "0.2", "1.5643"]


def test_the_best_k_is_said_with_its_speed_up(ask: Any) -> None:
    assert "best K: 1 (1.217x)" in ask("best-k", "--alpha", "0.4", "--draft-cost", "0.15")
    assert "best K: 8 (3.199x)" in ask("best-k", "--alpha", "0.7", "--draft-cost", "0", "--k-max", "8")


def test_a_break_even_that_does_not_exist_is_none(ask: Any) -> None:
    assert "break-even α: none" in ask("break-even", "--k", "4", "--draft-cost", "1.2")
    assert json.loads(ask("break-even", "--k", "4", "--draft-cost", "1.2", "--json"))["break_even_alpha"] is None


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("accepted", "--alpha", "0.7", "--k", "4"), "1.7731"),
        (("operations", "--alpha", "0.8", "--k", "5"), "1.626333594"),
        (("passes", "--tokens", "16", "--alpha", "0.7", "--k", "4"), "6.247646374"),
    ],
)
def test_further_formulas_are_computed(ask: Any, words: tuple[str, ...], value: str) -> None:
    assert ask(*words).splitlines()[0].endswith(f": {value}")


def test_a_range_is_plotted_a_curve_for_each_value_of_the_other(ask: Any) -> None:
    drawn = ask("speedup", "--alpha", "0.4,0.9", "--k", "1:12", "--draft-cost", "0.15", "--plot")

    assert drawn.splitlines()[-1] == "* α = 0.4  o α = 0.9"


@pytest.mark.parametrize(
    "words",
    [
        ("tokens", "--alpha", "1.4", "--k", "4"),
        ("tokens", "--alpha", "0.4", "--k", "4", "--plot"),
        ("speedup", "--alpha", "0.1:0.9:0.01", "--k", "1:9", "--draft-cost", "0.1,0.2", "--plot"),
        ("tokens", "--alpha", "0.1:0.9:0.01", "--k", "1:999"),
        ("best-k", "--alpha", "0.4", "--draft-cost", "0"),
        ("alpha",),
        ("alpha", "--rate", "0.4"),
        ("alpha", "--rate", "1.4", "--k", "4"),
        ("alpha", "--per-position", "7,4"),
        ("alpha", "--per-position", "7,4", "--drafts", "1", "--drafted", "20"),
        ("interval",),
        ("interval", "--accepted", "3"),
        ("interval", "--accepted", "3", "--judged", "2"),
        ("interval", "--alpha", "0.5", "--k", "4"),
        ("roofline", "--device", "tpu"),
        ("roofline", "--model", "gpt"),
        ("roofline", "--batch", "0"),
        ("trace", "--plot"),
        ("trace", "--target", "0.5,0.4", "--draft", "0.5,0.5"),
    ],
)
def test_what_makes_no_sense_is_used_wrongly(ask: Any, words: tuple[str, ...]) -> None:
    with pytest.raises((UsageError, SystemExit)) as refused:
        ask(*words)

    assert isinstance(refused.value, UsageError) or refused.value.code == 2


@pytest.mark.parametrize(
    "text", ["x", "0.4:x", "0.9:0.1", "0:1:0", "0:1:-1", "1:2:3:4", "0:1e9", "1,,2", "", "0:inf", "1e999999999:1"]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        command.numbers(text)


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(0, 50), st.sampled_from(["0.01", "0.05", "0.1", "1"]))
def test_a_range_holds_both_ends_exactly(first: int, steps: int, step: str) -> None:
    last = f"{first + steps * float(step):.2f}"

    values = command.numbers(f"{first}:{last}:{step}")

    assert len(values) == steps + 1
    assert (values[0], values[-1]) == (first, float(last))


def test_alpha_from_counters_is_exact_for_full_drafts_and_bounded_for_short_ones(ask: Any) -> None:
    full = json.loads(
        ask("alpha", "--drafts", "1000", "--drafted", "4000", "--per-position", "700,490,343,240", "--json")
    )
    short = json.loads(ask("alpha", "--drafts", "87", "--drafted", "259", "--per-position", "70,55,42", "--json"))

    assert full["exact"]
    assert full["alpha"] == pytest.approx(1773 / 2533)
    assert short["alpha"] is None
    assert (short["low"], short["high"]) == pytest.approx((167 / 212, 167 / 210))
    assert "lies between" in ask("alpha", "--drafts", "87", "--drafted", "259", "--per-position", "70,55,42")


def test_alpha_from_steps_from_the_length_and_from_the_rate(ask: Any) -> None:
    assert "α = 0.75: 3 accepted of 4" in ask("alpha", "--accepted-steps", "2,1", "--drafted-steps", "2,4")
    assert "0.644471" in ask("alpha", "--mean-length", "2.5", "--k", "4")
    assert "0.741271" in ask("alpha", "--rate", "0.5", "--k", "4")


def test_intervals_and_drafts(ask: Any) -> None:
    assert "0.727823 to 0.837407" in ask("interval", "--accepted", "167", "--judged", "212")
    assert ask("interval", "--alpha", "0.7", "--k", "4", "--half-width", "0.02").startswith("797 drafts")
    assert "0.0128768" in ask("interval", "--alpha", "0.7", "--k", "4", "--drafts", "500")


def test_the_roofline_names_ridge_floor_and_crossing(ask: Any) -> None:
    found = json.loads(ask("roofline", "--context", "1024", "--batch", "1,16", "--json"))
    said = ask("roofline", "--context", "1024")

    assert found["crossing_batch"] == 45
    assert [row["speedup"] for row in found["rows"]] == pytest.approx([2.7731, 2.116096], abs=1e-6)
    assert "ridge 51.9" in said
    assert "first batch below 1: 45" in said
    assert "batch" in ask("roofline", "--batch", "1:64", "--plot").splitlines()[-1]


def test_a_traced_round_tells_each_coin_and_what_is_emitted(ask: Any) -> None:
    traced = json.loads(ask("trace", "--seed", "4", "--json"))
    said = ask("trace", "--seed", "4")

    assert len(traced["emitted"]) == traced["accepted"] + 1
    assert said.count("coin") == len(traced["judged"])
    assert "misses the target" in ask("trace", "--redraw", "target")
    assert "accepted with probability 1;" in ask("trace", "--greedy")


def test_advice_gives_reasons_and_the_break_even(ask: Any) -> None:
    said = ask("recommend", "creative", "--alpha", "0.4", "--draft-cost", "0.15", "--temperature", "1")

    assert said.startswith("USE: eagle3 with K = 1")
    assert "α = 0.150" in said
    assert json.loads(ask("recommend", "copy", "--batch", "400", "--json"))["verdict"] == "skip"


def test_every_number_of_the_lessons_is_reproduced_and_the_loose_places_are_noted(ask: Any) -> None:
    figures = json.loads(ask("lessons", "--json"))["figures"]

    numbers = [figure for figure in figures if figure["printed"][0].isdigit()]
    assert len(numbers) == 9
    assert all(figure["agrees"] for figure in numbers)
    assert all(figure["note"] for figure in figures if not figure["agrees"])
    said = ask("lessons")
    assert "K = 1 gives 1.217" in said
    for title in {figure["lesson"] for figure in figures}:
        assert said.count(f"“{title}”\n") == 1


def test_plots_and_tables_need_no_unicode_terminal() -> None:
    program = (
        "import argparse; from specquiz.commands import theory as t; p = argparse.ArgumentParser(); "
        "t.add_arguments(p); t.run(p.parse_args(['tokens', '--alpha', '0.7', '--k', '1:3', '--plot']))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONIOENCODING": "ascii"}, capture_output=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.isascii()
