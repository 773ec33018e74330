"""Cut a typed answer into tokens, each with its column in the text as typed."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from specquiz.answers import latex
from specquiz.answers.characters import canonical, greek_word, meaningless, superscript, vulgar_fraction
from specquiz.answers.numerals import ARGUMENT_RUN, RUN, read_numeral
from specquiz.answers.verdict import Refusal
from specquiz.answers.vocabulary import FUNCTIONS, Vocabulary

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
_SUBSCRIPT = re.compile(r"_(?:\{([A-Za-z0-9]+)\}|([A-Za-z0-9]+))")
_EXPONENT = re.compile(r" ?([eE])([-+]?\d+)")
_RANGE = re.compile(r"(?<!\.)\.\.(?!\.)")
"""Parts the bounds of a sum's index, as in `i=0..4`."""
_SYMBOLS = frozenset("+-*/^(){}[],|=_√!~")
_COMPARISONS = frozenset("<>≠")
_ROUNDED = {"⌊": "floor", "⌈": "ceil"}


class Token(NamedTuple):
    """A piece of the text. `kind` is `number`, `name`, `sum`, `frac`, `end`, `..`, or the symbol itself."""

    kind: str
    at: int
    text: str
    value: Fraction | None = None


def tokenise(text: str, vocabulary: Vocabulary) -> tuple[list[Token], list[str]]:
    """The tokens of `text`, ending with one of kind `end`, and notes on how its numbers were read.

    Raises:
        Refusal: a character or command has no meaning here, or a number is malformed.
    """
    tokeniser = _Tokeniser(canonical(text, vocabulary.greek_capitals), vocabulary)
    tokeniser.run()
    tokeniser.add("end", len(text.rstrip()), "")
    return tokeniser.tokens, tokeniser.notes


class _Tokeniser:
    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.text = text
        self.vocabulary = vocabulary
        self.tokens: list[Token] = []
        self.notes: list[str] = []
        self.calls: list[bool] = []
        """For each open bracket, whether it holds the arguments of a function."""

    def add(self, kind: str, at: int, text: str, value: Fraction | None = None) -> None:
        if kind in ("(", "{"):
            self.calls.append(self.opens_list(kind))
        elif kind in (")", "}") and self.calls:
            self.calls.pop()
        self.tokens.append(Token(kind, at, text, value))

    def run(self) -> None:
        text, at = self.text, 0
        while at < len(text):
            character = text[at]
            if character == " ":
                at += 1
            elif character.isdecimal() or (character == "." and text[at + 1 : at + 2].isdecimal()):
                at = self.number(at)
            elif character in _SYMBOLS:
                at = self.symbol(at)
            elif character.isascii() and character.isalpha():
                match = _WORD.match(text, at)
                assert match
                at = self.word(match[0], at, match.end())
            elif character == "\\":
                at = latex.command(self, at)
            else:
                at = self.unusual(at)

    def number(self, at: int) -> int:
        in_call = bool(self.calls) and self.calls[-1]
        match = (ARGUMENT_RUN if in_call else RUN).match(self.text, at)
        assert match
        run, end, exponent = match[0], match.end(), 0
        if self.tokens and self.tokens[-1].kind == "=" and _RANGE.search(run):
            run = run.partition("..")[0]
            end = at + len(run)
        if "..." in run:
            raise _ellipsis(at + run.index("..."))
        scientific = _EXPONENT.match(self.text, end)
        if scientific and scientific[1] not in self.vocabulary.spellings:
            exponent, end = int(scientific[2][:6]), scientific.end()
            if self.text[end : end + 1] == ".":
                raise Refusal("The power of ten after “e” must be a whole number.", end)
        numeral = read_numeral(run, exponent, at)
        if numeral.note:
            self.notes.append(numeral.note)
        self.add("number", at, self.text[at:end], numeral.value)
        return end

    def word(self, word: str, at: int, end: int) -> int:
        """A name, joined with the subscript that follows it."""
        if subscript := _SUBSCRIPT.match(self.text, end):
            word, end = f"{word}_{subscript[1] or subscript[2]}", subscript.end()
        self.add("name", at, word)
        return end

    def symbol(self, at: int) -> int:
        character, pair = self.text[at], self.text[at : at + 2]
        if pair == "**":
            self.add("^", at, "**")
            return at + 2
        if pair == "//":
            raise Refusal("“//” has no meaning here. Divide with one “/”.", at)
        if pair in ("==", "!=", "~="):
            raise _comparison(at)
        self.add(character, at, character)
        return at + 1

    def opens_list(self, bracket: str) -> bool:
        """Whether commas part the contents of a bracket here: arguments, a group among them, or a set in braces."""
        before = self.tokens[-1].kind if self.tokens else ""
        if before == "name":
            word = self.tokens[-1].text
            return word in FUNCTIONS and word not in self.vocabulary.spellings
        if bracket == "{":
            return before not in ("^", "_", "frac", "√", "}")
        return before == "sum" or (before in ("(", ",") and bool(self.calls) and self.calls[-1])

    def unusual(self, at: int) -> int:
        text, character = self.text, self.text[at]
        if character == "Σ" and "Sigma" not in self.vocabulary.spellings:
            self.add("sum", at, character)
            return at + 1
        if word := greek_word(character):
            return self.word(word, at, at + 1)
        if superscript(character):
            return self.raised(at)
        if fraction := vulgar_fraction(character):
            self.fraction(Fraction(*fraction), at)
            return at + 1
        if _RANGE.match(text, at) and [token.kind for token in self.tokens[-2:]] == ["=", "number"]:
            self.add("..", at, "..")
            return at + 2
        if character in "⌊⌈":
            self.add("name", at, _ROUNDED[character])
            self.add("(", at, character)
            return at + 1
        if character in "⌋⌉":
            self.add(")", at, character)
            return at + 1
        if character == "$" and (not text[:at].strip(" $") or not text[at:].strip(" $")):
            return at + 1
        raise _meaningless(text, at)

    def raised(self, at: int) -> int:
        """A run of superscripts is an exponent in brackets."""
        end = at
        characters = []
        while end < len(self.text) and (character := superscript(self.text[end])):
            characters.append(character)
            end += 1
        inner = _Tokeniser("".join(characters), self.vocabulary)
        inner.run()
        self.add("^", at, "^")
        self.add("(", at, "(")
        self.tokens += [token._replace(at=token.at + at) for token in inner.tokens]
        self.add(")", end - 1, ")")
        return end

    def fraction(self, value: Fraction, at: int) -> None:
        """½ is a number; straight after a whole number it makes a mixed one, so that 2½ is 5/2."""
        last = self.tokens[-1] if self.tokens else None
        if last and last.value is not None and last.text.isdecimal() and last.at + len(last.text) == at:
            self.tokens[-1] = Token("number", last.at, last.text + self.text[at], last.value + value)
        else:
            self.add("number", at, self.text[at], value)


def _meaningless(text: str, at: int) -> Refusal:
    character = text[at]
    if character in _COMPARISONS:
        return _comparison(at)
    if character == "…" or text.startswith("...", at):
        return _ellipsis(at)
    return Refusal(_REMEDIES[character], at) if character in _REMEDIES else meaningless(character, at)


_REMEDIES = {
    ".": "A point may only stand inside a number, such as 2.5.",
    "∞": "The answer is a finite number; ∞ is not one.",
    "±": "Give one value: either + or −.",
    "%": "The percent sign may only stand once, at the end of a number.",
    ":": "“:” has no meaning here. Divide with “/”.",
    ";": "“;” has no meaning here. Give one answer.",
    "'": "“'” may only group the digits of a number, as in 1'234.",
    "$": "“$” may only stand at the two ends of the formula.",
}


def _ellipsis(at: int) -> Refusal:
    return Refusal("“…” leaves terms to guess. Write every term, or a sum: Sum(a^i, (i, 0, K)).", at)


def _comparison(at: int) -> Refusal:
    return Refusal("Give a value, not a comparison.", at)
