"""Make the pictures of the README from the program itself: `python docs/pictures/make.py`.

Same banks, same seed, an empty log of its own: the pictures change only when the screens do.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
WRONG = "alpha*(1 - alpha^K)/(1 - alpha)"


def without_fonts_from_elsewhere(picture: Path) -> None:
    """A picture fetches nothing when it is looked at: the reader's own monospace font will do."""
    text = re.sub(r"@font-face \{.*?\}", "", picture.read_text(encoding="utf-8"), flags=re.DOTALL)
    picture.write_text(text, encoding="utf-8")


async def main() -> None:
    from specquiz.sessions.events import Item
    from specquiz.sessions.planning import plan_practice
    from specquiz.tui.app import SpecquizApp
    from specquiz.tui.desk import open_desk
    from specquiz.tui.start import Home, PracticeStart

    desk = open_desk(())

    def first_asked(seed: int) -> Item:
        return plan_practice(desk.library, ["tuning-alpha-k"], 5, seed)[0]

    seed = next(seed for seed in range(10_000) if first_asked(seed).question == "tokens-per-pass")
    app = SpecquizApp(lambda: desk, Home())
    async with app.run_test(size=(100, 32)) as pilot:
        await pilot.pause(0.5)
        app.save_screenshot(filename="home.svg", path=str(HERE))
        app.begin(PracticeStart(banks=("tuning-alpha-k",), count=5, seed=seed))
        await pilot.pause(0.5)
        await pilot.press(*WRONG.replace(" ", ""))
        await pilot.press("enter")
        await pilot.pause(0.5)
        app.save_screenshot(filename="verdict.svg", path=str(HERE))
    desk.log.close()
    for name in ("home.svg", "verdict.svg"):
        without_fonts_from_elsewhere(HERE / name)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"SPECQUIZ_HOME": home, "SPECQUIZ_CACHE": home, "TEXTUAL_ANIMATIONS": "none"}
        asyncio.run(main())
