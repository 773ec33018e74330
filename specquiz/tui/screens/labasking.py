"""Between two arms of a lab: what the first gave, and the predictions that have to be made before the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Input, Static

from specquiz.labs.model import Lab, Prediction
from specquiz.terminal import visible
from specquiz.tui.screens.form import FormPage
from specquiz.tui.widgets.asked import asked_prediction
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Lines


class LabAskingScreen(FormPage):
    """Asks for staged predictions; the run waits for them. Leaving without them stops the run, after asking.

    Args:
        lab: tailored to the profile.
        due: the predictions asked for.
        lines: what the arm gave.
        answer: gets the predictions by their ids, or None when the learner leaves.
    """

    KEY_HELP = (
        ("Enter", "next prediction; after the last one the next arm starts"),
        ("Tab, up, down", "move among the predictions"),
        ("PgUp PgDn", "scroll"),
        ("F4, Esc", "stop the run (asks first)"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f4,escape", "leave", "Stop")]
    KEYS = (
        Key("Enter", "next", "app.focus_next"),
        Key("F5", "go on", "screen.submit"),
        Key("F1", "help", "app.help"),
        Key("F4", "stop", "screen.leave"),
    )

    def __init__(
        self,
        lab: Lab,
        due: Sequence[Prediction],
        lines: Sequence[str],
        answer: Callable[[Mapping[str, str] | None], None],
    ) -> None:
        super().__init__(id="labasking")
        self._lab = lab
        self._due = due
        self._lines = Lines(visible(line) for line in lines)
        self._answer = answer

    def body(self) -> ComposeResult:
        with VerticalScroll(id="sheet", can_focus=False):
            yield Static(self._lines, id="task")
            with Vertical(id="form"):
                for prediction in self._due:
                    yield asked_prediction(self._lab, prediction)

    def on_mount(self) -> None:
        self.query(Input).first().focus(scroll_visible=False)
        self.show_frame(self._lab.title, "before the next arm", self.KEYS)

    def action_submit(self) -> None:
        """Hand the predictions over, once each of them can be."""
        if self.all_valid():
            self._close(self.typed())

    def action_leave(self) -> None:
        """Stop the run, after asking."""
        from specquiz.tui.screens.dialogs import Confirm

        def stop(sure: bool | None) -> None:
            if sure:
                self._close(None)

        text = "Arms that have finished are kept; `specquiz lab rerun` takes the run to its end later."
        self.app.push_screen(Confirm("Stop the run?", text, yes="Stop it", no="No, go on"), stop)

    def _close(self, answers: Mapping[str, str] | None) -> None:
        self.app.pop_screen()
        self._answer(answers)
