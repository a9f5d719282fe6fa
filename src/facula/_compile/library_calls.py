"""Operators that are kernels of the native library, inside a program: their records say ``lowering="library"``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .lowering import arguments
from .steps import LibraryCall

_REAL = (np.dtype(np.float32), np.dtype(np.float64))
Maker = Callable[[Any, Any, dict[str, Any]], bool]
_MAKERS: dict[str, Maker] = {}


def add(scheduler: Any, node: Any) -> bool:
    """Add the step that computes a node; False if the library's kernel does not take these arguments."""
    make = _MAKERS.get(node.target.name)
    return make is not None and make(scheduler, node, arguments(node))


def _rows(kernel: str, *names: str) -> Maker:
    """A kernel of rows: arrays of one shape, and a result of that shape, along the last dimension."""

    def make(scheduler: Any, node: Any, given: dict[str, Any]) -> bool:
        operands = [given[name] for name in names]
        shape, dtype = tuple(node.meta["shape"]), node.meta["dtype"]
        alike = all(
            hasattr(t, "meta") and tuple(t.meta["shape"]) == shape and t.meta["dtype"] == dtype for t in operands
        )
        if not alike or dtype not in _REAL or not shape or 0 in shape or given["dim"] % len(shape) != len(shape) - 1:
            return False
        arrays = [scheduler.densely(t) for t in operands]
        out = scheduler.values[node] = scheduler.made(node)
        sizes = [math.prod(shape[:-1]), shape[-1]]
        scheduler.steps.append(LibraryCall(kernel, [*arrays, out], (len(arrays),), sizes, [], scheduler.current))
        return True

    return make


_MAKERS["softmax"] = _rows("softmax", "input")
_MAKERS["log_softmax"] = _rows("log_softmax", "input")
_MAKERS["softmax_backward_data"] = _rows("softmax_backward", "input", "output")
_MAKERS["log_softmax_backward_data"] = _rows("log_softmax_backward", "input", "output")
