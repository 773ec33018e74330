"""From where a person wants to start to the screen that holds the session."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from specquiz.sessions.engine import replay
from specquiz.sessions.history import latest_attempts
from specquiz.sessions.mock import Mock, start_mock
from specquiz.sessions.practice import resume_practice, start_practice
from specquiz.tui.screens.mock import MockScreen
from specquiz.tui.screens.practice import PracticeScreen
from specquiz.tui.start import MockStart, PracticeStart, ResumeStart

if TYPE_CHECKING:
    from specquiz.tui.desk import Desk


def screen_for(
    desk: Desk, start: PracticeStart | MockStart | ResumeStart, clock: Callable[[], float]
) -> PracticeScreen | MockScreen:
    """Begin or resume the session that `start` names.

    Raises:
        SpecquizError: there is no such bank, or nothing to ask.
    """
    library, record = desk.library, desk.log.append
    match start:
        case PracticeStart():
            history = latest_attempts(desk.log.events())
            only = {key for key, attempt in history.items() if not attempt.right} if start.missed_only else None
            if start.question:
                only = {(bank, start.question) for bank in start.banks}
            practice = start_practice(
                library,
                start.banks,
                count=start.count,
                seed=_seed(start.seed),
                record=record,
                clock=clock,
                only=only,
                history=history,
            )
            return PracticeScreen(practice)
        case MockStart():
            mock = start_mock(
                library,
                start.banks,
                minutes=start.minutes,
                seed=_seed(start.seed),
                record=record,
                clock=clock,
                count=start.count,
                written=start.written,
            )
            return MockScreen(mock, report=start.report)
        case ResumeStart():
            session = replay(desk.log.events(start.session))
            if session.mode == "practice":
                return PracticeScreen(resume_practice(library, session, record, clock))
            return MockScreen(Mock(library, session, record, clock), resumed=True, report=start.report)


def _seed(given: int | None) -> int:
    return secrets.randbelow(2**31) if given is None else given
