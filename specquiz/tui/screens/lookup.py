"""Looking words up in primers, concepts and questions while they are typed; with no words, the list of primers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from specquiz.banks.primers import Place
from specquiz.banks.searching import MOST, Hit, index
from specquiz.terminal import visible
from specquiz.tui import wording
from specquiz.tui.screens.page import Page
from specquiz.tui.start import PracticeStart
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Hanging, Lines, Row

if TYPE_CHECKING:
    from specquiz.banks.library import Library

"""Questions of a practice that begins here."""


class LookupScreen(Page):
    """A field and what has its words. The field keeps the focus; the arrows move in the list."""

    KEY_HELP = (
        ("letters", "look up: all words, or parts of words, in primers and questions"),
        ("up, down, PgUp PgDn", "move in the list"),
        ("Enter", "open the primer there, or practise the question"),
        ("F4, Esc", "back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f4,escape", "app.pop_screen", "Back"),
        Binding("down", "move('cursor_down')", show=False),
        Binding("up", "move('cursor_up')", show=False),
        Binding("pagedown", "move('page_down')", show=False),
        Binding("pageup", "move('page_up')", show=False),
    ]
    KEYS = (
        Key("Enter", "open", "screen.open_highlighted"),
        Key("^q", "quit", "app.quit"),
        Key("F1", "help", "app.help"),
        Key("F4", "back", "app.pop_screen"),
        Key("up down", "move", "app.help"),
    )

    def __init__(self) -> None:
        super().__init__(id="lookup")
        self._hits: tuple[Hit, ...] = ()

    def body(self) -> ComposeResult:
        yield Input(placeholder="words to look up", id="words")
        yield Static(id="count", markup=False)
        yield OptionList(id="hits", markup=False, compact=True)

    def on_mount(self) -> None:
        library = self.program.opened.library
        self._index = index(library)
        self._pages = _pages(library)
        field = self.query_one(Input)
        field.cursor_blink = False
        field.focus()
        self.query_one(OptionList).can_focus = False
        self.show_frame("Look up", "", self.KEYS)
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, words: str) -> None:
        """List what has these words; without any, the pages."""
        found_all = self._index.search(words, MOST + 1) if words.strip() else self._pages
        self._hits = found_all[:MOST]
        what = "primer" if not words.strip() else "place"
        count = wording.plural(len(self._hits), what)
        more = len(found_all) > MOST
        self.query_one("#count", Static).update(Content(f"the first {count}; more words find fewer" if more else count))
        found = self.query_one(OptionList)
        found.set_options(Option(_shown(hit)) for hit in self._hits)
        found.highlighted = 0 if self._hits else None

    def action_move(self, how: str) -> None:
        getattr(self.query_one(OptionList), f"action_{how}")()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_open_highlighted()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._open(self._hits[event.option_index])

    def action_open_highlighted(self) -> None:
        """Open what the cursor is on."""
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._open(self._hits[place])

    def _open(self, hit: Hit) -> None:
        if hit.place is not None:
            from specquiz.tui.screens.primer import PrimerScreen

            self.app.push_screen(PrimerScreen(hit.place))
        elif hit.question is not None:
            bank, question = hit.question
            self.program.begin(PracticeStart(banks=(bank,), question=question))


def _pages(library: Library) -> tuple[Hit, ...]:
    """The primers, each with how many sections it has."""
    return tuple(
        Hit(page.group, wording.plural(len(page.sections), "section"), "", place=Place(page))
        for page in library.primers
    )


def _shown(hit: Hit) -> Lines:
    """A line on what was found and where, and one with the words around it."""
    where = f"a question of {hit.where}" if hit.question else hit.where
    status = "" if hit.where == hit.title else visible(where)
    row = Row(Content(visible(hit.title)), Content.styled(status, "$secondary"))
    excerpt = Content.styled(visible(hit.excerpt), "$foreground 60%")
    return Lines([row, Hanging(Content("    "), excerpt)] if excerpt else [row])
