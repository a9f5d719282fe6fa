"""``torch.onnx``: facula does not write ONNX. It says that it is not doing so now, and lets others prepare for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["is_in_onnx_export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]

producer_name = "pytorch"
producer_version = "2.13.0"

_symbolic: dict[tuple[str, int], Callable[..., Any]] = {}


def is_in_onnx_export() -> bool:
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """How an operator would be written; nobody asks."""
    _symbolic[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    _symbolic.pop((symbolic_name, opset_version), None)
