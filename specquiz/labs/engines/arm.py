"""One arm of a lab, run by the Python that has vLLM: standard library and vLLM only, nothing of specquiz.

Started by `__main__.py`. Its own events: `engine` (what vLLM resolved), `tokens` (how far a workload is) and `workload`
(its raw figures).
"""

from __future__ import annotations

import importlib
import itertools
import time
from collections.abc import Iterator
from typing import Any

from .arguments import engine_argument_names, engine_arguments
from .events import Events, Job, Json, serve
from .facts import machine, model_revision, number, peak_memory, resolved_config, steering_environment, versions
from .margins import with_margins
from .sampler import drafts_on_cpu, examine, hottest, refuse_noise

WARM_UP_TOKENS = 8
_NUMBERS = itertools.count()


def main(events: int) -> None:
    """Run the job on standard input."""
    serve(events, run)


def run(job: Job, events: Events) -> None:
    """Start the engine once and run every workload on it."""
    events.stage("import")
    environment = steering_environment()  # before vLLM adds its own
    vllm: Any = importlib.import_module("vllm")
    start: Any = vllm.LLM  # vLLM imports its engine at this first use
    events.stage("start")
    # Unlike a server, `LLM` counts nothing unless told to, and counters are the evidence.
    llm = start(**engine_arguments(job, engine_argument_names()), disable_log_stats=False)
    config = resolved_config(llm.llm_engine.vllm_config)
    if drafts_on_cpu(job):
        config["cpu_sampler"] = examine(job["cpu_sampler"])
    events.send(
        "engine",
        config=config,
        versions=versions(vllm),
        machine=machine(job["device"]),
        environment=environment,
        revision=model_revision(job["model"]),
    )
    if drafts_on_cpu(job) and job["cpu_sampler"] != "trust":
        refuse_noise(config["cpu_sampler"]["outcome"], hottest(job))
    prompts = {
        name: [token_ids(llm, job, prompt) for prompt in workload["prompts"]]
        for name, workload in job["workloads"].items()
    }
    events.stage("warm-up")
    warm_up(vllm, llm, job, prompts)
    for _ in range(job["repeats"]):
        for name, items in prompts.items():
            events.stage(name)
            run = run_workload(vllm, llm, job["workloads"][name], items, events)
            if job["margins"]:
                run["requests"] = with_margins(vllm, llm, run["requests"], decode)
            events.send("workload", workload=name, run=run)
    events.finish_stage()


def token_ids(llm: Any, job: Job, prompt: Json) -> list[int]:
    """A prompt as the token ids that the model is given."""
    if not job["chat_template"]:
        return [int(token) for token in llm.get_tokenizer().encode(prompt["text"])]
    ids = llm.get_tokenizer().apply_chat_template(
        [{"role": "user", "content": prompt["chat"]}], add_generation_prompt=True, tokenize=True, return_dict=False
    )
    return [int(token) for token in ids]


def sampling(vllm: Any, workload: Json, **changes: object) -> Any:
    """The sampling parameters of a workload."""
    return vllm.SamplingParams(**{**workload["sampling"], **changes})


def warm_up(vllm: Any, llm: Any, job: Job, prompts: dict[str, list[list[int]]]) -> None:
    """Have everything compiled that is compiled at first use (the n-gram lookup, kernels) before a counter is read."""
    for name, items in prompts.items():
        for _ in decode(llm, items[:1], sampling(vllm, job["workloads"][name], max_tokens=WARM_UP_TOKENS), 0):
            pass


def run_workload(vllm: Any, llm: Any, workload: Json, prompts: list[list[int]], events: Events) -> Json:
    """Decode `prompts`; the raw counters before and after, and each request step by step with its times."""
    drafting = llm.llm_engine.vllm_config.speculative_config is not None
    requests: list[Json] = [{"prompt": prompt, "output": [], "steps": [], "finish": ""} for prompt in prompts]
    before, started, clock, told = counters(llm), time.time(), time.monotonic(), 0.0
    processor = time.process_time()
    for index, output in decode(llm, prompts, sampling(vllm, workload), workload["together"]):
        request = requests[index]
        if output is None:
            request["arrived"] = round(time.monotonic() - clock, 6)
            continue
        sequence = output.outputs[0]
        tokens = [int(token) for token in sequence.token_ids]
        if len(tokens) > len(request["output"]):
            now = round(time.monotonic() - clock, 6)
            request.setdefault("first", now)
            request["last"] = now
            request["steps"].append(len(tokens) - len(request["output"]))
            request["output"] = tokens
        if output.finished:
            request["finish"] = str(sequence.finish_reason)
            request.update(step_detail(sequence, drafting))
        if time.monotonic() - told > 0.25:
            told = time.monotonic()
            made = sum(len(each["output"]) for each in requests)
            events.send("tokens", tokens=made, rates=rates_so_far(before, counters(llm)) if drafting else [])
    seconds, processor = time.monotonic() - clock, time.process_time() - processor
    return {
        "started": started,
        "seconds": round(seconds, 6),
        "processor_seconds": round(processor, 6),
        "before": before,
        "after": counters(llm),
        "requests": requests,
        "peak_memory": peak_memory(),
    }


def rates_so_far(before: Json, after: Json) -> list[float]:
    """Share of the drafts accepted up to each position since `before`; empty while there is no draft."""
    drafts = after.get("vllm:spec_decode_num_drafts", 0) - before.get("vllm:spec_decode_num_drafts", 0)
    name = "vllm:spec_decode_num_accepted_tokens_per_pos"
    if not drafts or name not in after:
        return []
    return [(late - early) / drafts for late, early in zip(after[name], before[name], strict=True)]


def decode(llm: Any, prompts: list[list[int]], parameters: Any, together: int) -> Iterator[tuple[int, Any]]:
    """Yield (index of the request, its output so far) for every step of the engine that gave it tokens.

    The output is None when the request is handed over, before any step. `together` requests are handed over at once,
    and the next ones when these are done; 0 hands over all.
    """
    engine, size = llm.llm_engine, together or len(prompts)
    for begin in range(0, len(prompts), size):
        indices = {}
        for index in range(begin, min(begin + size, len(prompts))):
            name = f"request-{next(_NUMBERS)}"
            indices[name] = index
            yield index, None
            engine.add_request(name, {"prompt_token_ids": prompts[index]}, parameters.clone())
        while engine.has_unfinished_requests():
            for output in engine.step():
                yield indices[output.request_id], output


def step_detail(sequence: Any, drafting: bool) -> Json:
    """Accepted and drafted tokens of each step that had a draft; nothing where this vLLM cannot tell."""
    if not drafting or not hasattr(sequence, "spec_decode_metrics"):
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
