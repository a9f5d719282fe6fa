"""Tensors that are marked as cached, while that is kept at all."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor

__all__ = ["_add_cached_tensor", "_is_cached_tensor", "_remove_cached_tensor", "_set_cached_tensors_enabled"]

_marked: Any = None


def _set_cached_tensors_enabled(enabled: bool) -> None:
    global _marked
    from ..utils.weak import WeakTensorKeyDictionary  # loaded when first used

    _marked = WeakTensorKeyDictionary() if enabled else None


def _add_cached_tensor(tensor: Tensor) -> None:
    _marks()[tensor] = True


def _remove_cached_tensor(tensor: Tensor) -> None:
    _marks().pop(tensor, None)


def _is_cached_tensor(tensor: Tensor) -> bool:
    return _marked is not None and tensor in _marked


def _marks() -> Any:
    if _marked is None:
        raise RuntimeError("cached_tensorimpls_enabled.load(std::memory_order_acquire) INTERNAL ASSERT FAILED")
    return _marked
