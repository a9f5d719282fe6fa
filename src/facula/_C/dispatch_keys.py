"""The parts of PyTorch's dispatcher, by name. facula has no such dispatcher: what is left out is only remembered."""

from __future__ import annotations

import enum
import threading
from typing import Any

__all__ = ["DispatchKey", "DispatchKeySet", "_ExcludeDispatchKeyGuard", "_dispatch_tls_local_exclude_set"]


class DispatchKey(enum.Enum):
    """The parts that programs name."""

    CPU = "CPU"
    CUDA = "CUDA"
    Meta = "Meta"
    Autograd = "Autograd"
    AutogradCPU = "AutogradCPU"
    AutogradCUDA = "AutogradCUDA"
    AutocastCPU = "AutocastCPU"
    AutocastCUDA = "AutocastCUDA"
    AutocastXPU = "AutocastXPU"
    ADInplaceOrView = "ADInplaceOrView"
    BackendSelect = "BackendSelect"
    CompositeExplicitAutograd = "CompositeExplicitAutograd"
    CompositeImplicitAutograd = "CompositeImplicitAutograd"
    FuncTorchBatched = "FuncTorchBatched"
    FuncTorchDynamicLayerBackMode = "FuncTorchDynamicLayerBackMode"
    FuncTorchDynamicLayerFrontMode = "FuncTorchDynamicLayerFrontMode"
    FuncTorchGradWrapper = "FuncTorchGradWrapper"
    FuncTorchVmapMode = "FuncTorchVmapMode"
    Functionalize = "Functionalize"
    Python = "Python"
    PythonTLSSnapshot = "PythonTLSSnapshot"
    SparseCPU = "SparseCPU"
    Undefined = "Undefined"


class DispatchKeySet:
    """A set of them."""

    def __init__(self, key: DispatchKey | None = None, *others: DispatchKey) -> None:
        self._keys = frozenset(k for k in (key, *others) if k is not None)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*self._keys, *other._keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self._keys & other._keys))

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self._keys - other._keys))

    def has(self, key: DispatchKey) -> bool:
        return key in self._keys

    def add(self, key: DispatchKey) -> DispatchKeySet:
        return DispatchKeySet(*self._keys, key)


class _Excluded(threading.local):
    keys = DispatchKeySet()


_excluded = _Excluded()


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    return _excluded.keys


class _ExcludeDispatchKeyGuard:
    """Within it, the parts count as left out, in this thread."""

    def __init__(self, keys: DispatchKeySet) -> None:
        self._keys = keys

    def __enter__(self) -> None:
        self._before = _excluded.keys
        _excluded.keys = self._before | self._keys

    def __exit__(self, *_: Any) -> None:
        _excluded.keys = self._before
