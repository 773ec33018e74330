"""Make the two drafts that are good for nothing, which the labs on wrong and on harmful drafts want.

    python labs/tiny/random_models.py    writes other-vocab/ and blind/ beside this file

Both have random weights, fixed by a seed. `other-vocab` has another vocabulary than the target, so vLLM refuses it;
`blind` has the target's, so vLLM takes it, and hardly a guess of it is right. It wants the Python of a vLLM environment
(torch, transformers); README.md explains.
"""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import GenerationConfig, Qwen2Config, Qwen2ForCausalLM
from transformers.utils import logging

HERE = Path(__file__).parent

SIZES = {"other-vocab": 640, "blind": 512}
"""Folder to the size of its vocabulary; the target's is 512."""
CONTEXT = 2048
END_ID = 0
SEED = 0


def build(vocabulary: int) -> Qwen2ForCausalLM:
    """A model of the draft's shape with random weights."""
    torch.manual_seed(SEED)
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=vocabulary,
            hidden_size=32,
            intermediate_size=96,
            num_hidden_layers=1,
            num_attention_heads=1,
            num_key_value_heads=1,
            max_position_embeddings=CONTEXT,
            tie_word_embeddings=True,
            bos_token_id=END_ID,
            eos_token_id=END_ID,
            pad_token_id=END_ID,
        )
    )


def main() -> None:
    """Write both models."""
    logging.disable_progress_bar()
    for name, vocabulary in SIZES.items():
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        model = build(vocabulary).eval()
        model.generation_config = GenerationConfig(bos_token_id=END_ID, eos_token_id=END_ID, pad_token_id=END_ID)
        model.save_pretrained(folder)
        print(f"{name}: vocabulary of {vocabulary}, {model.num_parameters()} parameters")


if __name__ == "__main__":
    main()
