"""How figures and states are said on the screens. Pure; no colour carries a meaning that the words do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from specquiz.terminal import visible, wrapped

if TYPE_CHECKING:
    from specquiz.answers import Verdict
    from specquiz.banks.library import Library
    from specquiz.banks.model import AnyQuestion
    from specquiz.labs.unlocking import Missing
    from specquiz.sessions.engine import Session, Summary
    from specquiz.sessions.mastery import ConceptMastery
    from specquiz.tui.overview import BankEntry, LabEntry


def prose(text: str) -> str:
    """A bank's text for any width: a paragraph is one line, laid-out lines stay, control characters show."""
    return "\n".join(wrapped(visible(text), 1_000_000))


def plural(count: int, noun: str) -> str:
    """`1 question`, `2 questions`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def bar(share: float, width: int = 12) -> Content:
    """A bar of `width` cells: heavy up to `share` (0 to 1), light after it."""
    full = round(max(0.0, min(1.0, share)) * width)
    return Content.assemble(("━" * full, "$success"), ("─" * (width - full), "$foreground 30%"))


def clock(seconds: float) -> str:
    """`18:20`, or `1:02:03` from an hour on. Rounded up, so that 0:00 means that the time is up."""
    whole = int(-(-seconds // 1))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def bank_status(entry: BankEntry) -> Content:
    """How far a bank is mastered, as a bar and in words."""
    total = len(entry.bank.questions)
    return Content.assemble(bar(entry.right / total if total else 0.0, 8), f" {entry.right:>3} of {total} right")


def concept_status(state: ConceptMastery) -> Content:
    """How far one concept is mastered, short enough to stand before its name."""
    words = f"{state.right} of {state.answered}" if state.answered else "not yet"
    return Content.assemble(bar(state.share, 6), f" {words:>8}  ")


def lab_status(entry: LabEntry) -> Content:
    """Whether a lab is open, and how its latest run ended."""
    from specquiz.labs.unlocking import Locked

    if isinstance(entry.lock, Locked):
        return Content.styled(f"locked: {plural(len(entry.lock.missing), 'concept')}", "$foreground 60%")
    ended = OUTCOMES.get(entry.standing, "")
    return Content.styled(f"open, {ended}" if ended else "open", "$success")


OUTCOMES = {
    "passed": "passed",
    "failed": "not passed yet",
    "not_gradable": "not gradable",
    "broken": "broken off",
}
"""How a lab run ended."""


def missing(lack: Missing, library: Library) -> str:
    """What one concept still lacks to open a lab, and the bank that leads there."""
    name = library.concept_name(lack.concept)
    rest = lack.needed - lack.answered
    more = f"{plural(rest, 'question')} more to answer; " if rest > 0 else ""
    standing = f"{lack.share:.0%} right so far, " if lack.answered else ""
    bank = library.bank_about(lack.concept)
    where = f" (bank: {bank.title})" if bank is not None else ""
    return f"{name}: {more}{standing}{lack.bound:.0%} right opens it{where}"


def open_session(session: Session, now: float) -> tuple[str, str]:
    """What a session that can be resumed is, and where it stands."""
    if session.closed is not None:
        return "Mark the interview's written answers", f"{len(session.waiting)} to mark"
    place = f"question {session.index + 1} of {len(session.items)}"
    if session.deadline is None:
        return "Resume the practice", place
    if now >= session.deadline:
        return "The mock interview's time is up", "see its report"
    return "Resume the mock interview", f"{place}, {clock(session.deadline - now)} left"


def placeholder(question: AnyQuestion) -> str:
    """What may be typed as an answer to `question`."""
    from specquiz.banks.model import ConfigQuestion, NumericQuestion, ShortQuestion, SymbolicQuestion, TraceQuestion
    from specquiz.sessions.judging import wanted_number

    match question:
        case TraceQuestion():
            return "the tokens in order, separated by spaces"
        case SymbolicQuestion():
            return f"a formula in {', '.join(question.vars)}"
        case NumericQuestion():
            return f"a number ({wanted_number(question)}), or a formula that gives it"
        case ShortQuestion():
            return "a few sentences, as you would say them in an interview"
        case ConfigQuestion():
            return "a configuration, such as a JSON object"
        case _:
            return ""


def wanted(question: AnyQuestion) -> str:
    """How exact a typed number should be; empty where none is asked for."""
    from specquiz.banks.model import NumericQuestion
    from specquiz.sessions.judging import wanted_number

    return wanted_number(question) if isinstance(question, NumericQuestion) else ""


def verdict(verdict: Verdict, *, typed: bool) -> Content:
    """The verdict in brackets, how the answer was read, and why."""
    style = {"correct": "bold $success", "wrong": "bold $error", "invalid": "bold $warning"}[verdict.outcome]
    word = {"invalid": "not read"}.get(verdict.outcome, verdict.outcome)
    read = ""
    if typed and verdict.read_as:
        value = f" = {verdict.value}" if verdict.value and verdict.value != verdict.read_as else ""
        read = f"\nread as {visible(verdict.read_as)}{value}"
    return Content.assemble((f"[{word}]", style), f" {visible(verdict.message.strip())}", (read, "$foreground 60%"))


def summary(summary: Summary) -> Content:
    """How a practice went."""
    lines = [
        Content.assemble(bar(summary.right / summary.asked if summary.asked else 0, 24)),
        Content.styled(f"{summary.right} of {summary.asked} right", "bold"),
    ]
    rest = [
        f"{count} {word}"
        for count, word in (
            (summary.wrong, "wrong"),
            (summary.shown, "shown on request"),
            (summary.unanswered, "left open"),
        )
        if count
    ]
    if rest:
        lines.append(Content(", ".join(rest)))
    lines.append(Content(f"{clock(summary.seconds)} on the questions"))
    return Content("\n").join(lines)


def numbers(indices: Sequence[int]) -> str:
    """Indices from 0, in rising order, as numbers from 1: `1-3, 7`."""
    runs: list[list[int]] = []
    for number in (index + 1 for index in indices):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def sheet_status(*, answered: bool, flagged: bool) -> str:
    """A line of the answer sheet."""
    return ("answered" if answered else "no answer yet") + (", flagged" if flagged else "")
