"""Write down what the target is given and says at temperature 0 and what no draft guesses of it, or check that.

    python labs/tiny/recital.py            writes recital.json beside this file
    python labs/tiny/recital.py --check    compares it with what the models say now

The labs hold evidence against it: which token ids a prompt has is the tokenizer's matter alone, and which token follows
is the target's, as long as its best token lies so far above the second that no processor's rounding can change it. So
with the drafts: where another token lies as far above the target's, they do not draft that. It wants the Python of a
vLLM environment (torch, transformers, PyYAML); README.md explains.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch
import yaml
from transformers import AutoTokenizer, Qwen2ForCausalLM
from transformers.utils import logging

LABS = Path(__file__).parent.parent
MODEL, DRAFTS = "tiny/target", ("tiny/draft", "tiny/blind")
PROMPTS = ("prompts/echo.yaml", "prompts/novel.yaml")
FILE = Path(__file__).with_name("recital.json")

TOKENS = 100
"""As many as the labs ask for at most."""
FAR = 0.5
"""Nats between the best token and another. In float32 they move by a hundred-thousandth, in bfloat16 by 0.22."""

Request = dict[str, list[int] | dict[str, list[int]]]


def load(model: str) -> Qwen2ForCausalLM:
    """A saved model, in the precision that the labs run it in."""
    return Qwen2ForCausalLM.from_pretrained(LABS / model, dtype=torch.float32, local_files_only=True).eval()


@torch.no_grad()
def recite(target: Qwen2ForCausalLM, prompt: list[int]) -> list[int]:
    """The tokens that follow a prompt, each the best by far.

    Raises:
        ValueError: a second token comes close.
    """
    ids = prompt
    for _ in range(TOKENS):
        best = target(torch.tensor([ids]), use_cache=False).logits[0, -1].log_softmax(-1).topk(2)
        if float(best.values[0] - best.values[1]) < FAR:
            raise ValueError(f"two tokens are nearly as good after {ids}")
        ids = [*ids, int(best.indices[0])]
    return ids[len(prompt) :]


@torch.no_grad()
def missed(draft: Qwen2ForCausalLM, prompt: list[int], output: list[int]) -> list[int]:
    """The places of the output, from 0, at which the draft's best token is another by far."""
    ids = torch.tensor([[*prompt, *output]])
    scores = draft(ids, use_cache=False).logits[0, len(prompt) - 1 : -1].log_softmax(-1)
    behind = scores.max(-1).values - scores.gather(-1, torch.tensor(output).unsqueeze(-1)).squeeze(-1)
    return [place for place, gap in enumerate(behind.tolist()) if gap >= FAR]


def recital() -> dict[str, dict[str, list[Request]]]:
    """Model to prompt file to its requests, in the file's order: the token ids of prompt and output, and the misses."""
    tokenizer = AutoTokenizer.from_pretrained(LABS / MODEL, local_files_only=True)
    target, drafts = load(MODEL), {name: load(name) for name in DRAFTS}
    found: dict[str, list[Request]] = {}
    for name in PROMPTS:
        texts = [prompt["text"] for prompt in yaml.safe_load((LABS / name).read_text(encoding="utf-8"))["prompts"]]
        prompts = [[int(token) for token in tokenizer.encode(text)] for text in texts]
        found[name] = []
        for prompt in prompts:
            output = recite(target, prompt)
            misses = {draft: missed(model, prompt, output) for draft, model in drafts.items()}
            found[name].append({"prompt": prompt, "output": output, "missed": misses})
    return {MODEL: found}


def as_text(found: dict[str, dict[str, list[Request]]]) -> str:
    """JSON with one line for each request."""
    (requests,) = found.values()
    files = ",\n".join(
        f" {json.dumps(name)}: [\n" + ",\n".join(f"  {json.dumps(each)}" for each in told) + "\n ]"
        for name, told in requests.items()
    )
    return f"{{{json.dumps(MODEL)}: {{\n{files}\n}}}}\n"


def main() -> int:
    """Write the file, or say whether it is right."""
    parser = argparse.ArgumentParser(description="Write down what the target says, or check it.")
    parser.add_argument("--check", action="store_true", help="compare with recital.json, write nothing")
    arguments = parser.parse_args()
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    text = as_text(recital())
    if not arguments.check:
        FILE.write_text(text, encoding="utf-8")
    elif text != FILE.read_text(encoding="utf-8"):
        print(f"{FILE.name} is not what {MODEL} says.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
