"""Train the tiny models that the labs run on a CPU, or check the ones that are there.

    python labs/tiny/train.py            train tokenizer, target and draft; writes target/ and draft/ beside this file
    python labs/tiny/train.py --check    measure the saved models

It wants the Python of a vLLM environment (torch, transformers, tokenizers, PyYAML). One thread, fixed seeds and a
fixed number of steps: the same versions on the same kind of processor give the same weights. README.md explains.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean as mean

import torch
import yaml
from tokenizers import Tokenizer, pre_tokenizers, trainers
from torch.nn import functional
from transformers import AutoTokenizer, GenerationConfig, Qwen2Config, Qwen2ForCausalLM, Qwen2Tokenizer
from transformers.utils import logging

HERE = Path(__file__).parent
TARGET, DRAFT = HERE / "target", HERE / "draft"

VOCABULARY = 512
END = "<|endoftext|>"
END_ID = 0
OPENING_WORDS = 6
CONTEXT = 2048
SEED = 0


@dataclass(frozen=True)
class Shape:
    """The size of a model. Heads are 32 wide, the least that vLLM's CPU attention takes."""

    hidden: int
    intermediate: int
    layers: int
    heads: int


@dataclass(frozen=True)
class Course:
    """How long and how hard to train: steps, and the peak learning rates for matrices and for everything else."""

    steps: int
    matrix_rate: float = 0.02
    other_rate: float = 0.006
    batch: int = 8
    length: int = 256
    """Tokens per row."""


TARGET_SHAPE, TARGET_COURSE = Shape(hidden=128, intermediate=384, layers=2, heads=4), Course(steps=400)
DRAFT_SHAPE, DRAFT_COURSE = Shape(hidden=32, intermediate=96, layers=1, heads=1), Course(steps=420)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph as it is written and as token ids, and how many of these are its opening."""

    text: str
    ids: list[int]
    opening: int


def paragraphs() -> list[str]:
    """The corpus in file order."""
    corpus = yaml.safe_load((HERE / "corpus.yaml").read_text(encoding="utf-8"))
    return [paragraph["text"] for paragraph in corpus["paragraphs"]]


def train_tokenizer(texts: Sequence[str]) -> Tokenizer:
    """Byte-level BPE: any text can be encoded, and a word is never merged with its neighbour.

    It starts from what transformers builds for a Qwen2 model: some versions take the splitting of text into words from
    there whatever tokenizer.json says, so any other choice would be read in two ways.
    """
    tokenizer = Qwen2Tokenizer().backend_tokenizer
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[END], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encode(tokenizer: Tokenizer, text: str) -> Paragraph:
    """Encode a paragraph; its opening must be the same tokens alone and in the paragraph, or the prompts would lie."""
    ids = tokenizer.encode(text).ids
    opening = tokenizer.encode(" ".join(text.split()[:OPENING_WORDS])).ids
    if ids[: len(opening)] != opening:
        raise ValueError(f"the opening is tokenized differently on its own: {text[:40]!r}")
    return Paragraph(text, ids, len(opening))


def misspell(text: str, rng: random.Random) -> str:
    """Swap two neighbouring letters inside one long word, as the echo prompts do."""
    words = text.split(" ")
    place = rng.choice([i for i, word in enumerate(words) if len(word) > 6 and word.isalpha()])
    word = words[place]
    at = rng.choice([i for i in range(1, len(word) - 2) if word[i] != word[i + 1]])
    words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


def documents(corpus: Sequence[Paragraph], tokenizer: Tokenizer, rng: random.Random) -> Iterator[int]:
    """An endless stream of token ids.

    A document is one paragraph, or one misspelt and then as it should be, or two different ones; a newline lies
    between two, and each document ends with the end token. So the model learns to recite the right text whatever
    stands before it, as the echo prompts ask.
    """
    (newline,) = tokenizer.encode("\n").ids
    while True:
        paragraph = rng.choice(corpus)
        kind = rng.choices(["alone", "misspelt before", "other before"], [0.6, 0.2, 0.2])[0]
        if kind == "misspelt before":
            yield from tokenizer.encode(misspell(paragraph.text, rng)).ids
            yield newline
        elif kind == "other before":
            yield from rng.choice(corpus).ids
            yield newline
        yield from paragraph.ids
        yield END_ID


def batches(corpus: Sequence[Paragraph], tokenizer: Tokenizer, course: Course, seed: int) -> Iterator[torch.Tensor]:
    """Batches of token ids, (batch, length + 1); half of the rows begin inside a paragraph."""
    rng = random.Random(seed)
    while True:
        rows = []
        for _ in range(course.batch):
            stream = documents(corpus, tokenizer, rng)
            for _ in range(rng.randrange(60) if rng.random() < 0.5 else 0):
                next(stream)
            rows.append([next(stream) for _ in range(course.length + 1)])
        yield torch.tensor(rows)


def build(shape: Shape) -> Qwen2ForCausalLM:
    """A model of the Qwen2 architecture, which every vLLM knows, with tied embeddings."""
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=VOCABULARY,
            hidden_size=shape.hidden,
            intermediate_size=shape.intermediate,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            num_key_value_heads=shape.heads,
            max_position_embeddings=CONTEXT,
            tie_word_embeddings=True,
            bos_token_id=END_ID,
            eos_token_id=END_ID,
            pad_token_id=END_ID,
        )
    )


def fit(
    name: str,
    model: Qwen2ForCausalLM,
    course: Course,
    data: Iterator[torch.Tensor],
    goals: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    """Train with Muon on the matrices and AdamW on the rest.

    Args:
        goals: rows of token ids (batch, length + 1) to what the logits (batch * length, vocabulary) should say:
            either token ids or whole distributions.
    """
    matrices = [p for n, p in model.named_parameters() if p.dim() == 2 and "embed" not in n]
    others = [p for n, p in model.named_parameters() if p.dim() != 2 or "embed" in n]
    optimizers = [
        torch.optim.Muon(matrices, lr=course.matrix_rate, weight_decay=0.0),
        torch.optim.AdamW(others, lr=course.other_rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]

    def rate(step: int) -> float:
        """Rise over 20 steps, hold, fall to nothing over the second half."""
        return min(1.0, (step + 1) / 20, 2 * (course.steps - step) / course.steps)

    schedules = [torch.optim.lr_scheduler.LambdaLR(optimizer, rate) for optimizer in optimizers]
    for step in range(course.steps):
        rows = next(data)
        logits = model(rows[:, :-1], use_cache=False).logits.flatten(0, 1)
        loss = functional.cross_entropy(logits, goals(rows))
        model.zero_grad()
        loss.backward()
        for optimizer, schedule in zip(optimizers, schedules, strict=True):
            optimizer.step()
            schedule.step()
        if (step + 1) % 100 == 0:
            print(f"{name} step {step + 1}/{course.steps} loss {loss.item():.3f}", flush=True)
    model.eval()


def save(model: Qwen2ForCausalLM, folder: Path) -> None:
    """Write weights (float32), architecture and end token, with no trace of where they were made."""
    folder.mkdir(exist_ok=True)
    model.generation_config = GenerationConfig(bos_token_id=END_ID, eos_token_id=END_ID, pad_token_id=END_ID)
    model.save_pretrained(folder)


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Write the tokenizer and the settings that loaders want beside it."""
    folder.mkdir(exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "Qwen2Tokenizer",
        "eos_token": END,
        "pad_token": END,
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def train() -> None:
    """Make tokenizer, target and draft, and write them."""
    texts = paragraphs()
    tokenizer = train_tokenizer(texts)
    save_tokenizer(tokenizer, TARGET)
    corpus = [encode(tokenizer, text) for text in texts]

    torch.manual_seed(SEED)
    target = build(TARGET_SHAPE)
    rows = batches(corpus, tokenizer, TARGET_COURSE, SEED)
    fit("target", target, TARGET_COURSE, rows, lambda rows: rows[:, 1:].flatten())
    save(target, TARGET)

    @torch.no_grad()
    def taught(rows: torch.Tensor) -> torch.Tensor:
        return target(rows[:, :-1], use_cache=False).logits.flatten(0, 1).softmax(-1)

    torch.manual_seed(SEED)
    draft = build(DRAFT_SHAPE)
    fit("draft", draft, DRAFT_COURSE, batches(corpus, tokenizer, DRAFT_COURSE, SEED + 1), taught)
    save(draft, DRAFT)


@torch.no_grad()
def recital(target: Qwen2ForCausalLM, prompt: list[int], expected: list[int]) -> float:
    """Share of the expected tokens that greedy decoding gives, place by place."""
    ids = prompt
    for _ in expected:
        ids = [*ids, int(target(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax())]
    said = ids[len(prompt) :]
    return mean([float(one == other) for one, other in zip(said, expected, strict=True)])


@torch.no_grad()
def likeness(target: Qwen2ForCausalLM, draft: Qwen2ForCausalLM, paragraph: Paragraph) -> tuple[float, float]:
    """How alike both models continue a paragraph after its opening.

    Returns: the share of places with the same first choice (acceptance at temperature 0), and the mean over places of
    the sum of min(p, q) (acceptance at temperature 1 of a draft that samples).
    """
    ids = torch.tensor([paragraph.ids])
    p, q = (model(ids, use_cache=False).logits[0, paragraph.opening - 1 : -1].softmax(-1) for model in (target, draft))
    same = (p.argmax(-1) == q.argmax(-1)).float().mean()
    return float(same), float(torch.minimum(p, q).sum(-1).mean())


def saved_tokenizer() -> Tokenizer:
    """The tokenizer as its file says, compared with what vLLM gets from transformers."""
    tokenizer = Tokenizer.from_file(str(TARGET / "tokenizer.json"))
    loaded = AutoTokenizer.from_pretrained(TARGET, local_files_only=True)
    for text in [*paragraphs(), *(prompt["text"] for prompt in prompts("echo"))]:
        if loaded.encode(text) != tokenizer.encode(text).ids:
            raise ValueError(f"two ways to tokenize {text[:40]!r}")
    return tokenizer


def prompts(workload: str) -> list[dict[str, str]]:
    """The prompts of a workload that the labs ship."""
    text = (HERE.parent / "prompts" / f"{workload}.yaml").read_text(encoding="utf-8")
    return list(yaml.safe_load(text)["prompts"])


def check() -> None:
    """Print what the saved models can do."""
    tokenizer = saved_tokenizer()
    corpus = [encode(tokenizer, text) for text in paragraphs()]
    target, draft = (
        Qwen2ForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True).eval()
        for folder in (TARGET, DRAFT)
    )
    print(f"parameters: target {target.num_parameters()}, draft {draft.num_parameters()}")
    openings = [paragraph.opening for paragraph in corpus]
    rest = min(len(paragraph.ids) - paragraph.opening for paragraph in corpus)
    print(f"{len(corpus)} paragraphs, openings of {min(openings)} to {max(openings)} tokens, the rest at least {rest}")

    shares = [recital(target, text.ids[: text.opening], text.ids[text.opening :]) for text in corpus]
    print(f"recital after the opening: {mean(shares):.3f} ({shares.count(1.0)} of {len(shares)} without a slip)")

    by_opening = {tuple(text.ids[: text.opening]): text for text in corpus}
    shares = []
    for prompt in prompts("echo"):
        text = by_opening[tuple(tokenizer.encode(prompt["text"].split("\n")[-1]).ids)]
        shares.append(recital(target, tokenizer.encode(prompt["text"]).ids, text.ids[text.opening :]))
    print(f"recital after the echo prompts: {mean(shares):.3f} ({shares.count(1.0)} of {len(shares)} without a slip)")

    same, overlap = zip(*(likeness(target, draft, text) for text in corpus), strict=True)
    print(f"draft and target: same first choice {mean(same):.3f}, sum of min(p, q) {mean(overlap):.3f}")


def main() -> None:
    """Train unless asked only to check; check in any case."""
    parser = argparse.ArgumentParser(description="Train or check the tiny models of the labs.")
    parser.add_argument("--check", action="store_true", help="measure the saved models, train nothing")
    arguments = parser.parse_args()
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.use_deterministic_algorithms(True)
    if not arguments.check:
        train()
    check()


if __name__ == "__main__":
    main()
