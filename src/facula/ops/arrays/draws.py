"""Draws of NumPy's generators as arrays of PyTorch's dtypes, and the ranges that dtypes allow."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import not_for


def draw_uniform(rng: Any, shape: Any, d: dtypes.dtype) -> Any:
    """From [0, 1), with as many random bits as the dtype can hold."""
    if d is dtypes.float32 or d is dtypes.float64:
        return rng.random(shape, d.numpy)
    if d is dtypes.float16:
        return (rng.integers(0, 2**11, shape, np.uint16) * np.float32(2**-11)).astype(np.float16)
    if d is dtypes.bfloat16:
        return (rng.integers(0, 2**8, shape, np.uint16) * np.float32(2**-8)).astype(d.numpy)
    if d.is_complex:
        return _pair(draw_uniform(rng, shape, d.to_real()), draw_uniform(rng, shape, d.to_real()), d)
    raise not_for("check_uniform_bounds", d)


def draw_normal(rng: Any, shape: Any, d: dtypes.dtype) -> Any:
    """Mean 0, standard deviation 1 (a complex number's two parts share it)."""
    if d is dtypes.float32 or d is dtypes.float64:
        return rng.standard_normal(shape, d.numpy)
    if d.category == dtypes.FLOAT:
        return np.asarray(rng.standard_normal(shape, np.float32)).astype(d.numpy)
    if d.is_complex:
        real = d.to_real()
        both = _pair(draw_normal(rng, shape, real), draw_normal(rng, shape, real), d)
        both *= math.sqrt(0.5)
        return both
    raise not_for("normal_kernel_cpu", d)


def _pair(real: Any, imag: Any, d: dtypes.dtype) -> Any:
    both = np.empty(np.shape(real), d.numpy)
    both.real = real
    both.imag = imag
    return both


def draw_integers(rng: Any, low: int, high: int, shape: Any, d: dtypes.dtype) -> Any:
    """From low up to but without high, as values of any dtype."""
    if d.category == dtypes.INT:
        return np.asarray(rng.integers(low, high, shape, d.numpy if high <= 2**63 or not d.is_signed else np.int64))
    return np.asarray(rng.integers(low, high, shape, np.int64)).astype(d.numpy)


def check_range(low: int, high: int, d: dtypes.dtype) -> None:
    """PyTorch's refusals of [low, high) for a dtype."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for what, value in (("from", low), ("to - 1", high - 1)):
        smallest, largest = limits(d)
        if not smallest <= value <= largest:
            raise RuntimeError(f"{what} is out of bounds for {dtypes.cpp_name(d)}")
        digits = DIGITS.get(d.name)
        if digits is not None and abs(value) > 2**digits:
            warnings.warn(
                f"{what} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{dtypes.cpp_name(d)} can support discrete uniform distribution only within this range. This warning "
                "will become an error in version 1.7 release, please fix the code in advance",
                stacklevel=4,
            )


DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def limits(d: dtypes.dtype) -> tuple[float, float]:
    if d is dtypes.bool_:
        return 0, 1
    info = dtypes.iinfo(d) if d.category == dtypes.INT else dtypes.finfo(d)
    return info.min, info.max
