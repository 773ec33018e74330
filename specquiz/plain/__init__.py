"""Sessions as plain lines: the same practice and mock interview for a pipe, a screen reader or a dumb terminal.

Every state is printed in full and nothing is ever redrawn. Commands start with a colon, so that no answer can be taken
for one. What happened is in the log before it is printed.
"""

from specquiz.plain.interview import hold_mock, say_mock_end
from specquiz.plain.practising import hold_practice

__all__ = ["hold_mock", "hold_practice", "say_mock_end"]
