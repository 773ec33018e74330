"""One question on the screen: its text, the place for the answer, and what is said about it. Updated in place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.visual import Visual
from textual.widgets import Input, Static

from specquiz.banks.model import (
    AnyQuestion,
    ConfigQuestion,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
)
from specquiz.terminal import without_controls
from specquiz.tui import wording
from specquiz.tui.widgets.choices import Choices
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.options import Options, Text
from specquiz.tui.widgets.ordering import Ordering
from specquiz.tui.widgets.reading import Reading, terminal_has_maths

if TYPE_CHECKING:
    from specquiz.sessions.sitting import Sitting
    from specquiz.tui.widgets.editor import Editor

DRAFT_SECONDS = 3.0
"""A text that is being written is kept this often."""

Way = Literal["choices", "order", "line", "text"]
"""How an answer is given: chosen, put in order, or typed on one line or on several."""


def keys_for(question: AnyQuestion, keys: tuple[Key, ...]) -> tuple[Key, ...]:
    """The keys of a screen, the first of which gives the answer, as this question needs them."""
    if isinstance(question, OrderQuestion):
        after = next((place for place, key in enumerate(keys) if key.name == "F1"), 0) + 1
        return (*keys[:after], Key("J K", "move", "app.help"), *keys[after:])
    if not isinstance(question, ConfigQuestion | ShortQuestion):
        return keys
    from specquiz.tui.widgets.editor import GIVE_SHOWN

    return (keys[0]._replace(name=GIVE_SHOWN), *keys[1:])


def _place(text: str, at: int) -> str:
    """Where the character `at` of a text stands, both counted from 1."""
    lines = text[:at].split("\n")
    column = f"character {len(lines[-1]) + 1}"
    return f"line {len(lines)}, {column}" if "\n" in text.strip() else column


class QuestionPane(Vertical):
    """Shows a question, takes an answer, shows what is said about it. It judges nothing."""

    class Submitted(Message):
        """The learner gives `text` as the answer: what was typed, or ids separated by spaces."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__()
        self._way: Way = "choices"
        self._editor: Editor | None = None
        self._answered = False
        self._given = ""

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    def compose(self) -> ComposeResult:
        with Text(id="reading", can_focus=False):
            yield Static(id="stem", markup=False)
            yield Static(id="hints", markup=False)
        yield Choices(id="choices")
        yield Ordering(id="order")
        yield Input(id="typed", select_on_focus=False)
        yield Static(id="note", markup=False)
        yield Reading(maths=terminal_has_maths())
        with VerticalScroll(id="feedback"):
            yield Static(id="said", markup=False)

    def ask(self, sitting: Sitting) -> None:
        """Ask the question at hand, with the answer given so far and the hints taken."""
        question, stem = sitting.question, wording.prose(sitting.prompt)
        answered = sitting.session.items[sitting.session.index].answered
        given = answered.text if answered else ""
        if isinstance(question, SingleQuestion | MultiQuestion):
            choices = [(id, " ".join(wording.prose(text).split())) for id, text in sitting.choices]
            self.ask_choices(stem, choices, multi=isinstance(question, MultiQuestion), chosen=given.split())
        elif isinstance(question, OrderQuestion):
            texts = {id: " ".join(wording.prose(text).split()) for id, text in sitting.choices}
            self.ask_order(stem, [(id, texts[id]) for id in given.split() or texts])
        elif isinstance(question, ConfigQuestion):
            start = "\n\n    " + "\n    ".join(question.start.splitlines()) if question.start else ""
            self.ask_lines(stem + start, wording.placeholder(question), given or question.start)
            self.query_one(Reading).ask_configuration()
            self.query_one(Reading).follow(given or question.start)
        elif isinstance(question, ShortQuestion):
            self.ask_lines(stem, wording.placeholder(question), sitting.written)
        else:
            self.ask_text(stem, wording.placeholder(question), given)
            wanted = wording.wanted(question)
            self.query_one(Input).border_subtitle = Content(wanted)
            if isinstance(question, NumericQuestion | SymbolicQuestion):
                self.query_one(Reading).ask(question, sitting.item.values, wanted)
                self.query_one(Reading).follow(given)
        self.show_hints(sitting.hints)

    def ask_choices(
        self, stem: str, choices: Sequence[tuple[str, str]], *, multi: bool, chosen: Collection[str]
    ) -> None:
        """Ask for one or several of `choices`, (id, text) each."""
        self._ask(stem, "choices")
        widget = self.query_one(Choices)
        widget.ask(choices, multi=multi, chosen=chosen)
        self._given = self.draft
        widget.focus(scroll_visible=False)

    def ask_order(self, stem: str, items: Sequence[tuple[str, str]]) -> None:
        """Ask for the order of `items`, (id, text) each."""
        self._ask(stem, "order")
        widget = self.query_one(Ordering)
        widget.ask(items)
        self._given = self.draft
        widget.focus(scroll_visible=False)

    def ask_lines(self, stem: str, placeholder: str, text: str = "") -> None:
        """Ask for something typed on several lines; `text` is there already."""
        if self._editor is None:
            from specquiz.tui.widgets.editor import Editor

            self._editor = Editor(id="text")
            self.mount(self._editor, before="#note")
        self._ask(stem, "text")
        self._editor.ask(text, placeholder)
        self._given = self._editor.text
        self._editor.focus(scroll_visible=False)

    def ask_text(self, stem: str, placeholder: str, text: str = "") -> None:
        """Ask for something typed; `text` is there already, without what would steer the terminal."""
        self._ask(stem, "line")
        text = without_controls(text).replace("\n", " ")
        field = self.query_one(Input)
        field.disabled = False
        field.placeholder = placeholder
        field.value = text
        field.cursor_position = len(text)
        self._given = text
        field.focus(scroll_visible=False)

    def rest(self, text: Content) -> None:
        """Show only a text and take no answer."""
        self._ask("", "choices")
        self.query_one(Choices).ask((), multi=False)
        self.query_one(Choices).disabled = True
        self.show_stem(text)

    def _ask(self, stem: str, way: Way) -> None:
        self._way = way
        self._set_answered(False)
        self.query_one("#reading").set_class(way == "line", "-typed")
        self.query_one("#reading").set_class(way == "text", "-written")
        self.query_one(Input).display = way == "line"
        self.query_one(Choices).display = way == "choices"
        self.query_one(Ordering).display = way == "order"
        if self._editor is not None:
            self._editor.display = way == "text"
        self.query_one(Reading).rest()
        self.show_stem(Content(stem.rstrip()))
        self.show_hints(())
        self.show_note("")
        self.query_one("#reading", VerticalScroll).scroll_home(animate=False)

    def on_resize(self) -> None:
        self._share_room_anew()

    def _share_room_anew(self) -> None:
        """Let the style sheet share the room; once all is laid out, see whether that hides anything."""
        for part in (self.query_one("#reading"), self.query_one(Choices), self.query_one(Ordering)):
            part.styles.max_height = None
        self.call_after_refresh(self._share_room)

    def _share_room(self) -> None:
        """Give the question and what is chosen from the rows that the other does not need; half of all at the least."""
        reading = self.query_one("#reading", VerticalScroll)
        chosen: Options = self.query_one(Ordering if self._way == "order" else Choices)
        hidden = reading.max_scroll_y or chosen.max_scroll_y
        if self._answered or self._way not in ("choices", "order") or not hidden:
            return
        # A row stays free for what is said of an answer that was not read.
        room = self.size.height - chosen.styles.margin.height - 1
        listed = chosen.get_content_height(self.size, self.size, chosen.size.width)
        reading.styles.max_height = max(room // 2, room - listed)
        chosen.styles.max_height = max(room // 2, room - reading.virtual_size.height)

    def _set_answered(self, answered: bool) -> None:
        """Make room for what is said. A class on the pane would restyle all of it, which takes twice as long."""
        if answered != self._answered:
            self._answered = answered
            self.query_one("#reading").set_class(answered, "-answered")
            self.query_one(Choices).set_class(answered, "-answered")
            self.query_one(Ordering).set_class(answered, "-answered")
            if self._editor is not None:
                self._editor.set_class(answered, "-answered")
            self.query_one("#feedback").display = answered
        self._share_room_anew()

    def show_stem(self, stem: Content) -> None:
        """Show a text where the question stands."""
        self.query_one("#stem", Static).update(stem)

    def show_hints(self, hints: Sequence[str]) -> None:
        """Show the hints taken so far."""
        lines = [Content.assemble(("hint  ", "bold $accent"), wording.prose(hint)) for hint in hints]
        widget = self.query_one("#hints", Static)
        widget.display = bool(hints)
        widget.update(Content("\n").join(lines))
        if hints:
            self.call_after_refresh(self._share_room)
            self.query_one("#reading", VerticalScroll).scroll_end(animate=False)

    def show_note(self, text: str, at: int | None = None) -> None:
        """Say under the answer why it was not read, and where: with a caret under column `at` of what was typed, or in
        words where there are several lines. The cursor stays where the learner goes on typing."""
        note = self.query_one("#note", Static)
        note.display = bool(text)
        if not text:
            return
        self.query_one(Reading).clear()
        field = self.query_one(Input)
        lead = ""
        if at is not None and self._way == "text" and self._editor is not None:
            text = f"{_place(self._editor.text, at)}: {text}"
        elif at is not None and field.display:
            column = cell_len(field.value[:at]) - field.scroll_offset.x
            if not 0 <= column < field.content_size.width:
                field.cursor_position = at
                column = cell_len(field.value[:at]) - field.scroll_offset.x
            lead = " " * max(0, column + field.styles.gutter.left - note.styles.gutter.left) + "^\n"
        note.update(Content.assemble((lead, "bold $warning"), ("[not read] ", "bold $warning"), text))

    def reveal(self, said: Visual, right: Collection[str] = (), chosen: Collection[str] = ()) -> None:
        """End the question: show what is said about the answer and take no other."""
        self.query_one("#said", Static).update(said)
        self.query_one(Reading).rest()
        self._set_answered(True)
        self.show_note("")
        if self._way == "choices":
            self.query_one(Choices).reveal(right, chosen)
        elif self._way == "order":
            self.query_one(Ordering).reveal(tuple(right))
        self.query_one("#feedback", VerticalScroll).scroll_home(animate=False)
        # Moving the focus paints the whole screen; what the learner waits for comes first.
        self.call_after_refresh(self._leave_the_answer)

    def _leave_the_answer(self) -> None:
        if self._answered:
            self.query_one(Input).disabled = True
            self.query_one(Choices).disabled = True
            self.query_one(Ordering).disabled = True
            if self._editor is not None:
                self._editor.disabled = True
            self.query_one("#feedback", VerticalScroll).focus(scroll_visible=False)

    @property
    def draft(self) -> str:
        """The answer as it stands in the field, given or not."""
        match self._way:
            case "choices":
                return " ".join(self.query_one(Choices).chosen)
            case "order":
                return " ".join(self.query_one(Ordering).order)
            case "line":
                return self.query_one(Input).value
            case "text":
                return self._editor.text if self._editor is not None else ""

    @property
    def touched(self) -> bool:
        """Whether the answer has been changed since the question was asked."""
        return self.draft != self._given

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Submitted(event.value))

    def on_choices_submitted(self, event: Choices.Submitted) -> None:
        event.stop()
        self.post_message(self.Submitted(" ".join(event.chosen)))

    def on_ordering_submitted(self, event: Ordering.Submitted) -> None:
        event.stop()
        self.post_message(self.Submitted(" ".join(event.order)))

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        self.post_message(self.Submitted(event.text))

    def on_text_area_changed(self, event: Editor.Changed) -> None:
        event.stop()
        self._changed(event.text_area.text)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._changed(event.value)

    def _changed(self, text: str) -> None:
        if self.query_one("#note", Static).display:
            self.show_note("")
        self.query_one(Reading).follow(text)

    def action_scroll_reading(self, pages: int) -> None:
        """Scroll what is being read, without leaving the answer."""
        where = "#feedback" if self._answered else "#reading"
        scroll = self.query_one(where, VerticalScroll)
        scroll.scroll_relative(y=pages * max(1, scroll.size.height - 1), animate=False)
