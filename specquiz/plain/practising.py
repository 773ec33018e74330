"""A practice as plain lines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from specquiz.answers import Correct, Invalid
from specquiz.banks.model import ShortQuestion
from specquiz.console import Console
from specquiz.plain.asking import command_in, prompt_line, say_notes, say_question
from specquiz.plain.ending import Leaving, leaving_in_order
from specquiz.plain.marking import answer_in, mark, say_marked
from specquiz.reports.derivations import derivation_lines, has_derivation
from specquiz.reports.markdown import clock_text
from specquiz.reports.primers import section_lines
from specquiz.sessions.events import Item
from specquiz.sessions.practice import Practice
from specquiz.sessions.sitting import Written

PRACTICE_HELP = """\
An answer is a line of its own. Choices: numbers as shown, or letters (1 is a); several with spaces or commas.
An order: the letters of all items, such as c a b. A configuration: JSON or flags on one line, or keys with values in
lines up to an empty one.
Numbers and formulas: as you would write them, such as 3/4, 0.75 or (1 - alpha**(K+1))/(1 - alpha).
Written answers: several lines, ended by an empty one; then you or a partner mark them point by point.

  ?         I don't know, show me (counts as not right)
  :hint     one more hint
  :steps    the formula of the question before, derived step by step
  :primer   the primer's section on what the question before is about
  :next     leave this question unanswered and go on
  :flag     flag this question, or take the flag off
  :time     time on this question so far
  :finish   end this practice now
  :quit     leave; it goes on here next time
  :help     this list"""


def hold_practice(practice: Practice, console: Console, again: Callable[[tuple[Item, ...]], Practice]) -> int:
    """Hold a practice to its end, to `:quit` or to the end of input; return the exit code.

    Args:
        practice: the practice, new or resumed.
        console: where it is held.
        again: starts a practice of the given missed items.
    """
    with leaving_in_order(practice):
        try:
            following = _practice_to_the_end(practice, console, again)
        except Leaving as leaving:
            _leave(practice, console)
            return leaving.exit_code
    return 0 if following is None else hold_practice(following, console, again)


def _practice_to_the_end(
    practice: Practice, console: Console, again: Callable[[tuple[Item, ...]], Practice]
) -> Practice | None:
    """Hold one practice; return the next one if the learner wants the missed questions again."""
    say_notes(practice, console)
    while practice.phase != "done":
        say_question(practice, console)
        if practice.phase == "marking" or (practice.phase == "feedback" and practice.step is not None):
            if not _mark(practice, console):
                _leave(practice, console)
                return None
        elif practice.phase == "feedback":
            _say_feedback(practice, console)
            practice.advance()
        elif not _practise(practice, console):
            _leave(practice, console)
            return None
    counts = practice.summary()
    console.say()
    console.say(
        f"Done: {counts.right} of {counts.asked} right, {counts.wrong} wrong, {counts.shown} shown, "
        f"{counts.unanswered} unanswered, {clock_text(counts.seconds)} on questions."
    )
    missed = practice.missed_items()
    while missed:
        line = console.ask(f":again = only the {len(missed)} missed, :quit = leave>")
        match line:
            case None | ":quit" | ":q":
                return None
            case ":again":
                return again(missed)
            case ":steps":
                _say_steps(practice, practice.session.index, console)
            case ":primer":
                _say_primer(practice, practice.session.index, console)
            case _:
                console.say("[not read] Type :again or :quit.")
    return None


def _practise(practice: Practice, console: Console) -> bool:
    """Take lines until the question at hand is behind us; False when the learner leaves."""
    index = practice.session.index
    while practice.phase != "done" and practice.session.index == index:
        line = console.ask(prompt_line(practice, "? = show me, :help"))
        if line is None:
            return False
        match command_in(practice, line):
            case "quit", _:
                return False
            case "show", _:
                practice.show()
                _say_feedback(practice, console)
                practice.advance()
            case "hint", _:
                hint = practice.hint()
                console.say(f"Hint: {hint}" if hint is not None else "There is no further hint.")
            case "steps", _:
                _say_steps(practice, index - 1, console)
            case "primer", _:
                _say_primer(practice, index - 1, console)
            case "next" | "skip", _:
                practice.advance()
            case "flag", _:
                console.say("Flagged." if practice.flag() else "Not flagged.")
            case "time", _:
                console.say(f"{clock_text(practice.seconds)} on this question.")
            case "finish", _:
                practice.finish()
            case "help", _:
                console.say(PRACTICE_HELP)
            case "answer", text:
                typed = answer_in(practice, text, console)
                if typed is None:
                    return False
                verdict = typed if isinstance(typed, Invalid) else practice.answer(typed)
                if isinstance(verdict, Invalid):
                    console.say(f"[not read] {verdict.message}")
                elif isinstance(verdict, Written):
                    if not mark(practice, console):
                        return False
                else:
                    _say_feedback(practice, console, typed=text)
                    practice.advance()
            case word, _:
                console.say(f"[not read] There is no command :{word} here; :help lists them.")
    return True


def _mark(practice: Practice, console: Console) -> bool:
    """Go on with marking a written answer after a return."""
    if practice.phase == "feedback":
        say_marked(practice, console)
    return mark(practice, console)


def _say_feedback(practice: Practice, console: Console, typed: str = "") -> None:
    """The verdict and its reason (or that the answer was shown), the answer, and the explanation."""
    verdict = practice.last_verdict
    if isinstance(practice.question, ShortQuestion):
        say_marked(practice, console)
        return
    if verdict is None:
        console.say("[shown]")
    else:
        console.say(f"[{verdict.outcome}] {verdict.message}")
        if typed and verdict.read_as and verdict.read_as != typed and not practice.right_order:
            console.say(f"Read as: {verdict.read_as}")
    if not isinstance(verdict, Correct):
        _say_solution(practice, console)
    console.say(practice.explanation)
    more = [":steps derives the formula"] * has_derivation(practice.question)
    more += [":primer explains the concept"] * (practice.primer_at(practice.session.index) is not None)
    # After the last question, where nothing is missed, no line is asked for any more.
    if more and practice.missed_items():
        console.say(f"({'; '.join(more)}.)")


def _say_solution(practice: Practice, console: Console) -> None:
    """The right answer: a sentence, or a numbered list where an order was asked for."""
    if not practice.right_order:
        console.say(f"The answer: {practice.solution}")
        return
    console.say("The right order:")
    for place, text in enumerate(practice.right_order, 1):
        console.option(f"{place}.", text)


def _say_steps(practice: Practice, index: int, console: Console) -> None:
    """The derivation of an earlier question's formula."""
    question = practice.question_at(index)
    lines = derivation_lines(question, practice.session.plan[index].values) if question is not None else []
    for line in lines or ["[not read] The question before has no formula that is derived step by step."]:
        console.say(line)


def _say_primer(practice: Practice, index: int, console: Console) -> None:
    """The primer on what an earlier question is about; before its answer it might give the answer away."""
    if index < 0 or not practice.session.items[index].settled:
        console.say("[not read] The primer opens after an answer; this is about the question before.")
        return
    place = practice.primer_at(index)
    if place is None or place.section is None:
        console.say("No primer is about this.")
        return
    for line in section_lines(place.section, console.width):
        console.say(line)
    console.say(f"The whole page: specquiz primer {place.primer.slug}")


def _leave(practice: Practice, console: Console) -> None:
    """Leave, and say what is kept. The reader may be gone already, and that must not undo an orderly leave."""
    practice.leave()
    with suppress(OSError):
        done = sum(state.settled for state in practice.session.items)
        console.say()
        console.say(f"Left; {done} of {practice.position[1]} done and kept. The same command goes on here.")
        console.sink.flush()
