"""Run by vLLM's own Python: which speculative configurations it takes. Cases on standard input, verdicts on output.

Tiny models stand in for whatever a configuration names. What a model's own files must say (the size of its vocabulary,
how many tokens an MTP module predicts) is written into copies of their configurations; nothing is loaded.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_LOGGING_LEVEL": "ERROR"}

from vllm.config import ModelConfig, ParallelConfig, SpeculativeConfig
from vllm.v1.spec_decode.dynamic.utils import validate_and_normalize_dynamic_sd_schedule

TINY = Path(sys.argv[1])
TABLE = "num_speculative_tokens_per_batch_size"


def copy_of(model: str, into: Path, **changes: Any) -> Path:
    """A copy of a tiny model's files whose configuration says something else."""
    shutil.copytree(TINY / model, into)
    config = json.loads((into / "config.json").read_text())
    (into / "config.json").write_text(json.dumps({**config, **changes}))
    return into


def models(case: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """(target, draft) that are as the case says."""
    facts = case["given"]
    changes: dict[str, Any] = {}
    if "n_predict" in facts:
        changes = {"architectures": ["MiMoForCausalLM"], "num_nextn_predict_layers": facts["n_predict"]}
    sizes = {"vocab_size": facts["target_vocab_size"]} if "target_vocab_size" in facts else {}
    other = {"vocab_size": facts["draft_vocab_size"]} if "draft_vocab_size" in facts else sizes
    name = str(case["config"].get("model") or "draft").rstrip("/").rpartition("/")[2] or "draft"
    # As many heads as any number of ranks in the cases divides.
    heads = {"num_attention_heads": 8, "num_key_value_heads": 8}
    of_head = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"} if "eagle" in case["method"] else {}
    return copy_of("target", folder / "target", **heads, **changes, **sizes), copy_of(
        "draft", folder / name, **heads, **other, **of_head
    )


def taken(case: dict[str, Any], folder: Path) -> str:
    """Empty if vLLM takes the configuration, else what it says."""
    config = dict(case["config"])
    ranks = case["given"].get("tensor_parallel_size", 1)
    target, draft = models(case, folder)
    if config.get("model") and case["method"] not in ("ngram", "ngram_gpu", "custom_class", "suffix"):
        config["model"] = str(draft)
    parallel = ParallelConfig(tensor_parallel_size=1)
    parallel.tensor_parallel_size = ranks
    try:
        SpeculativeConfig(
            target_model_config=ModelConfig(model=str(target), dtype="float32", max_model_len=512),
            target_parallel_config=parallel,
            **{key: value for key, value in config.items() if value is not None},
        )
        if config.get(TABLE) is not None:
            validate_and_normalize_dynamic_sd_schedule(config[TABLE])
    except Exception as error:  # noqa: BLE001 - whatever vLLM raises is its answer
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    """Judge every case."""
    said = []
    for case in json.load(sys.stdin):
        with tempfile.TemporaryDirectory() as folder:
            said.append(taken(case, Path(folder)))
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
