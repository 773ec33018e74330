"""A lab while it runs, and what came out: painted at most twice a second, so that looking on disturbs nothing."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Mapping
from pathlib import Path
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
from specquiz.labs.model import Lab, Prediction, ProfileName, Scalar
from specquiz.labs.running import LabRun, Progress, run_lab
from specquiz.labs.tailoring import tailored
from specquiz.labs.telling import grade_lines, progress_line, run_lines
from specquiz.sessions.events import AnyEvent, LabPredicted
from specquiz.terminal import visible
from specquiz.tui import wording
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Lines

if TYPE_CHECKING:
    from specquiz.labs.environment import Environment
    from specquiz.labs.evidence import Evidence

PAINT_SECONDS = 0.5
POLL_SECONDS = 0.25
BAR_CELLS = 30
LOG_MARGIN = 10
"""Columns that a line of the log leaves for borders and the scroll bar."""
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
        config: str | None = None,
    ) -> None:
        super().__init__(id="labrun")
        self._lab = lab
        self._profile: ProfileName = profile
        self._predictions = predictions
        self._environment = environment
        self._unlocked_by: Literal["mastery", "override"] = unlocked_by
        self._config = config
        """The speculative config that the learner wrote, in a challenge."""
        self._answers: queue.Queue[Mapping[str, str] | None] = queue.Queue()
        self._cancel = threading.Event()
        self._ended = threading.Event()
        self._leaving = False
        self._stages: dict[tuple[str, str], Progress] = {}
        self._run = ""
        self._over = False
        self._since = time.monotonic()

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
                ask=self._ask,
                cancel=self._cancel,
                unlocked_by=self._unlocked_by,
                written=self._written(),
            )
        except SpecquizError as error:
            self._end(
                Lines([Content.styled("The run did not take place.", "bold $error"), "", *str(error).split("\n")])
            )
        else:
            self._end(self._told(run))
        finally:
            self._ended.set()

    def _written(self) -> dict[str, dict[str, Scalar]] | None:
        if self._config is None:
            return None
        from specquiz.labs.challenge import challenge_of, read_entry

        return {challenge_of(self._lab).arm: read_entry(self._lab, self._profile, self._config)}

    def _ask(self, arm: str, due: tuple[Prediction, ...], evidence: Evidence) -> Mapping[str, str]:
        """In the worker's thread: have the predictions made that come after an arm, and wait for them."""
        from specquiz.labs.telling_asked import asking_lines

        here = tailored(self._lab, self._profile, self._written())
        lines = list(asking_lines(here, arm, evidence))
        self.app.call_from_thread(self._show_asking, here, due, lines)
        while not self._cancel.is_set():
            try:
                answers = self._answers.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if answers is not None:
                return answers
            break
        partial = places.lab_runs() / evidence.run / "evidence.partial.json"
        raise SpecquizError(
            "The run was stopped before its last predictions; finished arms are kept.",
            remedy=f"`specquiz lab rerun {partial}` goes on with it.",
        )

    def _show_asking(self, here: Lab, due: tuple[Prediction, ...], lines: list[str]) -> None:
        from specquiz.tui.screens.labasking import LabAskingScreen

        self.app.push_screen(LabAskingScreen(here, due, lines, self._answers.put))

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
        if isinstance(run.grade, Graded) and self._lab.challenge is not None:
            lines += ["", *self._standing(run)]
        if run.record.arms:
            lines += ["", *run_lines(run.record)]
        return Lines([*lines, "", f"Evidence: {run.evidence}"])

    def _standing(self, run: LabRun) -> list[str]:
        """After a try at a challenge: how far the best K is, and the board."""
        from specquiz.labs.challenge import advice, tries
        from specquiz.labs.telling_challenge import board_lines

        made = tries(self._lab, self.program.opened.log.events())
        return [*advice(self._lab, run.record), "", *board_lines(self._lab, made)]

    def _paint(self) -> None:
        """Each stage with its time, and the last lines of the running arm's log."""
        stages = list(self._stages.values())
        lines: list[str | Content] = [Content.styled("Predictions", "bold $secondary")]
        lines += [f"  {name} = {value}" for name, value in self._predictions.items()]
        if self._config is not None:
            lines.append(f"  config {visible(self._config)}")
        lines += ["", Content.assemble(("Stages", "bold $secondary"), f"   {self._time_left()}")]
        lines += [progress_line(stage) for stage in stages] or ["  starting"]
        if stages and stages[-1].rates:
            lines += ["", Content.styled("Drafts accepted up to each position", "bold $secondary")]
            lines += [
                Content.assemble(f"  {place}  ", wording.bar(rate, BAR_CELLS), f" {rate:.3f}")
                for place, rate in enumerate(stages[-1].rates, 1)
            ]
        if stages and self._run:
            lines += ["", Content.styled("Log", "bold $secondary")]
            log = _latest_log(places.lab_runs() / self._run, stages[-1].arm)
            lines += [f"  {self._cut(visible(line))}" for line in tail(log, LOG_LINES).splitlines()]
        self.query_one("#outcome", Static).update(Lines(lines))

    def _cut(self, line: str) -> str:
        """A line of the log in one line of the screen."""
        room = max(20, self.size.width - LOG_MARGIN)
        return line if len(line) <= room else f"{line[: room - 1]}…"

    def _time_left(self) -> str:
        """About how long it goes on, by the time that the lab says a run takes."""
        left = self._lab.profiles[self._profile].seconds - (time.monotonic() - self._since)
        return f"about {wording.clock(left)} left" if left > 0 else "it takes longer than usual on this machine"

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


def _latest_log(folder: Path, arm: str) -> Path:
    """Where the arm's engine writes now: it has a log for each of its turns."""
    logs = (folder / f"{arm}.log", *folder.glob(f"{arm}-*.log"))
    return max(logs, key=lambda path: path.stat().st_mtime if path.exists() else 0.0)
