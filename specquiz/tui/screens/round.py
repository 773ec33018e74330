"""One draft-verify round, forward and back, step by step; and what law a sampler's words follow in the long run."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from specquiz.tui.round_model import MODES, PREFIX, REDRAWS, ROUNDS, WORDS, Played, RoundSetting, Step, drift, play
from specquiz.tui.screens.page import Page
from specquiz.tui.widgets.laws import Laws
from specquiz.tui.widgets.lines import Key
from specquiz.tui.widgets.plot import terminal_has_braille

_MUTED = "$foreground 60%"
_VERDICTS = {True: ("accepted", "$success"), False: ("rejected", "$error")}


class Positions(Widget):
    """A line for each drafted position and one for the target's own word, as far as the step knows them."""

    DEFAULT_CSS = "Positions { height: auto; width: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[tuple[str, ...], str]] = []

    def show(self, played: Played, step: Step) -> None:
        """Show the round as it stands at a step."""
        self._rows = list(_rows(played, step))
        self.refresh(layout=True)

    def get_content_height(self, *_: object) -> int:
        return len(self._rows)

    def render(self) -> Content:
        gap = "   " if self.content_size.width >= 60 else " "
        widths = (1, 4, 4, 4, 4, 5, 8)
        return Content("\n").join(
            Content.styled(gap.join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)), style)
            for cells, style in self._rows
        )


class RoundScreen(Page):
    """The round on the left or on top; the law of many rounds beside it, or in its place where there is no room."""

    DEFAULT_CSS = """
    RoundScreen #round { height: 1fr; padding: 1 2 0 2; }
    RoundScreen .side { height: 1fr; width: 1fr; scrollbar-size-vertical: 1; }
    RoundScreen .side > * { height: auto; }
    RoundScreen .side > #say { height: 2; }
    RoundScreen .side > #say, RoundScreen .side > Positions { margin-bottom: 1; }
    RoundScreen #rule, RoundScreen #counted { margin-bottom: 1; }
    RoundScreen #drift { display: none; }
    RoundScreen #round.-drift #drift { display: block; }
    RoundScreen #round.-drift #steps { display: none; }
    RoundScreen.-wide #laws { margin-bottom: 1; }
    RoundScreen.-wide #round { padding: 2 3 1 3; }
    RoundScreen.-wide #round #steps { display: block; width: 3fr; max-width: 84; }
    RoundScreen.-wide #round #drift { display: block; width: 2fr; max-width: 64; margin-left: 3; padding-left: 3;
        border-left: solid $panel; }
    RoundScreen.-short #round, RoundScreen.-narrow #round { padding: 0 1; }
    RoundScreen.-narrow .side > #say { height: 4; }
    RoundScreen.-short .side > #say, RoundScreen.-short .side > Positions { margin-bottom: 0; }
    """
    KEY_HELP = (
        ("right, l, Enter", "the next step"),
        ("left, h", "the step before"),
        ("Home End", "the first step, the last"),
        ("up down", "more or fewer drafted words (K)"),
        ("s", "another seed"),
        ("m", "how the models choose: sampled, greedy, one-hot draft"),
        ("w", "what is drawn from after a rejection: right, or wrong in two ways"),
        ("d", "the law of many rounds, and back"),
        ("n", "how many rounds that are"),
        ("PgUp PgDn", "scroll"),
        ("F4, Esc, q", "back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,enter", "step(1)", show=False),
        Binding("left,h", "step(-1)", show=False),
        Binding("home", "step(-1000)", show=False),
        Binding("end", "step(1000)", show=False),
        Binding("up", "more_drafted(1)", show=False),
        Binding("down", "more_drafted(-1)", show=False),
        Binding("s", "seed", "Seed"),
        Binding("m", "mode", "Mode"),
        Binding("w", "redraw", "Sampler"),
        Binding("d", "drift", "Drift"),
        Binding("n", "rounds", "Rounds"),
        Binding("pageup", "scroll_sides(-1)", show=False),
        Binding("pagedown", "scroll_sides(1)", show=False),
        Binding("f4,escape,q", "app.pop_screen", "Back"),
    ]
    KEYS = (
        Key("^q", "quit", "app.quit"),
        Key("F1", "help", "app.help"),
        Key("→", "next", "screen.step(1)"),
        Key("←", "back", "screen.step(-1)"),
        Key("w", "sampler", "screen.redraw"),
        Key("d", "drift", "screen.drift"),
        Key("n", "rounds", "screen.rounds"),
        Key("m", "mode", "screen.mode"),
        Key("s", "seed", "screen.seed"),
        Key("F4", "leave", "app.pop_screen"),
    )

    def __init__(self, seed: int = 0) -> None:
        super().__init__(id="round-screen")
        self.setting = RoundSetting(seed=seed)
        self.at = 0
        self._rounds = ROUNDS[2]
        self._played: Played | None = None

    def body(self) -> ComposeResult:
        blocks = terminal_has_braille()
        with Horizontal(id="round"):
            with VerticalScroll(id="steps", classes="side", can_focus=False):
                yield Static(id="say")
                yield Positions()
                yield Laws(WORDS, places=2, blocks=blocks, id="laws")
                yield Static(id="passes")
            with VerticalScroll(id="drift", classes="side", can_focus=False):
                yield Static(id="rule")
                yield Laws(WORDS, places=3, blocks=blocks, id="counted")
                yield Static(id="distance")

    def on_mount(self) -> None:
        self.show_frame("Round", "", self.KEYS)
        self.query_one("#say", Static).update(Content.styled("computing …", _MUTED))
        self.call_after_refresh(self.run_worker, self._load, thread=True)

    def _load(self) -> None:
        """Import NumPy beside the screen that is already painted; keys meanwhile change the setting and the step."""
        play(self.setting)
        drift(self.setting, self._rounds)
        self.app.call_from_thread(self._hold)

    def _hold(self) -> None:
        """Hold the round anew, and the many rounds."""
        self._played = play(self.setting)
        found = drift(self.setting, self._rounds)
        self.query_one("#counted", Laws).show(
            f"The first word of {found.rounds:,} rounds", {"target p": found.target, "counted": found.counted}
        )
        rule = f"Mode {self.setting.mode}: {MODES[self.setting.mode]}. After a rejection a word is drawn from "
        self.query_one("#rule", Static).update(Content(f"{rule}{REDRAWS[self.setting.redraw]}."))
        self.query_one("#distance", Static).update(Content(found.say))
        self._show()

    def _show(self) -> None:
        if self._played is None:
            return
        self.at = min(self.at, len(self._played.steps) - 1)
        step = self._played.steps[self.at]
        place = f"step {self.at + 1} of {len(self._played.steps)}"
        setting = f"K {self.setting.k}, seed {self.setting.seed}, {self.setting.mode}, redraw {self.setting.redraw}"
        self.show_frame("Round", f"{place}, {setting}", self.KEYS)
        self.query_one("#say", Static).update(Content(step.say))
        self.query_one(Positions).show(self._played, step)
        self.query_one("#laws", Laws).show(step.shown.title, step.shown.laws, step.shown.picked)
        self.query_one("#passes", Static).update(_passes(self._played, step))

    def _change(self, setting: RoundSetting, at: int = 0) -> None:
        self.setting, self.at = setting, at
        if self._played is not None:
            self._hold()

    def action_step(self, steps: int) -> None:
        """Go on or back."""
        self.at = max(0, self.at + steps)
        self._show()

    def action_more_drafted(self, more: int) -> None:
        self._change(self.setting.with_k(self.setting.k + more))

    def action_seed(self) -> None:
        """Another round."""
        self._change(replace(self.setting, seed=secrets.randbelow(1000)))

    def action_mode(self) -> None:
        """The next way of choosing words."""
        self._change(self.setting.next_mode())

    def action_redraw(self) -> None:
        """The next sampler; the steps stay where they are, so that the redraw can be compared."""
        self._change(self.setting.next_redraw(), self.at)

    def action_drift(self) -> None:
        """Show the law of many rounds, or the round again."""
        self.query_one("#round").toggle_class("-drift")

    def action_rounds(self) -> None:
        """Ten times as many rounds; after the most, the fewest."""
        self._rounds = ROUNDS[(ROUNDS.index(self._rounds) + 1) % len(ROUNDS)]
        self._change(self.setting, self.at)

    def action_scroll_sides(self, pages: int) -> None:
        for side in self.query(".side").results(VerticalScroll):
            side.scroll_relative(y=pages * max(1, side.size.height - 1), animate=False)


def _passes(played: Played, step: Step) -> Content:
    """The text so far, once as this round's one pass gives it, once as vanilla decoding would: a pass for each word."""
    held = played.round
    words = [WORDS[one.token] for one in held.judged[: step.judged] if one.accepted]
    if step.drawn:
        words.append(WORDS[held.last])
    text = " ".join(PREFIX)
    if not words:
        return Content.assemble(("text so far ", _MUTED), text)
    count, passes = ("1 word", "1 pass") if len(words) == 1 else (f"{len(words)} words", f"{len(words)} passes")
    return Content.assemble(
        ("this round  ", _MUTED),
        (f"{text} [{' '.join(words)}]  {count} from 1 target pass\n", "bold"),
        ("vanilla     ", _MUTED),
        f"{text} {''.join(f'[{word}]' for word in words)}  {passes}",
    )


def _rows(played: Played, step: Step) -> Iterator[tuple[tuple[str, ...], str]]:
    """(cells, style) of the head, each drafted word and the target's own, as far as the step knows them."""
    yield ("#", "word", "   q", "   p", "acc.", "coin", ""), _MUTED
    held = played.round
    for position, token in enumerate(held.drafted):
        q = f"{played.drafts[position][token]:.2f}"
        p = f"{played.targets[position][token]:.2f}"
        cells = [str(position + 1), *(("", "") if position >= step.drafted else (WORDS[token], q))]
        cells += [p if step.scored else ""]
        style = ""
        if position < step.judged:
            one = held.judged[position]
            verdict, style = _VERDICTS[one.accepted]
            cells += [f"{one.acceptance:.2f}", f"{one.coin:.3f}", verdict]
        else:
            never = step.judged == len(held.judged) and step.judged > 0
            cells += ["", "", "unjudged" if never else ""]
            style = _MUTED if never else ""
        yield tuple(cells), style
    own = (WORDS[held.last], held.kind) if step.drawn else ("", "")
    yield ("+", own[0], "", "", "", "", own[1]), "bold $accent" if step.drawn else _MUTED
