"""A form of lines to fill in, each checked when it is left: predictions, and the configuration of a challenge."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from specquiz.errors import UsageError
from specquiz.labs.model import Lab, Prediction


class Asked(Vertical):
    """One line: what is asked, the answer, and why it cannot be.

    Args:
        name: what the line is called.
        question: what is asked.
        placeholder: what may be typed.
        check: reads what was typed; raises `UsageError` where it cannot be.
        wide: whether the answer is long.
    """

    def __init__(
        self, name: str, question: str, placeholder: str, check: Callable[[str], object], *, wide: bool = False
    ) -> None:
        super().__init__(classes="asked wide" if wide else "asked")
        self.asked = name
        self._question = question
        self._placeholder = placeholder
        self._check = check

    def compose(self) -> ComposeResult:
        yield Static(Content.assemble((f"{self.asked}  ", "bold $primary"), self._question))
        yield Input(placeholder=self._placeholder, select_on_focus=False)
        yield Static(classes="complaint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    @property
    def text(self) -> str:
        """What was typed."""
        return self.query_one(Input).value.strip()

    def valid(self) -> bool:
        """Whether the answer can be; if not, say why under it and go there."""
        try:
            self._check(self.text)
        except UsageError as error:
            self._complain(f"{error.what} {error.remedy or ''}")
            self.query_one(Input).focus()
            return False
        return True

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._complain("")

    def _complain(self, text: str) -> None:
        """Say why the answer cannot be; nothing takes the words away."""
        complaint = self.query_one(".complaint", Static)
        complaint.display = bool(text)
        complaint.update(Content(text))
        self.call_after_refresh(self.scroll_visible, animate=False)


def asked_prediction(lab: Lab, prediction: Prediction) -> Asked:
    """The line for a prediction. `lab` is tailored to the profile."""
    from specquiz.labs.predictions import interval_example, read_prediction
    from specquiz.labs.telling import question

    words = {"number": "a number", "choice": "one of them", "order": "first > second > …"}
    return Asked(
        prediction.id,
        question(lab, prediction),
        words.get(prediction.kind) or interval_example(lab, prediction),
        lambda text: read_prediction(lab, prediction, text),
    )
