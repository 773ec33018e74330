"""Practice on one screen that is updated in place: question, answer, verdict with the reason, next."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.visual import Visual

from specquiz.answers import Invalid
from specquiz.banks.model import MultiQuestion, OrderQuestion, ShortQuestion, SingleQuestion
from specquiz.reports.derivations import derivation_lines, has_derivation
from specquiz.sessions.history import key_of
from specquiz.sessions.judging import right_ids
from specquiz.sessions.practice import Practice, start_practice
from specquiz.sessions.sitting import Written
from specquiz.terminal import visible
from specquiz.tui import wording
from specquiz.tui.guard import EnterGuard
from specquiz.tui.screens.page import Page
from specquiz.tui.screens.text import TextScreen
from specquiz.tui.start import ExplorerStart
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.question import DRAFT_SECONDS, QuestionPane, keys_for
from specquiz.tui.widgets.visuals import Hanging, Lines

if TYPE_CHECKING:
    from specquiz.labs.model import Lab

_QUIT = (Key("^q", "quit", "app.quit"), Key("F1", "help", "app.help"))


class PracticeScreen(Page):
    """A practice in progress. The session decides and records; this screen shows and asks."""

    KEY_HELP = (
        ("Enter", "answer; then go on"),
        ("1-9, a-i", "choose, where there are choices (space marks one of several)"),
        ("J K, shift+arrows", "move an item, where there is an order (space takes it, a digit is its place)"),
        ("^s", "like Enter, where Enter begins a new line"),
        ("j k, arrows", "move among choices"),
        ("PgUp PgDn", "scroll the text"),
        ("F2", "a hint"),
        ("F3", "I don't know, show me (counts as not right)"),
        ("F5", "the explorer, with the question's values"),
        ("F6", "after the answer: the primer, at what the question is about"),
        ("F7", "the formula derived step by step, after the verdict"),
        ("F4, Esc", "leave; the practice can be resumed at the same question"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Next", show=False),
        Binding("f2", "hint", "Hint"),
        Binding("f3", "show", "Show me"),
        Binding("f5", "explore", "Explore"),
        Binding("f6", "primer", "Primer"),
        Binding("f7", "derive", "Steps"),
        Binding("f4,escape", "leave", "Leave"),
        Binding("pageup", "scroll_text(-1)", show=False),
        Binding("pagedown", "scroll_text(1)", show=False),
    ]
    ASKING = (
        Key("Enter", "answer", "screen.submit"),
        *_QUIT,
        Key("F3", "show me", "screen.show"),
        Key("F2", "hint", "screen.hint"),
        Key("F4", "leave", "screen.leave"),
    )
    FEEDBACK = (
        Key("Enter", "next", "screen.next"),
        *_QUIT,
        Key("F6", "primer", "screen.primer"),
        Key("F5", "explore", "screen.explore"),
        Key("F4", "leave", "screen.leave"),
    )
    DONE = (Key("Enter", "choose", "screen.submit"), *_QUIT, Key("F4", "home", "screen.leave"))

    def __init__(self, practice: Practice) -> None:
        super().__init__(id="practice")
        self._practice = practice
        self._wishes = count(1)
        self._derivation_wanted = 0
        """Which wish for a derivation is still open; 0 for none."""
        self._pane = QuestionPane()

    def body(self) -> ComposeResult:
        yield self._pane

    def on_mount(self) -> None:
        self._guard = EnterGuard(self.program.ticks)
        for note in self._practice.notes:
            self.notify(note, severity="warning", markup=False)
        self.set_interval(DRAFT_SECONDS, self.keep_draft)
        self._show()

    def _show(self) -> None:
        """Show whatever the practice is at."""
        self._guard.changed()
        if self._practice.phase == "done":
            self._show_summary()
            return
        self._pane.ask(self._practice)
        if self._practice.step is not None:
            self._open_marking()
        elif self._practice.phase == "feedback":
            self._reveal()
        self._show_place()

    def _open_marking(self) -> None:
        """A written answer is marked on a screen of its own; after it comes the next question."""
        from specquiz.tui.screens.marking import MarkingScreen

        def close(goes_on: bool) -> None:
            if goes_on:
                self._show()
            else:
                self.action_leave()

        self.app.push_screen(MarkingScreen(self._practice, close))

    def _show_place(self) -> None:
        number, count = self._practice.position
        title = self.program.opened.library.bank(self._practice.item.bank).title
        asking = keys_for(self._practice.question, self.ASKING)
        keys = self.FEEDBACK if self._practice.phase == "feedback" else asking
        if self._derivable:
            keys = (*keys, Key("F7", "steps", "screen.derive"))
        self.show_frame(title, f"question {number} of {count}", keys)

    @property
    def _derivable(self) -> bool:
        """Whether there is a derivation, and the verdict has been seen."""
        return self._practice.phase == "feedback" and has_derivation(self._practice.question)

    def _reveal(self) -> None:
        question = self._practice.question
        state = self._practice.session.items[self._practice.session.index]
        verdict = self._practice.last_verdict
        choice = isinstance(question, SingleQuestion | MultiQuestion)
        placed = choice or isinstance(question, OrderQuestion)
        if state.shown or verdict is None:
            first = Content.assemble(("[shown] ", "bold $warning"), "It will come back among the missed ones.")
        else:
            first = wording.verdict(verdict, typed=not placed)
        lines: list[str | Visual] = [first, ""]
        if not choice and not state.right:
            lines += [*self._solution_lines(), ""]
        lines.append(Content(wording.prose(self._practice.explanation)))
        right = right_ids(question)
        chosen = state.answered.text.split() if state.answered else ()
        self._pane.reveal(Lines(lines), right, chosen)

    def _solution_lines(self) -> Iterator[str | Visual]:
        """The right answer: a sentence, or a numbered list where an order was asked for."""
        if not self._practice.right_order:
            yield Content.assemble(("the answer  ", "bold $secondary"), visible(self._practice.solution))
            return
        yield Content.styled("the right order", "bold $secondary")
        for place, text in enumerate(self._practice.right_order, 1):
            yield Hanging(Content.styled(f"{place}  ", "$primary"), Content(visible(text)))

    def _show_summary(self) -> None:
        missed = len(self._practice.missed_items())
        self._pane.ask_choices("", self._ways_on(missed), multi=False, chosen=("missed",) if missed else ("home",))
        opened = [
            Content(f"The lab “{lab.title}” is open now; it is on the home screen.") for lab in self._opened_labs()
        ]
        self._pane.show_stem(Content("\n\n").join([wording.summary(self._practice.summary()), *opened]))
        self.show_frame("Practice done", "", self.DONE)

    def _opened_labs(self) -> tuple[Lab, ...]:
        """The labs that these answers have opened; the log says so from now on."""
        from specquiz.labs.unlocking import record_earned

        desk = self.program.opened
        _, opened = record_earned(desk.labs, desk.library, desk.log.events(), desk.log.append, self.program.clock())
        return opened

    @staticmethod
    def _ways_on(missed: int) -> list[tuple[str, str]]:
        again = [("missed", f"Again, only the missed ones ({missed})")] if missed else []
        return [*again, ("home", "Home")]

    def on_question_pane_submitted(self, event: QuestionPane.Submitted) -> None:
        if self._practice.phase == "feedback":
            self.action_next()
            return
        if not self._pane.touched and not self._guard.passes():
            return
        if self._practice.phase == "done":
            self._go_on(event.text)
            return
        verdict = self._practice.answer(event.text)
        if isinstance(verdict, Invalid):
            self._pane.show_note(verdict.message, verdict.at)
        elif isinstance(verdict, Written):
            self._open_marking()
        else:
            self._show_feedback()

    def _show_feedback(self) -> None:
        self._guard.changed()
        self._reveal()
        self._show_place()

    def _go_on(self, choice: str) -> None:
        """What to do after the last question."""
        if choice != "missed":
            self.action_leave()
            return
        desk = self.program.opened
        missed = {key_of(item) for item in self._practice.missed_items()}
        self._practice = start_practice(
            desk.library,
            sorted({bank for bank, _ in missed}),
            count=None,
            seed=secrets.randbelow(2**31),
            record=desk.log.append,
            clock=self.program.clock,
            only=missed,
        )
        self._show()

    def action_submit(self) -> None:
        """Give the answer as it stands (a click on the key line)."""
        self._pane.post_message(QuestionPane.Submitted(self._pane.draft))

    def action_next(self) -> None:
        """After the verdict, go to the next question."""
        if self._practice.phase == "feedback" and self._guard.passes():
            self._practice.advance()
            self._show()

    def action_hint(self) -> None:
        """Show one more hint."""
        if self._practice.phase != "asking":
            return
        if self._practice.hint() is None:
            self.notify("There is no further hint.", markup=False, timeout=3)
        self._pane.show_hints(self._practice.hints)

    def action_show(self) -> None:
        """I don't know, show me."""
        if self._practice.phase == "asking":
            self._practice.show()
            if self._practice.step is not None:
                self._open_marking()
            else:
                self._show_feedback()

    def action_explore(self) -> None:
        """Open the explorer with the question's values."""
        if self._practice.phase != "done":
            self.program.begin(ExplorerStart(self._practice.item.values))

    def action_derive(self) -> None:
        """Show the formula derived step by step. SymPy prints it, which takes a moment."""
        if self._derivable:
            self._derivation_wanted = next(self._wishes)
            self.notify("Setting the formulas …", markup=False, timeout=2)
            self.run_worker(self._print_derivation, thread=True, group="derivation", exclusive=True)

    def _print_derivation(self) -> None:
        asked = self._derivation_wanted
        lines = derivation_lines(self._practice.question, self._practice.item.values)
        self.app.call_from_thread(self._show_derivation, lines, asked)

    def on_screen_suspend(self) -> None:
        """Whoever looks at something else has gone on; a derivation that comes late stays away."""
        self._derivation_wanted = 0

    def _show_derivation(self, lines: Sequence[str], asked: int) -> None:
        if self.is_current and asked == self._derivation_wanted and self._derivable:
            self.app.push_screen(TextScreen("Step by step", lines))

    def action_primer(self) -> None:
        """Open the primer at the question's main concept; before the answer it might give the answer away."""
        if self._practice.phase == "asking":
            self.notify("The primer opens after the answer; F2 gives a hint.", markup=False, timeout=3)
        elif self._practice.phase == "feedback":
            place = self._practice.primer_at(self._practice.session.index)
            if place is None:
                self.notify("No primer is about this.", markup=False, timeout=3)
                return
            from specquiz.tui.screens.primer import PrimerScreen

            self.app.push_screen(PrimerScreen(place))

    def action_scroll_text(self, pages: int) -> None:
        self._pane.action_scroll_reading(pages)

    def action_leave(self) -> None:
        """Go home; an open practice can be resumed."""
        self.app.pop_screen()

    def keep_draft(self) -> None:
        """Keep what is being written, where it is an answer in sentences."""
        if self._practice.phase == "asking" and isinstance(self._practice.question, ShortQuestion):
            self._practice.keep_draft(self._pane.draft)

    def on_unmount(self) -> None:
        """However one leaves, what was written and the time so far are kept."""
        self.keep_draft()
        self._practice.leave()
