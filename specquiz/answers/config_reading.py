"""Read a configuration as people write one: JSON, a YAML-like mapping, lines of keys with values, or vLLM's flags.

A small reader of its own: nothing is evaluated, the text and its nesting are bounded, and what cannot be read is
refused with its place.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn

from specquiz.answers.configuration import spelling
from specquiz.answers.verdict import Refusal

LONGEST = 10_000
"""Characters that are looked at."""
DEEPEST = 6
"""Brackets within brackets."""

_SHORT_FLAGS = {"sc": "speculative_config", "tp": "tensor_parallel_size", "pp": "pipeline_parallel_size"}
_OUT_OF_PLACE = {
    "{": "A comma is missing before this brace.",
    "}": "This brace closes nothing.",
    '"': "This quotation mark stands in the midst of a value.",
}
"""What no value without quotation marks holds."""
_CONSTANTS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "None", "~", "Null", "NULL"), None),
}
_WHOLE = re.compile(r"[-+]?[0-9]{1,30}")
_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,30}\.[0-9]*|\.[0-9]+|[0-9]{1,30}(?=[eE]))(?:[eE][-+]?[0-9]{1,3})?")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NEXT_PAIR = re.compile(r"(?<![ \t])[ \t]+[A-Za-z_][A-Za-z0-9_.-]*=")
"""Ends a bare value where pairs stand in one line with spaces between: `method=ngram num_speculative_tokens=4`. Spaces
are looked at from the first on, so that many of them take no longer than they are."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_UNICODE = re.compile(r"u(?!d[89a-fA-F])([0-9a-fA-F]{4})", re.IGNORECASE)
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_CURLY = "“”„‟‘’‚‛"
_FLAG = re.compile(r"\s*(?:--?[A-Za-z]|vllm\s+serve\b)")
_ASSIGNED = re.compile(r"\s*(?:speculative[_-]config)\s*[:=]\s*(?=\{)")


class Written(NamedTuple):
    """A configuration as read."""

    values: dict[str, Any]
    """Key, in vLLM's spelling, to its value; a nested configuration is a `dict`."""
    flags: bool
    """Whether it was written as flags of the command line."""


def read_configuration(text: str) -> Written:
    """Read what was typed.

    Raises:
        Refusal: it cannot be read; with the column of the text where that shows.
    """
    if len(text) > LONGEST:
        raise Refusal(f"That is {len(text)} characters long; a configuration has at most {LONGEST}.")
    if not text.strip():
        raise Refusal("Write the configuration: a JSON object, keys with values, or flags.")
    for place, character in enumerate(text):
        if character in _CURLY:
            raise Refusal("This is a typographic quotation mark; use a straight one.", place)
    if _FLAG.match(text):
        return Written(_Flags(text).read(), flags=True)
    assigned = _ASSIGNED.match(text)
    reader = _Reader(text, assigned.end() if assigned else 0)
    values = reader.mapping_alone() if reader.peek() == "{" else reader.lines()
    return Written(values, flags=False)


def goes_on(line: str) -> bool:
    """Whether a first line may have others after it: a brace is open, a backslash ends it, or it is keys and values."""
    if _FLAG.match(line):
        return line.endswith("\\")
    try:
        read_configuration(line)
    except Refusal as refusal:
        return "never closed" in refusal.message
    return not line.lstrip().startswith("{")


class _Reader:
    """One pass over a text, from a place in it to the end or another place."""

    def __init__(self, text: str, at: int = 0, end: int | None = None) -> None:
        self._text = text[:end]
        self._at = at

    def peek(self) -> str:
        """The next character that is no space, or nothing."""
        self._skip()
        return self._text[self._at : self._at + 1]

    def mapping_alone(self) -> dict[str, Any]:
        """A mapping in braces, and nothing after it."""
        values = self._mapping(1)
        if self.peek() == ",":
            self._at += 1
        if self.peek():
            self._refuse("Nothing belongs after the closing brace.")
        return values

    def lines(self) -> dict[str, Any]:
        """Keys with values, one a line or with commas between; deeper lines belong to the key above them."""
        values: dict[str, Any] = {}
        nested: dict[str, Any] | None = None
        inner = 0
        while self.peek():
            if self.peek() == ",":
                self._at += 1
                continue
            indent = self._indent()
            if nested is not None and not inner:
                inner = indent
            into = nested if nested is not None and indent >= inner > 0 else values
            key, at = self._key()
            if self._rest_of_line():
                self._put(into, key, self._value(1, ends=",\n"), at)
            else:
                nested, inner = {}, 0
                self._put(values, key, nested, at)
        return values

    def _rest_of_line(self) -> bool:
        """Whether a value stands behind a key on its line."""
        line = self._text[self._at :].split("\n", 1)[0]
        return bool(line.partition(" #")[0].strip())

    def _indent(self) -> int:
        return self._at - (self._text.rfind("\n", 0, self._at) + 1)

    def _mapping(self, depth: int) -> dict[str, Any]:
        opened = self._open(depth)
        values: dict[str, Any] = {}
        while self.peek() != "}":
            if not self.peek():
                self._refuse("This brace is never closed.", opened)
            key, at = self._key()
            self._put(values, key, self._value(depth + 1, ends=",}\n"), at)
            self._separate("}")
        self._at += 1
        return values

    def _list(self, depth: int) -> list[Any]:
        closing = _CLOSING[self.peek()]
        opened = self._open(depth)
        values = []
        while self.peek() != closing:
            if not self.peek():
                self._refuse("This bracket is never closed.", opened)
            values.append(self._value(depth + 1, ends=f",{closing}\n"))
            self._separate(closing)
        self._at += 1
        return values

    def _open(self, depth: int) -> int:
        if depth > DEEPEST:
            self._refuse(f"Brackets go deeper than {DEEPEST} levels here.")
        self._at += 1
        return self._at - 1

    def _separate(self, closing: str) -> None:
        if self.peek() == ",":
            self._at += 1
        elif self.peek() not in (closing, ""):
            self._refuse("A comma is missing before this.")

    def _key(self) -> tuple[str, int]:
        """A key with the sign behind it, and where it began."""
        self._skip()
        at = self._at
        if self.peek() in "\"'":
            key = self._quoted()
        else:
            found = _KEY.match(self._text, self._at)
            if found is None:
                self._refuse("Here a key is expected, such as method or num_speculative_tokens.")
            key = found[0]
            self._at = found.end()
        if self.peek() not in (":", "="):
            self._refuse(f"After {key} a colon or an equals sign is expected, and then the value.")
        self._at += 1
        return spelling(key), at

    def _value(self, depth: int, ends: str) -> Any:
        while self._text[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1
        first = self.peek()
        if first == "{":
            return self._mapping(depth)
        if first and first in "[(":
            return self._list(depth)
        if first and first in "\"'":
            return self._quoted()
        return self._bare(ends)

    def _bare(self, ends: str) -> Any:
        at = self._at
        while self._at < len(self._text) and self._text[self._at] not in ends:
            if self._text.startswith(" #", self._at) or _NEXT_PAIR.match(self._text, self._at):
                break
            if self._text[self._at] in _OUT_OF_PLACE:
                self._refuse(_OUT_OF_PLACE[self._text[self._at]])
            self._at += 1
        word = self._text[at : self._at].strip()
        if not word:
            self._refuse("A value is missing here.", at)
        return scalar(word)

    def _quoted(self) -> str:
        quote, at = self._text[self._at], self._at
        self._at += 1
        parts: list[str] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character == quote:
                return "".join(parts)
            if character == "\\" and self._at < len(self._text):
                character = self._escaped()
            parts.append(character)
        raise Refusal("This quotation mark is never closed.", at)

    def _escaped(self) -> str:
        """The character that a backslash and what follows it stand for."""
        code = _UNICODE.match(self._text, self._at)
        if code is not None:
            self._at = code.end()
            return chr(int(code[1], 16))
        self._at += 1
        letter = self._text[self._at - 1]
        return _ESCAPES.get(letter, letter)

    def _put(self, values: dict[str, Any], key: str, value: Any, at: int) -> None:
        if key in values:
            self._refuse(f"The key {key} comes twice.", at)
        values[key] = value

    def _skip(self) -> None:
        """Pass spaces, line ends and comments."""
        while self._at < len(self._text):
            if self._text[self._at].isspace():
                self._at += 1
            elif self._text[self._at] == "#":
                self._at = (self._text.find("\n", self._at) + 1) or len(self._text)
            else:
                return

    def _refuse(self, message: str, at: int | None = None) -> NoReturn:
        raise Refusal(message, self._at if at is None else at)


class _Word(NamedTuple):
    """A word of a command line without its quotation marks, and where each of its characters stood."""

    text: str
    places: tuple[int, ...]
    at: int


class _Flags:
    """Flags with values, as a shell would take them apart."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = self._split()

    def read(self) -> dict[str, Any]:
        """Flag to value. A flag without one is true, `--no-…` is false."""
        values: dict[str, Any] = {}
        words = self._words
        if [word.text for word in words[:2]] == ["vllm", "serve"]:
            words = words[2:]
            if words and not _is_flag(words[0].text):
                values["model"] = words[0].text
                words = words[1:]
        place = 0
        while place < len(words):
            word = words[place]
            place += 1
            if not _is_flag(word.text):
                raise Refusal(f"{word.text} stands where a flag is expected, such as --speculative-config.", word.at)
            flag, equals, behind = word.text.partition("=")
            value = _Word(behind, word.places[len(flag) + 1 :], word.at) if equals else None
            if value is None and place < len(words) and not _is_flag(words[place].text):
                value = words[place]
                place += 1
            self._put(values, flag, value, word.at)
        return values

    def _put(self, values: dict[str, Any], flag: str, value: _Word | None, at: int) -> None:
        name = spelling(flag)
        name = _SHORT_FLAGS.get(name, name)
        outer, dot, inner = name.partition(".")
        into = values.setdefault(outer, {}) if dot else values
        if not isinstance(into, dict) or (inner or name) in into:
            raise Refusal(f"{flag} comes twice.", at)
        if value is None and name.startswith("no_"):
            into[name.removeprefix("no_")] = False
        else:
            into[inner or name] = True if value is None else self._value(value)

    def _value(self, word: _Word) -> Any:
        if not word.text.startswith("{"):
            return scalar(word.text)
        try:
            json.loads(word.text)
        except (ValueError, RecursionError) as error:
            at = getattr(error, "pos", 0)
            message = "On the command line this is JSON: keys and texts in double quotes, the whole in single ones."
            raise Refusal(message, word.places[at] if at < len(word.places) else len(self._text)) from None
        try:
            return _Reader(word.text).mapping_alone()
        except Refusal as refusal:
            at = word.places[refusal.at] if refusal.at is not None and refusal.at < len(word.places) else word.at
            raise Refusal(refusal.message, at) from None

    def _split(self) -> list[_Word]:
        words: list[_Word] = []
        at, text = 0, self._text
        while at < len(text):
            if text[at].isspace() or text.startswith("\\\n", at):
                at += 1
                continue
            start = at
            letters: list[tuple[str, int]] = []
            while at < len(text) and not text[at].isspace():
                if text[at] in "\"'":
                    end = self._end_of_quote(at)
                    letters += self._unquoted(at, end)
                    at = end + 1
                    continue
                at += text[at] == "\\"
                letters.append((text[at : at + 1], at))
                at += 1
            word = "".join(letter for letter, _ in letters)
            words.append(_Word(word, tuple(place for _, place in letters), start))
        return words

    def _unquoted(self, start: int, end: int) -> list[tuple[str, int]]:
        """The characters between two quotation marks; in double ones a backslash takes the meaning off some."""
        text, at, letters = self._text, start + 1, []
        while at < end:
            at += text[start] == '"' and text[at] == "\\" and text[at + 1] in '"\\$`'
            letters.append((text[at], at))
            at += 1
        return letters

    def _end_of_quote(self, at: int) -> int:
        quote, end = self._text[at], at + 1
        while end < len(self._text) and self._text[end] != quote:
            end += 2 if quote == '"' and self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise Refusal("This quotation mark is never closed.", at)
        return end


def _is_flag(word: str) -> bool:
    return bool(re.match(r"--?[A-Za-z]", word))


def scalar(word: str) -> Any:
    """What an unquoted word means: a truth value, nothing, a number, or the text itself."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if _WHOLE.fullmatch(word):
        return int(word)
    return float(word) if _NUMBER.fullmatch(word) else word
