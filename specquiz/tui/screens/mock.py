"""A timed mock interview: the clock in sight, flag, skip and back, and no word of right or wrong before the end."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from specquiz.answers import Invalid
from specquiz.banks.model import ShortQuestion
from specquiz.sessions.mock import Mock, OutOfTime
from specquiz.tui import wording
from specquiz.tui.guard import EnterGuard
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.clock import ClockLine
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.question import DRAFT_SECONDS, QuestionPane, keys_for

LAST_SECONDS = 5.0
"""At the end of the time what is being written is kept every second."""

_QUIT = (Key("^q", "quit", "app.quit"), Key("F1", "help", "app.help"))


class MockScreen(Page):
    """An interview in progress. After a resume the question stays hidden until the person says that they are back."""

    KEY_HELP = (
        ("Enter", "save the answer and go to the next open question"),
        ("1-9, a-i", "choose, where there are choices (space marks one of several)"),
        ("J K, shift+arrows", "move an item, where there is an order (space takes it, a digit is its place)"),
        ("^s", "like Enter, where Enter begins a new line"),
        ("F5", "flag this question, or take the flag off"),
        ("F6 F7", "the question before, the one after"),
        ("F8", "the answer sheet: every question at a glance"),
        ("F9", "hand in"),
        ("PgUp PgDn", "scroll the text"),
        ("F4, Esc", "leave; the clock runs on, and you can come back while there is time"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "come_back", show=False),
        Binding("f5", "flag", "Flag"),
        Binding("f6", "back", "Back"),
        Binding("f7", "skip", "Skip"),
        Binding("f8", "sheet", "Answer sheet"),
        Binding("f9", "hand_in", "Hand in"),
        Binding("f4,escape", "leave", "Leave"),
        Binding("pageup", "scroll_text(-1)", show=False),
        Binding("pagedown", "scroll_text(1)", show=False),
    ]
    ASKING = (
        Key("Enter", "save", "screen.submit"),
        *_QUIT,
        Key("F9", "finish", "screen.hand_in"),
        Key("F7", "skip", "screen.skip"),
        Key("F6", "back", "screen.back"),
        Key("F5", "flag", "screen.flag"),
        Key("F8", "sheet", "screen.sheet"),
        Key("F4", "leave", "screen.leave"),
    )
    WAITING = (Key("Enter", "resume", "screen.come_back"), *_QUIT, Key("F4", "leave", "screen.leave"))

    def __init__(self, mock: Mock, *, resumed: bool = False, report: Path | None = None) -> None:
        super().__init__(id="mock")
        self._mock = mock
        self._pane = QuestionPane()
        self._report = report
        self._over = False
        self._waiting = resumed and mock.phase == "asking"

    def body(self) -> ComposeResult:
        yield ClockLine(id="clock")
        yield self._pane

    def on_mount(self) -> None:
        self._guard = EnterGuard(self.program.ticks)
        for note in self._mock.notes:
            self.notify(note, severity="warning", markup=False)
        self.set_interval(1.0, self.tick)
        self.set_interval(DRAFT_SECONDS, self.keep_draft)
        self.tick()
        if self._waiting:
            self._show_gate()
        elif self._mock.phase == "asking":
            self._show()
        elif self._mock.phase == "marking":
            self._mock.come_back()

    def tick(self) -> None:
        """Once a second: the clock, and the end when time is up."""
        total = self._mock.session.start.seconds or 1.0
        self.query_one(ClockLine).show(self._mock.remaining_seconds(), total)
        if self._mock.remaining_seconds() < LAST_SECONDS:
            self.keep_draft()
        if self._mock.expire():
            self._conclude()

    def keep_draft(self) -> None:
        """Keep what is being written, where it is an answer in sentences: when time is up, it is what is marked."""
        if self._at_work and isinstance(self._mock.question, ShortQuestion):
            self._mock.keep_draft(self._pane.draft)

    def _show_gate(self) -> None:
        self._guard.changed()
        _, count = self._mock.position
        self._pane.rest(
            Content.assemble(
                ("This interview is waiting for you.\n\n", "bold"),
                f"{wording.plural(count - len(self._mock.unanswered), 'answer')} of {count} saved; "
                "the clock has run on meanwhile.\n\n",
                ("Press Enter to resume.", "$accent"),
            )
        )
        self.show_frame("Mock interview", "resume", self.WAITING)

    def action_come_back(self) -> None:
        """The person is back: show the question."""
        if self._waiting and self._guard.passes():
            self._waiting = False
            self._mock.come_back()
            self._show()

    def _show(self) -> None:
        """Show the question at hand with the answer given so far."""
        if self._mock.expire():
            self._conclude()
            return
        self._guard.changed()
        self._pane.ask(self._mock)
        self._show_place()

    def _show_place(self) -> None:
        number, count = self._mock.position
        marks = "".join((", answered" if self._mock.answered else "", ", flagged" if self._mock.flagged else ""))
        self.show_frame(
            "Mock interview", f"question {number} of {count}{marks}", keys_for(self._mock.question, self.ASKING)
        )

    @property
    def _at_work(self) -> bool:
        """Whether there is a question on the screen and time left."""
        return not self._waiting and not self._mock.expire()

    def on_question_pane_submitted(self, event: QuestionPane.Submitted) -> None:
        if self._waiting:
            self.action_come_back()
            return
        if not self._pane.touched and not self._guard.passes():
            return
        outcome = self._mock.answer(event.text)
        if isinstance(outcome, Invalid):
            self._pane.show_note(outcome.message, outcome.at)
        elif isinstance(outcome, OutOfTime):
            self._conclude()
        else:
            self._show()
            if not self._mock.unanswered:
                self.action_hand_in()

    def action_submit(self) -> None:
        """Give the answer as it stands (a click on the key line)."""
        self._pane.post_message(QuestionPane.Submitted(self._pane.draft))

    def action_flag(self) -> None:
        if self._at_work:
            self._mock.flag()
            self._show_place()

    def action_skip(self) -> None:
        if self._at_work:
            self.keep_draft()
            self._mock.skip()
            self._show()

    def action_back(self) -> None:
        if self._at_work:
            self.keep_draft()
            self._mock.back()
            self._show()

    def action_sheet(self) -> None:
        """Every question with what was done about it; choosing one goes there."""
        if not self._at_work:
            return
        from specquiz.tui.screens.sheet import AnswerSheet

        def go(index: int | None) -> None:
            self.keep_draft()
            if index is not None and self._mock.go(index):
                self._show()

        states = [(state.answered is not None, state.flagged) for state in self._mock.session.items]
        self.app.push_screen(AnswerSheet(states, self._mock.session.index), go)

    def action_hand_in(self) -> None:
        """End the interview after asking; unanswered questions are named first."""
        if not self._at_work:
            return
        from specquiz.tui.screens.dialogs import Confirm

        def hand_in(sure: bool | None) -> None:
            self.keep_draft()
            if sure:
                self._mock.finish()
                self._conclude()

        open_ones = self._mock.unanswered
        text = (
            f"{wording.plural(len(open_ones), 'question')} without an answer: {wording.numbers(open_ones)}."
            if open_ones
            else "Every question has an answer. You can still go back while there is time."
        )
        self.app.push_screen(Confirm("Hand in the interview?", text, yes="Hand in", no="No, go on"), hand_in)

    def _conclude(self) -> None:
        """Answering is over: written answers are marked, then the report takes this screen's place."""
        if self._over:
            return
        self._over = True
        while self.app.screen is not self:
            self.app.pop_screen()
        if self._mock.phase == "marking":
            self._open_marking()
        else:
            self._show_report()

    def _open_marking(self) -> None:
        from specquiz.tui.screens.marking import MarkingScreen

        def close(goes_on: bool) -> None:
            if goes_on:
                self._show_report()
            else:
                self.action_leave()

        self.app.push_screen(MarkingScreen(self._mock, close))

    def _show_report(self) -> None:
        from specquiz.reports.markdown import mock_report, save_mock_report
        from specquiz.tui.screens.report import ReportScreen

        session, library = self._mock.session, self.program.opened.library
        path = save_mock_report(session, library, self._report)
        self.app.switch_screen(ReportScreen(mock_report(session, library), str(path)))

    def action_scroll_text(self, pages: int) -> None:
        self._pane.action_scroll_reading(pages)

    def action_leave(self) -> None:
        """Go home; the clock runs on."""
        self.app.pop_screen()

    def on_unmount(self) -> None:
        """However one leaves, what was written and the time on the question are kept; time away is nobody's."""
        if not self._waiting:
            self.keep_draft()
            self._mock.leave()
