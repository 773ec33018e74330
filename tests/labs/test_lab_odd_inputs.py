"""Addresses, pages and files that are none: each is refused with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specquiz.errors import SpecquizError
from specquiz.labs.elsewhere import from_bench
from specquiz.labs.engines.client import Server
from specquiz.labs.evidence import read_evidence
from specquiz.labs.exposition import counters, samples

PAGE = "".join(f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{position="{place}"}} 7\n' for place in range(4))


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:99999",
        "http://127.0.0.1:port",
        "http://[::1",
        "http://a b",
        "http://127.0.0.1/\x1b[2J",
        "http://ß..a",
        "file:///etc",
        "http://",
    ],
)
def test_what_is_no_address_is_named(url: str) -> None:
    with pytest.raises(ValueError, match="is no address of a server"):
        Server(url)


@pytest.mark.parametrize("label", ['position="x"', "", 'position="-1"', 'position="99999"'])
def test_a_draft_position_that_is_none_is_not_counted(label: str) -> None:
    line = f"vllm:spec_decode_num_accepted_tokens_per_pos_total{{{label}}} 5\n"

    assert counters(samples(PAGE + line)) == counters(samples(PAGE))


@pytest.mark.parametrize("figure", ['"x"', "[1]", "{}", "1" * 400, "null"])
def test_a_benchmark_with_a_figure_that_is_none_is_refused(tmp_path: Path, figure: str) -> None:
    file = tmp_path / "bench.json"
    file.write_text(f'{{"completed": {figure}, "total_output_tokens": 5}}')

    with pytest.raises(SpecquizError, match="A figure in this result of vllm bench serve is none"):
        from_bench(file)


@pytest.mark.parametrize("read", [from_bench, read_evidence])
def test_deep_endless_or_odd_files_are_refused(tmp_path: Path, read: Callable[[Path], object]) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)

    with pytest.raises(SpecquizError, match="nested too deeply"):
        read(deep)
    with pytest.raises(SpecquizError, match="no plain file"):
        read(Path("/dev/zero"))
