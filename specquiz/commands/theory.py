"""`specquiz theory`: compute, tabulate and plot speculative decoding; estimate α; trace a round; get advice."""

from __future__ import annotations

import argparse
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from specquiz.errors import UsageError
from specquiz.terminal import spell_out_what_streams_lack, visible_json

if TYPE_CHECKING:
    from specquiz.reports.theory import Finding

EXAMPLE = """\
examples:
  specquiz theory tokens --alpha 0.7 --k 4
  specquiz theory speedup --alpha 0.5:0.95:0.05 --k 1:8 --draft-cost 0.1
  specquiz theory best-k --alpha 0.4 --draft-cost 0.15
  specquiz theory alpha --drafts 1000 --drafted 4000 --per-position 700,490,343,240
  specquiz theory roofline --model qwen2.5-7b-awq --context 1024 --plot
  specquiz theory lessons"""

MOST_VALUES = 2000

_RANGE = "a number, a list 1,2,4 or a range FIRST:LAST[:STEP]"
_AXES: dict[str, tuple[str, str, str | None]] = {
    # argument: flag, meaning, default
    "alpha": ("--alpha", "acceptance probability of a drafted token, given that all before it were accepted", None),
    "k": ("--k", "drafted tokens per pass", None),
    "draft_cost": ("--draft-cost", "time of one draft step, in target passes", None),
    "overhead": ("--overhead", "extra time per pass, in target passes", "0"),
    "draft_operations": ("--draft-operations", "operations of the draft per token, in the target's", "0"),
    "n_tokens": ("--tokens", "tokens to emit", None),
}
_FORMULAS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "tokens": ("expected tokens per target pass", ("alpha", "k"), "tokens --alpha 0.7 --k 1:8"),
    "accepted": ("expected accepted drafted tokens per pass", ("alpha", "k"), "accepted --alpha 0.7 --k 4"),
    "rate": ("draft acceptance rate, accepted / drafted", ("alpha", "k"), "rate --alpha 0.7 --k 1,2,4,8"),
    "speedup": (
        "speed-up over plain decoding",
        ("alpha", "k", "draft_cost", "overhead"),
        "speedup --alpha 0.4 --k 1:8 --draft-cost 0.15",
    ),
    "best-k": (
        "the number of drafted tokens with the greatest speed-up",
        ("alpha", "draft_cost", "overhead"),
        "best-k --alpha 0.4 --draft-cost 0.15",
    ),
    "break-even": (
        "the alpha from which drafting pays",
        ("k", "draft_cost", "overhead"),
        "break-even --k 4 --draft-cost 0.1",
    ),
    "operations": (
        "arithmetic per token against plain decoding",
        ("alpha", "k", "draft_operations"),
        "operations --alpha 0.8 --k 5",
    ),
    "passes": ("target passes to emit a text", ("n_tokens", "alpha", "k"), "passes --tokens 64 --alpha 0.7 --k 4"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the topics and their arguments."""
    parser.epilog = EXAMPLE
    topics = parser.add_subparsers(dest="topic", metavar="TOPIC", required=True)

    def topic(name: str, help: str, example: str) -> argparse.ArgumentParser:
        sub = topics.add_parser(name, help=help, description=help, epilog=f"example: specquiz theory {example}")
        sub.add_argument("--json", action="store_true", help="print JSON")
        return sub

    for name, (help, axes, example) in _FORMULAS.items():
        sub = topic(name, help, example)
        for axis in axes:
            flag, meaning, default = _AXES[axis]
            sub.add_argument(
                flag,
                dest=axis,
                metavar="RANGE",
                type=numbers,
                required=default is None,
                default=default,
                help=f"{meaning}: {_RANGE}",
            )
        sub.add_argument("--plot", action="store_true", help="draw it over a range")
        if name == "best-k":
            sub.add_argument("--k-max", type=int, help="the largest K considered")
    _add_estimates(topic)
    _add_roofline(topic)
    _add_trace(topic)
    _add_advice(topic)
    topic(
        "lessons", "what two lessons on speculative decoding print, recomputed, with notes where it is loose", "lessons"
    )


def _add_estimates(topic: Any) -> None:
    alpha = topic("alpha", "alpha from what was counted", "alpha --rate 0.44 --k 4")
    alpha.add_argument("--k", type=int, help="drafted tokens per pass (with --mean-length or --rate)")
    alpha.add_argument("--mean-length", type=float, help="mean acceptance length: 1 + accepted / drafts")
    alpha.add_argument("--rate", type=float, help="draft acceptance rate: accepted / drafted")
    alpha.add_argument("--drafts", type=int, help="vLLM's num_drafts")
    alpha.add_argument("--drafted", type=int, help="vLLM's num_draft_tokens")
    alpha.add_argument("--per-position", type=integers, metavar="C1,C2,...", help="accepted tokens per position")
    alpha.add_argument("--accepted-steps", type=integers, metavar="A1,A2,...", help="accepted tokens of each step")
    alpha.add_argument("--drafted-steps", type=integers, metavar="D1,D2,...", help="drafted tokens of each step")
    alpha.add_argument("--confidence", type=float, default=0.95, help="of the interval (default 0.95)")

    interval = topic(
        "interval", "how sure alpha is, or how many drafts make it so", "interval --alpha 0.7 --k 4 --half-width 0.02"
    )
    interval.add_argument("--accepted", type=int, help="accepted drafted tokens")
    interval.add_argument("--judged", type=int, help="judged positions: accepted + steps that ended in a rejection")
    interval.add_argument("--alpha", type=float, help="an assumed alpha")
    interval.add_argument("--k", type=int, help="drafted tokens per pass")
    interval.add_argument("--drafts", type=int, help="how many drafts: gives the standard error")
    interval.add_argument("--half-width", type=float, help="the wanted half-width: gives the drafts needed")
    interval.add_argument("--design-effect", type=float, default=1.0, help="by dependence within requests; 2 to 5")
    interval.add_argument("--confidence", type=float, default=0.95, help="(default 0.95)")


def _add_roofline(topic: Any) -> None:
    roofline = topic(
        "roofline", "speed-up against batch on a device", "roofline --device rtx4090 --batch 1:128:8 --context 1024"
    )
    _add_machine(roofline)
    roofline.add_argument("--alpha", type=float, default=0.7, help="(default 0.7)")
    roofline.add_argument("--k", type=int, default=4, help="drafted tokens per pass (default 4)")
    roofline.add_argument("--draft-cost", type=float, default=0.0, help="draft step, in plain passes (default 0)")
    roofline.add_argument(
        "--batch", type=numbers, default="1,2,4,8,16,32,64,128,256", metavar="RANGE", help=f"sequences: {_RANGE}"
    )
    roofline.add_argument("--context", type=float, default=0.0, help="cached tokens per sequence (default 0)")
    roofline.add_argument("--plot", action="store_true", help="draw the speed-up over the batch")


def _add_machine(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--device", default="rtx4090", help="rtx4090, rtx3090, a100, h100, h200 or cpu")
    sub.add_argument("--model", default="qwen2.5-7b-awq", help="qwen2.5-7b-awq or qwen2.5-7b-bf16")


def _add_trace(topic: Any) -> None:
    trace = topic("trace", "one draft-verify round, step by step", "trace --k 3 --seed 4")
    trace.add_argument("--target", type=numbers, default="0.45,0.25,0.2,0.1", metavar="P1,P2,...", help="target's law")
    trace.add_argument("--draft", type=numbers, default="0.6,0.1,0.25,0.05", metavar="Q1,Q2,...", help="draft's law")
    trace.add_argument("--k", type=int, default=3, help="drafted tokens (default 3)")
    trace.add_argument("--seed", type=int, default=0, help="of samples and coins (default 0)")
    trace.add_argument("--greedy", action="store_true", help="both models take their most probable token")
    trace.add_argument(
        "--redraw",
        choices=("residual", "target", "target-without-rejected"),
        default="residual",
        help="what is drawn from after a rejection; only the residual keeps the target's law",
    )


def _add_advice(topic: Any) -> None:
    advice = topic("recommend", "what to try first, and from which alpha it pays", "recommend copy --batch 4")
    advice.add_argument(
        "workload", choices=("copy", "agent", "code", "chat", "creative"), help="what the output is like"
    )
    advice.add_argument("--temperature", type=float, default=0.0, help="(default 0)")
    advice.add_argument("--batch", type=int, default=1, help="sequences decoded together (default 1)")
    advice.add_argument("--alpha", type=float, help="measured alpha")
    advice.add_argument("--draft-cost", type=float, help="measured; default: typical of the method")
    advice.add_argument("--context", type=float, default=0.0, help="cached tokens per sequence (default 0)")
    advice.add_argument("--no-head", action="store_true", help="no EAGLE-3 head exists for the target")
    _add_machine(advice)


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for, as text, plot or JSON."""
    from specquiz.reports import theory

    spell_out_what_streams_lack()
    try:
        finding = _formula(arguments) if arguments.topic in _FORMULAS else theory.FINDERS[arguments.topic](arguments)
        shown = finding.plot() if getattr(arguments, "plot", False) and not arguments.json else finding.text
    except ValueError as error:
        raise UsageError(f"{error}.") from error
    print(visible_json(finding.facts) if arguments.json else shown)
    return 0


def _formula(arguments: argparse.Namespace) -> Finding:
    from specquiz.reports import formulas
    from specquiz.reports.theory import Finding

    formula = formulas.FORMULAS[arguments.topic]
    axes = {name: getattr(arguments, name) for name in formula.arguments}
    fixed = {"k_max": arguments.k_max} if arguments.topic == "best-k" else {}
    evaluation = formulas.evaluate(formula, axes, **fixed)
    return Finding(formulas.facts(evaluation), formulas.text(evaluation), lambda: formulas.plot(evaluation))


def numbers(text: str) -> tuple[float, ...]:
    """The values of `1`, `1,2,4` or `0.5:0.95:0.05` (both ends included), without the rounding of repeated addition."""
    try:
        return tuple(float(value) for part in text.split(",") for value in _values(part))
    except ArithmeticError:
        raise argparse.ArgumentTypeError(f"{text!r} is not {_RANGE}") from None


def integers(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers with commas between") from None


def _values(part: str) -> list[Decimal]:
    first, *rest = (Decimal(number.strip()) for number in part.split(":"))
    if not rest:
        return [first]
    last, step = (*rest, Decimal(1))[:2]
    if len(rest) > 2 or not (last.is_finite() and first.is_finite() and first <= last and step > 0):
        raise argparse.ArgumentTypeError(f"{part!r} is not FIRST:LAST[:STEP] with FIRST <= LAST and STEP > 0")
    if last - first >= step * MOST_VALUES:
        raise argparse.ArgumentTypeError(f"{part!r} has more than {MOST_VALUES} values")
    return [first + step * i for i in range(int((last - first) / step) + 1)]
