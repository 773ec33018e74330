"""specquiz: prepare for LLM-inference interviews and prove it on a real vLLM."""

__version__ = "0.1.0"
