"""The explorer: move α, K, costs, batch and machine with the arrow keys; see tokens per pass and speed-up change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Click, Resize
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from specquiz.tui.explorer_model import QUANTITIES, Setting, charts, readings, setting_from
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.plot import SIGNS, Plot, terminal_has_braille

STACKED = (116, 34)
"""Columns and rows from which all three plots are shown."""


class Controls(Widget):
    """A line for each quantity, its value between a minus and a plus; where there is no room, the chosen one only."""

    DEFAULT_CSS = "Controls { height: 7; width: 1fr; }"
    # Columns: the name, a button, the value, a button.
    NAME, BUTTON, VALUE = 16, 3, 12

    class Clicked(Message):
        """A quantity was clicked: on its minus (steps −1), its plus (1), or elsewhere (0)."""

        def __init__(self, name: str, steps: int) -> None:
            super().__init__()
            self.name = name
            self.steps = steps

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self._setting = setting
        self._chosen = next(iter(QUANTITIES))

    def show(self, setting: Setting, chosen: str) -> None:
        """Show where the quantities stand, and which one the arrow keys move."""
        self._setting, self._chosen = setting, chosen
        self.refresh()

    def _names(self) -> list[str]:
        return list(QUANTITIES) if self.content_size.height >= len(QUANTITIES) else [self._chosen]

    def render(self) -> Content:
        return Content("\n").join(self._line(name) for name in self._names())

    def _line(self, name: str) -> Content:
        quantity, chosen = QUANTITIES[name], name == self._chosen
        title = f"{'>' if chosen else ' '} {quantity.symbol:1} {quantity.meaning}"
        line = Content.assemble(
            (f"{title:<{self.NAME}}", "bold" if chosen else ""),
            (f"{'-':^{self.BUTTON}}", "bold $primary"),
            (f"{self._setting.label(name):^{self.VALUE}}", "bold $accent" if chosen else "bold"),
            (f"{'+':^{self.BUTTON}}", "bold $primary"),
        )
        return line.stylize("on $panel") if chosen else line

    def on_click(self, event: Click) -> None:
        names, column = self._names(), event.x - self.NAME
        if event.y < len(names):
            minus = 0 <= column < self.BUTTON
            plus = 0 <= column - self.BUTTON - self.VALUE < self.BUTTON
            self.post_message(self.Clicked(names[event.y], int(plus) - int(minus)))


class ExplorerScreen(Page):
    """Quantities and their digits on the left, plots on the right.

    Args:
        values: a question's values to begin with, by name and as written: `{"alpha": "0.7", "K": "4", "c": "0.1"}`.
            What the explorer does not know or reach is left alone.
    """

    DEFAULT_CSS = """
    ExplorerScreen #explorer { height: 1fr; padding: 1 2 0 2; }
    ExplorerScreen #panel { width: 34; margin-right: 1; }
    ExplorerScreen #readings { height: 1fr; margin-top: 1; }
    ExplorerScreen Plot { display: none; }
    ExplorerScreen Plot.-chosen { display: block; }
    ExplorerScreen.-short #explorer { padding: 0 1; }
    ExplorerScreen.-short #readings { margin-top: 0; }
    ExplorerScreen.-narrow #explorer { layout: vertical; padding: 0 1; }
    ExplorerScreen.-narrow #panel { width: 1fr; height: auto; margin-right: 0; }
    ExplorerScreen.-narrow #readings { height: 2; margin: 0; }
    ExplorerScreen.-narrow.-short Controls { height: 1; }
    ExplorerScreen.-narrow.-short #readings { height: 1; }
    ExplorerScreen.-stacked #plots.-pictures Plot { display: block; margin-bottom: 1; }
    ExplorerScreen.-stacked #explorer { padding: 1 3 0 3; }
    ExplorerScreen.-stacked #panel { margin-right: 4; }
    """
    KEY_HELP = (
        ("up down, j k", "choose a quantity"),
        ("left right, h l", "change it; with shift by ten steps"),
        ("Home End", "to the ends of its range"),
        ("mouse", "click a minus, a plus or a name"),
        ("p, 1 2 3", "the next plot, or one of them"),
        ("t", "the plots as tables of the same numbers, and back"),
        ("PgUp PgDn", "turn the pages of a long table"),
        ("r", "back to the values it began with"),
        ("F4, Esc, q", "back"),
        (" ".join(braille for braille, _ in SIGNS.values()), f"in plots: {', '.join(SIGNS)}"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "choose(-1)", show=False),
        Binding("down,j", "choose(1)", show=False),
        Binding("left,h", "change(-1)", show=False),
        Binding("right,l", "change(1)", show=False),
        Binding("shift+left,H", "change(-10)", show=False),
        Binding("shift+right,L", "change(10)", show=False),
        Binding("home", "change(-1000)", show=False),
        Binding("end", "change(1000)", show=False),
        Binding("p", "next_plot", "Plot"),
        *(Binding(str(number), f"show_plot({number - 1})", show=False) for number in (1, 2, 3)),
        Binding("t", "table", "Table"),
        Binding("pageup", "scroll_table(-1)", show=False),
        Binding("pagedown", "scroll_table(1)", show=False),
        Binding("r", "reset", "Reset"),
        Binding("f4,escape,q", "app.pop_screen", "Back"),
    ]
    KEYS = (
        Key("^q", "quit", "app.quit"),
        Key("F1", "help", "app.help"),
        Key("t", "table", "screen.table"),
        Key("p", "plot", "screen.next_plot"),
        Key("F4", "back", "app.pop_screen"),
        Key("↑↓", "choose", "app.help"),
        Key("←→", "change", "app.help"),
        Key("r", "reset", "screen.reset"),
    )

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        super().__init__(id="explore")
        self._start, self._taken = setting_from(values or {})
        self.setting = self._start
        self.chosen = next(iter(QUANTITIES))
        self._plot = 1
        self._as_table = False
        self._can_compute = False

    def body(self) -> ComposeResult:
        braille = terminal_has_braille()
        with Horizontal(id="explorer"):
            with Vertical(id="panel"):
                yield Controls(self.setting)
                yield Static(Content.styled("computing …", "$foreground 60%"), id="readings")
            with Vertical(id="plots", classes="-pictures"):
                for _ in range(3):
                    yield Plot(braille=braille)

    def on_mount(self) -> None:
        taken = ", ".join(QUANTITIES[name].symbol or name for name in self._taken)
        self.show_frame("Explorer", f"{taken} as in the question" if taken else "", self.KEYS)
        self.action_show_plot(self._plot)
        self.call_after_refresh(self.run_worker, self._load, thread=True)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width >= STACKED[0] and event.size.height >= STACKED[1], "-stacked")

    def _load(self) -> None:
        """Import NumPy beside the screen that is already painted; keys meanwhile move the setting."""
        charts(self.setting)
        readings(self.setting)
        self.app.call_from_thread(self._loaded)

    def _loaded(self) -> None:
        self._can_compute = True
        self._show()

    def _show(self) -> None:
        self.query_one(Controls).show(self.setting, self.chosen)
        if not self._can_compute or not self.is_attached:
            return
        for plot, chart in zip(self.query(Plot), charts(self.setting), strict=True):
            plot.show(chart, as_table=self._as_table)
        self.query_one("#readings", Static).update(
            Content("\n\n").join(map(_lines, readings(self.setting))), layout=False
        )

    def action_choose(self, steps: int) -> None:
        """Choose another quantity."""
        names = list(QUANTITIES)
        self.chosen = names[(names.index(self.chosen) + steps) % len(names)]
        self.query_one(Controls).show(self.setting, self.chosen)

    def action_change(self, steps: int) -> None:
        """Move the chosen quantity."""
        self.setting = self.setting.moved(self.chosen, steps)
        self._show()

    def on_controls_clicked(self, event: Controls.Clicked) -> None:
        self.chosen = event.name
        self.action_change(event.steps)

    def action_show_plot(self, number: int) -> None:
        """Show this plot, where there is room for one only."""
        self._plot = number
        for i, plot in enumerate(self.query(Plot)):
            plot.set_class(i == number, "-chosen")

    def action_next_plot(self) -> None:
        self.action_show_plot((self._plot + 1) % 3)

    def action_table(self) -> None:
        """Show the plots as tables, or the tables as plots."""
        self._as_table = not self._as_table
        self.query_one("#plots").set_class(not self._as_table, "-pictures")
        self._show()

    def action_scroll_table(self, pages: int) -> None:
        for plot in self.query(Plot):
            plot.scroll_table(pages)

    def action_reset(self) -> None:
        """Back to the values it began with."""
        self.setting = self._start
        self._show()


def _lines(group: Sequence[tuple[str, str]]) -> Content:
    return Content("\n").join(
        Content.assemble((f"  {name:<22}", "$foreground 70%"), (digits, "bold")) for name, digits in group
    )
