"""One arm on a vLLM server that runs already: completions by token ids, and /metrics before and after.

A server that others use meanwhile measures them too, so an arm whose counters rose by more than its own requests is
refused.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from specquiz.labs.counting import finished, rise
from specquiz.labs.engines.client import Server, ServerProblem
from specquiz.labs.engines.inspection import Inspected, inspect_server, metrics_page
from specquiz.labs.engines.process import (
    STAGE_LIMITS,
    WORKLOAD_LIMIT,
    ArmFailed,
    ArmOutput,
    Cancelled,
    Tick,
)
from specquiz.labs.evidence import Counters, WorkloadRun
from specquiz.labs.exposition import Sample, counters, gauge

POLL_SECONDS = 0.25
SETTLE_SECONDS = 10.0
"""How long the server's counters may lag behind its answers, or its queue take to empty."""
WARM_UP_TOKENS = 8

PLAIN_SAMPLING = {
    "n": 1,
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
"""Said outright, because a server fills what is left out from the model's own generation_config.json."""


def run_attached(url: str, job: Mapping[str, Any], output: ArmOutput, *, tick: Tick, cancel: threading.Event) -> None:
    """Run a job of `plan.plan_job` on the server at `url`, filling `output` as `process.run_arm` does.

    Raises:
        ArmFailed: the server cannot be reached, is not what the arm asks for, or served others meanwhile.
        Cancelled: `cancel` was set.
    """
    arm = _Attached(Server(url), job, output, tick, cancel)
    try:
        arm.run()
    except ServerProblem as problem:
        if cancel.is_set():
            raise Cancelled from problem
        raise ArmFailed(str(problem)) from problem
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError) as fault:
        # Every field of every answer may be of any kind where the server is not vLLM.
        raise ArmFailed(f"What answers at {url} does not answer as vLLM does ({fault!r:.200}).") from fault


@dataclass(slots=True)
class _Attached:
    server: Server
    job: Mapping[str, Any]
    output: ArmOutput
    tick: Tick
    cancel: threading.Event
    tokens: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        with self._stage("connect"):
            found = self._meanwhile("connect", lambda: inspect_server(self.server, self.job))
            self.output.engine = found.engine
            prompts = self._meanwhile("connect", lambda: self._all_token_ids(found.model))
        with self._stage("warm-up"):
            for name, items in prompts.items():
                body = {**self._body(name, found), "max_tokens": WARM_UP_TOKENS}
                self._together("warm-up", items[:1], body, 0.0)
        for _ in range(self.job["repeats"]):
            for name, items in prompts.items():
                with self._stage(name):
                    run = self._workload(name, items, found)
                self.output.workloads.setdefault(name, []).append(run)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        self.tokens, since = 0, time.monotonic()
        self.tick("started", name, 0.0, 0, ())
        yield
        seconds = round(time.monotonic() - since, 3)
        self.output.stages[name] = self.output.stages.get(name, 0.0) + seconds
        self.tick("finished", name, seconds, self.tokens, ())

    def _all_token_ids(self, model: str) -> dict[str, list[list[int]]]:
        return {
            name: [self._token_ids(model, prompt) for prompt in workload["prompts"]]
            for name, workload in self.job["workloads"].items()
        }

    def _token_ids(self, model: str, prompt: Mapping[str, str]) -> list[int]:
        """A prompt as token ids, by the server's own tokenizer."""
        asked: dict[str, object] = {"model": model, "prompt": prompt["text"]}
        if self.job["chat_template"]:
            messages = [{"role": "user", "content": prompt["chat"]}]
            asked = {"model": model, "messages": messages, "add_generation_prompt": True}
        answer = self.server.json("/tokenize", asked)
        if not isinstance(answer, dict) or "tokens" not in answer:
            raise ServerProblem(f"The server at {self.server.url} has no /tokenize. Use vLLM's own server.")
        return [int(token) for token in answer["tokens"]]

    def _body(self, workload: str, found: Inspected) -> dict[str, Any]:
        sampling = self.job["workloads"][workload]["sampling"]
        return {
            **PLAIN_SAMPLING,
            **sampling,
            "model": found.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_token_ids": True,
        }

    def _workload(self, name: str, prompts: list[list[int]], found: Inspected) -> dict[str, Any]:
        """All requests of a workload; refused where the counters tell of others."""
        body, together = self._body(name, found), self.job["workloads"][name]["together"] or len(prompts)
        before = self._idle(name)
        started, clock = time.time(), time.monotonic()
        requests: list[dict[str, Any]] = []
        for begin in range(0, len(prompts), together):
            requests += self._together(name, prompts[begin : begin + together], body, clock)
        seconds = time.monotonic() - clock
        tokens = sum(len(request["output"]) for request in requests)
        after = self._settled(name, before, len(requests), tokens)
        run = {"started": started, "seconds": round(seconds, 6), "before": before, "after": after}
        passes = sum(len(request["steps"]) - 1 for request in requests)
        if passes != rise(_run(before, after), "inter_token_latency_seconds#count"):
            # The server put several passes into one chunk, so a chunk is no pass.
            requests = [{**request, "steps": []} for request in requests]
        return {**run, "requests": requests}

    def _together(
        self, stage: str, prompts: Sequence[list[int]], body: Mapping[str, Any], clock: float
    ) -> list[dict[str, Any]]:
        with ThreadPoolExecutor(max_workers=min(len(prompts), self.job["max_num_seqs"])) as pool:
            waiting = [pool.submit(self._complete, prompt, body, clock) for prompt in prompts]
            self._wait(stage, waiting)
            return [each.result() for each in waiting]

    def _meanwhile(self, stage: str, work: Callable[[], Any]) -> Any:
        """Do one thing in a thread of its own, so that a stop is heard while the server thinks."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            waiting = [pool.submit(work)]
            self._wait(stage, waiting)
            return waiting[0].result()

    def _wait(self, stage: str, waiting: Sequence[Future[Any]]) -> None:
        """Until all are done: tell how far they are, and break them off on a stop, an error, or at the limit."""
        since, limit = time.monotonic(), STAGE_LIMITS.get(stage, WORKLOAD_LIMIT)
        try:
            while not all(each.done() for each in waiting):
                wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_EXCEPTION)
                if self.cancel.is_set():
                    raise Cancelled
                if any(each.done() and each.exception() for each in waiting):
                    break
                seconds = time.monotonic() - since
                if seconds > limit:
                    raise ArmFailed(f"The server hung: {stage} did not end within {seconds:.0f} s.")
                self.tick("running", stage, seconds, self.tokens, ())
        except BaseException:
            self._break_off(waiting)
            raise
        failed = next((error for each in waiting if each.done() and (error := each.exception())), None)
        if failed is not None:
            self._break_off(waiting)
            raise failed

    def _break_off(self, waiting: Sequence[Future[Any]]) -> None:
        for each in waiting:
            each.cancel()
        self.server.close()

    def _complete(self, prompt: list[int], body: Mapping[str, Any], clock: float) -> dict[str, Any]:
        """One request, chunk by chunk."""
        request: dict[str, Any] = {"prompt": prompt, "output": [], "steps": [], "finish": ""}
        request["arrived"] = round(time.monotonic() - clock, 6)
        for chunk in self.server.stream("/v1/completions", {**body, "prompt": prompt}):
            if chunk.get("usage") is not None:
                request.update(step_detail(chunk.get("metrics")))
            for choice in chunk["choices"]:
                if choice.get("token_ids") is None:
                    raise ServerProblem(f"The server at {self.server.url} gives no token ids. Use vLLM 0.26 or later.")
                if tokens := [int(token) for token in choice["token_ids"]]:
                    now = round(time.monotonic() - clock, 6)
                    request.setdefault("first", now)
                    request["last"] = now
                    request["output"] += tokens
                    if len(request["output"]) > body["max_tokens"]:
                        raise ServerProblem(f"The server at {self.server.url} gives more tokens than were asked for.")
                    request["steps"].append(len(tokens))
                    with self.lock:
                        self.tokens += len(tokens)
                request["finish"] = choice.get("finish_reason") or request["finish"]
        return request

    def _page(self) -> tuple[Sample, ...]:
        page: tuple[Sample, ...] = self._meanwhile("metrics", lambda: metrics_page(self.server))
        return page

    def _idle(self, workload: str) -> Counters:
        """The counters of a server that has nothing to do.

        Raises:
            ArmFailed: it goes on serving others.
        """
        end = time.monotonic() + SETTLE_SECONDS
        while True:
            page = self._page()
            busy = gauge(page, "num_requests_running") + gauge(page, "num_requests_waiting")
            if not busy:
                return counters(page)
            if time.monotonic() > end:
                raise ArmFailed(
                    f"The server at {self.server.url} is busy with {busy:.0f} requests of others before {workload}. "
                    "Stop what else uses it, or attach to a server of your own."
                )
            self.cancel.wait(POLL_SECONDS)

    def _settled(self, workload: str, before: Counters, requests: int, tokens: int) -> Counters:
        """The counters after our requests, once all of them are counted.

        Raises:
            ArmFailed: they rose by more than our requests, or never reached them.
        """
        end = time.monotonic() + SETTLE_SECONDS
        while True:
            after = counters(self._page())
            ended, generated = finished(_run(before, after)), rise(_run(before, after), "generation_tokens")
            if ended > requests or generated > tokens:
                raise ArmFailed(
                    f"Others used the server at {self.server.url} during {workload}: it finished {ended} requests "
                    f"with {generated} tokens, and ours were {requests} with {tokens}. Their figures are in the "
                    "counters, so nothing is graded. Stop what else uses it and run again."
                )
            if (ended, generated) == (requests, tokens):
                return after
            if time.monotonic() > end:
                raise ArmFailed(
                    f"The counters of {self.server.url} tell of {ended} requests with {generated} tokens during "
                    f"{workload}, and ours were {requests} with {tokens}. Is /metrics that of another process?"
                )
            self.cancel.wait(POLL_SECONDS)


def _run(before: Counters, after: Counters) -> WorkloadRun:
    return WorkloadRun(started=0.0, seconds=0.0, before=before, after=after, requests=())


def step_detail(metrics: Mapping[str, Any] | None) -> dict[str, Any]:
    """Accepted and drafted tokens of each step that had a draft; nothing where the server does not tell them."""
    told = (metrics or {}).get("speculative_decoding")
    if told is None or (told.get("num_spec_steps") and "per_step_accepted" not in told):
        return {}
    return {"accepted": told.get("per_step_accepted") or [], "drafted": told.get("per_step_drafted") or []}
