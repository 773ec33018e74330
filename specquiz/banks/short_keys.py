"""How the keys of a question with a written answer are read: the rubric's points and the tree of follow-ups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from specquiz.banks.bounds import between, counted, repeats, some
from specquiz.banks.decoding import FAILED, Decode, Decoders, one_of, sequence
from specquiz.banks.model import FollowUp, Grade, RubricPoint, ShortQuestion
from specquiz.banks.parsing import MappingNode, Node, Report, ScalarNode, node_at

FEWEST_POINTS, MOST_POINTS = 3, 6
LEVELS_OF_FOLLOW_UPS = 3
GRADES: tuple[str, ...] = get_args(Grade)


def _grades(node: Node, report: Report) -> Any:
    """One grade, or a list of grades, each once."""
    each = one_of(GRADES, "'if'")
    if isinstance(node, ScalarNode):
        grade = each(node, report)
        return FAILED if grade is FAILED else (grade,)
    grades = some(sequence(each, "'if'"), "'if'")(node, report)
    twice = grades is not FAILED and repeats(grades, node, report, "SQ209", "the grade {!r} comes twice")
    return FAILED if twice else grades


def levels_of_follow_ups(values: dict[str, Any], node: MappingNode, report: Report) -> None:
    """Hold the tree of follow-ups to its three levels."""
    tree = values.get("follow_ups", FAILED)
    if tree is not FAILED:
        _check_depth(tree, node_at(node, "follow_ups"), 1, report)


def _check_depth(tree: Sequence[FollowUp], node: Node, level: int, report: Report) -> None:
    for place, follow_up in enumerate(tree):
        if level > LEVELS_OF_FOLLOW_UPS:
            message = f"follow-ups go {LEVELS_OF_FOLLOW_UPS} levels deep; this one is on level {level}"
            report.error(node_at(node, place), "SQ215", message)
        _check_depth(follow_up.follow_ups, node_at(node, place, "follow_ups"), level + 1, report)


def depth_under(tree: Sequence[FollowUp], grade: str) -> int:
    """How many levels follow an answer of this grade, on the longest path."""
    return max((1 + _depth(node.follow_ups) for node in tree if grade in node.grades), default=0)


def _depth(tree: Sequence[FollowUp]) -> int:
    return max((1 + _depth(node.follow_ups) for node in tree), default=0)


_decode_point = Decoders(fields={(RubricPoint, "weight"): between("'weight'", 1, None)}).of(RubricPoint, "a point")
_decode_follow_up = Decoders(fields={(FollowUp, "grades"): _grades}).of(FollowUp, "a follow-up")

FIELDS: dict[tuple[type, str], Decode] = {
    (ShortQuestion, "rubric"): counted(sequence(_decode_point, "'rubric'"), "'rubric'", FEWEST_POINTS, MOST_POINTS),
    (ShortQuestion, "follow_ups"): sequence(_decode_follow_up, "'follow_ups'"),
}
"""How the fields are read where their types do not say it."""
