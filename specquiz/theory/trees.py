"""Trees of drafted tokens, when the child of rank r is the accepted one with a constant probability.

`ranks` are these probabilities, for the draft's first choice, second choice and so on; they sum to at most one, the
rest is a rejection of all children. A node counts if its whole path is accepted, so a tree emits
1 + Σ_nodes Π_path ranks tokens per target pass. Source: Chen et al. 2024 (Sequoia, arXiv:2402.12374), §3.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from numpy.typing import ArrayLike

from specquiz.theory.arguments import FloatArray, count, probability


class Tree(NamedTuple):
    """A tree as the paths of its drafted nodes (ranks from 0 at each depth), and its expected emitted tokens."""

    paths: tuple[tuple[int, ...], ...]
    tokens: float


def tree_tokens(ranks: ArrayLike, paths: Iterable[tuple[int, ...]]) -> float:
    """Expected tokens per target pass of the tree with these node paths, the target's own token included.

    ValueError where a node's parent is missing or a rank does not exist.
    """
    accepted = _ranks(ranks)
    nodes = set(paths)
    total = 1.0
    for path in nodes:
        if not path or (len(path) > 1 and path[:-1] not in nodes):
            raise ValueError(f"paths: the parent of node {path} is missing")
        if not all(0 <= rank < len(accepted) for rank in path):
            raise ValueError(f"paths: node {path} has a rank outside 0..{len(accepted) - 1}")
        product = 1.0
        for rank in path:
            product *= float(accepted[rank])
        total += product
    return total


def best_tree(ranks: ArrayLike, nodes: int) -> Tree:
    """The tree of `nodes` drafted nodes that emits most, grown best-first: always the likeliest node that fits.

    Best because a node is never likelier than its parent.
    """
    accepted: list[float] = _ranks(ranks).tolist()
    queue: list[tuple[float, tuple[int, ...]]] = [(-value, (rank,)) for rank, value in enumerate(accepted)]
    heapq.heapify(queue)
    paths: list[tuple[int, ...]] = []
    tokens = 1.0
    for _ in range(int(count("nodes", nodes))):
        negative, path = heapq.heappop(queue)
        paths.append(path)
        tokens -= negative
        for rank, value in enumerate(accepted):
            heapq.heappush(queue, (negative * value, (*path, rank)))
    return Tree(tuple(paths), tokens)


def best_tree_tokens(ranks: ArrayLike, nodes: int) -> float:
    """Expected tokens of the best tree of `nodes` drafted nodes, by dynamic programming over splits among children."""
    accepted: list[float] = _ranks(ranks).tolist()

    @cache
    def forest(left: int, rank: int) -> float:
        """The most that `left` nodes below one node add, when its children of a rank below `rank` are decided."""
        if left == 0 or rank == len(accepted):
            return 0.0
        split = (
            accepted[rank] * (1 + forest(size - 1, 0)) + forest(left - size, rank + 1) for size in range(1, left + 1)
        )
        return max(forest(left, rank + 1), *split)

    budget = int(count("nodes", nodes))
    for left in range(budget):
        forest(left, 0)
    return 1 + forest(budget, 0)


def full_tree_tokens(ranks: ArrayLike, depth: int) -> float:
    """Expected tokens of the tree in which every node above `depth` has all its children: Σ_{d=0..depth} s^d.

    s is the sum of `ranks`: some child is the accepted one.
    """
    some_child = float(_ranks(ranks).sum())
    return float(sum(some_child**d for d in range(int(count("depth", depth)) + 1)))


def _ranks(ranks: ArrayLike) -> FloatArray:
    accepted = probability("ranks", ranks)
    if accepted.ndim != 1 or not len(accepted) or accepted.sum() > 1 + 1e-9:
        raise ValueError(f"ranks must be a vector of probabilities that sum to at most one, not {accepted.tolist()}")
    return accepted
