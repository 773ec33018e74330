"""What each typed character stands for. Columns stay: `canonical` never changes the length of a text."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from specquiz.answers.verdict import Refusal

_MEANING = {
    **dict.fromkeys("−–—‐‑‒―﹣", "-"),
    **dict.fromkeys("×·⋅∙•∗⨯✕✖", "*"),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("≈∼≃≅", "~"),
    **dict.fromkeys("’‘ʼ′", "'"),
    **dict.fromkeys("∣❘", "|"),
    **dict.fromkeys("∑", "Σ"),
    **dict.fromkeys("\t\n\r", " "),
    "∞": "∞",
    "√": "√",
    "…": "…",
    "⋯": "…",
    "≤": "<",
    "≥": ">",
    "≠": "≠",
    "±": "±",
    "⌊": "⌊",
    "⌋": "⌋",
    "⌈": "⌈",
    "⌉": "⌉",
}

_LATIN_LOOKALIKES = dict(
    zip("аВЕКМНОРСТХеорсухіјѕАԛԝҮІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧοıℓ", "aBEKMHOPCTXeopcyxijsAqwYIJSABEZHIKMNOPTYXoil", strict=True)
)

_GREEK_NAMES = {"LAMDA": "lambda", "FINAL SIGMA": "sigma"}


@lru_cache(maxsize=512)
def greek_word(character: str) -> str | None:
    """`alpha` for α, `Sigma` for Σ, None for anything else."""
    name = unicodedata.name(character, "")
    for size, start in (("SMALL", "GREEK SMALL LETTER "), ("CAPITAL", "GREEK CAPITAL LETTER ")):
        if name.startswith(start):
            rest = name.removeprefix(start)
            word = _GREEK_NAMES.get(rest, rest.lower())
            if word.isalpha():
                return word if size == "SMALL" else word.capitalize()
    return None


@lru_cache(maxsize=512)
def greek_letter(word: str) -> str | None:
    """α for `alpha`, Σ for `Sigma`, None for a word that names no Greek letter."""
    size = "CAPITAL" if word[:1].isupper() else "SMALL"
    name = word.upper().replace("LAMBDA", "LAMDA")
    try:
        letter = unicodedata.lookup(f"GREEK {size} LETTER {name}")
    except KeyError:
        return None
    return letter if greek_word(letter) == word else None


@lru_cache(maxsize=1024)
def superscript(character: str) -> str | None:
    """The character that a superscript raises, such as `2` for ² and `K` for ᴷ."""
    raised = unicodedata.decomposition(character).split()
    if len(raised) == 2 and raised[0] == "<super>":
        return canonical(chr(int(raised[1], 16)), "")
    return None


@lru_cache(maxsize=1024)
def vulgar_fraction(character: str) -> tuple[int, int] | None:
    """Numerator and denominator of a character such as ½."""
    parts = unicodedata.normalize("NFKC", character).split("⁄")
    if character.isascii() or len(parts) != 2 or not all(part.isdecimal() for part in parts):
        return None
    return int(parts[0]), int(parts[1])


def canonical(text: str, names: str = "") -> str:
    """`text` with each character replaced by the one that the grammar knows, column by column.

    Dashes become `-`, multiplication signs `*`, wide and mathematical letters plain ones. Superscripts, vulgar
    fractions and Greek letters stay, for the tokeniser to expand.

    Args:
        text: what was typed.
        names: Greek capitals that the question declares although they look Latin.

    Raises:
        Refusal: a character has no meaning; it is named by its Unicode name.
    """
    if text.isascii():
        return text.translate(_BLANKS)
    return "".join(_canonical(character, column, names) for column, character in enumerate(text))


_BLANKS = {ord(blank): " " for blank in "\t\n\r"}


def _canonical(character: str, column: int, names: str) -> str:
    if character in _MEANING:
        return _MEANING[character]
    if character.isascii():
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    if character in _LATIN_LOOKALIKES and character not in names:
        latin = _LATIN_LOOKALIKES[character]
        raise Refusal(
            f"“{character}” is {_name(character)}; it only looks like the Latin letter {latin}. Type {latin}.", column
        )
    if greek_word(character) or vulgar_fraction(character) or superscript(character):
        return character
    kind = unicodedata.decomposition(character).partition(">")[0]
    plain = unicodedata.normalize("NFKC", character)
    if len(plain) == 1 and kind not in ("<sub", "<circle", "<square") and (plain.isascii() or greek_word(plain)):
        return plain
    raise meaningless(character, column)


def meaningless(character: str, column: int) -> Refusal:
    """The refusal of a character that stands for nothing; one that does not show is given by name only."""
    shown = f"“{character}”" if character.isprintable() else f"U+{ord(character):04X}"
    named = "" if character.isascii() else f" is {_name(character)}, which"
    return Refusal(f"{shown}{named} has no meaning here. Take it out.", column)


def _name(character: str) -> str:
    return unicodedata.name(character, "an unnamed character")
