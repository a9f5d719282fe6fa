"""``make_tensor``: tensors of random values to try functions on."""

from __future__ import annotations

import collections.abc
import math
import warnings
from importlib import import_module
from typing import Any

from .._core import dtypes
from .._tensor import Tensor

facula: Any = import_module("facula")

_BOOLEAN_OR_INTEGRAL = (
    dtypes.bool_, dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint16, dtypes.uint32,
    dtypes.uint64,
)  # fmt: skip
_FLOATING = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_COMPLEX = (dtypes.complex64, dtypes.complex128)


def make_tensor(
    *shape: Any, dtype: dtypes.dtype, device: Any, low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor with values drawn evenly from ``[low, high)``; by default from -9 to 9, or as much of it as fits."""

    if len(shape) == 1 and isinstance(shape[0], collections.abc.Sequence):
        shape = tuple(shape[0])
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous} and memory_format={memory_format}"
        )
    if requires_grad and dtype in _BOOLEAN_OR_INTEGRAL:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    noncontiguous = noncontiguous and math.prod(shape) > 1
    if noncontiguous:
        shape = (*shape[:-1], 2 * shape[-1])
    t: Tensor
    if dtype is dtypes.bool_:
        least, bound = _interval(low, high, 0, 2, 0, 2, dtype)
        t = facula.randint(int(least), int(bound), shape, device=device, dtype=dtype)
    elif dtype in _BOOLEAN_OR_INTEGRAL:
        info = facula.iinfo(dtype)
        greatest = info.max if dtype in (dtypes.int64, dtypes.uint64) else info.max + 1
        least, bound = _interval(low, high, info.min, greatest, -9 if dtype.is_signed else 0, 10, dtype)
        t = facula.randint(int(least), min(int(bound), 2**63 - 1), shape, device=device, dtype=dtypes.int64).to(dtype)
    elif dtype in _FLOATING:
        finite = facula.finfo(dtype)
        least, bound = _interval(low, high, finite.min, finite.max, -9, 9, dtype)
        t = facula.empty(shape, device=device, dtype=dtype)
        _fill_evenly(t, least, bound)
    elif dtype in _COMPLEX:
        finite = facula.finfo(dtype.to_real())
        least, bound = _interval(low, high, finite.min, finite.max, -9, 9, dtype)
        t = facula.empty(shape, device=device, dtype=dtype)
        _fill_evenly(facula.view_as_real(t), least, bound)
    else:
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request support, file "
            "an issue at: https://github.com/pytorch/pytorch/issues"
        )
    if noncontiguous:
        t = t[..., 1::2]
    elif memory_format is not None:
        t = t.clone(memory_format=memory_format)
    if exclude_zero:
        t[t == 0] = 1 if dtype in _BOOLEAN_OR_INTEGRAL else facula.finfo(dtype).tiny
    if dtype in _FLOATING or dtype in _COMPLEX:
        t.requires_grad = requires_grad
    return t


def _fill_evenly(t: Tensor, low: float, high: float) -> None:
    """Uniform numbers; where the interval is wider than floats reach, its halves one at a time."""
    if high - low > dtypes.finfo(t.dtype).max:
        t.uniform_(low / 2, high / 2).mul_(2)
    elif t.numel():
        t.uniform_(low, high)


def _interval(
    low: float | None, high: float | None, lowest: float, highest: float, default_low: float, default_high: float,
    dtype: dtypes.dtype,
) -> tuple[float, float]:  # fmt: skip
    """The interval to draw from: defaults where not given, checked, and cut to what the dtype can hold."""
    low = default_low if low is None else low
    high = default_high if high is None else high
    if any(isinstance(value, float) and math.isnan(value) for value in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low == high and (dtype in _FLOATING or dtype in _COMPLEX):
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < lowest or low >= highest:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{lowest}, {highest})"
        )
    low, high = max(low, lowest), min(high, highest)
    if dtype in _BOOLEAN_OR_INTEGRAL:
        return math.ceil(low), math.ceil(high)
    return low, high
