"""`specquiz lab board`: one's own tries at a challenge."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specquiz.console import Console


def show_board(arguments: argparse.Namespace, console: Console) -> int:
    """Print the leaderboard.

    Raises:
        UsageError: the lab is no challenge.
    """
    from dataclasses import asdict

    from specquiz.labs.challenge import best_first, tries
    from specquiz.labs.loading import find_lab, load_labs
    from specquiz.labs.telling_challenge import board_lines
    from specquiz.store.log import open_log

    lab = find_lab(load_labs(), arguments.id)
    with open_log() as log:
        made = tries(lab, log.events())
    if arguments.json:
        return console.say_json({"lab": lab.id, "tries": [asdict(each) for each in best_first(made)]})
    console.say_lines(board_lines(lab, made))
    return 0
