"""Nodes to typed records, directed by the records' own types, so that every error knows its line and column.

`Decoders` compiles a record's annotations once into functions `decode(node, report) -> value`; a value that cannot be
made is reported and comes back as `FAILED`, and decoding goes on, so that all errors are found in one pass.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple

import msgspec

from specquiz.banks.parsing import MappingNode, Node, RefusedNode, Report, ScalarNode, SequenceNode
from specquiz.banks.problems import closest, suggestion
from specquiz.banks.scalars import NULLS, as_float, as_int, as_truth, escaped_by_accident


class Failed:
    """The type of `FAILED`."""


FAILED: Final = Failed()
"""Stands for a value that could not be made; why is in the report."""

Decode = Callable[[Node, Report], Any]
After = Callable[[Any, MappingNode, Report], Any]
Amend = Callable[[dict[str, Any], MappingNode, Report], None]

# A comment as people write it has a space after its `#`; `pick #2` is a text that YAML cuts off.
_CUT_OFF = re.compile(" +#[^ \t\n\r#]")

_KINDS = {ScalarNode: "a single value", SequenceNode: "a list", MappingNode: "keys with values"}


class Decoders:
    """Decoders for records.

    Args:
        fields: decoders that stand in for the usual one of (record, field name).
        shorthand: record to the field that a bare text stands for.
        amend: record to what completes its values, field by field, before it is made; any of them may be `FAILED`.
        after: record to what finishes it: gets the record, its node and the report, returns the record or `FAILED`.
    """

    def __init__(
        self,
        fields: Mapping[tuple[type, str], Decode] | None = None,
        shorthand: Mapping[type, str] | None = None,
        amend: Mapping[type, Amend] | None = None,
        after: Mapping[type, After] | None = None,
    ) -> None:
        self._fields = fields or {}
        self._shorthand = shorthand or {}
        self._amend = amend or {}
        self._after = after or {}
        self._records: dict[type, Decode] = {}

    def of(self, kind: Any, what: str) -> Decode:
        """The decoder for an annotation; `what` names the place in messages, such as `'level'`."""
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return self._record(kind)
        if origin is Literal:
            return one_of(arguments, what)
        if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
            return sequence(self.of(arguments[0], f"each entry of {what}"), what)
        if origin is dict and arguments[0] is str:
            return mapping(self.of(arguments[1], f"each value of {what}"), what)
        if origin in (UnionType, typing.Union):
            return self._union(arguments, what)
        return _SCALARS[kind](what)

    def _field(self, hint: Any, field: msgspec.structs.FieldInfo) -> Decode:
        what = repr(field.encode_name)
        return text(what, blank=not field.required) if hint is str else self.of(hint, what)

    def _union(self, members: tuple[Any, ...], what: str) -> Decode:
        if NoneType in members:
            (rest,) = (member for member in members if member is not NoneType)
            return _optional(self.of(rest, what))
        if all(isinstance(member, type) and issubclass(member, msgspec.Struct) for member in members):
            return self._tagged(members, what)
        if set(members) == {str, int, float, bool}:
            return any_scalar(what)
        raise TypeError(f"{what}: no decoder for the union {members}")

    def _tagged(self, members: tuple[Any, ...], what: str) -> Decode:
        """The member that the tag field names."""
        tag_field = members[0].__struct_config__.tag_field
        decoders = {member.__struct_config__.tag: self._record(member) for member in members}
        tag = one_of(tuple(decoders), repr(tag_field))

        def decode(node: Node, report: Report) -> Any:
            if not isinstance(node, MappingNode):
                return wrong_kind(node, report, what, "keys with values")
            named = next((value for key, value in node.pairs if getattr(key, "value", None) == tag_field), None)
            if named is None:
                unknown = [key.value for key, _ in node.pairs if isinstance(key, ScalarNode)]
                hint = f" (did you mean {tag_field!r} there?)" if closest(tag_field, unknown) else ""
                report.error(node, "SQ201", f"{tag_field!r} is missing; it is one of {', '.join(decoders)}{hint}")
                return FAILED
            name = tag(named, report)
            return FAILED if name is FAILED else decoders[name](node, report)

        return decode

    def _record(self, record: type[msgspec.Struct]) -> Decode:
        if record not in self._records:
            # A record that holds records of its own kind finds itself here while it is being compiled.
            self._records[record] = lambda node, report: self._records[record](node, report)
            self._records[record] = self._compile(record)
        return self._records[record]

    def _compile(self, record: type[msgspec.Struct]) -> Decode:
        hints = typing.get_type_hints(record)
        fields = [
            _Field(
                field.name,
                field.encode_name,
                field.required,
                self._fields.get((record, field.name)) or self._field(hints[field.name], field),
            )
            for field in msgspec.structs.fields(record)
        ]
        hooks = (self._shorthand.get(record), self._amend.get(record), self._after.get(record))
        return _RecordDecoder(record, fields, *hooks).decode


class _Field(NamedTuple):
    name: str
    key: str
    required: bool
    decode: Decode


class _RecordDecoder:
    """Makes one type of record from keys with values."""

    def __init__(
        self,
        record: type[msgspec.Struct],
        fields: Sequence[_Field],
        shorthand: str | None,
        amend: Amend | None,
        after: After | None,
    ) -> None:
        self._record = record
        self._title = _title(record)
        self._tag_field = record.__struct_config__.tag_field
        self._by_key = {field.key: field for field in fields}
        self._required = [field.key for field in fields if field.required]
        self._shorthand = shorthand
        self._amend = amend
        self._after = after

    def decode(self, node: Node, report: Report) -> Any:
        if self._shorthand is not None and isinstance(node, ScalarNode):
            node = MappingNode([(ScalarNode(self._shorthand, "", node.start, node.start), node)], node.start)
        if not isinstance(node, MappingNode):
            return wrong_kind(node, report, self._title, "keys with values")
        values: dict[str, Any] = {}
        unknown: list[tuple[ScalarNode, Node]] = []
        seen = unique_keys(node, report)
        for key, (key_node, value_node) in seen.items():
            field = self._by_key.get(key)
            if field is not None:
                values[field.name] = field.decode(value_node, report)
            elif key != self._tag_field:
                unknown.append((key_node, value_node))
        if self._amend is not None:
            self._amend(values, node, report)
        missing = [key for key in self._required if key not in seen]
        if unknown or missing:
            self._report_keys(node, unknown, missing, seen, report)
            return FAILED
        if FAILED in values.values():
            return FAILED
        made = self._record(**values)
        return made if self._after is None else self._after(made, node, report)

    def _report_keys(
        self,
        node: MappingNode,
        unknown: Sequence[tuple[ScalarNode, Node]],
        missing: Collection[str],
        seen: Collection[str],
        report: Report,
    ) -> None:
        """Report keys that nobody knows and keys that are not there; a misspelt key is one fault, not two."""
        free = [key for key in self._by_key if key not in seen]
        meant = set()
        for key_node, value_node in unknown:
            key = key_node.value
            meant.add(closest(key, free))
            hint = suggestion(key, free)
            if not hint and _is_empty(value_node):
                hint = "; if it is part of a text with a comma, quote that text"
            report.error(key_node, "SQ202", f"unknown key {key!r} in {self._title}{hint}")
        for key in missing:
            if key not in meant:
                report.error(node, "SQ201", f"{key!r} is missing in {self._title}")


def _is_empty(node: Node) -> bool:
    return isinstance(node, ScalarNode) and not node.style and not node.value


def text(what: str, *, blank: bool = False) -> Decode:
    """The text as written: `yes`, `010`, `1e-3` and `12:30` stay what they are."""

    def decode(node: Node, report: Report) -> Any:
        if node.__class__ is not ScalarNode:
            return wrong_kind(node, report, what, "a text")
        assert isinstance(node, ScalarNode)
        value, style = node.value, node.style
        if not style:
            if value in NULLS:
                return _null(node, report, what)
            if report.text.startswith(" ", node.end.index) and _CUT_OFF.match(report.text, node.end.index):
                report.error(node.end, "SQ115", "the text ends here: ' #' begins a comment; quote the whole text")
                return FAILED
            return value
        if style == '"':
            escape = escaped_by_accident(value)
            if escape is not None:
                message = f"in double quotes a backslash made {escape} here; use single quotes, or | and a new line"
                report.error(node, "SQ111", message)
                return FAILED
        elif style in "|>":
            value = value.rstrip("\n")
        if not blank and not value.strip():
            report.error(node, "SQ212", f"{what} must not be empty")
            return FAILED
        return value

    return decode


def sequence(each: Decode, what: str) -> Decode:
    """A list as a tuple; entries that fail are left out and the whole fails."""

    def decode(node: Node, report: Report) -> Any:
        if not isinstance(node, SequenceNode):
            return wrong_kind(node, report, what, "a list", '; write it as [..] or as lines that begin with "- "')
        values = tuple(each(item, report) for item in node.items)
        return FAILED if FAILED in values else values

    return decode


def mapping(each: Decode, what: str) -> Decode:
    """Names with values."""

    def decode(node: Node, report: Report) -> Any:
        if not isinstance(node, MappingNode):
            return wrong_kind(node, report, what, "keys with values")
        values = {key: each(value, report) for key, (_, value) in unique_keys(node, report).items()}
        return FAILED if FAILED in values.values() else values

    return decode


def unique_keys(node: MappingNode, report: Report) -> dict[str, tuple[ScalarNode, Node]]:
    """Key to its node and its value's; a key that comes twice, or is no plain text, is reported."""
    seen: dict[str, tuple[ScalarNode, Node]] = {}
    for key, value in node.pairs:
        if not isinstance(key, ScalarNode):
            if not isinstance(key, RefusedNode):
                report.error(key, "SQ116", "a key is a plain text; quote a text that begins with ? or a bracket")
        elif key.value in seen:
            first = seen[key.value][0].start.line + 1
            report.error(key, "SQ110", f"the key {key.value!r} comes twice; line {first} has it already")
        elif key.value == "<<" and not key.style:
            report.error(key, "SQ108", "merge keys (<<) are not allowed; write the keys out")
        elif not key.style and key.value in NULLS:
            report.error(key, "SQ204", "a key is missing before ':'")
        else:
            seen[key.value] = (key, value)
    return seen


def wrong_kind(node: Node, report: Report, what: str, wanted: str, advice: str = "") -> Failed:
    """Report that a node is of the wrong kind, unless it was reported before."""
    if isinstance(node, ScalarNode) and not node.style and node.value in NULLS:
        return _null(node, report, what, wanted)
    if not isinstance(node, RefusedNode):
        report.error(node, "SQ203", f"{what} takes {wanted}, not {_KINDS[node.__class__]}{advice}")
    return FAILED


def _null(node: ScalarNode, report: Report, what: str, wanted: str = "a value") -> Failed:
    if node.value:
        report.error(node, "SQ204", f"{what} takes {wanted}, and {node.value} means none; quote it if it is a text")
    else:
        report.error(node, "SQ204", f"{what} takes {wanted}, and nothing is written here")
    return FAILED


def whole_number(what: str) -> Decode:
    """A whole number by the core rules, unquoted."""
    return _plain(what, "a whole number", as_int)


def _plain(what: str, wanted: str, convert: Callable[[str], Any]) -> Decode:
    """A scalar that must not be quoted and that `convert` turns into a value (None: it cannot)."""

    def decode(node: Node, report: Report) -> Any:
        if not isinstance(node, ScalarNode) or (not node.style and node.value in NULLS):
            return wrong_kind(node, report, what, wanted)
        value = None if node.style else convert(node.value)
        if value is None:
            quoted = node.style and convert(node.value) is not None
            advice = "; write it without quotes" if quoted else f", not {node.value!r}"
            report.error(node, "SQ203", f"{what} takes {wanted}{advice}")
            return FAILED
        return value

    return decode


def any_scalar(what: str) -> Decode:
    """A number or truth value where an unquoted scalar is one, else text."""
    as_text = text(what, blank=True)

    def decode(node: Node, report: Report) -> Any:
        if isinstance(node, ScalarNode) and not node.style:
            for convert in (as_truth, as_int, as_float):
                value = convert(node.value)
                if value is not None:
                    return value
        return as_text(node, report)

    return decode


def one_of(names: Collection[str], what: str) -> Decode:
    """One of these texts."""
    as_text = text(what)

    def decode(node: Node, report: Report) -> Any:
        value = as_text(node, report)
        if value is FAILED or value in names:
            return value
        listed = ", ".join(names)
        report.error(node, "SQ205", f"{what} is one of {listed}, not {value!r}{suggestion(value, names)}")
        return FAILED

    return decode


def _optional(decode_value: Decode) -> Decode:
    def decode(node: Node, report: Report) -> Any:
        if isinstance(node, ScalarNode) and not node.style and node.value in NULLS:
            return None
        return decode_value(node, report)

    return decode


_SCALARS: dict[Any, Callable[[str], Decode]] = {
    str: text,
    int: whole_number,
    float: lambda what: _plain(what, "a number", as_float),
    bool: lambda what: _plain(what, "true or false", as_truth),
}


def _title(record: type) -> str:
    """`NumericQuestion` as `a numeric question`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", record.__name__).lower()
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
