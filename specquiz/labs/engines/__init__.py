"""How an arm of a lab runs: a child process with vLLM."""
