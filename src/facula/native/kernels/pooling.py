"""Max and average pooling over the last one to three dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..library import U8, kernel
from .convolution import Sizes, _three

_max_pool = kernel("max_pool", "fwu" + "n" * 19, 2.0)
_max_pool_backward = kernel("max_pool_backward", "fbw" + "n" * 19, 1.0)
_average_pool = kernel("average_pool", "fw" + "n" * 21, 2.0)
_average_pool_backward = kernel("average_pool_backward", "fw" + "n" * 21, 2.0)


def _numbers(shape: Sizes, out: Sizes, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> list[int] | None:
    n = len(size)
    if not 1 <= n <= 3 or len(shape) < n or {*map(len, (out, stride, padding, dilation))} != {n}:
        return None
    if min(*size, *stride, *dilation, *out) < 1 or min(padding) < 0 or min(shape) < 1:
        return None
    for length, outs, k, s, p, d in zip(shape[-n:], out, size, stride, padding, dilation):
        # Every window begins before the plane's end and reaches into it.
        if 2 * p > k or (outs - 1) * s - p >= length or (k - 1) * d - p < 0:
            return None
    numbers = [math.prod(shape[:-n])]
    for sizes, missing in ((shape[-n:], 1), (out, 1), (size, 1), (stride, 1), (padding, 0), (dilation, 1)):
        numbers += _three(sizes, missing)
    return numbers


def max_pool(x: Any, out: Sizes, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> tuple[Any, Any] | None:
    """(largest values, which element of its window each is). ``out``: the sizes of the result."""
    numbers = _numbers(x.shape, out, size, stride, padding, dilation)
    if numbers is None:
        return None
    shape = (*x.shape[: -len(size)], *out)
    values, which = np.empty(shape, x.dtype), np.empty(shape, U8)
    return (values, which) if _max_pool(x, values, which, *numbers) else None


def max_pool_backward(
    g: Any, which: Any, shape: Sizes, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Any:
    """``shape``: of the input."""
    n = len(size)
    numbers = _numbers(shape, g.shape[-n:], size, stride, padding, dilation)
    if numbers is None or g.shape != which.shape or g.shape[:-n] != shape[:-n]:
        return None
    found = np.empty(shape, g.dtype)
    return found if _max_pool_backward(g, which, found, *numbers) else None


def average_pool(
    x: Any, out: Sizes, size: Sizes, stride: Sizes, padding: Sizes, count_include_pad: bool, divisor: int | None
) -> Any:
    numbers = _numbers(x.shape, out, size, stride, padding, (1,) * len(size))
    if numbers is None:
        return None
    found = np.empty((*x.shape[: -len(size)], *out), x.dtype)
    return found if _average_pool(x, found, *numbers, int(count_include_pad), divisor or 0) else None


def average_pool_backward(
    g: Any, shape: Sizes, size: Sizes, stride: Sizes, padding: Sizes, count_include_pad: bool, divisor: int | None
) -> Any:
    """``shape``: of the input."""
    n = len(size)
    numbers = _numbers(shape, g.shape[-n:], size, stride, padding, (1,) * n)
    if numbers is None or g.shape[:-n] != shape[:-n]:
        return None
    found = np.empty(shape, g.dtype)
    return found if _average_pool_backward(g, found, *numbers, int(count_include_pad), divisor or 0) else None
