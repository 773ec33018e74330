"""A lab while it runs, and what came out: painted at most twice a second, so that looking on disturbs nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from specquiz import places
from specquiz.errors import SpecquizError
from specquiz.labs.engines.process import tail
from specquiz.labs.grading import Graded, NotGradable
from specquiz.labs.model import Lab, ProfileName
from specquiz.labs.running import LabRun, Progress, run_lab
from specquiz.labs.telling import grade_lines, progress_line, run_lines
from specquiz.sessions.events import AnyEvent, LabPredicted
from specquiz.terminal import visible
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Lines

if TYPE_CHECKING:
    from specquiz.labs.environment import Environment

PAINT_SECONDS = 0.5
LOG_LINES = 8


class LabRunScreen(Page):
    """Runs a lab in a thread. Leaving stops the run; its processes are gone before the program is."""

    KEY_HELP = (("F4, Esc", "stop the run (asks first); afterwards, back"), ("PgUp PgDn", "scroll"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "back", show=False),
        Binding("f4,escape", "leave", "Stop"),
    ]
    RUNNING = (
        Key("F4", "stop", "screen.leave"),
        Key("^q", "stop and quit", "app.quit"),
        Key("F1", "help", "app.help"),
    )
    DONE = (Key("Enter", "back", "screen.back"), Key("^q", "quit", "app.quit"), Key("F1", "help", "app.help"))

    def __init__(
        self,
        lab: Lab,
        profile: ProfileName,
        predictions: Mapping[str, str],
        environment: Environment,
        unlocked_by: Literal["mastery", "override"],
    ) -> None:
        super().__init__(id="labrun")
        self._lab = lab
        self._profile: ProfileName = profile
        self._predictions = predictions
        self._environment = environment
        self._unlocked_by: Literal["mastery", "override"] = unlocked_by
        self._cancel = threading.Event()
        self._ended = threading.Event()
        self._leaving = False
        self._stages: dict[tuple[str, str], Progress] = {}
        self._run = ""
        self._over = False

    def body(self) -> ComposeResult:
        with VerticalScroll(id="paper"):
            yield Static(id="outcome")

    def on_mount(self) -> None:
        self.show_frame(self._lab.title, f"running on vLLM {self._environment.vllm}", self.RUNNING)
        self.query_one("#paper").focus()
        self._painting = self.set_interval(PAINT_SECONDS, self._paint)
        self.run_worker(self._work, thread=True)

    async def on_unmount(self) -> None:
        """Leaving stops the run, and waits until its processes are gone and its end is in the log."""
        self._leaving = True
        self._cancel.set()
        await asyncio.to_thread(self._ended.wait)

    def _work(self) -> None:
        """In the worker's thread."""
        try:
            run = run_lab(
                self._lab,
                self._profile,
                self._predictions,
                environment=self._environment,
                record=self._record,
                report=self._note,
                cancel=self._cancel,
                unlocked_by=self._unlocked_by,
            )
        except SpecquizError as error:
            self._end(
                Lines([Content.styled("The run did not take place.", "bold $error"), "", *str(error).split("\n")])
            )
        else:
            self._end(self._told(run))
        finally:
            self._ended.set()

    def _record(self, event: AnyEvent) -> None:
        if isinstance(event, LabPredicted):
            self._run = event.run
        self.program.opened.log.append(event)

    def _note(self, progress: Progress) -> None:
        self._stages[progress.arm, progress.stage] = progress

    def _end(self, text: Lines) -> None:
        """Show `text` for good, unless the person is leaving."""
        if not self._leaving:
            self.app.call_from_thread(self._show_end, text)

    def _show_end(self, text: Lines) -> None:
        self._over = True
        self._painting.stop()
        self.query_one("#outcome", Static).update(text)
        self.query_one("#paper", VerticalScroll).scroll_home(animate=False)
        self.show_frame(self._lab.title, "done", self.DONE)

    def _told(self, run: LabRun) -> Lines:
        """What came out, first in one line, then in full."""
        lines: list[str | Content]
        match run.grade:
            case None:
                lines = [Content.styled("[broken off]", "bold $error"), visible(run.reason)]
            case NotGradable():
                lines = [Content.styled("[not gradable]", "bold $warning"), *grade_lines(run.grade)]
            case Graded(passed=True):
                lines = [Content.styled("[passed]", "bold $success"), *grade_lines(run.grade)]
            case Graded():
                lines = [Content.styled("[not passed]", "bold $error"), *grade_lines(run.grade)]
        if run.record.arms:
            lines += ["", *run_lines(run.record)]
        return Lines([*lines, "", f"Evidence: {run.evidence}"])

    def _paint(self) -> None:
        """Each stage with its time, and the last lines of the running arm's log."""
        stages = list(self._stages.values())
        lines: list[str | Content] = [Content.styled("Predictions", "bold $secondary")]
        lines += [f"  {name} = {value}" for name, value in self._predictions.items()]
        lines += ["", Content.styled("Stages", "bold $secondary")]
        lines += [progress_line(stage) for stage in stages] or ["  starting"]
        if stages and self._run:
            log = places.lab_runs() / self._run / f"{stages[-1].arm}.log"
            lines += ["", Content.styled("Log", "bold $secondary")]
            lines += [f"  {visible(line)}" for line in tail(log, LOG_LINES).splitlines()]
        self.query_one("#outcome", Static).update(Lines(lines))

    def action_leave(self) -> None:
        """Stop the run after asking; once it is over, go back."""
        if self._over:
            self.app.pop_screen()
            return
        from specquiz.tui.screens.dialogs import Confirm

        def stop(sure: bool | None) -> None:
            if sure:
                self._cancel.set()

        text = "Arms that have finished are kept, but a run that was stopped is not graded."
        self.app.push_screen(Confirm("Stop the run?", text, yes="Stop it", no="No, let it run"), stop)

    def action_back(self) -> None:
        if self._over:
            self.app.pop_screen()
