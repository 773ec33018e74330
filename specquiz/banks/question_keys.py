"""How the keys of a question are read, where a type alone does not say it: ids, levels, choices, answers, tokens."""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import Any

from specquiz.banks import config_keys, order_keys, short_keys
from specquiz.banks.bounds import between, repeats, some
from specquiz.banks.decoding import FAILED, Decode, Decoders, sequence, text
from specquiz.banks.model import (
    AnyQuestion,
    Choice,
    ConfigQuestion,
    Misconception,
    MultiQuestion,
    NumericQuestion,
    OrderQuestion,
    ShortQuestion,
    SingleQuestion,
    SymbolicQuestion,
    TraceQuestion,
)
from specquiz.banks.naming import named
from specquiz.banks.parsing import MappingNode, Node, Report, ScalarNode, node_at
from specquiz.banks.problems import suggestion

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LEVELS = range(1, 5)
MOST_CHOICES = len(ascii_lowercase)


def slug(what: str) -> Decode:
    """A text of lower-case letters, digits and single hyphens."""
    as_text = text(what)

    def decode(node: Node, report: Report) -> Any:
        value = as_text(node, report)
        return value if value is FAILED or is_slug(value, node, report, what) else FAILED

    return decode


def is_slug(value: str, node: Node, report: Report, what: str) -> bool:
    """Whether a text has the form of a slug; if not, that is reported."""
    if SLUG.fullmatch(value):
        return True
    form = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
    hint = f", such as {form!r}" if form else ""
    message = f"{what} takes lower-case letters, digits and single hyphens{hint}, not {value!r}"
    report.error(node, "SQ207", message)
    return False


def _concepts(node: Node, report: Report) -> Any:
    """At least one slug, each once."""
    slugs = some(sequence(slug("each entry of 'concepts'"), "'concepts'"), "'concepts'")(node, report)
    return FAILED if slugs is FAILED or repeats(slugs, node, report, "SQ213", "the concept {!r} comes twice") else slugs


def _token_list(node: Node, report: Report) -> Any:
    """Tokens as a list, or as one text with spaces or commas between them."""
    if isinstance(node, ScalarNode):
        written = text("'answer'")(node, report)
        return FAILED if written is FAILED else tuple(re.split(r"[\s,]+", written.strip(" \n,")))
    return some(sequence(text("each token"), "'answer'"), "'answer'")(node, report)


def _token_line(node: Node, report: Report) -> Any:
    tokens = _token_list(node, report)
    return FAILED if tokens is FAILED else " ".join(tokens)


def _choices(node: Node, report: Report) -> Any:
    """The choices with `a`, `b`, … by place where the author gave no id; ids and texts must differ."""
    choices = sequence(_decode_choice, "'choices'")(node, report)
    if choices is FAILED:
        return FAILED
    if not 2 <= len(choices) <= MOST_CHOICES:
        report.error(node, "SQ211", f"a choice question has 2 to {MOST_CHOICES} choices, not {len(choices)}")
        return FAILED
    return named(choices, node, report, "choice")


def _answer_by_id(values: dict[str, Any], node: MappingNode, report: Report) -> None:
    """Turn the answer of a choice question, written as ids or texts, into ids."""
    choices, answer = values.get("choices", FAILED), values.get("answer", FAILED)
    if choices is FAILED or answer is FAILED:
        return
    at = node_at(node, "answer")
    if isinstance(answer, str):
        values["answer"] = _choice_named(answer, choices, at, report)
        return
    ids = tuple(_choice_named(name, choices, node_at(at, place), report) for place, name in enumerate(answer))
    twice = FAILED not in ids and repeats(ids, at, report, "SQ209", "the answer names the choice {!r} twice")
    values["answer"] = FAILED if twice or FAILED in ids else ids


def _choice_named(name: str, choices: tuple[Choice, ...], at: Node, report: Report) -> Any:
    """The id of the choice that has `name` as its id or as its exact text."""
    found = [choice.id for choice in choices if name in (choice.id, choice.text)]
    if len(found) == 1:
        return found[0]
    if found:
        report.error(at, "SQ214", f"{name!r} is the id of one choice and the text of another; give the choices ids")
    else:
        known = [known for choice in choices for known in (choice.id, choice.text)]
        report.error(at, "SQ210", f"the answer {name!r} is not among the choices{suggestion(name, known)}")
    return FAILED


_decode_choice = Decoders(shorthand={Choice: "text"}).of(Choice, "a choice")
_token_misconception = Decoders(fields={(Misconception, "answer"): _token_line}).of(Misconception, "a misconception")
_COMMON: dict[str, Decode] = {
    "id": slug("'id'"),
    "concepts": _concepts,
    "level": between("'level'", LEVELS[0], LEVELS[-1]),
    "seconds": between("'seconds'", 1, None),
}
_KINDS = (
    SingleQuestion,
    MultiQuestion,
    NumericQuestion,
    SymbolicQuestion,
    TraceQuestion,
    OrderQuestion,
    ConfigQuestion,
    ShortQuestion,
)

decode_question = Decoders(
    fields={
        **{(kind, name): decode for kind in _KINDS for name, decode in _COMMON.items()},
        (SingleQuestion, "choices"): _choices,
        (MultiQuestion, "choices"): _choices,
        (MultiQuestion, "answer"): some(sequence(text("each entry of 'answer'"), "'answer'"), "'answer'"),
        (TraceQuestion, "answer"): _token_list,
        (TraceQuestion, "misconceptions"): sequence(_token_misconception, "'misconceptions'"),
        (OrderQuestion, "items"): order_keys.items,
        (OrderQuestion, "misconceptions"): order_keys.misconceptions,
        **config_keys.FIELDS,
        **short_keys.FIELDS,
    },
    amend={
        SingleQuestion: _answer_by_id,
        MultiQuestion: _answer_by_id,
        OrderQuestion: order_keys.every_item_once,
        ConfigQuestion: config_keys.in_one_spelling,
        ShortQuestion: short_keys.levels_of_follow_ups,
    },
).of(AnyQuestion, "a question")
"""One question of any type."""
