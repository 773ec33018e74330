"""Marking written answers, by oneself or a partner: the points, then model answers, then follow-up after follow-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from specquiz.banks.model import Grade, ShortQuestion
from specquiz.reports.written import SENIORITIES
from specquiz.sessions.mock import Mock
from specquiz.sessions.practice import Practice
from specquiz.sessions.rubric import AskFollowUp, GradeReply, Marked, MarkPoints, band, missed, reason, share
from specquiz.terminal import visible
from specquiz.tui import wording
from specquiz.tui.guard import EnterGuard
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.choices import Choices
from specquiz.tui.widgets.editor import GIVE_SHOWN, Editor
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.points import Points
from specquiz.tui.widgets.visuals import Hanging, Lines

_STYLES = {"weak": "bold $error", "ok": "bold $warning", "strong": "bold $success"}
_GRADES: tuple[tuple[Grade, str], ...] = (
    ("weak", "weak: misses it"),
    ("ok", "ok: has a part of it"),
    ("strong", "strong: has it"),
)


class MarkingScreen(Page):
    """Goes through the marking of the written answers at hand; the session records each step before it is drawn.

    Args:
        sitting: the practice or the interview, at a written answer that was handed over.
        close: called at the end, with whether the learner goes on (or leaves the session).
    """

    KEY_HELP = (
        ("y n", "the answer makes the point, or does not; space turns a mark round"),
        ("j k, 1-9, arrows", "move among the points"),
        ("Enter", "let the marks count, once all points have one; then go on"),
        ("^s", "give the reply to a follow-up; it may be empty"),
        ("w o s", "grade a reply weak, ok or strong; 1-3 choose a grade, then Enter"),
        ("F6", "the primer, once the points are marked"),
        ("F7", "no more follow-ups"),
        ("F9", "end here, in an interview: what is not marked stays unmarked"),
        ("PgUp PgDn", "scroll the text"),
        ("F4, Esc", "leave; it goes on here when you come back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Next", show=False),
        Binding("w", "grade('weak')", "Weak", show=False),
        Binding("o", "grade('ok')", "Ok", show=False),
        Binding("s", "grade('strong')", "Strong", show=False),
        Binding("f6", "primer", "Primer"),
        Binding("f7", "enough", "No more follow-ups"),
        Binding("f9", "hand_in", "End"),
        Binding("f4,escape", "leave", "Leave"),
        Binding("pageup", "scroll_text(-1)", show=False),
        Binding("pagedown", "scroll_text(1)", show=False),
    ]
    QUIT = (Key("^q", "quit", "app.quit"), Key("F1", "help", "app.help"))
    LEAVE = Key("F4", "leave", "screen.leave")
    ENOUGH = Key("F7", "no more", "screen.enough")
    POINTS = (Key("y", "made", "app.help"), Key("n", "not made", "app.help"), Key("Enter", "done", "screen.settle"))

    def __init__(self, sitting: Practice | Mock, close: Callable[[bool], None]) -> None:
        super().__init__(id="marking")
        self._sitting = sitting
        self._close = close
        # Whoever comes back in the midst of the follow-ups has seen the model answers.
        self._read = bool(sitting.state.replies)

    def body(self) -> ComposeResult:
        with Vertical(id="desk"):
            with VerticalScroll(id="told"):
                yield Static(id="telling", markup=False)
                yield Points(id="points")
            yield Editor(id="reply")
            yield Choices(id="grades")
            yield Static(id="standing", markup=False)

    def on_mount(self) -> None:
        self._guard = EnterGuard(self.program.ticks)
        self._show()

    @property
    def _question(self) -> ShortQuestion:
        question = self._sitting.question
        assert isinstance(question, ShortQuestion)
        return question

    def _show(self) -> None:
        """Show what comes next."""
        self._guard.changed()
        step = self._sitting.step
        reading = not isinstance(step, MarkPoints) and not self._read
        self.query_one(Points).display = isinstance(step, MarkPoints)
        self.query_one(Editor).display = isinstance(step, AskFollowUp) and not reading
        self.query_one(Choices).display = isinstance(step, GradeReply)
        match step:
            case MarkPoints():
                self._show_points()
            case AskFollowUp(follow_up=follow_up, level=level) if not reading:
                self._tell(_follow_up(level, follow_up.ask))
                self.query_one(Editor).ask("", "your reply; it may stay empty")
                self.query_one(Editor).focus(scroll_visible=False)
                self._frame(Key(GIVE_SHOWN, "reply", "screen.submit"), *self.QUIT, self.ENOUGH, self.LEAVE)
            case GradeReply(follow_up=follow_up, level=level, text=text):
                self._tell(_follow_up(level, follow_up.ask, text, follow_up.listen_for))
                grades = self.query_one(Choices)
                grades.ask(_GRADES, multi=False)
                grades.focus(scroll_visible=False)
                self._frame(Key("Enter", "grade", "screen.next"), *self.QUIT, self.ENOUGH, self.LEAVE)
            case _:
                self._tell(self._model_answers())
                self.query_one("#told").focus(scroll_visible=False)
                more = (self.ENOUGH,) if isinstance(step, AskFollowUp) else ()
                does = "follow-up" if more else "go on"
                primer = Key("F6", "primer", "screen.primer")
                self._frame(Key("Enter", does, "screen.next"), *self.QUIT, primer, *more, self.LEAVE)
        self.query_one("#standing").display = isinstance(step, MarkPoints)
        beside_reply = isinstance(step, GradeReply | AskFollowUp) and not reading
        self.query_one("#told").set_class(beside_reply, "-beside-reply")

    def _frame(self, *keys: Key) -> None:
        number, count = self._sitting.position
        left = f", {len(self._sitting.to_mark)} to mark" if isinstance(self._sitting, Mock) else ""
        self.show_frame("Marking", f"question {number} of {count}{left}", keys)

    def _tell(self, lines: Iterator[str | Visual]) -> None:
        self.query_one("#telling", Static).update(Lines(lines))
        self.query_one("#told", VerticalScroll).scroll_home(animate=False)

    def _show_points(self) -> None:
        self._tell(self._answer_lines())
        points = self.query_one(Points)
        points.ask(self._question.rubric, self._sitting.state.marks)
        points.focus(scroll_visible=False)
        # Where the point stands is known once the text above it is laid out.
        self.call_after_refresh(points.scroll_to_highlight)
        end = (Key("F9", "end", "screen.hand_in"),) if isinstance(self._sitting, Mock) else ()
        self._frame(*self.POINTS, *self.QUIT, *end, self.LEAVE)
        self._show_standing()

    def _show_standing(self) -> None:
        """What the marks amount to so far."""
        rubric, marks = self._question.rubric, self._sitting.state.marks
        weight = sum(point.weight for point in rubric)
        made = f"{share(rubric, marks) * weight} of {weight}"
        open_ones = len(rubric) - len(marks)
        text: Content | str = f"{wording.plural(open_ones, 'point')} to mark, {made} so far."
        if not open_ones:
            graded = band(rubric, marks)
            text = Content.assemble(f"{made} by weight: ", (f"[{graded}]", _STYLES[graded]), ". Enter: done.")
        self.query_one("#standing", Static).update(text)

    def _answer_lines(self) -> Iterator[str | Visual]:
        yield Content.styled("the question", "bold $secondary")
        yield from wording.prose(self._sitting.prompt).rstrip().split("\n")
        yield ""
        yield Content.styled("your answer", "bold $secondary")
        yield from visible(self._sitting.written).rstrip().split("\n")

    def _model_answers(self) -> Iterator[str | Visual]:
        state = self._sitting.state
        if state.shown or state.answered is None:
            yield Content.assemble(("[shown] ", "bold $warning"), "It will come back among the missed ones.")
        else:
            graded, rubric = state.answered.band, self._question.rubric
            yield Content.assemble((f"[{graded}] ", _STYLES[graded]), reason(rubric, state.marks))
            for point in missed(rubric, state.marks):
                yield Hanging(Content("not said  "), Content(visible(" ".join(point.point.split()))))
        for name in SENIORITIES:
            yield ""
            yield Content.styled(f"a {name} answer", "bold $secondary")
            yield from wording.prose(getattr(self._question.answers, name)).rstrip().split("\n")
        yield ""
        yield from wording.prose(self._sitting.explanation).rstrip().split("\n")

    def on_points_marked(self, event: Points.Marked) -> None:
        event.stop()
        self._sitting.mark(event.place, event.made)
        self.query_one(Points).show_marks(self._sitting.state.marks)
        self._show_standing()

    def on_points_settled(self, event: Points.Settled) -> None:
        event.stop()
        self.action_settle()

    def action_settle(self) -> None:
        """Let the marks count, once every point has one."""
        if self._sitting.step == MarkPoints(()) and self._guard.passes():
            self._sitting.settle()
            self._show()

    def action_submit(self) -> None:
        """Give the reply as it stands (a click on the key line)."""
        self.query_one(Editor).action_submit()

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        if isinstance(self._sitting.step, AskFollowUp):
            self._sitting.reply(event.text)
            self._show()

    def on_choices_submitted(self, event: Choices.Submitted) -> None:
        event.stop()
        chosen = next((grade for grade, _ in _GRADES if grade in event.chosen), None)
        if chosen is not None and self._guard.passes():
            self.action_grade(chosen)

    def action_grade(self, grade: Grade) -> None:
        """Grade the reply."""
        if isinstance(self._sitting.step, GradeReply):
            self._sitting.grade(grade)
            if isinstance(self._sitting.step, Marked):
                self._go_on()
            else:
                self._show()

    def action_next(self) -> None:
        """After the model answers: the first follow-up, or the end."""
        if self._read or isinstance(self._sitting.step, MarkPoints | GradeReply) or not self._guard.passes():
            return
        self._read = True
        if isinstance(self._sitting.step, Marked):
            self._go_on()
        else:
            self._show()

    def action_enough(self) -> None:
        """No more follow-ups."""
        if isinstance(self._sitting.step, AskFollowUp | GradeReply):
            self._go_on()

    def _go_on(self) -> None:
        """To the next question; in an interview, to the next answer that waits."""
        self._sitting.advance()
        if isinstance(self._sitting, Mock) and self._sitting.phase == "marking":
            self._read = False
            self._show()
        else:
            self._end(goes_on=True)

    def action_hand_in(self) -> None:
        """End an interview with what is marked, after asking."""
        if not isinstance(self._sitting, Mock):
            return
        from specquiz.tui.screens.dialogs import Confirm

        mock = self._sitting

        def end(sure: bool | None) -> None:
            if sure:
                mock.finish()
                self._end(goes_on=True)

        text = f"Not marked: {wording.plural(len(mock.to_mark), 'written answer')}. The report will say so."
        self.app.push_screen(Confirm("End without marks?", text, yes="End", no="No, go on"), end)

    def action_primer(self) -> None:
        """Open the primer at the question's main concept; before the marks it might give the points away."""
        if isinstance(self._sitting.step, MarkPoints):
            self.notify("The primer opens once the points are marked.", markup=False, timeout=3)
            return
        place = self._sitting.primer_at(self._sitting.session.index)
        if place is None:
            self.notify("No primer is about this.", markup=False, timeout=3)
            return
        from specquiz.tui.screens.primer import PrimerScreen

        self.app.push_screen(PrimerScreen(place))

    def action_scroll_text(self, pages: int) -> None:
        told = self.query_one("#told", VerticalScroll)
        told.scroll_relative(y=pages * max(1, told.size.height - 1), animate=False)

    def action_leave(self) -> None:
        self._end(goes_on=False)

    def _end(self, *, goes_on: bool) -> None:
        self.app.pop_screen()
        self._close(goes_on)


def _follow_up(level: int, ask: str, reply: str | None = None, listen_for: str = "") -> Iterator[str | Visual]:
    yield Content.styled(f"follow-up {level}", "bold $secondary")
    yield from wording.prose(ask).rstrip().split("\n")
    if reply is None:
        return
    yield ""
    yield Content.styled("listen for", "bold $secondary")
    yield from wording.prose(listen_for).rstrip().split("\n")
    yield ""
    yield Content.styled("your reply", "bold $secondary")
    yield from visible(reply).rstrip().split("\n") if reply.strip() else ("(nothing)",)
