"""One arm of a lab, run by the Python that has vLLM: standard library and vLLM only, nothing of specquiz.

Reads one job as JSON from standard input and writes events as JSON lines to the descriptor named on the command line
(vLLM owns standard output and error). Events: `stage` (a stage begins), `ready` (it ended), `tokens` (how far a
workload is), `workload` (its raw figures), `engine` (what vLLM resolved), `done`, and `failed` with type and message.
"""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import importlib
import importlib.metadata
import json
import math
import os
import platform
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Job = dict[str, Any]
Json = dict[str, Any]

PR_SET_PDEATHSIG = 1
WARM_UP_TOKENS = 8


class Events:
    """Writes JSON lines to a descriptor and times the stages."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)
        self._file = os.fdopen(descriptor, "w", encoding="utf-8")
        self._stage = ""
        self._since = 0.0

    def send(self, event: str, **fields: object) -> None:
        """Write one event and hand it over at once."""
        self._file.write(json.dumps({"event": event, **fields}, allow_nan=False) + "\n")
        self._file.flush()

    def stage(self, name: str) -> None:
        """End the stage before, if any, and begin `name`."""
        self.finish_stage()
        self._stage, self._since = name, time.monotonic()
        self.send("stage", stage=name)

    def finish_stage(self) -> None:
        """Say how long the stage took."""
        if self._stage:
            self.send("ready", stage=self._stage, seconds=round(time.monotonic() - self._since, 3))
            self._stage = ""


def main() -> None:
    """Run the job on standard input; exit code 0 when every workload finished."""
    die_with_parent()
    events = Events(int(sys.argv[1]))
    try:
        run(json.load(sys.stdin), events)
    except Exception as error:
        events.send("failed", type=type(error).__name__, message=str(error)[:4000])
        raise
    events.send("done")
    # Every figure is handed over; taking the engine down in order would only cost the learner seconds.
    sys.stdout.flush()
    os._exit(0)


def die_with_parent() -> None:
    """Have the kernel end this process when the supervisor is gone, even by SIGKILL (Linux; elsewhere nothing)."""
    if not sys.platform.startswith("linux"):
        return
    supervisor = int(os.environ["SPECQUIZ_SUPERVISOR"])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:  # it died before the kernel knew whom to watch
        os.kill(os.getpid(), signal.SIGKILL)


def run(job: Job, events: Events) -> None:
    """Start the engine once and run every workload on it."""
    events.stage("import")
    environment = steering_environment()  # before vLLM adds its own
    vllm: Any = importlib.import_module("vllm")
    start: Any = vllm.LLM  # vLLM imports its engine at this first use
    events.stage("start")
    llm = start(**engine_arguments(job))
    events.send(
        "engine",
        config=resolved_config(llm.llm_engine.vllm_config),
        versions=versions(vllm),
        machine=machine(job["device"]),
        environment=environment,
        revision=model_revision(job["model"]),
    )
    prompts = {name: [token_ids(llm, job, prompt) for prompt in items] for name, items in job["workloads"].items()}
    events.stage("warm-up")
    warm_up(vllm, llm, job, prompts)
    for name, items in prompts.items():
        events.stage(name)
        events.send("workload", workload=name, run=run_workload(vllm, llm, job, items, events))
    events.finish_stage()


def engine_arguments(job: Job) -> Json:
    """What `LLM` is called with."""
    arguments: Json = {
        "model": job["model"],
        "dtype": job["dtype"],
        "max_model_len": job["max_model_len"],
        "max_num_seqs": job["max_num_seqs"],
        "seed": 0,
        # Counters are the evidence; a prefix served from the cache would hide passes of the target.
        "disable_log_stats": False,
        "enable_prefix_caching": False,
    }
    if job["device"] == "cpu":
        arguments["enforce_eager"] = True
    else:
        arguments["gpu_memory_utilization"] = job["gpu_memory_utilization"]
    if job["speculative_config"]:
        arguments["speculative_config"] = job["speculative_config"]
        if "per_request_spec_decode_metrics" in engine_argument_names():
            arguments["per_request_spec_decode_metrics"] = "detailed"
    return arguments


def engine_argument_names() -> set[str]:
    """The arguments that this vLLM's engine knows; what a version can do is asked, not looked up by number."""
    module: Any = importlib.import_module("vllm.engine.arg_utils")
    return {field.name for field in dataclasses.fields(module.EngineArgs)}


def token_ids(llm: Any, job: Job, prompt: Json) -> list[int]:
    """A prompt as the token ids that the model is given."""
    if not job["chat_template"]:
        return [int(token) for token in llm.get_tokenizer().encode(prompt["text"])]
    ids = llm.get_tokenizer().apply_chat_template(
        [{"role": "user", "content": prompt["chat"]}], add_generation_prompt=True, tokenize=True, return_dict=False
    )
    return [int(token) for token in ids]


def sampling(vllm: Any, job: Job, **changes: object) -> Any:
    """The sampling parameters of the lab."""
    return vllm.SamplingParams(**{**job["sampling"], **changes})


def warm_up(vllm: Any, llm: Any, job: Job, prompts: dict[str, list[list[int]]]) -> None:
    """Have everything compiled that is compiled at first use (the n-gram lookup, kernels) before a counter is read."""
    first = [items[0] for items in prompts.values()]
    for _ in decode(llm, first, sampling(vllm, job, max_tokens=WARM_UP_TOKENS), "warm-up"):
        pass


def run_workload(vllm: Any, llm: Any, job: Job, prompts: list[list[int]], events: Events) -> Json:
    """Decode `prompts` together; the raw counters before and after, and each request step by step."""
    requests: list[Json] = [{"prompt": prompt, "output": [], "steps": [], "finish": ""} for prompt in prompts]
    before, started, clock, told = counters(llm), time.time(), time.monotonic(), 0.0
    for index, output in decode(llm, prompts, sampling(vllm, job), "graded"):
        request, sequence = requests[index], output.outputs[0]
        tokens = [int(token) for token in sequence.token_ids]
        if len(tokens) > len(request["output"]):
            request["steps"].append(len(tokens) - len(request["output"]))
            request["output"] = tokens
        if output.finished:
            request["finish"] = str(sequence.finish_reason)
            request.update(step_detail(sequence, job))
        if time.monotonic() - told > 0.25:
            told = time.monotonic()
            events.send("tokens", tokens=sum(len(each["output"]) for each in requests))
    seconds = time.monotonic() - clock
    return {
        "started": started,
        "seconds": round(seconds, 6),
        "before": before,
        "after": counters(llm),
        "requests": requests,
    }


def decode(llm: Any, prompts: list[list[int]], parameters: Any, name: str) -> Iterator[tuple[int, Any]]:
    """Yield (index of the request, its output so far) for every step of the engine that gave it tokens."""
    engine = llm.llm_engine
    indices = {f"{name}-{index}": index for index in range(len(prompts))}
    for request, index in indices.items():
        engine.add_request(request, {"prompt_token_ids": prompts[index]}, parameters.clone())
    while engine.has_unfinished_requests():
        for output in engine.step():
            yield indices[output.request_id], output


def step_detail(sequence: Any, job: Job) -> Json:
    """Accepted and drafted tokens of each step that had a draft; nothing where this vLLM cannot tell."""
    if not job["speculative_config"] or not hasattr(sequence, "spec_decode_metrics"):
        return {}
    detail = sequence.spec_decode_metrics
    # A request that never had a draft carries no record at all.
    plain = detail.to_dict() if detail is not None else {}
    return {"accepted": plain.get("per_step_accepted") or [], "drafted": plain.get("per_step_drafted") or []}


def counters(llm: Any) -> Json:
    """vLLM's counters and the sums and counts of its histograms; gauges are momentary and stay out."""
    figures: Json = {}
    for metric in llm.get_metrics():
        name = metric.name + label_text(metric.labels)
        if hasattr(metric, "values"):
            figures[name] = [number(value) for value in metric.values]
        elif hasattr(metric, "count"):
            figures[name + "#count"], figures[name + "#sum"] = number(metric.count), number(metric.sum)
        elif type(metric).__name__ == "Counter":
            figures[name] = number(metric.value)
    return figures


def label_text(labels: dict[str, str]) -> str:
    """The labels that tell one series from another, as Prometheus writes them."""
    kept = {key: value for key, value in sorted(labels.items()) if key not in ("engine", "model_name")}
    return "{" + ",".join(f'{key}="{value}"' for key, value in kept.items()) + "}" if kept else ""


def number(value: Any) -> float | None:
    """A finite number, whole where it is whole; None for what JSON cannot say."""
    figure = float(value)
    if not math.isfinite(figure):
        return None
    return int(figure) if figure.is_integer() else figure


def resolved_config(config: Any) -> dict[str, Json]:
    """The scalars of vLLM's resolved configuration, by section."""
    sections = {
        "model": getattr(config, "model_config", None),
        "cache": getattr(config, "cache_config", None),
        "scheduler": getattr(config, "scheduler_config", None),
        "parallel": getattr(config, "parallel_config", None),
        "attention": getattr(config, "attention_config", None),
        "speculative": getattr(config, "speculative_config", None),
    }
    return {name: scalars(section) for name, section in sections.items() if section is not None}


def scalars(section: Any) -> Json:
    """The fields of a configuration section that are set and hold one plain value."""
    found: Json = {}
    for field in dataclasses.fields(section):
        value = getattr(section, field.name, None)
        if is_secret(field.name):
            continue
        if isinstance(value, enum.Enum):
            found[field.name] = value.name
        elif type(value).__name__ == "dtype":
            found[field.name] = str(value)
        elif isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
            found[field.name] = value
    return found


def versions(vllm: Any) -> dict[str, str]:
    """What computed the figures."""
    found = {"python": platform.python_version(), "vllm": str(vllm.__version__)}
    for package in ("torch", "transformers", "numba", "triton"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def machine(device: str) -> Json:
    """The machine as far as a figure may depend on it."""
    torch: Any = importlib.import_module("torch")
    found: Json = {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": os.cpu_count() or 0,
        "threads": int(torch.get_num_threads()),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }
    if device == "cuda":
        card = torch.cuda.get_device_properties(0)
        found |= {"card": card.name, "card_memory_bytes": int(card.total_memory), "cuda": str(torch.version.cuda)}
    return found


def processor() -> str:
    """The processor's name."""
    if sys.platform.startswith("linux"):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def steering_environment() -> dict[str, str]:
    """The environment variables that change what vLLM does."""
    prefixes = ("VLLM_", "OMP_", "NUMBA_", "CUDA_", "HF_HUB_OFFLINE")
    return {key: value for key, value in sorted(os.environ.items()) if key.startswith(prefixes) and not is_secret(key)}


def is_secret(name: str) -> bool:
    """Whether a setting by this name may hold a credential, which evidence must never carry."""
    return name.lower().endswith(("key", "token", "secret", "password"))


def model_revision(model: str) -> str:
    """The commit of a model repository in the local cache; empty for a folder."""
    if Path(model).is_dir():
        return ""
    hub: Any = importlib.import_module("huggingface_hub")
    found = hub.try_to_load_from_cache(model, "config.json")
    return Path(found).parent.name if isinstance(found, str) else ""


if __name__ == "__main__":
    del sys.path[0]  # this script's own folder, whose modules are not the engine's
    main()
