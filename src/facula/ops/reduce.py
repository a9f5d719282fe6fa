"""Reductions, scans, sorting, softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _dtype
from .._tensor import Tensor
from ._args import dims_tuple
from ._forms import public
from ._primitive import primitive


@primitive("SumBackward0", kind="linear")
def sum_all(input):  # type: ignore[no-untyped-def]
    return np.add.reduce(input, None)


sum_all.vjp(input=lambda g, input_shape, xp: xp.expand(g, input_shape))


@primitive("SumBackward1", kind="linear")
def sum_dim(input, dim: tuple[int, ...], keepdim: bool):  # type: ignore[no-untyped-def]
    return np.add.reduce(input, dim, keepdims=keepdim)


@sum_dim.vjp("input")
def _(g: Any, input_shape: Any, dim: Any, keepdim: bool, xp: Any) -> Any:
    if not keepdim:
        g = xp.view(g, with_ones(input_shape, dim))
    return xp.expand(g, input_shape)


def with_ones(shape: tuple[int, ...], dim: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that ``keepdim`` gives."""
    return tuple(1 if i in dim else n for i, n in enumerate(shape))


_FULL = object()


@public("sum", "sum", out=True)
def sum(input: Tensor, dim: Any = _FULL, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along ``dim``. Integers are summed in int64."""
    if dtype is not None:
        input = input.to(dtype)
    elif input.dtype.category <= _dtype.INT and input.dtype is not _dtype.int64:
        input = input.to(_dtype.int64)
    if dim is _FULL:
        return sum_all(input)
    return sum_dim(input, dims_tuple(dim, input.ndim), keepdim)
