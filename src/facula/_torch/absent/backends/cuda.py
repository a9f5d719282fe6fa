"""``torch.backends.cuda``: not here. Its switches may be set, to no effect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class _Matmul:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False
    fp32_precision = "none"


matmul = _Matmul()
_allowed = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    return False


def is_flash_attention_available() -> bool:
    return False


def flash_sdp_enabled() -> bool:
    return _allowed["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    _allowed["flash"] = enabled


def mem_efficient_sdp_enabled() -> bool:
    return _allowed["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    _allowed["mem_efficient"] = enabled


def math_sdp_enabled() -> bool:
    return _allowed["math"]


def enable_math_sdp(enabled: bool) -> None:
    _allowed["math"] = enabled


def cudnn_sdp_enabled() -> bool:
    return _allowed["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    _allowed["cudnn"] = enabled


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """Which kernels attention may use on CUDA, within a ``with`` block."""
    before = dict(_allowed)
    _allowed.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        _allowed.update(before)
