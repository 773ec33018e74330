"""The names that a formula may use: those of the question, their other spellings, and the functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from specquiz.answers.characters import greek_letter, greek_word

FUNCTIONS: dict[str, str] = {
    **{name: name for name in ("sqrt", "exp", "ln", "log2", "log10", "abs", "min", "max", "floor", "ceil", "round")},
    "log": "ln",
    "log_2": "log2",
    "log_10": "log10",
    "ceiling": "ceil",
    "Sum": "sum",
    "sum": "sum",
    "Min": "min",
    "Max": "max",
    "Abs": "abs",
}
"""What a function may be called, and the function it is."""

OFFERED = "sqrt, exp, ln (also log), log2, log10, abs, min, max, floor, ceil, round, Sum"


class Vocabulary:
    """The question's names and every spelling of them.

    Args:
        names: the variables of the domain.
        aliases: further spellings, alias to name.

    Raises:
        ValueError: an alias stands for a name that the domain does not declare, or for two.
    """

    __slots__ = ("greek_capitals", "names", "spellings")

    def __init__(self, names: Sequence[str], aliases: Mapping[str, str]) -> None:
        self.names = tuple(names)
        self.spellings = {name: name for name in names}
        for alias, name in aliases.items():
            spelled, meant = spelled_out(alias), spelled_out(name)
            if meant not in self.names:
                raise ValueError(f"the alias {alias} stands for {name}, which the domain does not declare")
            if self.spellings.setdefault(spelled, meant) != meant:
                raise ValueError(f"{alias} cannot stand for both {self.spellings[spelled]} and {name}")
        letters = (greek_letter(spelling) for spelling in self.spellings)
        self.greek_capitals = "".join(letter for letter in letters if letter and letter.isupper())

    def products(self, word: str, scope: Iterable[str]) -> list[tuple[str, ...]]:
        """The ways, at most two, to read `word` as names side by side (`2LHD`); a function may come last."""
        known = {*self.spellings, *scope}
        longest = max(map(len, known), default=0)
        ends: list[list[tuple[str, ...]]] = [[()]]
        """The ways to read what lies behind each place, from the end of the word backwards."""
        for start in reversed(range(len(word))):
            ways: list[tuple[str, ...]] = [(word[start:],)] if start and word[start:] in FUNCTIONS else []
            for size in range(1, min(longest, len(word) - start) + 1):
                if (name := word[start : start + size]) in known:
                    ways += [(name, *rest) for rest in ends[len(word) - start - size]]
            ends.append(ways[:2])
        return ends[-1]

    def near(self, word: str) -> list[str]:
        """Names close to `word`: another case first, then a slip of the fingers."""
        same = [name for name in self.spellings if name.lower() == word.lower()]
        if same or not self.spellings or len(word) < 3:
            return same
        from difflib import get_close_matches

        return get_close_matches(word, list(self.spellings), n=2)


def shown(name: str) -> str:
    """The name as it is printed: a Greek letter where the name spells one."""
    head, mark, rest = name.partition("_")
    return (greek_letter(head) or head) + mark + rest


def spelled_out(name: str) -> str:
    """The name as formulas hold it: a Greek letter at its beginning spelled out."""
    return (greek_word(name[0]) or name[0]) + name[1:]
