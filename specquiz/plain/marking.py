"""Written answers as plain lines: writing them, marking them point by point, and going down the follow-ups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto

from specquiz.answers import Invalid
from specquiz.banks.model import Grade, ShortQuestion
from specquiz.console import Console
from specquiz.plain.asking import typed_in
from specquiz.sessions.mock import Mock
from specquiz.sessions.practice import Practice
from specquiz.sessions.rubric import AskFollowUp, GradeReply, MarkPoints, missed, reason

MARKING_HELP = """\
You, or a partner who listens, say of each point whether the answer makes it, and grade each reply to a follow-up.

  y n          the answer makes the point, or does not
  w o s        the reply is weak, ok or strong
  :back        mark the point before once more
  :next        no more follow-ups; go on
  :finish      end here; what is not marked stays unmarked
  :quit        leave; it goes on here next time
  :help        this list"""

_QUIT = (":quit", ":q")
_GRADES: dict[str, Grade] = {
    **dict.fromkeys(("w", "weak", "1"), "weak"),
    **dict.fromkeys(("o", "ok", "2"), "ok"),
    **dict.fromkeys(("s", "strong", "3"), "strong"),
}


class _Way(Enum):
    """How it goes on after a line."""

    ON = auto()
    ENOUGH = auto()
    OVER = auto()
    LEAVE = auto()


def answer_in(
    sitting: Practice | Mock, line: str, console: Console, between: Callable[[], None] = lambda: None
) -> str | Invalid | None:
    """The answer that begins with this line; for choices and orders the ids. None if the learner leaves.

    `between` is called before each further line of a written answer.
    """
    if isinstance(sitting.question, ShortQuestion):
        return take_down(sitting, console, line, between)
    return typed_in(sitting, line, console)


def take_down(sitting: Practice | Mock, console: Console, first: str, between: Callable[[], None]) -> str | None:
    """A written answer that begins with `first`, to its empty line; each line is kept. None if the learner leaves."""
    # In an interview a second answer replaces the first; a draft goes on.
    before = "" if sitting.state.handed_over else sitting.written

    def keep(so_far: Sequence[str]) -> None:
        sitting.keep_draft(_joined(before, so_far))
        between()

    lines = _lines(console, first, keep)
    return None if lines is None else _joined(before, lines)


def _lines(
    console: Console, first: str | None, keep: Callable[[Sequence[str]], None] = lambda _: None
) -> Sequence[str] | None:
    """Lines to the first empty one; `first` is there already. None at the end of input, or for `:quit`."""
    lines: list[str] = []
    line = first
    while line:
        if line in _QUIT:
            return None
        lines.append(line)
        keep(lines)
        line = console.ask(">")
    return None if line is None else lines


def _joined(before: str, lines: Sequence[str]) -> str:
    return "\n".join([before, *lines] if before else lines)


def mark(sitting: Practice | Mock, console: Console) -> bool:
    """Mark the written answer at hand, put its follow-ups, and go on. False when the learner leaves."""
    question, way = sitting.question, _Way.ON
    assert isinstance(question, ShortQuestion)
    if isinstance(sitting.step, MarkPoints) and sitting.step.open:
        console.say()
        console.say("Does the answer make these points? y or n after each; :help lists the commands.")
        for place, made in sorted(sitting.state.marks.items()):
            console.option(f"{place + 1}.", f"[{'y' if made else 'n'}] {_point_text(question, place)}")
    while way is _Way.ON:
        match sitting.step:
            case MarkPoints(open=()):
                sitting.settle()
                say_marked(sitting, console)
            case MarkPoints(open=(place, *_)):
                way = _mark_point(sitting, question, place, console)
            case AskFollowUp(follow_up=follow_up, level=level):
                console.say()
                console.say(f"Follow-up {level}: {' '.join(follow_up.ask.split())}")
                way = _reply(sitting, console)
            case GradeReply(follow_up=follow_up):
                console.say(f"Listen for: {' '.join(follow_up.listen_for.split())}")
                way = _grade(sitting, console)
            case _:
                way = _Way.ENOUGH
    if way is _Way.ENOUGH:
        sitting.advance()
    return way is not _Way.LEAVE


def say_marked(sitting: Practice | Mock, console: Console) -> None:
    """How the written answer at hand was marked, what good answers sound like, and why."""
    question, answered = sitting.question, sitting.state.answered
    assert isinstance(question, ShortQuestion)
    if sitting.state.shown or answered is None:
        console.say("[shown]")
    else:
        console.say(f"[{answered.band}] {reason(question.rubric, sitting.state.marks)}")
        for point in missed(question.rubric, sitting.state.marks):
            console.option("-", f"Not said: {' '.join(point.point.split())}")
    for name in ("junior", "senior", "staff"):
        console.say()
        console.say(f"A {name} answer:")
        console.say(getattr(question.answers, name).strip(), indent="  ")
    console.say()
    console.say(sitting.explanation)


def _mark_point(sitting: Practice | Mock, question: ShortQuestion, place: int, console: Console) -> _Way:
    console.option(f"{place + 1}.", _point_text(question, place))
    while True:
        line = console.ask("y or n>")
        word = (line or "").lower()
        if line is None or word in _QUIT:
            return _Way.LEAVE
        if word in ("y", "yes", "n", "no"):
            sitting.mark(place, word in ("y", "yes"))
            return _Way.ON
        if word == ":back" and place > 0:
            return _mark_point(sitting, question, place - 1, console)
        if word == ":finish":
            return _finish(sitting)
        console.say(MARKING_HELP if word == ":help" else "[not read] Type y or n, or :help.")


def _point_text(question: ShortQuestion, place: int) -> str:
    point = question.rubric[place]
    notes = ["must"] * point.must + [f"weight {point.weight}"] * (point.weight != 1)
    note = f" ({', '.join(notes)})" if notes else ""
    return f"{' '.join(point.point.split())}{note}"


def _reply(sitting: Practice | Mock, console: Console) -> _Way:
    line = console.ask("Your reply, in lines; an empty line ends it, :next goes on without>")
    while line == ":help":
        console.say(MARKING_HELP)
        line = console.ask(">")
    if line == ":finish":
        return _finish(sitting)
    if line == ":next":
        return _Way.ENOUGH
    lines = _lines(console, line)
    if lines is None:
        return _Way.LEAVE
    sitting.reply("\n".join(lines))
    return _Way.ON


def _grade(sitting: Practice | Mock, console: Console) -> _Way:
    while True:
        line = console.ask("weak, ok or strong (w, o, s)>")
        word = (line or "").lower()
        if line is None or word in _QUIT:
            return _Way.LEAVE
        if word in _GRADES:
            sitting.grade(_GRADES[word])
            return _Way.ON
        if word == ":finish":
            return _finish(sitting)
        if word == ":next":
            return _Way.ENOUGH
        console.say(MARKING_HELP if word == ":help" else "[not read] Type w, o or s, or :help.")


def _finish(sitting: Practice | Mock) -> _Way:
    sitting.finish()
    return _Way.OVER
