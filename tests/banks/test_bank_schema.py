"""The schema that editors read: current, complete, and saying what the loader says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specquiz import places
from specquiz.banks.schema import FILE, bank_schema, schema_text

BANKS = sorted(path for path in places.shipped_questions().glob("*.yaml") if path.name != "concepts.yaml")


def records(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "Bank", schema
    yield from schema["$defs"].items()


def test_the_shipped_schema_is_current() -> None:
    assert (places.shipped_questions() / FILE).read_text(encoding="utf-8") == schema_text(), (
        "specquiz bank schema > questions/specquiz.schema.json brings it up to date"
    )


def test_every_key_has_a_description() -> None:
    for name, record in records(bank_schema()):
        for key, property in record["properties"].items():
            assert "const" in property or property["description"], f"{name}.{key}"


def test_every_reference_leads_somewhere() -> None:
    text = schema_text()
    definitions = bank_schema()["$defs"]

    assert {name for name in definitions if f'"#/$defs/{name}"' not in text} == set()
    assert text.count('"$ref"') == sum(text.count(f'"#/$defs/{name}"') for name in definitions)


@pytest.mark.parametrize("path", BANKS, ids=lambda path: path.name)
def test_every_shipped_bank_points_its_editor_at_the_schema(path: Path) -> None:
    first = path.read_text(encoding="utf-8").split("\n")[0]

    assert first == f"# yaml-language-server: $schema={FILE}"


@pytest.mark.parametrize("path", BANKS, ids=lambda path: path.name)
def test_no_shipped_bank_has_a_key_the_schema_does_not_know(path: Path) -> None:
    schema = bank_schema()
    by_type = {
        record["properties"]["type"]["const"]: record for _, record in records(schema) if "type" in record["properties"]
    }

    bank = yaml.safe_load(path.read_text(encoding="utf-8"))

    assert bank.keys() <= schema["properties"].keys()
    for question in bank["questions"]:
        record = by_type[question["type"]]
        assert set(record["required"]) <= question.keys() <= record["properties"].keys(), question["id"]


def test_the_schema_is_json_that_others_can_read() -> None:
    assert json.loads(schema_text())["$schema"] == "https://json-schema.org/draft/2020-12/schema"
