"""The labs: predict, run a real vLLM, grade from evidence."""
