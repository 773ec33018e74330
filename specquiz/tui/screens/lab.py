"""A lab before its run: what it is for, what is missing to open it, and the predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, get_args

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from specquiz.errors import SpecquizError, UsageError
from specquiz.labs.model import Lab, Prediction, ProfileName
from specquiz.labs.unlocking import Lock, Locked, lock
from specquiz.sessions.events import LabUnlocked
from specquiz.sessions.mastery import mastery
from specquiz.tui import wording
from specquiz.tui.screens.page import Page
from specquiz.tui.start import LabStart
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Lines

_HOME = (Key("^q", "quit", "app.quit"), Key("F1", "help", "app.help"))
_RECORDED = Key("F6", "recorded run", "screen.recorded")
_LEAVE = Key("F4", "home", "screen.leave")


class Asked(Vertical):
    """One prediction: what is asked, the number, and why it cannot be."""

    def __init__(self, prediction: Prediction, question: str) -> None:
        super().__init__(classes="asked")
        self.prediction = prediction
        self._question = question

    def compose(self) -> ComposeResult:
        yield Static(Content.assemble((f"{self.prediction.id}  ", "bold $primary"), self._question))
        yield Input(placeholder="a number", select_on_focus=False)
        yield Static(classes="complaint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    @property
    def text(self) -> str:
        """What was typed."""
        return self.query_one(Input).value

    def complain(self, text: str) -> None:
        """Say why the number cannot be; nothing takes the words away."""
        complaint = self.query_one(".complaint", Static)
        complaint.display = bool(text)
        complaint.update(Content(text))
        self.call_after_refresh(self.scroll_visible, animate=False)


class LabScreen(Page):
    """The task and its predictions. The run has a screen of its own."""

    KEY_HELP = (
        ("Enter", "next prediction; after the last one the run starts"),
        ("Tab, up, down", "move among the predictions"),
        ("F5", "start the run"),
        ("F6", "show a real recorded run and its grade; needs no vLLM"),
        ("F7", "open a locked lab all the same (the record says so)"),
        ("F8", "another profile"),
        ("PgUp PgDn", "scroll"),
        ("F4, Esc", "home"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f4,escape", "leave", "Home"),
        Binding("f5", "start", "Run"),
        Binding("f6", "recorded", "Recorded run"),
        Binding("f7", "override", "Open anyway"),
        Binding("f8", "profile", "Profile"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("pageup", "scroll_text(-1)", show=False),
        Binding("pagedown", "scroll_text(1)", show=False),
    ]
    OPEN = (Key("Enter", "next", "app.focus_next"), *_HOME, Key("F5", "run", "screen.start"), _RECORDED, _LEAVE)
    LOCKED = (*_HOME, _RECORDED, Key("F7", "open anyway", "screen.override"), _LEAVE)

    def __init__(self, lab: Lab, start: LabStart) -> None:
        super().__init__(id="lab")
        self._lab = lab
        self._profiles: list[ProfileName] = [name for name in get_args(ProfileName) if name in lab.profiles]
        self._profile = next((name for name in self._profiles if name == start.profile), self._profiles[0])

    def body(self) -> ComposeResult:
        from specquiz.labs.telling import question

        with VerticalScroll(id="sheet", can_focus=False):
            yield Static(id="task")
            with Vertical(id="form"):
                yield Static(Content.styled("Your predictions, stored before anything starts", "bold $secondary"))
                for prediction in self._lab.predict:
                    yield Asked(prediction, question(self._lab, prediction))

    def on_mount(self) -> None:
        self._show()

    def on_screen_resume(self) -> None:
        self._show()

    def _lock(self) -> Lock:
        desk = self.program.opened
        events = desk.log.events()
        return lock(self._lab, mastery(events, desk.library), events)

    def _show(self) -> None:
        found = self._lock()
        locked = isinstance(found, Locked)
        self.query_one("#task", Static).update(Lines(self._task_lines(found)))
        self.query_one("#form").display = not locked
        if not locked and self.focused is None and self._lab.predict:
            self.query(Input).first().focus(scroll_visible=False)
        note = "locked" if locked else f"profile {self._profile}"
        self.show_frame(self._lab.title, note, self.LOCKED if locked else self.OPEN)

    def _task_lines(self, found: Lock) -> Iterator[str | Content]:
        yield wording.prose(self._lab.goal)
        yield ""
        for name, arm in self._lab.arms.items():
            config = ", ".join(f"{key} {value}" for key, value in arm.speculative_config.items())
            yield Content.assemble((f"{name}  ", "bold"), config or "plain decoding")
        profile = self._lab.profiles[self._profile]
        yield f"Runs {profile.model} on the profile {self._profile}, in about {profile.seconds:g} s."
        if isinstance(found, Locked):
            yield ""
            yield Content.styled("Locked. Still missing to open it", "bold $warning")
            yield from (f"  {wording.missing(lack)}" for lack in found.missing)
            yield ""
            yield "Practise these concepts to open it. F6 shows a recorded run meanwhile."
        yield ""

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        asked = event.input.parent
        if not isinstance(asked, Asked) or not self._valid(asked):
            return
        if asked is self.query(Asked).last():
            self.action_start()
        else:
            self.focus_next()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if isinstance(event.input.parent, Asked):
            event.input.parent.complain("")

    def _valid(self, asked: Asked) -> bool:
        """Whether a number can be; if not, say why under it and go there."""
        from specquiz.labs.predictions import read_prediction

        try:
            read_prediction(self._lab, asked.prediction, asked.text)
        except UsageError as error:
            asked.complain(f"{error.what} {error.remedy or ''}")
            asked.query_one(Input).focus()
            return False
        return True

    def action_start(self) -> None:
        """Start the run, once every prediction is a number that can be."""
        from specquiz.labs.environment import find
        from specquiz.tui.screens.labrun import LabRunScreen

        found = self._lock()
        if isinstance(found, Locked) or not all(self._valid(asked) for asked in self.query(Asked)):
            return
        try:
            environment = find(self._profile)
        except SpecquizError as error:
            self._tell("No vLLM", str(error).splitlines())
            return
        predictions = {asked.prediction.id: asked.text.strip() for asked in self.query(Asked)}
        self.app.push_screen(LabRunScreen(self._lab, self._profile, predictions, environment, found.how))

    def action_recorded(self) -> None:
        """Show a real run that ships with the lab, and its grade."""
        from specquiz.labs.grading import grade
        from specquiz.labs.recorded import recorded_run
        from specquiz.labs.telling import grade_lines, run_lines

        try:
            evidence = recorded_run(self._lab)
        except SpecquizError as error:
            self._tell("Recorded run", str(error).splitlines())
            return
        self._tell("Recorded run", [*run_lines(evidence), "", *grade_lines(grade(self._lab, evidence))])

    def _tell(self, title: str, lines: list[str]) -> None:
        from specquiz.tui.screens.text import TextScreen

        self.app.push_screen(TextScreen(title, lines))

    def action_override(self) -> None:
        """Open a locked lab, after asking."""
        from specquiz.tui.screens.dialogs import Confirm

        if not isinstance(self._lock(), Locked):
            return

        def open_anyway(sure: bool | None) -> None:
            if sure:
                event = LabUnlocked(at=self.program.clock(), lab=self._lab.id, how="override")
                self.program.opened.log.append(event)
                self._show()

        text = "It opens by itself when the concepts are mastered. The record of its runs will say that it was forced."
        self.app.push_screen(Confirm("Open the lab all the same?", text, yes="Open it"), open_anyway)

    def action_profile(self) -> None:
        """Take the next profile."""
        self._profile = self._profiles[(self._profiles.index(self._profile) + 1) % len(self._profiles)]
        self._show()

    def action_scroll_text(self, pages: int) -> None:
        sheet = self.query_one("#sheet", VerticalScroll)
        sheet.scroll_relative(y=pages * max(1, sheet.size.height - 1), animate=False)

    def action_leave(self) -> None:
        self.app.pop_screen()
