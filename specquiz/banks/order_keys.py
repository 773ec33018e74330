"""How the keys of a question about an order are read: items with ids, and wrong orders that name each of them once."""

from __future__ import annotations

from typing import Any

from specquiz.banks.bounds import counted, repeats, some
from specquiz.banks.decoding import FAILED, Decoders, sequence, text
from specquiz.banks.model import Misconception, OrderItem
from specquiz.banks.naming import named
from specquiz.banks.parsing import MappingNode, Node, Report, node_at
from specquiz.banks.problems import suggestion

FEWEST_ITEMS, MOST_ITEMS = 3, 8


def _ids(node: Node, report: Report) -> Any:
    """A list of ids as one text, in which spaces part them."""
    ids = some(sequence(text("each entry of 'answer'"), "'answer'"), "'answer'")(node, report)
    return FAILED if ids is FAILED else " ".join(ids)


def items(node: Node, report: Report) -> Any:
    """The items with `a`, `b`, … by place where the author gave no id; ids and texts must differ."""
    listed = counted(sequence(_decode_item, "'items'"), "'items'", FEWEST_ITEMS, MOST_ITEMS)(node, report)
    return FAILED if listed is FAILED else named(listed, node, report, "item")


def every_item_once(values: dict[str, Any], node: MappingNode, report: Report) -> None:
    """Hold the wrong orders against the items: each id is an item's, and none is missing."""
    known, wrong = values.get("items", FAILED), values.get("misconceptions", FAILED)
    if known is FAILED or wrong is FAILED:
        return
    ids = [item.id for item in known]
    for place, misconception in enumerate(wrong):
        at = node_at(node, "misconceptions", place, "answer")
        order = misconception.answer.split()
        unknown = [number for number, id in enumerate(order) if id not in ids]
        for number in unknown:
            message = f"there is no item {order[number]!r}{suggestion(order[number], ids)}"
            report.error(node_at(at, number), "SQ210", message)
        twice = repeats(order, at, report, "SQ209", "the item {!r} comes twice")
        missing = [id for id in ids if id not in order]
        if missing and not unknown and not twice:
            report.error(at, "SQ216", f"an order names every item; missing here: {', '.join(missing)}")


_decode_item = Decoders(shorthand={OrderItem: "text"}).of(OrderItem, "an item")
misconceptions = sequence(
    Decoders(fields={(Misconception, "answer"): _ids}).of(Misconception, "a misconception"), "'misconceptions'"
)
"""Wrong orders, the ids of each as one text."""
