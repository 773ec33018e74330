"""YAML text to a tree of nodes with positions. What banks must not use is refused here, before anything is built.

libyaml's events are read one by one into small nodes: the depth is known at each step, nothing recurses, and no
constructor of YAML's ever runs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Protocol

import msgspec
import yaml

from specquiz.banks.problems import Problem
from specquiz.banks.scalars import UNSEEN

MAX_BYTES = 2_000_000
MAX_DEPTH = 24

_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ODD_INDENT = re.compile("^[ \t]*[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]", re.MULTILINE)

# What YAML does not allow in a file beyond what `UNSEEN` holds already.
_FORBIDDEN = re.compile("[\ud800-\udfff\ufffe\uffff]")


class Mark(Protocol):
    """A place in the text; `line` and `column` count from 0, in characters."""

    @property
    def index(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class ScalarNode(msgspec.Struct, gc=False):
    """A text with the way it was written: `style` is `'`, `"`, `|`, `>` or, unquoted, empty."""

    value: str
    style: str
    start: Any
    end: Any


class SequenceNode(msgspec.Struct, gc=False):
    """A list."""

    items: list[Any]
    start: Any


class MappingNode(msgspec.Struct, gc=False):
    """Keys with values in the order written; nothing says yet that the keys differ."""

    pairs: list[tuple[Any, Any]]
    start: Any


class RefusedNode(msgspec.Struct, gc=False):
    """Something already reported, which nobody needs to look at again."""

    start: Any


Node = ScalarNode | SequenceNode | MappingNode | RefusedNode


class Report:
    """Collects what is wrong with one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = ""
        self.problems: list[Problem] = []

    def error(self, place: Mark | Node, code: str, message: str) -> None:
        """Note an error at a node or a mark."""
        mark = place.start if isinstance(place, Node) else place
        self.error_at(mark.line + 1, mark.column + 1, code, message)

    def error_at(self, line: int, column: int, code: str, message: str) -> None:
        """Note an error at a line and column that count from 1."""
        self.problems.append(Problem(self.path, line, column, code, "error", message))

    def warning(self, node: Node, code: str, message: str) -> None:
        """Note something doubtful at a node."""
        self.warning_at(node.start.line + 1, node.start.column + 1, code, message)

    def warning_at(self, line: int, column: int, code: str, message: str) -> None:
        """Note something doubtful at a line and column that count from 1."""
        self.problems.append(Problem(self.path, line, column, code, "warning", message))

    def place(self, index: int) -> tuple[int, int]:
        """Line and column, from 1, of a character of the text."""
        return self.text.count("\n", 0, index) + 1, index - self.text.rfind("\n", 0, index)


def read_text(report: Report) -> str | None:
    """The file's text, without a byte order mark. None if it cannot be read as text at all."""
    try:
        size = report.path.stat().st_size
        data = report.path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        report.error_at(1, 1, "SQ102", f"the file cannot be read: {error.strerror}")
        return None
    if size > MAX_BYTES:
        report.error_at(1, 1, "SQ104", f"the file has {size:,} bytes; {MAX_BYTES:,} are the most. Split the bank")
        return None
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        report.error_at(line, column, "SQ103", "the file is not UTF-8 from here on; save it as UTF-8")
        return None


def parse(text: str, report: Report) -> Node | None:
    """The tree of the only document in `text`, or None where there is none. Faults go to `report`."""
    report.text = text
    if not _seen(text, report):
        return None
    try:
        return _Events(text, report).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or "this is not YAML"
        if mark is None:
            report.error_at(1, 1, "SQ101", problem)
        elif "nesting depth" in problem:
            report.error(mark, "SQ105", _TOO_DEEP)
        else:
            report.error(mark, "SQ101", problem + _advice(problem, text, mark))
        return None
    except yaml.reader.ReaderError as error:
        found = _FORBIDDEN.search(text)
        line, column = report.place(found.start()) if found else (1, 1)
        report.error_at(line, column, "SQ101", f"YAML does not allow this character: {error.reason}")
        return None


def node_at(root: Node, *keys: str | int) -> Node:
    """The node that a path of keys and list places leads to, or the last one on the way that exists."""
    node = root
    for key in keys:
        if isinstance(node, MappingNode):
            found = next((value for name, value in node.pairs if getattr(name, "value", None) == key), None)
        elif isinstance(node, SequenceNode) and isinstance(key, int) and key < len(node.items):
            found = node.items[key]
        else:
            found = None
        if found is None:
            return node
        node = found
    return node


def _seen(text: str, report: Report) -> bool:
    """Report characters that nobody can see in the file itself. They would also upset the counting of lines."""
    for found in UNSEEN.finditer(text):
        line, column = report.place(found.start())
        message = f"the text holds U+{ord(found[0]):04X}, which nobody can see; take it out"
        report.error_at(line, column, "SQ112", message)
    for found in _ODD_INDENT.finditer(text):
        line, column = report.place(found.end() - 1)
        message = f"the line is indented with U+{ord(found[0][-1]):04X}, which YAML takes for text; use plain spaces"
        report.error_at(line, column, "SQ113", message)
    return not report.problems


def _advice(problem: str, text: str, mark: Mark) -> str:
    """What usually helps against a complaint of the YAML parser."""
    if text[mark.index : mark.index + 1] == "\t":
        return ". Indent with spaces, not tabs"
    if "mapping values are not allowed" in problem:
        return ". A text with ': ' in it needs quotes, or | and a new line"
    if "cannot start any token" in problem:
        return ". A text that begins with this character needs quotes"
    if "expected <block end>" in problem or "did not find expected" in problem:
        return ". Look at the indentation, and at brackets or quotes that begin or end a text: quote the whole text"
    if "unknown escape" in problem:
        return ". In double quotes a backslash is an escape: use single quotes, or | and a new line"
    return ""


class _Events:
    """One pass over the parser's events, which builds the tree."""

    def __init__(self, text: str, report: Report) -> None:
        self._text = text
        self._report = report
        self._next = _Parser(text).get_event
        self._tabs = "\t" in text

    def document(self) -> Node | None:
        self._next()
        start = self._next()
        if isinstance(start, yaml.StreamEndEvent):
            self._report.error_at(1, 1, "SQ106", "the file is empty")
            return None
        if start.tags or start.version not in (None, (1, 2)):
            self._report.error(start.start_mark, "SQ109", "only the directive %YAML 1.2 is allowed; take this one out")
        root = self._tree()
        if root is None:
            return None
        self._next()
        after = self._next()
        if not isinstance(after, yaml.StreamEndEvent):
            self._report.error(after.start_mark, "SQ107", "a second document begins here; a file holds exactly one")
        return root

    def _tree(self) -> Node | None:
        """The root node. Collections under way are on a stack, so depth is its height."""
        scalar, mapping, sequence, alias = (
            yaml.ScalarEvent,
            yaml.MappingStartEvent,
            yaml.SequenceStartEvent,
            yaml.AliasEvent,
        )
        top: list[Any] = []
        children = top
        stack: list[tuple[list[Any], Any]] = []
        while True:
            event = self._next()
            kind = event.__class__
            if kind is scalar:
                children.append(ScalarNode(event.value, event.style or "", event.start_mark, event.end_mark))
                if event.anchor is not None or event.tag is not None or self._tabs:
                    self._refuse(event)
            elif kind is mapping or kind is sequence:
                if len(stack) == MAX_DEPTH:
                    self._report.error(event.start_mark, "SQ105", _TOO_DEEP)
                    return None
                stack.append((children, event))
                children = []
                if event.anchor is not None or event.tag is not None or self._tabs:
                    self._refuse(event)
            elif kind is alias:
                message = "aliases (*name) are not allowed; write it out, or quote a text that begins with *"
                self._report.error(event.start_mark, "SQ108", message)
                children.append(RefusedNode(event.start_mark))
            else:
                finished = children
                children, start = stack.pop()
                if start.__class__ is mapping:
                    pairs = list(zip(finished[::2], finished[1::2], strict=True))
                    children.append(MappingNode(pairs, start.start_mark))
                else:
                    children.append(SequenceNode(finished, start.start_mark))
            if not stack:
                root: Node = top[0]
                return root

    def _refuse(self, event: Any) -> None:
        mark = event.start_mark
        if event.anchor is not None:
            self._report.error(mark, "SQ108", "anchors (&name) are not allowed; quote a text that begins with &")
        if event.tag is not None:
            self._report.error(mark, "SQ109", "tags (!name) are not allowed; quote a text that begins with !")
        if self._tabs and self._text[mark.index - 1 : mark.index] == "\t":
            self._report.error(mark, "SQ114", "a tab stands before this; YAML wants spaces")
