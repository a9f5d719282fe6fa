"""``torch.onnx.symbolic_helper``: what marks functions that write ONNX operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

__all__ = ["parse_args"]


def parse_args(*arg_descriptors: str) -> Callable[[_T], _T]:
    """Says what kinds of arguments a function takes."""
    return lambda fn: fn
