"""Home: what is open, the banks with their mastery, the mock interview, and the labs with their locks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from specquiz.tui.screens.page import Page
from specquiz.tui.start import LookupStart, MockStart, PracticeStart, ResumeStart
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Hanging, Row

if TYPE_CHECKING:
    from specquiz.tui.entries import Entry
    from specquiz.tui.overview import Overview


class Menu(OptionList, inherit_bindings=False):
    """The list of everything that can be opened; digits open an entry at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor_down", "Down", show=False),
        Binding("up,k", "cursor_up", "Up", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
        Binding("enter", "select", "Open", show=False),
        *(Binding(str(n), f"open({n - 1})", show=False) for n in range(1, 10)),
    ]

    @property
    def _usable(self) -> list[int]:
        """The places of the entries, headings left out."""
        return [place for place, option in enumerate(self.options) if not option.disabled]

    def action_open(self, place: int) -> None:
        """Open the entry that carries this number."""
        usable = self._usable
        if place < len(usable):
            self.highlighted = usable[place]
            self.action_select()

    def scroll_to_highlight(self, top: bool = False) -> None:
        """Bring the entry under the cursor into view; above the first one there is its heading to be seen."""
        super().scroll_to_highlight(top)
        if self.highlighted in self._usable[:1]:
            self.scroll_home(animate=False, immediate=True)


class HomeScreen(Page):
    """The list on the left or top, what the highlighted entry is beside or under it."""

    KEY_HELP = (
        ("1-9", "open the entry with that number"),
        ("j k, arrows", "move"),
        ("Enter", "open"),
        ("PgUp PgDn", "scroll what is said about the entry"),
        ("/", "the primers, and looking words up"),
        ("x", "discard the open session under the cursor"),
        ("q", "quit"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "app.quit", "Quit"),
        Binding("slash", "look_up", "Look up", show=False),
        Binding("x", "discard", "Discard", show=False),
        Binding("pageup", "scroll_about(-1)", show=False),
        Binding("pagedown", "scroll_about(1)", show=False),
    ]
    KEYS = (
        Key("q", "quit", "app.quit"),
        Key("?", "help", "app.help"),
        Key("Enter", "open", "screen.open_highlighted"),
        Key("1-9", "open by number", "app.help"),
        Key("/", "look up", "screen.look_up"),
        Key("j k", "move", "app.help"),
    )

    def body(self) -> ComposeResult:
        with Container(id="board"):
            yield Menu(id="menu", markup=False, compact=True)
            with VerticalScroll(id="about", can_focus=False):
                yield Static(Content.styled("Reading the banks …", "$foreground 60%"), id="about-text", markup=False)

    def on_mount(self) -> None:
        self._entries: dict[str, Entry] = {}
        self.show_frame("specquiz", "LLM inference, practised and proved", self.KEYS)
        self.query_one(Menu).focus()

    def on_screen_resume(self) -> None:
        if self.program.desk is not None:
            self.show_overview()

    def show_overview(self) -> None:
        """Compute everything anew from the log and show it; the cursor stays where it was."""
        from specquiz.tui.overview import survey

        desk = self.program.opened
        overview = survey(desk.library, desk.labs, desk.log.events())
        self._record_opened_labs(overview)
        self._entries = {}
        menu = self.query_one(Menu)
        before = menu.highlighted_option
        options = list(self._options(overview))
        menu.set_options(options)
        ids = [option.id for option in options]
        wanted = before.id if before is not None and before.id in ids else next(iter(self._entries), None)
        if wanted is not None:
            menu.highlighted = ids.index(wanted)
        else:
            self._show_about(Content("There is no bank to practise yet."))

    def _options(self, overview: Overview) -> Iterator[Option]:
        from specquiz.tui.entries import sections

        for heading, entries in sections(overview, self.program.clock()):
            if heading:
                above = "\n" if self._entries else ""
                yield Option(Content.styled(f"{above}{heading}", "bold $secondary"), disabled=True)
            for entry in entries:
                yield self._option(entry)

    def _option(self, entry: Entry) -> Option:
        if entry.start is None:
            return Option(Hanging(Content.styled(" [!] ", "bold $warning"), entry.status), disabled=True)
        self._entries[entry.id] = entry
        number = len(self._entries)
        label = Content.styled(f" {number}  " if number <= 9 else "    ", "$primary")
        return Option(Hanging(label, Row(Content(entry.title), entry.status)), id=entry.id)

    def _record_opened_labs(self, overview: Overview) -> None:
        """A lab that opened stays open: the log says so from now on."""
        from specquiz.labs.unlocking import record_opened

        found = {entry.lab.id: entry.lock for entry in overview.labs}
        desk = self.program.opened
        for lab in record_opened(desk.labs, found, desk.log.append, self.program.clock()):
            self.notify(f"The lab “{lab.title}” is open now.", markup=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        entry = self._entries.get(event.option_id or "")
        if entry is not None:
            self._show_about(entry.about)

    def _show_about(self, about: Visual) -> None:
        self.query_one("#about-text", Static).update(about)
        self.query_one("#about", VerticalScroll).scroll_home(animate=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        entry = self._entries[event.option_id or ""]
        match entry.start:
            case PracticeStart() as start if entry.asks:
                self._ask_how_many(entry, start)
            case MockStart() as start:
                self._ask_minutes(start)
            case start if start is not None:
                self.program.begin(start)

    def _ask_how_many(self, entry: Entry, start: PracticeStart) -> None:
        from specquiz.tui.screens.dialogs import AskNumber

        def begin(count: int | None) -> None:
            if count is not None:
                self.program.begin(PracticeStart(banks=start.banks, count=count, missed_only=start.missed_only))

        self.app.push_screen(
            AskNumber(
                entry.title,
                f"How many questions? There {'is' if entry.asks == 1 else 'are'} {entry.asks} to choose from.",
                suggested=min(10, entry.asks),
                most=entry.asks,
            ),
            begin,
        )

    def _ask_minutes(self, start: MockStart) -> None:
        from specquiz.tui.screens.dialogs import AskNumber

        def begin(minutes: int | None) -> None:
            if minutes is not None and self._in_sentences:
                self._ask_written(MockStart(minutes=minutes))
            elif minutes is not None:
                self.program.begin(MockStart(minutes=minutes))

        self.app.push_screen(
            AskNumber(
                "Mock interview",
                "How many minutes? The clock starts when you press Enter, and it does not stop: not when you leave, "
                "not when the machine fails. You can come back while there is time.",
                suggested=round(start.minutes),
                most=24 * 60,
            ),
            begin,
        )

    @property
    def _in_sentences(self) -> int:
        """How many questions are answered in sentences."""
        from specquiz.banks.model import ShortQuestion

        banks = self.program.opened.library.banks
        return sum(isinstance(question, ShortQuestion) for bank in banks for question in bank.questions)

    def _ask_written(self, start: MockStart) -> None:
        from specquiz.tui.screens.dialogs import AskNumber

        def begin(written: int | None) -> None:
            if written is not None:
                self.program.begin(replace(start, written=written))

        self.app.push_screen(
            AskNumber(
                "Mock interview",
                "How many questions to answer in sentences? You, or a partner, mark them once the clock has stopped.",
                suggested=1,
                least=0,
                most=min(9, self._in_sentences),
            ),
            begin,
        )

    def action_open_highlighted(self) -> None:
        self.query_one(Menu).action_select()

    def action_look_up(self) -> None:
        """Open the primers, with a field to look words up."""
        if self.program.desk is not None:
            self.program.begin(LookupStart())

    def action_scroll_about(self, pages: int) -> None:
        about = self.query_one("#about", VerticalScroll)
        about.scroll_relative(y=pages * max(1, about.size.height - 1), animate=False)

    def action_discard(self) -> None:
        """Ask, then end the open session under the cursor for good."""
        from specquiz.tui.screens.dialogs import Confirm

        option = self.query_one(Menu).highlighted_option
        entry = self._entries.get((option.id or "") if option else "")
        if entry is None or not isinstance(entry.start, ResumeStart):
            return
        session = entry.start.session

        def discard(sure: bool | None) -> None:
            if sure:
                from specquiz.sessions.engine import put_away, replay

                log = self.program.opened.log
                log.append(put_away(replay(log.events(session)), self.program.clock()))
                self.show_overview()

        self.app.push_screen(
            Confirm("Discard this session?", "What was answered stays in your history.", yes="Discard it"), discard
        )
