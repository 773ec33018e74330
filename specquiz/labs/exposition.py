"""vLLM's /metrics page (Prometheus' text format) as counters under the names that `LLM.get_metrics` uses."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from specquiz.labs.evidence import Counters

_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+\S+)?$")
_LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
_ESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_WHOSE = ("engine", "model_name")
_POSITIONS = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
_LONGEST_PLACE = 4
"""Digits of a draft position."""
_CACHE = "vllm:cache_config_info"


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of the page."""

    name: str
    labels: dict[str, str]
    value: float


class ListedTwice(ValueError):
    """A page has a series twice, such as two pages in one file: added up, they would be figures of nothing."""


def samples(text: str) -> tuple[Sample, ...]:
    """Every line of vLLM's own on the page; empty for a page of another program.

    Raises:
        ListedTwice: a series is there more than once.
    """
    found = tuple(_samples(text))
    seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    for sample in found:
        series = sample.name, frozenset(sample.labels.items())
        if series in seen:
            raise ListedTwice(f"{sample.name}{_told(sample.labels)} is listed twice")
        seen.add(series)
    return found


def _samples(text: str) -> Iterator[Sample]:
    for line in text.splitlines():
        found = _SAMPLE.match(line)
        if found is None or not found[1].startswith("vllm:"):
            continue
        labels = {name: re.sub(r"\\.", _plain, value) for name, value in _LABEL.findall(found[2] or "")}
        try:
            yield Sample(found[1], labels, float(found[3]))
        except ValueError:
            continue


def _plain(escaped: re.Match[str]) -> str:
    return _ESCAPED.get(escaped[0], escaped[0])


def counters(page: tuple[Sample, ...]) -> Counters:
    """Counters, and the sums and counts of histograms; gauges are momentary and stay out. Engines are added up."""
    found: dict[str, float] = {}
    positions: dict[int, float] = {}
    for sample in page:
        if sample.name == _POSITIONS:
            if not (place := sample.labels.get("position", "")).isdecimal() or len(place) > _LONGEST_PLACE:
                continue
            at = int(place)
            positions[at] = positions.get(at, 0.0) + sample.value
        elif (name := _counter_name(sample)) is not None:
            found[name] = found.get(name, 0.0) + sample.value
    figures: Counters = {name: value if math.isfinite(value) else None for name, value in found.items()}
    if positions:
        told = tuple(value for _, value in sorted(positions.items()))
        figures[_POSITIONS.removesuffix("_total")] = told if all(map(math.isfinite, told)) else None
    return figures


def _counter_name(sample: Sample) -> str | None:
    told = _told({key: value for key, value in sample.labels.items() if key not in _WHOSE})
    for ending, mark in (("_total", ""), ("_count", "#count"), ("_sum", "#sum")):
        if sample.name.endswith(ending) and "le" not in sample.labels:
            return sample.name.removesuffix(ending) + told + mark
    return None


def _told(labels: Mapping[str, str]) -> str:
    """Labels as Prometheus writes them, sorted."""
    return "{" + ",".join(f'{key}="{value}"' for key, value in sorted(labels.items())) + "}" if labels else ""


def gauge(page: tuple[Sample, ...], name: str) -> float:
    """The sum of a gauge over all engines; 0 where it is not there. `name` is without `vllm:`."""
    return math.fsum(sample.value for sample in page if sample.name == f"vllm:{name}")


def cache_config(page: tuple[Sample, ...]) -> dict[str, str | int | float | bool]:
    """The configuration of the KV cache, which vLLM writes as labels."""
    labels = next((sample.labels for sample in page if sample.name == _CACHE), {})
    return {key: _scalar(value) for key, value in labels.items() if key not in _WHOSE and value != "None"}


def _scalar(text: str) -> str | int | float | bool:
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def draft_tokens(figures: Counters) -> int:
    """K, as the number of draft positions that are counted; 0 where nothing is speculated."""
    positions = figures.get(_POSITIONS.removesuffix("_total"))
    return len(positions) if isinstance(positions, tuple) else 0
