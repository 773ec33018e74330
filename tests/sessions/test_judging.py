"""An answer is judged by what it says, whatever the order of choices or the spelling of a list."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specquiz.answers import Correct, Invalid, Verdict, Wrong
from specquiz.banks.library import Library
from specquiz.banks.model import AnyQuestion, MultiQuestion, SingleQuestion
from specquiz.sessions.events import Item
from specquiz.sessions.judging import MAX_ANSWER, fits, judge, readable, solution
from specquiz.sessions.planning import draw_item


def asked(library: Library, id: str, seed: int = 1) -> tuple[AnyQuestion, Item]:
    question = library.question("sample", id)
    assert question is not None
    return question, draw_item("sample", question, seed)


def verdict(library: Library, id: str, text: str) -> Verdict:
    return judge(*asked(library, id), text)


def test_the_right_choice_is_right_in_a_thousand_orders(library: Library) -> None:
    for seed in range(1000):
        assert isinstance(judge(*asked(library, "free-token", seed), "one"), Correct)
        assert isinstance(judge(*asked(library, "lossless", seed), "law greedy"), Correct)
        assert isinstance(judge(*asked(library, "free-token", seed), "many"), Wrong)


def test_a_wrong_choice_gives_what_choosing_it_reveals(library: Library) -> None:
    assert verdict(library, "free-token", "none").message == "A pass always yields at least one token."


def test_one_question_takes_one_choice(library: Library) -> None:
    assert isinstance(verdict(library, "free-token", "one many"), Invalid)


@pytest.mark.parametrize("id", ["free-token", "lossless", "greedy-round", "survival", "tokens-per-pass"])
@pytest.mark.parametrize("text", ["", "   "])
def test_nothing_is_no_answer(library: Library, id: str, text: str) -> None:
    assert isinstance(verdict(library, id, text), Invalid)


def test_a_choice_that_does_not_exist_costs_nothing(library: Library) -> None:
    assert isinstance(verdict(library, "lossless", "law nonsense"), Invalid)


def test_the_order_of_several_choices_does_not_matter(library: Library) -> None:
    assert isinstance(verdict(library, "lossless", "greedy law greedy"), Correct)


def test_what_is_missing_and_what_does_not_belong_is_named(library: Library) -> None:
    found = verdict(library, "lossless", "law seeds")
    assert isinstance(found, Wrong)
    assert "“The text for each seed” does not belong. The random draws are used in another order." in found.message
    assert "Missing: “The greedy text, in exact arithmetic”." in found.message


def test_a_number_and_its_formulas_are_right(library: Library) -> None:
    question, item = asked(library, "tokens-per-pass")
    item = msgspec.structs.replace(item, values={"alpha": "0.5", "K": "2"})
    for text in ("1.75", "7/4", "(1 - alpha**(K+1)) / (1 - alpha)", "1 + 0.5 + 0.5^2"):
        assert isinstance(judge(question, item, text), Correct), text
    wrong = judge(question, item, "2")
    assert isinstance(wrong, Wrong)
    assert "earlier ones" in wrong.message


def test_a_formula_is_compared_on_its_domain(library: Library) -> None:
    assert isinstance(verdict(library, "survival", "alpha**(K-1)*alpha"), Correct)
    wrong = verdict(library, "survival", "K*alpha")
    assert isinstance(wrong, Wrong)
    assert "multiply" in wrong.message


@given(separators=st.lists(st.sampled_from([" ", ",", ", ", "  ", "\t"]), min_size=2, max_size=2))
def test_tokens_may_be_separated_by_spaces_or_commas(library: Library, separators: list[str]) -> None:
    text = f"the{separators[0]}cat{separators[1]}ran"
    assert isinstance(verdict(library, "greedy-round", text), Correct)


@pytest.mark.parametrize("text", ["[the, cat, ran]", "'the' 'cat' 'ran'", '["the", "cat", "ran"]', " the cat ran "])
def test_brackets_and_quotes_around_tokens_do_not_matter(library: Library, text: str) -> None:
    assert isinstance(verdict(library, "greedy-round", text), Correct)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("the dog ran", "departs at token 2: you wrote “dog” where “cat” is right"),
        ("the", "stops too early: after 1 of 3 tokens"),
        ("the cat ran far", "should end after 3 tokens, and token 4 is one too many"),
        ("the cat", "The target adds its own token after the refusal."),
        ("The cat ran", "departs at token 1"),
    ],
)
def test_a_wrong_trace_says_where_it_departs(library: Library, text: str, reason: str) -> None:
    found = verdict(library, "greedy-round", text)
    assert isinstance(found, Wrong)
    assert reason in found.message


def test_a_known_wrong_trace_is_recognised(library: Library) -> None:
    found = verdict(library, "greedy-round", "the cat")
    assert isinstance(found, Wrong)
    assert found.misconception == 0


@pytest.mark.parametrize("id", ["free-token", "lossless", "greedy-round", "survival", "tokens-per-pass"])
def test_a_flood_of_text_is_no_answer(library: Library, id: str) -> None:
    assert isinstance(verdict(library, id, "9" * (MAX_ANSWER + 1)), Invalid)


@given(text=st.text(max_size=40))
def test_whatever_is_typed_gets_a_verdict(library: Library, text: str) -> None:
    for id in ("free-token", "lossless", "greedy-round"):
        found = verdict(library, id, text)
        assert found.outcome in ("correct", "wrong", "invalid")
        assert found.message


def test_the_solution_is_readable(library: Library) -> None:
    assert solution(*asked(library, "free-token")) == "“Exactly one”"
    assert solution(*asked(library, "greedy-round")) == "the cat ran"
    assert "greedy text" in solution(*asked(library, "lossless"))
    question, item = asked(library, "tokens-per-pass")
    item = msgspec.structs.replace(item, values={"alpha": "0.5", "K": "2"})
    assert solution(question, item).endswith("= 1.75")


def test_a_recorded_choice_reads_as_its_text(library: Library) -> None:
    assert readable(asked(library, "free-token")[0], "many") == "“As many as it likes”"
    assert readable(asked(library, "survival")[0], "K*alpha") == "K*alpha"


def test_a_mended_text_still_fits_and_another_set_of_choices_does_not(library: Library) -> None:
    question, item = asked(library, "free-token")
    assert isinstance(question, SingleQuestion)
    assert fits(msgspec.structs.replace(question, prompt="Mended"), item)
    assert not fits(msgspec.structs.replace(question, choices=question.choices[:-1]), item)
    multi = MultiQuestion(id="free-token", concepts=(), level=1, prompt="", explanation="", choices=(), answer=())
    assert not fits(multi, item)


def test_another_set_of_variables_does_not_fit(library: Library) -> None:
    question, item = asked(library, "tokens-per-pass")
    assert fits(question, item)
    assert not fits(question, msgspec.structs.replace(item, values={"alpha": "0.5"}))
