"""Kernels that must round to half precision on their way: what they get is float32, which holds it exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import widened
from .types import Array


def _rounded(x: Array, dtype: Any) -> Any:
    return widened(x.astype(dtype))


def truncated_quotient(dtype: Any, input: Array, other: Array) -> Any:
    return np.trunc(_rounded(np.true_divide(input, other), dtype))


def floored_quotient(dtype: Any, input: Array, other: Array) -> Any:
    """Without the remainder the quotient is all but whole, and the nearest whole number is taken."""
    exact = np.true_divide(input, other)
    rest = np.fmod(input, other)
    quotient = _rounded(np.true_divide(_rounded(input - rest, dtype), other), dtype)
    lower = (rest != 0) & (np.less(other, 0) != np.less(rest, 0))
    quotient = np.where(lower, _rounded(quotient - np.float32(1), dtype), quotient)
    whole = np.floor(quotient)
    whole = np.where(_rounded(quotient - whole, dtype) > 0.5, _rounded(whole + np.float32(1), dtype), whole)
    found = np.where(quotient != 0, whole, np.copysign(np.float32(0), exact))
    return np.where(np.equal(other, 0), exact, found).astype(np.float32)


def next_number(dtype: Any, input: Array, other: Array) -> Any:
    """Neighbours in memory are neighbours in size."""
    input, other = np.broadcast_arrays(input, other)
    bits = input.astype(dtype, order="C").view(np.int16)
    away = np.less(input, other) == np.greater(input, 0)
    after = widened((bits + np.where(away, 1, -1).astype(np.int16)).view(dtype))
    smallest = np.copysign(widened(np.ones((), np.int16).view(dtype)), other)
    moved = np.where(np.equal(input, 0), smallest, after)
    found = np.where(np.equal(input, other), other, moved)
    return np.where(np.isnan(input) | np.isnan(other), np.float32(np.nan), found).astype(np.float32)
