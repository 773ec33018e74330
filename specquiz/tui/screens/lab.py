"""A lab before its run: what it is for, what is missing to open it, and the predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, get_args

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from specquiz.errors import SpecquizError
from specquiz.labs.model import Lab, ProfileName
from specquiz.labs.recorded import proved
from specquiz.labs.tailoring import tailored
from specquiz.labs.unlocking import Lock, Locked, lock
from specquiz.sessions.events import LabFinished, LabUnlocked
from specquiz.sessions.mastery import mastery
from specquiz.tui import wording
from specquiz.tui.screens.form import FormPage
from specquiz.tui.start import LabStart
from specquiz.tui.widgets.asked import Asked, asked_prediction
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Lines

CONFIG = "config"
"""The line of a challenge's configuration; no prediction has this name."""
OWN_RUNS = 5
_HOME = (Key("^q", "quit", "app.quit"), Key("F1", "help", "app.help"))
_RECORDED = Key("F6", "recorded run", "screen.recorded")
_LEAVE = Key("F4", "home", "screen.leave")


class LabScreen(FormPage):
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
        Binding("f6", "recorded", "Recorded run"),
        Binding("f7", "override", "Open anyway"),
        Binding("f8", "profile", "Profile"),
    ]
    OPEN = (Key("Enter", "next", "app.focus_next"), *_HOME, Key("F5", "run", "screen.submit"), _RECORDED, _LEAVE)
    LOCKED = (*_HOME, _RECORDED, Key("F7", "open anyway", "screen.override"), _LEAVE)

    def __init__(self, lab: Lab, start: LabStart) -> None:
        super().__init__(id="lab")
        self._lab = lab
        self._profiles: list[ProfileName] = [name for name in get_args(ProfileName) if name in lab.profiles]
        self._profile = next((name for name in self._profiles if name == start.profile), self._profiles[0])

    def body(self) -> ComposeResult:
        with VerticalScroll(id="sheet", can_focus=False):
            yield Static(id="task")
            with Vertical(id="form"):
                yield Static(Content.styled("Your predictions, stored before anything starts", "bold $secondary"))
                yield from self._entries()

    @property
    def _here(self) -> Lab:
        """The lab as it is on the chosen profile."""
        return tailored(self._lab, self._profile)

    def _entries(self) -> Iterator[Asked]:
        """A line for the configuration of a challenge, and one for each prediction that comes before the run."""
        here = self._here
        if here.challenge is not None:
            from specquiz.labs.challenge import read_entry

            profile = self._profile
            yield Asked(
                CONFIG,
                f"your speculative config for the arm {here.challenge.arm}",
                "method=ngram num_speculative_tokens=4",
                lambda text: read_entry(self._lab, profile, text),
                wide=True,
            )
        yield from (asked_prediction(here, each) for each in here.predict if not each.after)

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
        lines = self.query(Input)
        self.query_one("#form").display = not locked and bool(lines)
        if not locked and self.focused is None and lines:
            lines.first().focus(scroll_visible=False)
        note = "locked" if locked else f"profile {self._profile}"
        keys = self.LOCKED if locked else self.OPEN
        shown = [key for key in keys if key is not _RECORDED or self._has_recorded_run]
        self.show_frame(self._lab.title, note, shown)

    @property
    def _has_recorded_run(self) -> bool:
        return any(proved(self._lab, profile) for profile in self._lab.profiles)

    def _task_lines(self, found: Lock) -> Iterator[str | Content]:
        yield wording.prose(self._lab.goal)
        yield ""
        here = self._here
        for name, arm in here.arms.items():
            config = ", ".join(f"{key} {value}" for key, value in arm.speculative_config.items())
            yield Content.assemble((f"{name}  ", "bold"), config or "plain decoding")
        profile = self._lab.profiles[self._profile]
        yield f"Runs {profile.model} on the profile {self._profile}, in about {profile.seconds:g} s."
        if not proved(self._lab, self._profile):
            yield "Unproved: it has not run on this profile yet, so its bounds are reasoned and not measured."
        if isinstance(found, Locked):
            yield ""
            yield Content.styled("Locked. Still missing to open it", "bold $warning")
            yield from (f"  {wording.missing(lack, self.program.opened.library)}" for lack in found.missing)
            yield ""
            if self._has_recorded_run:
                yield "F6 shows a recorded run meanwhile."
        else:
            later = sum(bool(each.after) for each in here.predict)
            if later:
                yield f"{wording.plural(later, 'prediction')} more will be asked for between two arms."
            yield from self._own_runs()
        yield ""

    def _own_runs(self) -> Iterator[str | Content]:
        """How one's own runs ended; in a challenge the board of one's tries."""
        events = self.program.opened.log.events()
        if self._lab.challenge is not None:
            from specquiz.labs.challenge import tries
            from specquiz.labs.telling_challenge import board_lines, entry_lines

            made = tries(self._lab, events)
            yield ""
            yield from entry_lines(self._lab, self._profile, made)
            yield from board_lines(self._lab, made) if made else ()
            return
        ended = [event.outcome for event in events if isinstance(event, LabFinished) and event.lab == self._lab.id]
        if ended:
            told = ", ".join(wording.OUTCOMES[outcome] for outcome in ended[-OWN_RUNS:])
            yield f"Your last runs: {told}."

    def action_submit(self) -> None:
        """Start the run, once every prediction is a number that can be."""
        from specquiz.labs.environment import find
        from specquiz.tui.screens.labrun import LabRunScreen

        found = self._lock()
        if isinstance(found, Locked) or not self.all_valid():
            return
        try:
            environment = find(self._profile)
        except SpecquizError as error:
            self._tell("No vLLM", str(error).splitlines())
            return
        typed = self.typed()
        config = typed.pop(CONFIG, None)
        self.app.push_screen(LabRunScreen(self._lab, self._profile, typed, environment, found.how, config))

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

    async def action_profile(self) -> None:
        """Take the next profile."""
        self._profile = self._profiles[(self._profiles.index(self._profile) + 1) % len(self._profiles)]
        form = self.query_one("#form")
        await form.query(Asked).remove()
        await form.mount_all(self._entries())
        self._show()

    def action_leave(self) -> None:
        self.app.pop_screen()
