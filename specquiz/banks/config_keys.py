"""How the keys of a question about a configuration are read: values of any plain kind, and keys in one spelling.

A key inside a nested `speculative_config` is written with a dot, or nested as in the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from specquiz.answers.configuration import NESTED, flat, spelling
from specquiz.banks.bounds import between, some
from specquiz.banks.decoding import (
    FAILED,
    Decode,
    Decoders,
    any_scalar,
    mapping,
    sequence,
    text,
    unique_keys,
    wrong_kind,
)
from specquiz.banks.model import ConfigMisconception, ConfigQuestion
from specquiz.banks.parsing import MappingNode, Node, Report, ScalarNode, SequenceNode, node_at
from specquiz.banks.problems import suggestion
from specquiz.banks.scalars import NULLS

ANY: Literal["any"] = "any"
"""What `accept` says where every value of a key is right."""

FACTS = ("target_vocab_size", "draft_vocab_size", "n_predict", "tensor_parallel_size")
"""What `given` may hold."""


def _value(node: Node, report: Report) -> Any:
    """A text, a number, a truth value, null, or a list or mapping of such."""
    if isinstance(node, ScalarNode):
        is_null = not node.style and node.value in NULLS and node.value
        return None if is_null else any_scalar("a value")(node, report)
    if isinstance(node, SequenceNode):
        values = sequence(_value, "a value")(node, report)
        return FAILED if values is FAILED else list(values)
    return mapping(_value, "a value")(node, report)


def _configuration(what: str) -> Decode:
    """Keys with values, at least one."""

    def decode(node: Node, report: Report) -> Any:
        values = mapping(_value, what)(node, report)
        if values == {}:
            report.error(node, "SQ212", f"{what} must not be empty")
            return FAILED
        return values

    return decode


def _facts(node: Node, report: Report) -> Any:
    """Known names with whole numbers."""
    if not isinstance(node, MappingNode):
        return wrong_kind(node, report, "'given'", "keys with values")
    facts = {}
    for name, (key, value) in unique_keys(node, report).items():
        if name not in FACTS:
            message = f"{name!r} is no fact that the rules use; they are {', '.join(FACTS)}{suggestion(name, FACTS)}"
            report.error(key, "SQ202", message)
        facts[name] = between(f"{name!r}", 1, None)(value, report)
    return FAILED if FAILED in facts.values() or not facts.keys() <= set(FACTS) else facts


def _accepted(node: Node, report: Report) -> Any:
    """Keys with a list of values, or with `any`."""
    if not isinstance(node, MappingNode):
        return wrong_kind(node, report, "'accept'", "keys with values")
    accepted: dict[str, Any] = {}
    for name, (_, value) in unique_keys(node, report).items():
        if isinstance(value, MappingNode):
            inner = _accepted(value, report)
            accepted[name] = inner
        elif isinstance(value, SequenceNode):
            accepted[name] = some(sequence(_value, f"{name!r}"), f"{name!r}")(value, report)
        elif getattr(value, "value", None) == ANY:
            accepted[name] = ANY
        else:
            accepted[name] = wrong_kind(value, report, f"{name!r} of 'accept'", "a list of values, or any,")
    return FAILED if FAILED in accepted.values() else accepted


def in_one_spelling(values: dict[str, Any], node: MappingNode, report: Report) -> None:
    """Bring all keys into vLLM's spelling, those of a nested configuration to one level, and hold them apart."""
    for name in ("answer", "accept"):
        if isinstance(values.get(name), dict):
            values[name] = _spelt(values[name], node_at(node, name), report, one_level=name == "accept")
    if isinstance(values.get("optional"), tuple):
        values["optional"] = tuple(spelling(key) for key in values["optional"])
    if values.get("of") == "speculative_config" and isinstance(values.get("answer"), dict):
        for key, value in values["answer"].items():
            if isinstance(value, dict) and key == NESTED:
                message = "the question asks for what stands in the speculative_config; write its keys, without it"
                report.error(node_at(node, "answer", key), "SQ203", message)


def _spelt(values: Mapping[str, Any], node: Node, report: Report, *, one_level: bool) -> Any:
    spelt = {spelling(key): value for key, value in values.items()}
    if isinstance(spelt.get(NESTED), dict):
        spelt[NESTED] = _spelt(spelt[NESTED], node_at(node, NESTED), report, one_level=False)
    if FAILED in spelt.values():
        return FAILED
    if len(spelt) < len(values):
        report.error(node, "SQ110", "two keys differ by hyphens and underscores only")
        return FAILED
    return flat(spelt) if one_level else spelt


def _shown_by(node: Node, report: Report) -> Any:
    where = _configuration("'where'")(node, report)
    return FAILED if where is FAILED else _spelt(where, node, report, one_level=True)


_misconception = Decoders(fields={(ConfigMisconception, "where"): _shown_by}).of(ConfigMisconception, "a misconception")

FIELDS: dict[tuple[type, str], Decode] = {
    (ConfigQuestion, "answer"): _configuration("'answer'"),
    (ConfigQuestion, "given"): _facts,
    (ConfigQuestion, "accept"): _accepted,
    (ConfigQuestion, "optional"): sequence(text("each entry of 'optional'"), "'optional'"),
    (ConfigQuestion, "misconceptions"): sequence(_misconception, "'misconceptions'"),
}
"""How the fields are read where their types do not say it."""
