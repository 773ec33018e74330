"""The JSON Schema of a bank's YAML, for editors: made from the records, with the sentence under each field.

It says what may be written, which is more than the records hold: a choice may be a bare text, tokens one line, and a
number may stand wherever a text is wanted, since the loader keeps the text as written.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import typing
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal

import msgspec

from specquiz.banks import config_keys, order_keys, short_keys
from specquiz.banks.model import (
    AnyQuestion,
    Bank,
    Choice,
    ConfigMisconception,
    ConfigQuestion,
    FollowUp,
    Misconception,
    OrderItem,
    OrderQuestion,
    Question,
    RubricPoint,
    ShortQuestion,
    TraceQuestion,
)
from specquiz.banks.naming import OPTION_ID
from specquiz.banks.question_keys import LEVELS, SLUG

FILE = "specquiz.schema.json"
"""The schema's file, beside the banks that name it in their first line."""

Schema = dict[str, Any]

_TEXT: Schema = {"type": ["string", "number", "boolean"]}
_TOKENS: Schema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_IDS: Schema = {"type": "array", "items": {"type": ["string", "number"]}, "minItems": order_keys.FEWEST_ITEMS}
_KEYS: Schema = {"type": "object", "minProperties": 1}
_GRADE: Schema = {"enum": list(short_keys.GRADES)}
_SLUG: Schema = {"type": "string", "pattern": f"^{SLUG.pattern}$"}

# What the loader checks beyond a field's type, and the shorter ways of writing that it takes.
_SPECIAL: dict[tuple[type, str], Schema] = {
    (Bank, "id"): _SLUG,
    (Question, "id"): _SLUG,
    (Question, "concepts"): {"type": "array", "items": _SLUG, "minItems": 1, "uniqueItems": True},
    (Question, "level"): {"type": "integer", "minimum": LEVELS[0], "maximum": LEVELS[-1]},
    (Question, "seconds"): {"type": "integer", "minimum": 1},
    (Choice, "id"): {"type": ["string", "number"], "pattern": f"^{OPTION_ID.pattern}$"},
    (OrderItem, "id"): {"type": ["string", "number"], "pattern": f"^{OPTION_ID.pattern}$"},
    (TraceQuestion, "answer"): _TOKENS,
    (TraceQuestion, "misconceptions"): {"type": "array", "items": {"$ref": "#/$defs/TraceMisconception"}},
    (OrderQuestion, "items"): {
        "type": "array",
        "items": {"anyOf": [_TEXT, {"$ref": "#/$defs/OrderItem"}]},
        "minItems": order_keys.FEWEST_ITEMS,
        "maxItems": order_keys.MOST_ITEMS,
    },
    (OrderQuestion, "misconceptions"): {"type": "array", "items": {"$ref": "#/$defs/OrderMisconception"}},
    (ConfigQuestion, "answer"): _KEYS,
    (ConfigQuestion, "given"): {
        "type": "object",
        "properties": {name: {"type": "integer", "minimum": 1} for name in config_keys.FACTS},
        "additionalProperties": False,
    },
    (ConfigQuestion, "accept"): {
        "type": "object",
        "additionalProperties": {"anyOf": [{"const": config_keys.ANY}, {"type": ["array", "object"], "minItems": 1}]},
    },
    (ConfigMisconception, "where"): _KEYS,
    (RubricPoint, "weight"): {"type": "integer", "minimum": 1},
    (ShortQuestion, "rubric"): {
        "type": "array",
        "items": {"$ref": "#/$defs/RubricPoint"},
        "minItems": short_keys.FEWEST_POINTS,
        "maxItems": short_keys.MOST_POINTS,
    },
    (FollowUp, "grades"): {"anyOf": [_GRADE, {"type": "array", "items": _GRADE, "minItems": 1}]},
}

# What a field of its own type would not bring along.
_NAMED = (OrderItem, RubricPoint)


def bank_schema() -> Schema:
    """The schema of a bank's file (JSON Schema 2020-12)."""
    definitions: dict[str, Schema] = {}
    root = _record(Bank, definitions)
    for record in _NAMED:
        _kind(record, definitions)
    tokens = {**_TOKENS, "description": "The wrong token sequence, as a list or as one text."}
    ids = {**_IDS, "description": "The ids of all items in a wrong order."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "specquiz question bank",
        **root,
        "$defs": dict(
            sorted(
                {
                    **definitions,
                    "TraceMisconception": _mistake(tokens, definitions),
                    "OrderMisconception": _mistake(ids, definitions),
                }.items()
            )
        ),
    }


def _mistake(answer: Schema, definitions: dict[str, Schema]) -> Schema:
    """A misconception whose answer is written in this way."""
    record = _record(Misconception, definitions)
    return {**record, "properties": {**record["properties"], "answer": answer}}


def schema_text() -> str:
    """The schema as it is shipped."""
    return json.dumps(bank_schema(), indent=2, ensure_ascii=False) + "\n"


def _record(record: type[msgspec.Struct], definitions: dict[str, Schema]) -> Schema:
    hints = typing.get_type_hints(record)
    tag_field, tag = record.__struct_config__.tag_field, record.__struct_config__.tag
    properties: dict[str, Schema] = {}
    required = []
    if tag_field:
        properties[tag_field] = {"const": tag}
        required.append(tag_field)
    for field in msgspec.structs.fields(record):
        special = next((_SPECIAL[kind, field.name] for kind in record.__mro__ if (kind, field.name) in _SPECIAL), None)
        what = special or _kind(hints[field.name], definitions)
        properties[field.encode_name] = {**what, "description": _sentence(record, field.name)}
        if field.required:
            required.append(field.encode_name)
    return {
        "description": _plain(record.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _kind(kind: Any, definitions: dict[str, Schema]) -> Schema:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is AnyQuestion:
        return _question(arguments, definitions)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind.__name__ not in definitions:
            # A record that holds records of its own kind finds itself here.
            definitions[kind.__name__] = {}
            definitions[kind.__name__] = _record(kind, definitions)
        reference = {"$ref": f"#/$defs/{kind.__name__}"}
        return {"anyOf": [_TEXT, reference]} if kind is Choice else reference
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _kind(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _kind(arguments[1], definitions)}
    if origin in (UnionType, typing.Union):
        (rest,) = (member for member in arguments if member is not NoneType)
        return _kind(rest, definitions)
    return {str: _TEXT, int: {"type": "integer"}, bool: {"type": "boolean"}}[kind]


def _question(kinds: tuple[type[msgspec.Struct], ...], definitions: dict[str, Schema]) -> Schema:
    """One case per type, so that an editor speaks of the type that is written and of no other."""
    for kind in kinds:
        _kind(kind, definitions)
    tags = [str(kind.__struct_config__.tag) for kind in kinds]
    lines = [f"{tag}: {_plain(kind.__doc__ or '')}" for tag, kind in zip(tags, kinds, strict=True)]
    return {
        "type": "object",
        "properties": {"type": {"enum": tags, "description": "\n".join(lines)}},
        "required": ["type"],
        "allOf": [
            {
                "if": {"properties": {"type": {"const": tag}}, "required": ["type"]},
                "then": {"$ref": f"#/$defs/{kind.__name__}"},
            }
            for tag, kind in zip(tags, kinds, strict=True)
        ],
    }


def _sentence(record: type, field: str) -> str:
    """The sentence under a field, in the class itself or the one it inherits the field from."""
    for kind in record.__mro__:
        if (kind.__name__, field) in _sentences(kind.__module__):
            return _sentences(kind.__module__)[kind.__name__, field]
    raise LookupError(f"{record.__name__}.{field} has no sentence under it")


@cache
def _sentences(module: str) -> dict[tuple[str, str], str]:
    """The sentences under fields of a module's classes, by class and field. Python keeps them in the source only."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    found = {}
    for body in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for field, below in zip(body.body, body.body[1:], strict=False):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[body.name, name] = _plain(text)
    return found


def _plain(text: str) -> str:
    return " ".join(text.split())
