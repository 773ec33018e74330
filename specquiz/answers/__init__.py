"""Typed text to verdict: read, evaluate exactly, compare with a closed form."""
