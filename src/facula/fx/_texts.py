"""Short texts about tensors in generated code: ``f32[2, 3]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import facula

SHORT = {
    facula.float32: "f32", facula.float64: "f64", facula.float16: "f16", facula.bfloat16: "bf16",
    facula.complex32: "c32", facula.complex64: "c64", facula.complex128: "c128", facula.int8: "i8",
    facula.int16: "i16", facula.int32: "i32", facula.int64: "i64", facula.bool: "b8", facula.uint8: "u8",
    facula.uint16: "u16", facula.uint32: "u32", facula.uint64: "u64", facula.float8_e4m3fn: "f8e4m3fn",
    facula.float8_e5m2: "f8e5m2", facula.float8_e4m3fnuz: "f8e4m3fnuz", facula.float8_e5m2fnuz: "f8e5m2fnuz",
    facula.float8_e8m0fnu: "f8e8m0fnu",
}  # fmt: skip

Paint = Callable[[str, str], str]

_COLORS = {"red": "\033[31m", "green": "\033[32m", "blue": "\033[34m", "dim": "\033[2m"}


def colored(color: str, text: str) -> str:
    """Text in the colours of a terminal; several may be named."""
    return "".join(_COLORS[name] for name in color.split()) + f"{text}\033[0m"


def plain(color: str, text: str) -> str:
    return text


def tensor_text(value: Any, *, stride: bool = False, device: bool = False, paint: Paint = plain) -> str:
    """Dtype and shape of a tensor, or of what describes one; strides and device of a tensor, if wanted."""
    text = paint("red", SHORT[value.dtype]) + paint("blue", str(list(value.shape)))
    if isinstance(value, facula.Tensor):
        text += paint("dim blue", str(list(value.stride()))) if stride else ""
        text += paint("dim green", str(value.device)) if device else ""
    return text
