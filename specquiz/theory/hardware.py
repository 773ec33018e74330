"""Devices and checkpoints as data: what a roofline needs to know of them, with the source of each figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from specquiz.theory.arguments import at_least, positive

GIB = 2**30


@dataclass(frozen=True)
class Device:
    """A device by its published peaks.

    `bandwidth` is in bytes per second; `peak` in floating-point operations per second, dense, 16-bit inputs with
    32-bit accumulation, and `peak_fp16_accumulation` with 16-bit accumulation; `memory` in bytes.
    """

    name: str
    title: str
    bandwidth: float
    peak: float
    peak_fp16_accumulation: float
    memory: float
    source: str

    def derated(self, bandwidth_share: float, compute_share: float) -> Device:
        """The device as kernels reach it: shares in (0, 1] of the published peaks."""
        shares = {"bandwidth_share": bandwidth_share, "compute_share": compute_share}
        for name, share in shares.items():
            if not 0 < share <= 1:
                raise ValueError(f"{name} must lie in (0, 1], not {share!r}")
        return replace(self, bandwidth=self.bandwidth * bandwidth_share, peak=self.peak * compute_share)


@dataclass(frozen=True)
class Shape:
    """A dense decoder with gated MLP and grouped-query attention, from its config.json; untied embeddings."""

    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    qkv_bias: bool

    @property
    def linear_parameters(self) -> int:
        """Parameters of the layers' matrices, the ones that are quantised."""
        attention = 2 * self.hidden * self.head_size * (self.heads + self.kv_heads)
        return self.layers * (attention + 3 * self.hidden * self.intermediate)

    @property
    def embedding_parameters(self) -> int:
        """Parameters of the input embedding; the output matrix has as many."""
        return self.vocabulary * self.hidden

    @property
    def small_parameters(self) -> int:
        """Norms and biases: read, but negligible as operations."""
        bias = self.head_size * (self.heads + 2 * self.kv_heads) if self.qkv_bias else 0
        return self.layers * (2 * self.hidden + bias) + self.hidden

    @property
    def parameters(self) -> int:
        return self.linear_parameters + 2 * self.embedding_parameters + self.small_parameters

    @property
    def multiplied_parameters(self) -> int:
        """Parameters that each token is multiplied with: the input embedding is a lookup."""
        return self.linear_parameters + self.embedding_parameters


@dataclass(frozen=True)
class Checkpoint:
    """A model in a number format. `linear_bits` are the stored bits per parameter of the layers' matrices."""

    name: str
    title: str
    shape: Shape
    linear_bits: float
    source: str

    @property
    def file_bytes(self) -> int:
        """Bytes of all weights; what is not a layer's matrix has 16 bits."""
        rest = 2 * self.shape.embedding_parameters + self.shape.small_parameters
        return self._linear_bytes + 2 * rest

    @property
    def read_bytes(self) -> int:
        """Bytes of weights read by one decode pass: all but the input embedding."""
        return self._linear_bytes + 2 * (self.shape.embedding_parameters + self.shape.small_parameters)

    @property
    def _linear_bytes(self) -> int:
        return round(self.shape.linear_parameters * self.linear_bits / 8)

    def kv_bytes(self, tokens: float = 1, bytes_per_value: float = 2) -> float:
        """Bytes of KV cache for `tokens` tokens: a key and a value per layer and KV head."""
        shape = self.shape
        per_token = (
            2 * shape.layers * shape.kv_heads * shape.head_size * float(positive("bytes_per_value", bytes_per_value))
        )
        return float(at_least(0, "tokens", tokens)) * per_token


_DEVICES = (
    Device(
        "rtx4090",
        "RTX 4090",
        1008e9,
        165.2e12,
        330.3e12,
        24 * GIB,
        "NVIDIA Ada GPU architecture whitepaper, appendix A",
    ),
    Device(
        "rtx3090", "RTX 3090", 936e9, 71e12, 142e12, 24 * GIB, "NVIDIA Ampere GA102 architecture whitepaper, appendix A"
    ),
    Device("a100", "A100 SXM 80 GB", 2039e9, 312e12, 312e12, 80 * GIB, "NVIDIA A100 datasheet"),
    Device("h100", "H100 SXM", 3350e9, 989.4e12, 989.4e12, 80 * GIB, "NVIDIA H100 datasheet, dense"),
    Device("h200", "H200 SXM", 4800e9, 989.4e12, 989.4e12, 141e9, "NVIDIA H200 datasheet, dense"),
    Device(
        "cpu",
        "a laptop's CPU",
        40e9,
        0.5e12,
        0.5e12,
        16 * GIB,
        "an assumption: dual-channel memory, eight cores with AVX2",
    ),
)

_QWEN25_7B = Shape(
    hidden=3584,
    intermediate=18944,
    layers=28,
    heads=28,
    kv_heads=4,
    head_size=128,
    vocabulary=152064,
    qkv_bias=True,
)

_CHECKPOINTS = (
    Checkpoint(
        "qwen2.5-7b-bf16",
        "Qwen2.5-7B-Instruct, bf16",
        _QWEN25_7B,
        16,
        "config.json of Qwen/Qwen2.5-7B-Instruct",
    ),
    Checkpoint(
        "qwen2.5-7b-awq",
        "Qwen2.5-7B-Instruct, AWQ",
        _QWEN25_7B,
        # Per group of 128 parameters: 4 bits each, one 16-bit scale, one 4-bit zero point.
        4 + 16 / 128 + 4 / 128,
        "config.json of Qwen/Qwen2.5-7B-Instruct-AWQ; embeddings and output matrix stay at 16 bits",
    ),
)

DEVICES: Mapping[str, Device] = MappingProxyType({device.name: device for device in _DEVICES})
CHECKPOINTS: Mapping[str, Checkpoint] = MappingProxyType({checkpoint.name: checkpoint for checkpoint in _CHECKPOINTS})
