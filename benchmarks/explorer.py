"""From a key to the repainted explorer: three plots, controls and digits at 120x40, on a pseudo-terminal.

A key's time ends when the frame with the new digits has arrived in full. NumPy is loaded and each kind of key was
pressed before. Exit code 1 if the median of a kind is over the budget; the 95th percentile is told beside it.

    python benchmarks/explorer.py [--smoke]
"""

from __future__ import annotations

import os
import sys
import tempfile
from statistics import median, quantiles

from first_paint import Terminal

from specquiz.tui.explorer_model import START, readings

PROGRAM = "from specquiz.tui.app import run; from specquiz.tui.start import ExplorerStart; run((), ExplorerStart())"
BUDGET_MS = 50.0
DOWN, LEFT, RIGHT = "\x1b[B", "\x1b[D", "\x1b[C"


def main() -> int:
    presses = 8 if "--smoke" in sys.argv[1:] else 100
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "SPECQUIZ_HOME": folder,
            "SPECQUIZ_CACHE": folder,
        }
        terminal = Terminal([sys.executable, "-c", PROGRAM], environment)
        terminal.wait_for("Explorer")
        terminal.wait_for(dict(readings(START)[1])["tokens per pass"])
        terminal.settle()
        medians = [_row(terminal, name, presses) for name in START.values]
        terminal.close()
    return 1 if max(medians) > BUDGET_MS else 0


def _row(terminal: Terminal, name: str, presses: int) -> float:
    """Move one quantity to and fro, print how long that took, and go on to the next; the median in milliseconds."""
    there = START.moved(name, 1)
    towards, back = (RIGHT, LEFT) if there != START else (LEFT, RIGHT)
    there = there if there != START else START.moved(name, -1)
    times = []
    for press in range(presses + 2):
        key, setting = (back, START) if press % 2 else (towards, there)
        times.append(1000 * terminal.press(key, setting.label(name)))
        terminal.settle(0.03)
    terminal.press(DOWN)
    terminal.settle(0.03)
    typical, late = median(times[2:]), quantiles(times[2:], n=20)[-1]
    print(f"{name:8} {typical:6.1f} ms median  {late:6.1f} ms p95  (budget {BUDGET_MS:g} ms)", flush=True)
    return typical


if __name__ == "__main__":
    sys.exit(main())
