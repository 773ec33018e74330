"""What the programs of two lessons print, recomputed: their figures beside ours, and a note where they are loose."""

from __future__ import annotations

from dataclasses import dataclass

from specquiz import theory

GUESS_MANY = "Speculative Decoding: Guess Many, Verify Once"
PARALLEL = "Speculative & parallel decoding"


@dataclass(frozen=True)
class LessonFigure:
    """A figure of a lesson's program: as the lesson prints it, as computed to as many digits, and what to know."""

    lesson: str
    """Its title."""
    what: str
    printed: str
    computed: str
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.printed == self.computed


def lessons() -> tuple[LessonFigure, ...]:
    """Every figure that the lessons' programs print, in their order."""
    return (*_tokens_per_pass(), *_accepted(), *_speedups(), *_recommendations(), *_rounds())


def _tokens_per_pass() -> list[LessonFigure]:
    notes = {
        0.7: "Tokens emitted, the target's own included; the log's draft acceptance rate at this α and K is "
        f"{theory.draft_acceptance_rate(0.7, 4):.3f}.",
        0.9: f"{1 / theory.tokens_per_pass(0.9, 4):.1%} of the passes: fewer than a quarter.",
        0.5: "Just under two, before any draft cost.",
    }
    return [
        LessonFigure(
            GUESS_MANY,
            f"tokens per pass, α = {alpha}, K = 4",
            printed,
            f"{theory.tokens_per_pass(alpha, 4):.2f}",
            notes[alpha],
        )
        for alpha, printed in ((0.5, "1.94"), (0.7, "2.77"), (0.9, "4.10"))
    ]


def _accepted() -> list[LessonFigure]:
    note = "Accepted drafts only: the pass emits one token more."
    return [
        LessonFigure(
            PARALLEL,
            f"accepted per pass, α = {alpha}, K = 4",
            printed,
            f"{theory.expected_accepted(alpha, 4):.2f}",
            note if alpha == 0.5 else "",
        )
        for alpha, printed in ((0.5, "0.94"), (0.8, "2.36"), (0.95, "3.52"))
    ]


def _speedups() -> list[LessonFigure]:
    best = theory.best_k(0.4, 0.15)
    note = f"A K that is too large, not an α that is too low: K = {best.k} gives {best.speedup:.3f} times."
    return [
        LessonFigure(
            PARALLEL,
            f"speed-up, α = {alpha}, K = 5, c = 0.15",
            printed,
            f"{theory.speedup(alpha, 5, 0.15):.2f}",
            note if alpha == 0.4 else "",
        )
        for alpha, printed in ((0.4, "0.95"), (0.7, "1.68"), (0.9, "2.68"))
    ]


def _recommendations() -> list[LessonFigure]:
    cases: tuple[tuple[str, theory.Workload, float, str, str], ...] = (
        ("code", "code", 0.1, "use, K = 5", "Predictable text is a reason to try; the measured α decides, and sets K."),
        (
            "a story",
            "creative",
            1.0,
            "skip",
            "A high temperature alone is no reason to skip: compare α and break-even.",
        ),
        ("chat", "chat", 0.5, "measure, K = 3", "Either is a start; the measured α sets K."),
        ("code completion", "code", 0.1, "use", "For one stream where verification is free; still to be measured."),
        ("creative writing", "creative", 1.0, "larger batch", "The two go together as long as a pass is memory-bound."),
    )
    figures = []
    for named, workload, temperature, printed, note in cases:
        advice = theory.recommend(workload, temperature=temperature)
        what = f"advice for {named} at T = {temperature}"
        figures.append(LessonFigure(PARALLEL, what, printed, f"{advice.verdict}, K = {advice.k}", note))
    return figures


def _rounds() -> list[LessonFigure]:
    words = ("the", "cat", "sat", "down")
    rejected = theory.greedy_round(("the", "cat", "XXX"), words)
    accepted = theory.greedy_round(words[:3], words)
    return [
        LessonFigure(PARALLEL, "a round that rejects its third draft", "the cat sat", " ".join(rejected)),
        LessonFigure(
            PARALLEL,
            "a round that accepts all three drafts",
            "the cat sat",
            " ".join(accepted),
            "The pass has verified one position more: the target's bonus token is emitted too, K + 1 in all.",
        ),
    ]
