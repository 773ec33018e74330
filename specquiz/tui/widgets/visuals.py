"""Two ways of setting text in a line that wraps well at any width."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual


class Hanging(Visual):
    """A label, and a text beside it that stays clear of the label's column in every line."""

    def __init__(self, label: Content, text: Visual) -> None:
        self._label = label
        self._text = text
        self._indent = label.cell_length

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        label = self._label.render_strips(self._indent, 1, style, options)
        blank = [Strip.blank(self._indent, style.rich_style)]
        lines = self._text.render_strips(max(1, width - self._indent), height, style, options)
        return [Strip.join([*(blank if row else label), line]) for row, line in enumerate(lines)]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._indent + self._text.get_optimal_width(rules, container_width)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self._text.get_height(rules, max(1, width - self._indent))


class Row(Visual):
    """A text on the left and a status on the right; where both do not fit, the status goes under the text."""

    GAP = 2

    def __init__(self, text: Content, status: Content) -> None:
        self._text = text
        self._status = status

    def _content(self, width: int) -> Content:
        gap = width - self._text.cell_length - self._status.cell_length
        if not self._status or gap >= self.GAP:
            return Content.assemble(self._text, " " * max(0, gap), self._status)
        return Content.assemble(self._text, "\n", self._status)

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        return self._content(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:  # noqa: ARG002
        return self._text.cell_length + self.GAP + self._status.cell_length

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self._content(width).get_height(rules, width)


class Lines(Visual):
    """Lines; where one of plain text wraps, its further lines keep its indent."""

    def __init__(self, lines: Iterable[str | Visual]) -> None:
        self._lines = [_hanging(line) if isinstance(line, str) else line for line in lines]

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        strips = [strip for line in self._lines for strip in line.render_strips(width, None, style, options)]
        return strips if height is None else strips[:height]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return max((line.get_optimal_width(rules, container_width) for line in self._lines), default=0)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return sum(line.get_height(rules, width) for line in self._lines)


def _hanging(line: str) -> Hanging:
    text = line.lstrip(" ")
    return Hanging(Content(" " * (len(line) - len(text))), Content(text))
