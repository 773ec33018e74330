"""What is attached to may be anything: each answer that vLLM never gives ends the arm with one sentence, in time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from msgspec.structs import replace

from specquiz.labs.engines import client
from specquiz.labs.engines.attached import run_attached
from specquiz.labs.engines.client import Server, ServerProblem
from specquiz.labs.engines.inspection import inspect_server
from specquiz.labs.engines.process import ArmFailed, ArmOutput
from specquiz.labs.engines.sampler import EXTENSION
from specquiz.labs.loading import load_workload
from specquiz.labs.model import Lab
from specquiz.labs.plan import plan_job

Answer = Callable[[BaseHTTPRequestHandler], None]

MODELS = json.dumps({"data": [{"id": "tiny/target", "root": "tiny/target", "max_model_len": 1024}]})
METRICS = "".join(
    f"vllm:{name}_total 0\n" for name in ("generation_tokens", "request_success", "spec_decode_num_drafts")
) + "".join(f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{position="{place}"}} 0\n' for place in range(4))
INFO = json.dumps(
    {
        "vllm_config": {
            "speculative_config": {
                "method": "ngram",
                "num_speculative_tokens": 4,
                "prompt_lookup_min": 2,
                "prompt_lookup_max": 5,
            }
        }
    }
)
SOUND = {
    "/v1/models": MODELS,
    "/metrics": METRICS,
    "/server_info": INFO,
    "/version": '{"version": "0.32.0"}',
    "/tokenize": '{"tokens": [1, 2, 3]}',
    "/v1/completions": "data: [DONE]\n\n",
}


def page(body: str) -> Answer:
    def answer(asked: BaseHTTPRequestHandler) -> None:
        asked.send_response(200)
        asked.end_headers()
        asked.wfile.write(body.encode())

    return answer


def redirect(asked: BaseHTTPRequestHandler) -> None:
    asked.send_response(302)
    asked.send_header("Location", "file:///")
    asked.end_headers()


def endless(asked: BaseHTTPRequestHandler) -> None:
    asked.send_response(200)
    asked.end_headers()
    while True:
        asked.wfile.write(b" " * 1_000_000)


def dripping(asked: BaseHTTPRequestHandler) -> None:
    asked.send_response(200)
    asked.end_headers()
    while True:
        asked.wfile.write(b" ")
        time.sleep(0.05)


def cut_short(asked: BaseHTTPRequestHandler) -> None:
    asked.send_response(200)
    asked.send_header("Content-Length", "1000")
    asked.end_headers()
    asked.wfile.write(b"{")


def garbage(asked: BaseHTTPRequestHandler) -> None:
    asked.wfile.write(b"\x00\xff" * 1000)


def chunks(*told: object) -> Answer:
    return page("".join(f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n" for each in told))


@contextmanager
def serving(answers: dict[str, Answer]) -> Iterator[str]:
    class Hostile(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with suppress(OSError):
                answers[self.path.partition("?")[0]](self)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def job_of(lab: Lab) -> dict[str, Any]:
    return plan_job(lab, "cpu", "ngram", {name: load_workload(file) for name, file in lab.workloads.items()})


@contextmanager
def nearly_sound(other: dict[str, Answer]) -> Iterator[str]:
    """A server that answers as vLLM does, but for these pages."""
    with serving({**{name: page(body) for name, body in SOUND.items()}, **other}) as url:
        yield url


def why_the_arm_failed(lab: Lab, path: str, answer: Answer) -> str:
    with nearly_sound({path: answer}) as url, pytest.raises(ArmFailed) as failed:
        run_attached(url, job_of(lab), ArmOutput(), tick=lambda *_: None, cancel=threading.Event())
    return str(failed.value)


PAGES = ("/v1/models", "/metrics", "/server_info", "/tokenize")
ODD: list[Answer] = [redirect, endless, cut_short, garbage, page("[" * 100_000)]


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        *((path, answer) for path in PAGES for answer in (*ODD, dripping)),
        *(("/v1/completions", answer) for answer in ODD),
    ],
)
def test_an_answer_that_vllm_never_gives_ends_the_arm_in_time(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, path: str, answer: Answer
) -> None:
    monkeypatch.setattr(client, "STALL_SECONDS", 0.5)
    monkeypatch.setattr(client, "MOST_BYTES", 5_000_000)
    began = time.process_time()

    reason = why_the_arm_failed(lab, path, answer)

    assert "127.0.0.1" in reason or "server" in reason
    assert "\n" not in reason
    assert time.process_time() - began < 5


def test_a_page_of_metrics_that_lists_everything_twice_is_refused_by_name(lab: Lab) -> None:
    reason = why_the_arm_failed(lab, "/metrics", page(METRICS * 2))

    assert "vllm:generation_tokens_total is listed twice" in reason


@pytest.fixture
def hot(lab: Lab) -> Lab:
    """The lab above temperature 0, where a CPU's sampler matters."""
    return replace(lab, sampling=replace(lab.sampling, temperature=1.0))


EXTENDED = json.loads(INFO)
EXTENDED["vllm_config"]["parallel_config"] = {"worker_extension_cls": EXTENSION}


def of_the_sampler(outcome: str) -> dict[str, Answer]:
    """A server of `lab serve`, and what its worker found."""
    told = {"results": [{"found": "broken", "outcome": outcome}]}
    return {"/server_info": page(json.dumps(EXTENDED)), "/collective_rpc": page(json.dumps(told))}


@pytest.mark.parametrize("other", [{}, of_the_sampler("broken")], ids=["untold", "broken"])
def test_a_cpu_server_whose_tokens_may_be_noise_is_refused_with_the_one_that_is_repaired(
    hot: Lab, other: dict[str, Answer]
) -> None:
    with nearly_sound(other) as url, pytest.raises(ServerProblem, match=r"may be noise.*`specquiz lab serve`"):
        inspect_server(Server(url), job_of(hot))


def test_a_cpu_server_that_is_repaired_is_used_and_the_evidence_says_so(hot: Lab) -> None:
    with nearly_sound(of_the_sampler("repaired")) as url:
        found = inspect_server(Server(url), job_of(hot))

    assert found.engine["config"]["cpu_sampler"] == {"found": "broken", "outcome": "repaired"}


def test_at_temperature_0_any_sampler_will_do(lab: Lab) -> None:
    with nearly_sound({}) as url:
        assert "cpu_sampler" not in inspect_server(Server(url), job_of(lab)).engine["config"]


SHAPES = ["[]", "1", '"x"', "null", '{"data": 1}', '{"data": [1]}', '{"data": [{}]}', '{"data": [{"id": null}]}']
TOKENS = ['{"tokens": 1}', '{"tokens": ["x"]}', '{"tokens": [null]}', '{"tokens": {"a": 1}}', '{"tokens": [1e999]}']
CHUNKS: list[object] = [
    1,
    [],
    "{",
    "NaN",
    {},
    {"choices": 1},
    {"choices": [1]},
    {"choices": [{"token_ids": "x"}]},
    {"choices": [{"token_ids": [None]}]},
    {"choices": [], "usage": {}, "metrics": []},
    {"error": []},
    {"choices": [{"token_ids": [1] * 10_000}]},
]


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        *(("/v1/models", page(shape)) for shape in SHAPES),
        *(("/tokenize", page(shape)) for shape in TOKENS),
        *(("/v1/completions", chunks(chunk)) for chunk in CHUNKS),
        ("/version", page("[1]")),
        ("/metrics", page("vllm:generation_tokens_total NaN\n")),
    ],
)
def test_a_field_of_another_kind_ends_the_arm_with_one_sentence(lab: Lab, path: str, answer: Answer) -> None:
    assert "\n" not in why_the_arm_failed(lab, path, answer)
