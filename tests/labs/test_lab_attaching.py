"""Which arm runs on which server, what a server's pages say, and what is said of servers that are none."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from machine import free_port  # type: ignore[import-not-found]

from specquiz.errors import UsageError
from specquiz.labs.attaching import attachments
from specquiz.labs.engines.attached import run_attached, step_detail
from specquiz.labs.engines.client import Server
from specquiz.labs.engines.inspection import same_model
from specquiz.labs.engines.process import ArmFailed, ArmOutput, Cancelled
from specquiz.labs.exposition import ListedTwice, Sample, cache_config, counters, draft_tokens, gauge, samples
from specquiz.labs.loading import load_workload
from specquiz.labs.model import Arm, Failure, Lab
from specquiz.labs.plan import plan_job

PAGE = Path(__file__).parent.parent / "lab" / "evidence" / "metrics-after.txt"
ONE, OTHER = "http://127.0.0.1:8001", "http://127.0.0.1:8002"


def test_each_arm_gets_the_server_of_its_kind(lab: Lab) -> None:
    assert attachments(lab, ONE, OTHER + "/v1/", {}) == {"vanilla": OTHER, "ngram": ONE}
    assert attachments(lab, None, OTHER, {"ngram": ONE}) == {"vanilla": OTHER, "ngram": ONE}
    assert attachments(lab, None, None, {}) == {}


@pytest.mark.parametrize(
    ("speculating", "plain", "named", "says"),
    [
        (ONE, None, {}, "vanilla .* has no server"),
        (ONE, ONE, {}, "want different configurations"),
        (ONE, OTHER, {"eagle": ONE}, "no arm 'eagle'"),
        ("localhost:8000", OTHER, {}, "no address of a server"),
        ("ftp://localhost", OTHER, {}, "no address of a server"),
    ],
)
def test_servers_that_cannot_serve_the_arms_are_refused(
    lab: Lab, speculating: str | None, plain: str | None, named: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        attachments(lab, speculating, plain, named)


def test_an_arm_that_is_to_fail_at_its_start_cannot_be_attached(lab: Lab) -> None:
    from msgspec.structs import replace

    failing = replace(lab, arms={"wrong": Arm(expect=Failure(failure="vocabulary"))})
    with pytest.raises(UsageError, match="to fail at its start"):
        attachments(failing, ONE, OTHER, {})


def test_a_real_page_gives_the_counters_under_their_usual_names() -> None:
    page = samples(PAGE.read_text())
    found = counters(page)

    positions = found["vllm:spec_decode_num_accepted_tokens_per_pos"]
    assert isinstance(positions, tuple)
    assert sum(positions) == found["vllm:spec_decode_num_accepted_tokens"]
    assert draft_tokens(found) == 4
    assert found['vllm:request_success{finished_reason="abort"}'] == 0
    passes, drafts = found["vllm:inter_token_latency_seconds#count"], found["vllm:spec_decode_num_drafts"]
    assert isinstance(passes, float)
    assert isinstance(drafts, float)
    assert passes > drafts
    assert not any(name.endswith("_created") or "bucket" in name for name in found)
    assert gauge(page, "num_requests_running") == 0
    assert cache_config(page)["enable_prefix_caching"] is False


def test_engines_are_added_up_and_other_programs_pages_are_empty() -> None:
    text = 'vllm:generation_tokens_total{engine="0",model_name="m"} 3\nvllm:generation_tokens_total{engine="1"} 4e1\n'
    assert counters(samples(text)) == {"vllm:generation_tokens": 43}
    assert samples("python_info 1\n<html>vllm: 3</html>\n") == ()
    assert samples(r'vllm:x{a="b\"c\\d"} NaN')[0].labels == {"a": 'b"c\\d'}
    assert counters((Sample("vllm:x_total", {}, float("nan")),)) == {"vllm:x": None}


def test_a_series_that_is_listed_twice_is_refused_whatever_the_order_of_its_labels() -> None:
    with pytest.raises(ListedTwice, match=r'vllm:x_total{a="1",b="2"} is listed twice'):
        samples('vllm:x_total{a="1",b="2"} 3\nvllm:x_total{b="2",a="1"} 4\n')


def test_step_detail_is_there_only_where_the_server_gives_steps() -> None:
    assert step_detail(None) == {}
    assert step_detail({"speculative_decoding": {"num_spec_steps": 3}}) == {}
    assert step_detail({"speculative_decoding": {"num_spec_steps": 0}}) == {"accepted": [], "drafted": []}


def test_a_folder_is_the_same_model_under_each_of_its_names() -> None:
    from specquiz import places

    assert same_model(str(places.shipped_labs() / "tiny" / "target"), "tiny/target")
    assert same_model("Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen/Qwen2.5-7B-Instruct-AWQ")
    assert not same_model("tiny/draft", "tiny/target")


@pytest.fixture
def file_server(tmp_path: Path) -> Iterator[str]:
    """A web server that is no vLLM."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *words: Quiet(*words, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def attach(lab: Lab, url: str, cancel: threading.Event | None = None) -> None:
    workloads = {name: load_workload(path) for name, path in lab.workloads.items()}
    job = plan_job(lab, "cpu", "ngram", workloads)
    run_attached(url, job, ArmOutput(), tick=lambda *_: None, cancel=cancel or threading.Event())


def test_a_server_that_is_no_vllm_is_named(lab: Lab, file_server: str) -> None:
    with pytest.raises(ArmFailed, match=r"no server of vLLM: it has no /v1/models\. .*`specquiz lab serve`"):
        attach(lab, file_server)


def test_an_address_without_a_server_is_named_with_how_to_start_one(lab: Lab) -> None:
    with pytest.raises(ArmFailed, match=r"There is no server to reach at http.*`specquiz lab serve`"):
        attach(lab, f"http://127.0.0.1:{free_port()}")


def test_a_program_that_is_no_web_server_is_named(lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def greet() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"-ERR unknown command 'GET'\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(ArmFailed, match=r"is no web server .*, and so no vLLM.*`specquiz lab serve`"):
            attach(lab, f"http://127.0.0.1:{other.getsockname()[1]}")
        thread.join()


def test_a_stop_is_heard_while_a_server_says_nothing(lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cancel = threading.Event()
        threading.Timer(0.5, cancel.set).start()
        with pytest.raises(Cancelled):
            attach(lab, f"http://127.0.0.1:{silent.getsockname()[1]}", cancel)


def test_only_addresses_of_this_machine_count_as_loopback() -> None:
    assert Server("http://localhost:8000").loopback
    assert Server("http://[::1]:8000").loopback
    assert not Server("http://192.0.2.7:8000").loopback
