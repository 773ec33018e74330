"""Why an arm failed, in words that say what to do: vLLM's own messages sorted by cause."""

from __future__ import annotations

import re
import signal

_KNOWN: tuple[tuple[str, str], ...] = (
    (r"Cannot find the config file for awq", "Use a checkpoint that is quantised with AWQ, or drop the quantisation."),
    (
        r"same vocabulary size",
        "Choose a draft model with the target's vocabulary, or set use_heterogeneous_vocab (greedy drafts only).",
    ),
    (
        r"CUDA out of memory|out of memory|OutOfMemoryError",
        "Close other programs that use the card, or lower the profile's gpu_memory_utilization or max_model_len.",
    ),
    (
        r"Available memory on node|less than requested memory|No available memory for the cache",
        "Free memory, or ask for less: lower max_model_len in the profile (or VLLM_CPU_KVCACHE_SPACE if you set it).",
    ),
    (
        r"LocalEntryNotFoundError|[Cc]annot find the requested files|offline mode|couldn't connect to",
        "The model is not on this machine. Run again with --download to fetch it, or put it in the local model cache.",
    ),
    (
        r"Invalid repository ID or local directory|HFValidationError|Repo id must be",
        "Check the model's path in the lab's profile.",
    ),
    (r"error: unrecognized arguments", "This vLLM does not know an option that the arm needs: use a newer one."),
    (r"No space left on device", "Make room on the disk, then run the lab again; finished arms are kept."),
    (
        r"No CUDA GPUs are available|Failed to infer device type|NVIDIA driver|no NVIDIA GPU",
        "This profile needs an NVIDIA card with a working driver. Choose --profile cpu on other machines.",
    ),
    (
        r"No module named|cannot import name|ImportError|undefined symbol|does not exist|Could not load this library",
        "The vLLM environment is incomplete. `specquiz lab setup` repairs it; `specquiz lab doctor` shows it.",
    ),
)


_OTHER_PROCESS = "See root cause above"
"""What the server's own process says of a failure in the process that has the engine."""
_LOGGED = re.compile(r"ERROR .*?\] (\w+(?:Error|Exception)): (.+)")
_LAST_LINES = 40
"""Lines of a log's end in which a cause is looked for that nothing else tells."""


def explain(kind: str, message: str, log: str) -> str:
    """One sentence on what vLLM said and one on what to do. `kind` is the exception's type, `log` the log's end."""
    if _OTHER_PROCESS in message and (first := _LOGGED.search(log)):
        kind, message = first.groups()
    said = _first_line(message) or kind
    for text in (f"{kind}: {message}", "\n".join(log.splitlines()[-_LAST_LINES:])):
        for pattern, remedy in _KNOWN:
            if re.search(pattern, text):
                return f"vLLM stopped: {said} {remedy}"
    return f"vLLM stopped with {kind}: {said} The arm's log tells more."


def died(code: int | None, log: str) -> str:
    """What to say of an arm that ended without a word. `code` is its exit code, negative for a signal."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in signal.Signals._value2member_map_ else f"signal {-code}"
        if code == -signal.SIGKILL:
            return (
                f"The engine was ended from outside ({name}); often the system was out of memory. Free some, run again."
            )
        return f"The engine crashed ({name}). The arm's log tells more."
    return explain("an unexpected end", "the engine ended without a result.", log)


def hung(stage: str, seconds: float) -> str:
    """What to say of a stage that went past its limit."""
    return f"The engine hung: {stage} did not end within {seconds:.0f} s. Close other programs and run the lab again."


def _first_line(message: str) -> str:
    """The line of a message that carries the reason; pydantic puts it second."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if len(lines) > 1 and "validation error" in lines[0]:
        return _sentence(lines[1].removeprefix("Value error, "))
    return _sentence(lines[0]) if lines else ""


def _sentence(text: str) -> str:
    text = re.sub(r"\s*\[type=.*", "", text)[:300]
    return text if text.endswith((".", "!", "?")) else f"{text}."
