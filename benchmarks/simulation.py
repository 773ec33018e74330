"""Simulated rounds beside NumPy's bare draws of the same random numbers, and beside a plain Python loop, in one run.

The budget: `simulate_rounds` takes at most 3 times as long as drawing its coins. `--smoke` tosses fewer coins.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

import numpy as np

from specquiz.theory import simulate_rounds, tokens_per_pass

ALPHA, K = 0.7, 4
BUDGET = 3.0


def plain_loop(rounds: int) -> int:
    """Emitted tokens of `rounds` rounds, a coin at a time."""
    toss = random.Random(0).random
    emitted = 0
    for _ in range(rounds):
        accepted = 0
        while accepted < K and toss() < ALPHA:
            accepted += 1
        emitted += accepted + 1
    return emitted


def bare_draws(rounds: int) -> None:
    """The coins of `rounds` rounds and nothing else, in one reused buffer that fits into the cache."""
    rng, coins = np.random.default_rng(0), np.empty(32768)
    for start in range(0, rounds * K, len(coins)):
        rng.random(out=coins[: rounds * K - start])


def nanoseconds(run: Callable[[int], object], rounds: int, repeats: int) -> float:
    """The fastest of `repeats` runs, per round."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter_ns()
        run(rounds)
        times.append(time.perf_counter_ns() - started)
    return min(times) / rounds


def main() -> int:
    rounds, repeats = (200_000, 5) if "--smoke" in sys.argv[1:] else (5_000_000, 7)
    loop = nanoseconds(plain_loop, rounds // 20, repeats)
    draws = nanoseconds(bare_draws, rounds, repeats)
    simulation = nanoseconds(lambda count: simulate_rounds(ALPHA, K, count), rounds, repeats)
    simulated = simulate_rounds(ALPHA, K, rounds)
    ratio = simulation / draws
    print(f"plain Python loop    {loop:7.1f} ns a round")
    print(f"bare NumPy draws     {draws:7.1f} ns a round")
    print(f"simulate_rounds      {simulation:7.1f} ns a round, {ratio:.2f} times the draws (budget {BUDGET:g})")
    print(f"tokens per pass      {simulated.tokens_per_pass:.4f} simulated, {tokens_per_pass(ALPHA, K):.4f} by formula")
    return 1 if ratio > BUDGET else 0


if __name__ == "__main__":
    sys.exit(main())
