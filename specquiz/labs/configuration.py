"""I8, and that the engine ran with what the lab asks for: the resolved configuration against the lab's."""

from __future__ import annotations

from collections.abc import Iterator

from specquiz.labs.broken import Broken
from specquiz.labs.evidence import ArmRun
from specquiz.labs.model import Lab, Profile, Scalar

SECTIONS = ("model", "cache", "scheduler", "parallel")
"""Parts of the configuration that every engine resolves, whatever its version."""


def of_the_configuration(lab: Lab, profile: str, name: str, arm: ArmRun, *, own: bool) -> Iterator[Broken]:
    """What the arm ran with and was not to. `lab` is tailored to `profile`.

    Args:
        own: the learner wrote the speculative config, who may not choose a lossy acceptance.
    """
    yield from _of_the_speculation(lab, name, arm, own=own)
    resolved = {key: value for section in SECTIONS for key, value in arm.config.get(section, {}).items()}
    # A server that was attached was started by someone else; what must hold of it was asked before it was used.
    fixed = {} if "server" in arm.config else _fixed(lab, lab.profiles[profile], name)
    for key, value in (fixed | lab.arms[name].engine).items():
        if key in fixed and key not in resolved:
            yield Broken("config", f"{name} does not tell {key}")
        elif key in resolved and resolved[key] != value:
            yield Broken("config", f"{name} ran with {key} = {resolved[key]}; the lab asks for {value}")


def _fixed(lab: Lab, profile: Profile, name: str) -> dict[str, Scalar]:
    """What `engines/arm.py` starts an engine with and every vLLM tells as it was given."""
    fixed: dict[str, Scalar] = {
        "max_model_len": profile.max_model_len,
        "max_num_seqs": profile.max_num_seqs,
        "enable_prefix_caching": False,
        "seed": 0,
    }
    if profile.dtype in ("float32", "float16", "bfloat16"):
        fixed["dtype"] = f"torch.{profile.dtype}"
    model = lab.arms[name].model or profile.model
    # Of a repository's id vLLM tells the folder that it was downloaded to.
    return {**fixed, "model": model} if model.startswith("tiny/") else fixed


def _of_the_speculation(lab: Lab, name: str, arm: ArmRun, *, own: bool) -> Iterator[Broken]:
    wanted, found = lab.arms[name].speculative_config, arm.config.get("speculative", {})
    method = found.get("rejection_sample_method", "standard")
    if method != "standard" and (own or "rejection_sample_method" not in wanted):
        yield Broken("I8", f"{name} ran with rejection_sample_method {method}; only standard acceptance is graded")
    if not wanted and found:
        yield Broken("I8", f"{name} is to decode plainly, but vLLM speculated ({found.get('method')})")
    # A server that was attached may not tell everything; what it does not tell is named in the evidence.
    untold = str(arm.config.get("server", {}).get("unverified", "")).split(", ")
    for key, value in wanted.items():
        if found.get(key) != value and key not in untold:
            yield Broken("I8", f"{name} ran with {key} = {found.get(key)}; the lab asks for {value}")
