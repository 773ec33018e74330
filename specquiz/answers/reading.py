"""Read a typed answer into an expression tree by precedence climbing. The grammar is the whitelist.

sum      = product (("+" | "-") product)*
product  = signed (("*" | "/" | nothing) signed)*        from left to right
signed   = ("+" | "-")* power
power    = operand ("^" ("+" | "-")* power)?             from right to left
operand  = number | name | "(" sum ")" | "|" sum "|" | function "(" sum ("," sum)* ")" | function operand | …
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from specquiz.answers import refusals
from specquiz.answers.expression import Call, Name, Negative, Node, Number, Operation, Sum
from specquiz.answers.tokens import Token, tokenise
from specquiz.answers.verdict import Refusal
from specquiz.answers.vocabulary import FUNCTIONS, Vocabulary

LONGEST = 400
"""Characters that an answer may have."""
DEEPEST = 40
"""How deep brackets, powers and functions may be nested."""

MOST_OPERATIONS = 150
"""Operations that an answer may hold."""

_CLOSING = {"(": ")", "{": "}"}
_LABEL = frozenset(("name", "number", *"()[]{},_|"))
_BEGINS_FACTOR = frozenset(("name", "(", "{", "√", "frac", "sum"))


class Reading(NamedTuple):
    """A formula as it was read."""

    tree: Node
    notes: tuple[str, ...]
    """What a reader might have understood otherwise."""


def read(text: str, vocabulary: Vocabulary) -> Reading:
    """Read `text`, using no names but the vocabulary's.

    Raises:
        Refusal: the text is not a formula of this grammar; says what to change and where.
    """
    if len(text) > LONGEST:
        raise Refusal(f"That is longer than {LONGEST} characters. Write it more briefly.", LONGEST)
    tokens, notes = tokenise(text, vocabulary)
    parser = _Parser(_without_label(tokens), vocabulary, notes)
    if parser.token.kind == "end":
        raise Refusal("Type an answer.", 0)
    tree = parser.sum()
    if parser.token.kind != "end":
        raise parser.unexpected()
    return Reading(tree, tuple(notes))


def _without_label(tokens: list[Token]) -> list[Token]:
    """Drop a leading `name =`, `name(…) =` or `≈`.

    Raises:
        Refusal: the text is an equation all the same.
    """
    depth, equals = 0, []
    for position, token in enumerate(tokens):
        depth += (token.kind in ("(", "{", "[")) - (token.kind in (")", "}", "]"))
        if token.kind in ("=", "~") and depth == 0:
            equals.append(position)
    if not equals:
        return tokens
    label, first = tokens[: equals[0]], tokens[equals[0]]
    if label and (label[0].kind != "name" or not _LABEL.issuperset(token.kind for token in label)):
        raise Refusal("Give one value, not an equation.", first.at)
    if first.kind == "~" and not label and tokens[1].kind not in ("number", "+", "-"):
        raise Refusal("“~” may only stand before a number.", first.at)
    if equals[1:] and equals[1] > equals[0] + 1:
        raise Refusal("Give one value, not an equation.", tokens[equals[1]].at)
    return tokens[equals[-1] + 1 :]


class _Parser:
    def __init__(self, tokens: list[Token], vocabulary: Vocabulary, notes: list[str]) -> None:
        self.tokens = tokens
        self.vocabulary = vocabulary
        self.notes = notes
        self.position = 0
        self.depth = 0
        self.operations = 0
        self.bars = 0
        """Bars of an absolute value that are open within the innermost brackets."""
        self.scope: list[str] = []
        """Indexes of the sums around this place."""

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.tokens[self.position]
        if token.kind != "end":
            self.position += 1
        return token

    def sum(self) -> Node:
        left = self.product()
        while self.token.kind in ("+", "-"):
            sign = self.take()
            left = self.operation(sign.kind, left, self.product(), sign.at)
        return left

    def product(self) -> Node:
        left = self.signed()
        divided = False
        while True:
            kind, at = self.token.kind, self.token.at
            if kind in ("*", "/"):
                self.take()
                divided = divided or kind == "/"
                left = self.operation(kind, left, self.signed(), at)
            elif kind in _BEGINS_FACTOR or (kind == "|" and not self.bars):
                if divided:
                    self.note(
                        "Products are read from left to right: x/y z is (x/y)·z. Put y z in brackets to divide by both."
                    )
                left = self.operation("*", left, self.power(), at)
            elif kind == "number":
                raise refusals.stray_number(self.token, self.tokens[self.position - 1])
            else:
                return left

    def signed(self) -> Node:
        minus = False
        while self.token.kind in ("+", "-"):
            minus ^= self.take().kind == "-"
        node = self.power()
        return Negative(node) if minus else node

    def power(self) -> Node:
        base = self.operand()
        if self.token.kind != "^":
            return base
        at = self.take().at
        self.descend(at)
        minus = False
        while self.token.kind in ("+", "-"):
            minus ^= self.take().kind == "-"
        exponent = self.power()
        self.depth -= 1
        return Operation("^", base, Negative(exponent) if minus else exponent, at)

    def operand(self) -> Node:
        token = self.token
        match token.kind:
            case "number":
                self.take()
                assert token.value is not None
                return Number(token.value)
            case "name":
                return self.named()
            case "(" | "{":
                return self.bracketed()
            case "|":
                return self.absolute()
            case "√":
                self.take()
                self.descend(token.at)
                root = Call("sqrt", (self.operand(),), token.at)
                self.depth -= 1
                return root
            case "frac":
                self.take()
                over, under = self.braced(token), self.braced(token)
                return Operation("/", over, under, token.at)
            case "sum":
                self.take()
                return self.summation(token)
        raise self.unexpected()

    def bracketed(self) -> Node:
        inner = self.group()
        if len(inner) > 1:
            raise Refusal("Give one value, not a list.", self.tokens[self.position - 1].at)
        return inner[0]

    def group(self) -> list[Node]:
        """What stands in brackets, parted by commas."""
        opening = self.take()
        self.descend(opening.at)
        bars, self.bars = self.bars, 0
        inner = [self.sum()]
        while self.token.kind == ",":
            self.take()
            inner.append(self.sum())
        self.close(opening)
        self.bars = bars
        self.depth -= 1
        return inner

    def close(self, opening: Token) -> None:
        if self.token.kind == "end":
            raise Refusal(f"The bracket “{opening.text}” is never closed.", opening.at)
        if self.token.kind != _CLOSING[opening.kind]:
            raise self.unexpected()
        self.take()

    def braced(self, command: Token) -> Node:
        if self.token.kind not in ("{", "("):
            raise Refusal(f"Write {command.text}{{…}}{{…}} with both parts in braces.", self.token.at)
        return self.bracketed()

    def absolute(self) -> Node:
        opening = self.take()
        self.descend(opening.at)
        self.bars += 1
        inner = self.sum()
        if self.token.kind != "|":
            raise self.unexpected() if self.token.kind != "end" else Refusal("The bar “|” is never closed.", opening.at)
        self.take()
        self.bars -= 1
        self.depth -= 1
        return Call("abs", (inner,), opening.at)

    def named(self) -> Node:
        token = self.token
        if token.text in self.scope:
            self.take()
            return Name(token.text)
        if spelled := self.vocabulary.spellings.get(token.text):
            self.take()
            return Name(spelled)
        if function := FUNCTIONS.get(token.text):
            self.take()
            return self.summation(token) if function == "sum" else self.call(token, function)
        self.split(token)
        return self.named()

    def split(self, token: Token) -> None:
        """Replace a word by what it runs together, such as `LHD` by `L H D` and `ln2` by `ln 2`."""
        function = token.text.rstrip("0123456789")
        if function in ("ln", "sqrt", "exp") and function != token.text:
            digits, at = token.text.removeprefix(function), token.at + len(function)
            number = Token("number", at, digits, Fraction(digits))
            self.tokens[self.position : self.position + 1] = [token._replace(text=function), number]
            return
        products = self.vocabulary.products(token.text, self.scope)
        if not products:
            raise refusals.unknown(token, self.tokens[self.position + 1], self.vocabulary)
        if len(products) > 1:
            one, other = (" · ".join(product) for product in products)
            raise Refusal(f"“{token.text}” could be {one} or {other}. Put “*” between the factors.", token.at)
        at, pieces = token.at, []
        for name in products[0]:
            pieces.append(Token("name", at, name))
            at += len(name)
        self.tokens[self.position : self.position + 1] = pieces

    def call(self, token: Token, function: str) -> Node:
        self.descend(token.at)
        if self.token.kind in ("(", "{"):
            arguments = self.group()
        elif function in ("min", "max") or self.token.kind not in ("number", "name", "|", "√", "frac"):
            raise Refusal(f"Put what {token.text} applies to in brackets: {token.text}(…).", self.token.at)
        else:
            arguments = [self.power()]
            if self.token.kind in _BEGINS_FACTOR or self.token.kind == "number":
                raise Refusal(f"Show with brackets how far {token.text} reaches: {token.text}(…).", token.at)
        self.depth -= 1
        if function in ("min", "max"):
            if len(arguments) < 2:
                raise Refusal(f"{token.text} takes two values or more: {token.text}(p, q).", token.at)
        elif len(arguments) > 1:
            raise Refusal(f"{token.text} takes one value.", token.at)
        return Call(function, tuple(arguments), token.at)

    def summation(self, token: Token) -> Node:
        self.descend(token.at)
        if self.token.kind == "_":
            node = self.sigma(token)
        elif self.token.kind == "(":
            node = self.sum_call(token)
        else:
            raise refusals.boundless(token)
        self.depth -= 1
        return node

    def sigma(self, token: Token) -> Node:
        """`_{i=0}^{K} term`; the term reaches to the next + or −."""
        self.take()
        opening = self.take()
        index = self.take()
        if opening.kind not in _CLOSING or index.kind != "name" or self.take().kind != "=":
            raise refusals.boundless(token)
        low = self.sum()
        self.close(opening)
        if self.take().kind != "^":
            raise refusals.boundless(token)
        high = self.operand()
        return Sum(self.with_index(index, self.product), index.text, low, high, token.at)

    def sum_call(self, token: Token) -> Node:
        """`(term, (i, low, high))`, also `(term, i, low, high)`, `(term, i=low, high)` and `(term, i=0..high)`."""
        index = self.find_index()
        if index is None:
            raise refusals.boundless(token)
        opening = self.take()
        bars, self.bars = self.bars, 0
        term = self.with_index(index, self.sum)
        self.expect(",", token)
        inner = self.take() if self.token.kind == "(" else None
        self.take()
        if self.take().kind not in (",", "="):
            raise refusals.boundless(token)
        low = self.sum()
        self.expect(".." if self.token.kind == ".." else ",", token)
        high = self.sum()
        if inner:
            self.close(inner)
        self.close(opening)
        self.bars = bars
        return Sum(term, index.text, low, high, token.at)

    def find_index(self) -> Token | None:
        """The name after the first comma that parts the arguments of the sum whose bracket comes next."""
        depth = 0
        for position in range(self.position, len(self.tokens) - 3):
            kind = self.tokens[position].kind
            depth += (kind in ("(", "{")) - (kind in (")", "}"))
            if depth == 0:
                return None
            if kind == "," and depth == 1:
                place = position + 2 if self.tokens[position + 1].kind == "(" else position + 1
                index, after = self.tokens[place : place + 2]
                return index if index.kind == "name" and after.kind in (",", "=") else None
        return None

    def expect(self, kind: str, token: Token) -> None:
        if self.take().kind != kind:
            raise refusals.boundless(token)

    def with_index(self, index: Token, parse: Callable[[], Node]) -> Node:
        if index.text in self.vocabulary.spellings or index.text in FUNCTIONS:
            raise Refusal(f"{index.text} already has a meaning. Call the index of the sum i or j.", index.at)
        self.scope.append(index.text)
        term = parse()
        self.scope.pop()
        return term

    def operation(self, sign: str, left: Node, right: Node, at: int) -> Node:
        self.operations += 1
        if self.operations > MOST_OPERATIONS:
            raise Refusal("That has too many terms and factors to check. Write it more briefly.", at)
        return Operation(sign, left, right, at)

    def descend(self, at: int) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refusal("That is nested too deeply to check. Write it more simply.", at)

    def note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def unexpected(self) -> Refusal:
        return refusals.unexpected(self.token, self.tokens[self.position - 1] if self.position else None)
