"""What theory says of each drafted token of a run, and how near to a tie the target was, from the models' own logits.

Standard library, torch and transformers only; run by the Python that has vLLM. The run's outputs give the true
prefixes; nothing is generated here. Its own events: `reference` (one workload of one arm, drafted token by drafted
token) and `margins` (one workload of one arm, token by token).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from .events import Events, Job, Json, Refused, serve
from .lookup import look_up

DIGITS = 7


def main(events: int) -> None:
    """Compute the job on standard input."""
    serve(events, run)


def run(job: Job, events: Events) -> None:
    """Load each model once and go through all that is asked."""
    events.stage("import")
    importlib.import_module("transformers")
    events.stage("compare")

    @cache
    def model(path: str) -> Model:
        return Model(path, job)

    for each in job["tests"]:
        draft = model(each["draft"]) if each["draft"] else None
        requests = [predicted(request, each, model(each["target"]), draft) for request in each["requests"]]
        events.send("reference", arm=each["arm"], workload=each["workload"], requests=requests)
    for each in job["margins"]:
        found = [margins(request, model(each["target"])) for request in each["requests"]]
        events.send("margins", arm=each["arm"], workload=each["workload"], requests=found)
    events.finish_stage()


class Model:
    """A causal language model whose logits can be asked for."""

    def __init__(self, path: str, job: Job) -> None:
        self._torch: Any = importlib.import_module("torch")
        transformers: Any = importlib.import_module("transformers")
        dtype = "auto" if job["dtype"] == "auto" else getattr(self._torch, job["dtype"])
        model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=dtype)
        self._device = job["device"]
        self._model = model.to(self._device).eval()

    def logits(self, tokens: list[int], positions: list[int]) -> Any:
        """The logits for the token that follows each of `positions`, (positions, vocabulary), in float32 on the CPU."""
        with self._torch.inference_mode():
            found = self._model(self._torch.tensor([tokens], device=self._device)).logits[0]
            return found[positions].float().cpu()


class Trial(NamedTuple):
    """A drafted token that the target judged."""

    at: int
    """Its place in the request's output, from 0."""
    depth: int
    """Its place in its draft, from 0."""
    accepted: bool
    token: int
    """The drafted token where the lookup says it; -1 for a draft model's."""


def predicted(request: Json, test: Json, target: Model, draft: Model | None) -> Json:
    """The probability of acceptance of each drafted token that the target judged in one request."""
    tested = list(judged(request, test))
    figures: list[float] = []
    if tested:
        tokens = [*request["prompt"], *request["output"]]
        before = [len(request["prompt"]) + each.at - 1 for each in tested]
        p = target.logits(tokens, before)
        q = draft.logits(tokens, before) if draft is not None else None
        figures = [round(float(value), DIGITS) for value in acceptance(p, q, tested, test)]
    return {
        "at": [each.at for each in tested],
        "depth": [each.depth for each in tested],
        "accepted": [int(each.accepted) for each in tested],
        "predicted": figures,
    }


def acceptance(p: Any, q: Any, tested: list[Trial], test: Json) -> Any:
    """The probability of acceptance at each tested position, from the logits of target and draft."""
    torch: Any = importlib.import_module("torch")
    temperature = test["temperature"]
    proposed = torch.tensor([each.token for each in tested]) if q is None else q.argmax(-1)
    if temperature == 0:
        return (p.argmax(-1) == proposed).float()
    chances = (p.double() / temperature).softmax(-1)
    if test["rule"] == "overlap":
        return torch.minimum(chances, (q.double() / temperature).softmax(-1)).sum(-1)
    return chances.gather(-1, proposed.unsqueeze(-1)).squeeze(-1)


def judged(request: Json, test: Json) -> Iterator[Trial]:
    """The drafted tokens that the target judged: all up to the first rejected one, as far as the output reaches.

    A pass gives its accepted tokens and one of the target's own; the prompt's pass gives one.
    """
    offers = iter(zip(request["accepted"], request["drafted"], strict=True))
    output, at = request["output"], 1
    while at < len(output):
        proposal = proposal_at(request, test, at)
        accepted, drafted = next(offers, (0, 0)) if proposal is None or proposal else (0, 0)
        if proposal and len(proposal) != drafted:
            raise Refused(
                f"vLLM drafted {drafted} tokens where the lookup rule gives {len(proposal)}, so the theory says "
                "nothing of this run. Tell us the vLLM version: its lookup has changed."
            )
        known = min(accepted + 1, drafted, len(output) - at)
        if test["worked_out"] and at + accepted + 1 >= len(output):
            # Whether the output's last token was drafted is not known; that it is left out depends on no outcome.
            known = min(accepted, known)
        for depth in range(known):
            yield Trial(at + depth, depth, depth < accepted, proposal[depth] if proposal else -1)
        at += accepted + 1


def proposal_at(request: Json, test: Json, at: int) -> list[int] | None:
    """The lookup's draft after `at` tokens of output; None for a draft model, which drafts in every pass."""
    lookup = test["lookup"]
    if lookup is None:
        return None
    context = [*request["prompt"], *request["output"][:at]]
    room = lookup["max_model_len"] - len(context)
    return look_up(context, lookup["min"], lookup["max"], min(lookup["num_tokens"], room))


def margins(request: Json, target: Model) -> list[float]:
    """By how much (in nats) the best token's log probability lies above the second's, for every token of an output."""
    first, tokens = len(request["prompt"]), [*request["prompt"], *request["output"]]
    best = target.logits(tokens, list(range(first - 1, len(tokens) - 1))).topk(2).values
    return [round(float(margin), DIGITS) for margin in best[:, 0] - best[:, 1]]
