"""A small library, a lab, a clock set by hand, and what stands on a screen."""

from __future__ import annotations

from itertools import count
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from specquiz.banks.library import Library
from specquiz.banks.model import (
    Bank,
    Choice,
    Concept,
    Misconception,
    MultiQuestion,
    NumericQuestion,
    SingleQuestion,
    Step,
    SymbolicQuestion,
    TraceQuestion,
    Variable,
)
from specquiz.labs.model import Arm, Lab, Prediction, Profile, Rule, Unlock

HOSTILE = ("list[int]", "[/]", "x[i] and [k] tokens", "[@click=app.quit]q[/]", "[bold red]P[X=1][/bold]", "[[[")
"""Texts that a markup parser would eat, break on or run."""

TOKENS = Bank(
    id="tokens",
    title="Tokens per pass",
    description="How many tokens one target pass gives.",
    questions=(
        SingleQuestion(
            id="certain",
            concepts=("tokens-per-pass",),
            level=1,
            prompt="Which token of a pass is certain?",
            choices=(
                Choice(id="a", text="the target's own"),
                Choice(id="b", text="the first draft", say="A draft may be rejected."),
                Choice(id="c", text="none", pin="last"),
            ),
            answer="a",
            explanation="The target always adds one token of its own.",
        ),
        NumericQuestion(
            id="count",
            concepts=("tokens-per-pass",),
            level=2,
            prompt="Each draft is accepted with probability {alpha}; two are drafted. How many tokens come out?",
            vars={"alpha": Variable(values=("0.5",), domain="0 < alpha < 1")},
            answer="1 + alpha + alpha**2",
            tolerance="places:2",
            misconceptions=(Misconception(answer="alpha + alpha**2", say="That counts the drafts only."),),
            hints=("Which token is certain?", "The second draft needs the first."),
            explanation="One token is certain, and draft i survives with probability α^i.",
            derivation=(
                Step(form="1 + Sum(alpha**i, (i, 1, 2))", say="Draft i survives with probability α^i."),
                Step(form="1 + alpha + alpha**2", say="Written out."),
            ),
        ),
        SymbolicQuestion(
            id="formula",
            concepts=("tokens-per-pass",),
            level=3,
            prompt="And for any α and K?",
            vars={
                "alpha": Variable(domain="0 < alpha < 1"),
                "K": Variable(domain="K integer >= 1"),
            },
            answer="(1 - alpha**(K+1)) / (1 - alpha)",
            explanation="The sum of a geometric series.",
        ),
    ),
)
MORE = Bank(
    id="more",
    title="More kinds",
    questions=(
        MultiQuestion(
            id="which",
            concepts=("exactness",),
            level=1,
            prompt="Which of these keep the output exact?",
            choices=(
                Choice(id="a", text="a larger K"),
                Choice(id="b", text="typical acceptance"),
                Choice(id="c", text="another draft model"),
            ),
            answer=("a", "c"),
            explanation="Only the rule of acceptance decides.",
        ),
        TraceQuestion(
            id="trace",
            concepts=("exactness",),
            level=2,
            prompt="The draft says the cat sat; the target takes two and says down. What comes out?",
            answer=("the", "cat", "down"),
            explanation="Two drafts, then the target's own.",
        ),
    ),
)
LIBRARY = Library(
    (TOKENS, MORE),
    {
        slug: Concept(slug=slug, name=name, group="Basics")
        for slug, name in (("tokens-per-pass", "Tokens per pass"), ("exactness", "Exactness"))
    },
)
LAB = Lab(
    id="echo",
    title="Echo against novel text",
    goal="See where copying pays.",
    unlock=Unlock(mastery={"tokens-per-pass": 0.75}),
    profiles={"cpu": Profile(model="tiny/target", max_model_len=1024, seconds=40)},
    arms={"vanilla": Arm(), "ngram": Arm(speculative_config={"method": "ngram", "num_speculative_tokens": 4})},
    workloads={"echo": "prompts/echo.yaml"},
    predict=(
        Prediction(id="rate", quantity="draft_acceptance_rate", of="ngram/echo"),
        Prediction(id="tokens", quantity="tokens_per_pass", of="ngram/echo"),
    ),
    grade=(Rule(id="high", check="lower(ngram.echo.draft_acceptance_rate) > 0.8", why="A copy is easy to draft."),),
)


PRIMER = """\
# Basics

What a pass is, in a few words.

## Tokens per pass

The target adds one token of its own. With the zebra stripes:

    1 + α + α²

- the first item of a list that is long enough to be wrapped on a narrow screen, twice
- the second

## Exactness

Nothing of the target's law changes.

## A worked number

    1 + 0.5 = 1.5
"""


class HandClock:
    """Seconds since the epoch, set by hand."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


def slow_ticks() -> Any:
    """A clock by which every key comes long after the one before: no key is held down."""
    ticks = count()
    return lambda: float(next(ticks))


def one_bank(bank: Bank) -> Library:
    """A library of one bank."""
    return Library((bank,), LIBRARY.concepts)


def hostile_bank(text: str) -> Bank:
    """A bank that has `text` wherever a bank can have a text."""
    return Bank(
        id="hostile",
        title=f"title {text}",
        description=f"description {text}",
        questions=(
            SingleQuestion(
                id="choose",
                concepts=("exactness",),
                level=1,
                prompt=f"prompt {text}",
                choices=(Choice(id="a", text=f"first {text}", say=f"say {text}"), Choice(id="b", text=f"other {text}")),
                answer="b",
                explanation=f"explanation {text}",
                hints=(f"hint {text}",),
            ),
        ),
    )


async def seen(pilot: Pilot[Any], *kinds: type[Screen[Any]]) -> None:
    """Wait until a screen of one of these kinds is on top, and home knows its banks."""
    for _ in range(1000):
        if isinstance(pilot.app.screen, kinds) and getattr(pilot.app, "desk", None) is not None:
            break
        await pilot.pause(0.01)
    await pilot.pause()


def screen_text(app: App[Any]) -> str:
    """What stands on the screen, row by row."""
    rows = app.screen._compositor.render_strips(app.screen.size)
    return "\n".join(strip.text.rstrip() for strip in rows)


def words(app: App[Any]) -> str:
    """What stands on the screen as one line of words, so that it does not matter where lines were broken."""
    return " ".join(screen_text(app).split())
