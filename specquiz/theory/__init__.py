"""Speculative decoding itself, computed: closed forms, acceptance statistics, sampling, proposers, rooflines."""
