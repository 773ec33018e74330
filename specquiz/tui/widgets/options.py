"""A list of options, and a text to scroll, that are as high as their wrapped lines need."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.widgets import OptionList


class Options(OptionList):
    """A list whose height leaves room for the lines as they wrap beside a scrollbar.

    Measured without one, a line that only just fits would wrap once a scrollbar takes its column, and that one more
    line would keep the scrollbar there: the last option would stay hidden above an empty screen.
    """

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return super().get_content_height(container, viewport, width - self.styles.scrollbar_size_vertical)


class Text(VerticalScroll):
    """Something to read, whose height leaves room for its lines as they wrap beside a scrollbar; see `Options`."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return super().get_content_height(container, viewport, width - self.styles.scrollbar_size_vertical)
