"""A primer to read: the page of a group of concepts, opened at the section that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from specquiz.banks.primers import Block, Place, Section
from specquiz.terminal import visible
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.visuals import Hanging, Lines


class PrimerScreen(Page):
    """Shows a page; paragraphs fit any width, formulas stay as they were laid out."""

    KEY_HELP = (
        ("arrows, PgUp PgDn", "scroll"),
        ("n p", "the next section, the one before"),
        ("Enter, F4, Esc", "back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f4,escape,q", "app.pop_screen", "Back"),
        Binding("n", "section(1)", "Next section", show=False),
        Binding("p", "section(-1)", "Section before", show=False),
    ]
    KEYS = (
        Key("Enter", "back", "app.pop_screen"),
        Key("^q", "quit", "app.quit"),
        Key("F1", "help", "app.help"),
        Key("n", "next section", "screen.section(1)"),
        Key("p", "before", "screen.section(-1)"),
    )

    def __init__(self, place: Place) -> None:
        super().__init__(id="primer")
        self._place = place

    def body(self) -> ComposeResult:
        with VerticalScroll(id="paper"):
            yield Static(Lines(section_visuals(self._place.primer.introduction)), classes="section")
            for section in self._place.primer.sections:
                yield Static(Lines(["", *section_visuals(section)]), classes="section")

    def on_mount(self) -> None:
        note = "" if self._place.section is None else self._place.section.heading
        self.show_frame(self._place.primer.group, note, self.KEYS)
        self._paper.focus()
        self.call_after_refresh(self._go_to_the_section)

    @property
    def _paper(self) -> VerticalScroll:
        return self.query_one("#paper", VerticalScroll)

    def _go_to_the_section(self) -> None:
        if self._place.section in self._place.primer.sections:
            self._show(self._place.primer.sections.index(self._place.section) + 1)

    def _show(self, number: int) -> None:
        """Bring section `number` to the top, or as near as the page's end allows."""
        self._paper.scroll_to_widget(list(self.query(".section"))[number], top=True, animate=False)

    def action_section(self, by: int) -> None:
        """Go to the next heading below the top of what is seen, or to the one above it."""
        tops = [part.virtual_region.y for part in self.query(".section")]
        here = self._paper.scroll_offset.y
        if by > 0:
            following = [number for number, top in enumerate(tops) if top > here]
            self._show(following[0] if following else len(tops) - 1)
        else:
            before = [number for number, top in enumerate(tops) if top < here]
            self._show(before[-1] if before else 0)


def section_visuals(section: Section) -> Iterator[str | Visual]:
    """A section's heading and its blocks, apart from each other."""
    yield Content.styled(visible(section.heading), "bold $secondary")
    before = ""
    for block in section.blocks:
        if not (block.kind == before == "item"):
            yield ""
        yield from _block_visuals(block)
        before = block.kind


def _block_visuals(block: Block) -> Iterator[str | Visual]:
    text = visible(block.text)
    match block.kind:
        case "paragraph":
            yield Content(text)
        case "item":
            yield Hanging(Content("- "), Content(text))
        case "formula":
            yield from (f"    {line}".rstrip() for line in text.split("\n"))
