"""What the theory says of each drafted token of a run, from the two models' own logits. Standard library, torch and
transformers only; run by the Python that has vLLM.

The run's outputs give the true prefixes; nothing is generated here. Its own events: `reference` (one workload of one
arm, token by token) and `splits` (how near to a tie the target was where two arms' outputs part).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from .events import Events, Job, Json, Refused, serve
from .lookup import look_up

DIGITS = 7


def main(events: int) -> None:
    """Compute the job on standard input."""
    serve(events, run)


def run(job: Job, events: Events) -> None:
    """Load the models once and go through all that is asked."""
    events.stage("import")
    importlib.import_module("transformers")
    events.stage("load")
    target = Model(job["target"], job)
    drafts = {name: Model(name, job) for name in sorted({each["draft"] for each in job["tests"] if each["draft"]})}
    events.stage("compare")
    for each in job["tests"]:
        requests = [predicted(request, each, target, drafts.get(each["draft"])) for request in each["requests"]]
        events.send("reference", arm=each["arm"], workload=each["workload"], requests=requests)
    events.send("splits", splits=[split(each, target) for each in job["splits"]])
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
        """The logits for the token that follows each of `positions`, shape (positions, vocabulary), float32 on the CPU."""
        with self._torch.inference_mode():
            found = self._model(self._torch.tensor([tokens], device=self._device)).logits[0]
            return found[positions].float().cpu()


class Tested(NamedTuple):
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


def acceptance(p: Any, q: Any, tested: list[Tested], test: Json) -> Any:
    """The probability of acceptance at each tested position, from the logits of target and draft."""
    torch: Any = importlib.import_module("torch")
    temperature = test["temperature"]
    proposed = torch.tensor([each.token for each in tested]) if q is None else q.argmax(-1)
    if temperature == 0:
        return (p.argmax(-1) == proposed).float()
    chances = (p.double() / temperature).softmax(-1)
    if test["theory"] == "probabilistic":
        return torch.minimum(chances, (q.double() / temperature).softmax(-1)).sum(-1)
    return chances.gather(-1, proposed.unsqueeze(-1)).squeeze(-1)


def judged(request: Json, test: Json) -> Iterator[Tested]:
    """The drafted tokens that the target judged: all up to the first rejected one, as far as the output reaches."""
    offers = iter(zip(request["accepted"], request["drafted"], strict=True))
    output, at = request["output"], request["steps"][0]
    for emitted in request["steps"][1:]:
        proposal = proposal_at(request, test, at)
        if proposal is None or proposal:
            accepted, drafted = next(offers, (0, 0))
            if proposal and len(proposal) != drafted:
                raise Refused(
                    f"vLLM drafted {drafted} tokens where the lookup rule gives {len(proposal)}, so the theory says "
                    "nothing of this run. Tell us the vLLM version: its lookup has changed."
                )
            for depth in range(min(accepted + 1, drafted, len(output) - at)):
                token = proposal[depth] if proposal else -1
                yield Tested(at + depth, depth, depth < accepted, token)
        at += emitted


def proposal_at(request: Json, test: Json, at: int) -> list[int] | None:
    """The lookup's draft after `at` tokens of output; None for a draft model, which drafts in every pass."""
    lookup = test["lookup"]
    if lookup is None:
        return None
    context = [*request["prompt"], *request["output"][:at]]
    room = lookup["max_model_len"] - len(context)
    return look_up(context, lookup["min"], lookup["max"], min(lookup["num_tokens"], room))


def split(place: Json, target: Model) -> Json:
    """How near to a tie the target was where two outputs part.

    `gap` is by how much the best token's log probability lies above the second's, `behind` by how much it lies above
    the less likely of the two tokens that were chosen; both in nats.
    """
    tokens = [*place["prompt"], *place["output"]]
    (logits,) = target.logits(tokens, [len(tokens) - 1])
    best, second = (float(value) for value in logits.topk(2).values)
    behind = best - min(float(logits[token]) for token in place["tokens"])
    return {**place["key"], "gap": round(best - second, DIGITS), "behind": round(behind, DIGITS)}
