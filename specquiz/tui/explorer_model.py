"""What the explorer shows: quantities that move within their ranges, and what follows from them. Pure; no screen.

Moving quantities needs no NumPy; `charts` and `readings` compute with `specquiz.theory`, which does.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from specquiz import theory
from specquiz.tui.chart import Chart, Mark, Series

if TYPE_CHECKING:
    from specquiz.theory import Checkpoint, Device

K_MAX = 16
BATCH_MAX = 256

DEVICE_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "rtx4090": "RTX 4090",
        "rtx3090": "RTX 3090",
        "a100": "A100 80 GB",
        "h100": "H100",
        "h200": "H200",
        "cpu": "laptop CPU",
    }
)
MODEL_LABELS: Mapping[str, str] = MappingProxyType({"qwen2.5-7b-bf16": "7B bf16", "qwen2.5-7b-awq": "7B AWQ 4-bit"})

Value: TypeAlias = Fraction | str
# Plotted batches: every one up to 8, then four to an octave.
_BATCHES = (*range(1, 8), *(quarter << octave for octave in range(1, 6) for quarter in (4, 5, 6, 7)), BATCH_MAX)


@dataclass(frozen=True)
class Quantity:
    """Something to move: what it is called and, in order, the values it moves through.

    A number may also stand between two of them, as a question has it; moving goes on to the next.
    """

    name: str
    symbol: str
    meaning: str
    values: tuple[Value, ...]

    def admits(self, value: Value) -> bool:
        """Whether `value` is in the range."""
        if isinstance(value, str):
            return value in self.values
        first, last = self.values[0], self.values[-1]
        whole = self.name in ("alpha", "c") or value.denominator == 1
        return isinstance(first, Fraction) and isinstance(last, Fraction) and first <= value <= last and whole

    def moved(self, value: Value, steps: int) -> Value:
        """The value `steps` further on (negative: back), at most at the end of the range."""
        if isinstance(value, str):
            place = self.values.index(value) + steps
        else:
            numbers = [number for number in self.values if isinstance(number, Fraction)]
            place = bisect_right(numbers, value) - 1 + steps if steps > 0 else bisect_left(numbers, value) + steps
        return self.values[max(0, min(len(self.values) - 1, place))]


def _numbers(*values: int, over: int = 1) -> tuple[Fraction, ...]:
    return tuple(Fraction(value, over) for value in values)


QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        one.name: one
        for one in (
            Quantity("alpha", "α", "acceptance", _numbers(*range(101), over=100)),
            Quantity("K", "K", "drafted", _numbers(*range(1, K_MAX + 1))),
            Quantity("c", "c", "draft cost", _numbers(*range(101), over=100)),
            Quantity("batch", "B", "batch", _numbers(1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, BATCH_MAX)),
            Quantity("context", "n", "context", _numbers(0, *(2**power for power in range(8, 16)))),
            Quantity("device", "", "device", tuple(DEVICE_LABELS)),
            Quantity("model", "", "model", tuple(MODEL_LABELS)),
        )
    }
)
# What questions call the quantities.
_NAMES: Mapping[str, str] = MappingProxyType({"k": "K", "B": "batch", **{name: name for name in QUANTITIES}})


@dataclass(frozen=True)
class Setting:
    """Where every quantity stands, by its name."""

    values: Mapping[str, Value]

    def moved(self, name: str, steps: int) -> Setting:
        """With one quantity moved."""
        return replace(self, values={**self.values, name: QUANTITIES[name].moved(self.values[name], steps)})

    def number(self, name: str) -> float:
        """A quantity that is a number."""
        return float(self.values[name])

    @property
    def k(self) -> int:
        return int(self.number("K"))

    @property
    def device(self) -> Device:
        return theory.DEVICES[str(self.values["device"])]

    @property
    def model(self) -> Checkpoint:
        return theory.CHECKPOINTS[str(self.values["model"])]

    def label(self, name: str) -> str:
        """How a value reads."""
        value = self.values[name]
        if isinstance(value, str):
            return {**DEVICE_LABELS, **MODEL_LABELS}[value]
        if name in ("alpha", "c"):
            return f"{float(value):.2f}" if (value * 100).denominator == 1 else f"{float(value):.4g}"
        return str(value)


START = Setting(
    MappingProxyType(
        {
            "alpha": Fraction(7, 10),
            "K": Fraction(4),
            "c": Fraction(1, 10),
            "batch": Fraction(1),
            "context": Fraction(0),
            "device": "rtx4090",
            "model": "qwen2.5-7b-awq",
        }
    )
)


def setting_from(values: Mapping[str, str]) -> tuple[Setting, tuple[str, ...]]:
    """`START` with a question's values in it, and the names of those taken.

    What the explorer does not know, or what lies outside its ranges, is left alone.
    """
    taken = {}
    for name, text in values.items():
        quantity = QUANTITIES.get(_NAMES.get(name, ""))
        if quantity is not None and (value := _read(quantity, text)) is not None and quantity.admits(value):
            taken[quantity.name] = value
    return Setting({**START.values, **taken}), tuple(taken)


def _read(quantity: Quantity, text: str) -> Value | None:
    if isinstance(quantity.values[0], str):
        return text
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def charts(setting: Setting) -> tuple[Chart, Chart, Chart]:
    """Tokens per pass against K, speed-up against K, speed-up against batch."""
    return _tokens(setting), _by_k(setting), _by_batch(setting)


def _tokens(setting: Setting) -> Chart:
    ks = tuple(range(K_MAX + 1))
    tokens = theory.tokens_per_pass(setting.number("alpha"), ks).tolist()
    here = tokens[setting.k]
    mark = Mark("here", setting.k, here, f"K {setting.k}: {here:.3f}")
    return Chart("Tokens per pass against K", "K", ks, (Series("tokens per pass", tuple(tokens)),), (mark,))


def _by_k(setting: Setting) -> Chart:
    ks = tuple(range(K_MAX + 1))
    memory_bound = theory.speedup(setting.number("alpha"), ks, setting.number("c")).tolist()
    gains = _batch_speedup(setting, ks, setting.number("batch"))
    best, gain = _best_at_batch(setting)
    marks = (
        Mark("best", best, gain, f"best {best}: {gain:.3f}"),
        Mark("here", setting.k, gains[setting.k], f"K {setting.k}"),
    )
    series = (Series(f"batch {setting.label('batch')}", gains), Series("memory-bound", tuple(memory_bound)))
    return Chart("Speed-up against K", "K", ks, series, marks, level=1.0)


def _by_batch(setting: Setting) -> Chart:
    ridge, crossing = ridge_batch(setting), _crossing(setting)
    here = int(setting.number("batch"))
    batches = tuple(sorted({*_BATCHES, here} | {batch for batch in (ridge, crossing) if batch is not None}))
    gains = dict(zip(batches, _batch_speedup(setting, (setting.k,), batches), strict=True))
    marks = [] if ridge is None else [Mark("ridge", ridge, None, f"ridge {ridge}")]
    if crossing is not None:
        marks.append(Mark("below 1", crossing, gains[crossing], f"below 1 at {crossing}"))
    marks.append(Mark("here", here, gains[here], f"B {here}: {gains[here]:.3f}"))
    series = Series("speed-up", tuple(gains.values()))
    return Chart("Speed-up against batch", "batch", batches, (series,), tuple(marks), level=1.0, logarithmic=True)


def _batch_speedup(setting: Setting, ks: tuple[int, ...], batches: float | tuple[int, ...]) -> tuple[float, ...]:
    gains = theory.batch_speedup(
        setting.device,
        setting.model,
        setting.number("alpha"),
        ks,
        batches,
        context=setting.number("context"),
        draft_cost=setting.number("c"),
    )
    return tuple(gains.tolist())


def _best_at_batch(setting: Setting) -> tuple[int, float]:
    return theory.best_k_at_batch(
        setting.device,
        setting.model,
        setting.number("alpha"),
        int(setting.number("batch")),
        context=setting.number("context"),
        draft_cost=setting.number("c"),
        k_max=K_MAX,
    )


def _crossing(setting: Setting) -> int | None:
    return theory.crossing_batch(
        setting.device,
        setting.model,
        setting.number("alpha"),
        setting.k,
        context=setting.number("context"),
        draft_cost=setting.number("c"),
        batch_max=BATCH_MAX,
    )


def ridge_batch(setting: Setting) -> int | None:
    """The first batch at which verifying K + 1 positions takes longer than decoding one, if there is one up to 256."""
    batches = range(1, BATCH_MAX + 1)
    machine, context = (setting.device, setting.model), setting.number("context")
    verifying = theory.pass_time(*machine, batches, setting.k, context)
    decoding = theory.pass_time(*machine, batches, 0, context)
    dearer = (verifying > decoding * (1 + 1e-12)).tolist()
    return batches[dearer.index(True)] if True in dearer else None


def readings(setting: Setting) -> tuple[tuple[tuple[str, str], ...], ...]:
    """(what it is, its digits) in three groups: what the plots show at the setting, and what goes with it."""
    alpha, k, c = setting.number("alpha"), setting.k, setting.number("c")
    best, gain = theory.best_k(alpha, c, k_max=K_MAX)
    batch = int(setting.number("batch"))
    best_here, gain_here = _best_at_batch(setting)
    (speedup,) = _batch_speedup(setting, (k,), (batch,))
    even = theory.break_even_alpha(k, c)
    ridge = theory.ridge_tokens(setting.device, setting.model)
    milliseconds = 1e3 * theory.pass_time(setting.device, setting.model, batch, k, setting.number("context"))
    return (
        (
            (f"speed-up, batch {batch}", f"{speedup:.3f}"),
            (f"best K, batch {batch}", f"{best_here} ({gain_here:.3f})"),
            ("memory-bound speed-up", f"{theory.speedup(alpha, k, c):.3f}"),
            ("memory-bound best K", f"{best} ({gain:.3f})"),
            ("break-even α", "none" if even != even else f"{even:.3f}"),
        ),
        (
            ("tokens per pass", f"{theory.tokens_per_pass(alpha, k):.3f}"),
            ("accepted per pass", f"{theory.expected_accepted(alpha, k):.3f}"),
            ("accepted / drafted", f"{theory.draft_acceptance_rate(alpha, k):.3f}"),
        ),
        (
            ("ridge, positions", f"{ridge:.1f}"),
            ("positions in a pass", f"{batch * (k + 1)}"),
            ("target pass, ms", f"{milliseconds:.2f}"),
        ),
    )
