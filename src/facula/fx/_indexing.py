"""``x[...]`` as the operators that PyTorch makes of it: slices, selections, new dimensions, and tensors as indices."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import facula

from .._tensor import Tensor

_END = 9223372036854775807

Run = Callable[..., Any]
"""Runs an operator by its name and overload, and writes it down."""


def is_known(key: Any) -> bool:
    """Whether these operators are what PyTorch makes of a key."""
    keys = key if isinstance(key, tuple) else (key,)
    return all(
        k is None or k is Ellipsis or type(k) in (int, slice) or (isinstance(k, Tensor) and k.ndim) for k in keys
    )


def get(run: Run, x: Tensor, key: Any) -> Any:
    """``x[key]``."""
    seen, entries = _views(run, x, key)
    if entries is not None:
        return run("index", "Tensor", seen, entries)
    return run("alias", "default", x) if seen is x else seen


def put(run: Run, x: Tensor, key: Any, value: Tensor) -> None:
    """``x[key] = value``."""
    seen, entries = _views(run, x, key)
    if entries is not None:
        run("index_put_", "default", seen, entries, value)
    elif value.ndim == 0:
        run("fill_", "Tensor", seen, value)
    else:
        run("copy_", "default", seen, value)


def _views(run: Run, x: Any, key: Any) -> tuple[Any, list[Any] | None]:
    """What slices and numbers make of a tensor, and the tensors that index it then, by dimension."""
    keys: list[Any] = list(key) if isinstance(key, tuple) else [key]
    keys = [facula.tensor(k) if isinstance(k, (list, range)) else k for k in keys]
    used = sum(k.ndim if isinstance(k, Tensor) and k.dtype == facula.bool else 1
               for k in keys if k is not None and k is not Ellipsis)  # fmt: skip
    rest = [slice(None)] * (x.ndim - used)
    at = next((i for i, k in enumerate(keys) if k is Ellipsis), None)
    keys = keys + rest if at is None else [*keys[:at], *rest, *keys[at + 1 :]]
    dim = 0
    entries: list[Any] = []
    for k in keys:
        if isinstance(k, Tensor):
            entries.append(k)
            dim += k.ndim if k.dtype == facula.bool else 1
            continue
        if isinstance(k, int):
            x = run("select", "int", x, dim, k)
            continue
        if k is None:
            x = run("unsqueeze", "default", x, dim)
        elif not isinstance(k, slice):
            x = run("select", "int", x, dim, operator.index(k))
            continue
        elif k != slice(None):
            bounds = (0 if k.start is None else k.start, _END if k.stop is None else k.stop)
            x = run("slice", "Tensor", x, dim, *bounds, *(() if k.step is None else (k.step,)))
        entries.append(None)
        dim += 1
    while entries and entries[-1] is None:
        entries.pop()
    return x, entries or None
