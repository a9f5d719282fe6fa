"""Linear recurrences: what products and their derivatives are made of, without dividing.

``recur(s, f)`` solves ``t[k] = s[k] + f[k] * t[k-1]``, or backwards ``t[k] = s[k] + f[k+1] * t[k+1]``. Each direction
is the adjoint of the other, so products with zeros in them have right derivatives of every order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .types import Array


def shift(input: Array, dim: int, by: int) -> Any:
    """Move everything one place up (or down) a dimension; zeros come in."""
    result = np.zeros_like(input)
    n = input.shape[dim]
    target = [slice(None)] * input.ndim
    source = list(target)
    target[dim], source[dim] = (slice(1, n), slice(0, n - 1)) if by > 0 else (slice(0, n - 1), slice(1, n))
    result[tuple(target)] = input[tuple(source)]
    return result


def recur(source: Array, factor: Array, dim: int, reverse: bool) -> Any:
    n = source.shape[dim]
    if source.size == n and source.dtype.kind == "f" and source.dtype.itemsize > 2:
        return _recur_numbers(source, factor, reverse)
    s = np.moveaxis(source, dim, 0)
    f = np.moveaxis(factor, dim, 0)
    result = np.empty_like(s)
    if n == 0:
        return np.moveaxis(result, 0, dim)
    order = range(n - 1, -1, -1) if reverse else range(n)
    before = None
    for k in order:
        if before is None:
            result[k] = s[k]
        else:
            np.multiply(f[k + 1] if reverse else f[k], before, out=result[k : k + 1].reshape(before.shape))
            result[k] += s[k]
        before = result[k : k + 1].reshape(s.shape[1:])
    return np.moveaxis(result, 0, dim)


def _recur_numbers(source: Any, factor: Any, reverse: bool) -> Any:
    """One row: a loop over Python numbers is much quicker than one over arrays."""
    single = source.dtype.itemsize == 4
    s = source.reshape(-1).tolist()
    f = factor.reshape(-1).tolist()
    if reverse:
        s.reverse()
        f = [0.0, *f[:0:-1]]
    t = s[0] if s else 0.0
    result = s[:1]
    for a, b in zip(s[1:], f[1:]):
        t = a + b * t
        result.append(t)
    if reverse:
        result.reverse()
    if single:
        return np.array(result, np.float64).astype(np.float32).reshape(source.shape)
    return np.array(result, source.dtype).reshape(source.shape)


def unit_along(like: Any, dim: int, last: bool) -> Any:
    """1 in the first (last) place along a dimension, 0 elsewhere."""
    result = np.zeros_like(like)
    at = [slice(None)] * like.ndim
    at[dim] = slice(-1, None) if last else slice(0, 1)
    result[tuple(at)] = 1
    return result
