"""Draws of NumPy's generators as arrays of PyTorch's dtypes, and the ranges that dtypes allow."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import _dtype
from ._refusals import not_for


def draw_uniform(rng: Any, shape: Any, d: _dtype.dtype) -> Any:
    """From [0, 1), with as many random bits as the dtype can hold."""
    if d is _dtype.float32 or d is _dtype.float64:
        return rng.random(shape, d.numpy)
    if d is _dtype.float16:
        return (rng.integers(0, 2**11, shape, np.uint16) * np.float32(2**-11)).astype(np.float16)
    if d is _dtype.bfloat16:
        return (rng.integers(0, 2**8, shape, np.uint16) * np.float32(2**-8)).astype(d.numpy)
    if d.is_complex:
        return _pair(draw_uniform(rng, shape, d.to_real()), draw_uniform(rng, shape, d.to_real()), d)
    raise not_for("check_uniform_bounds", d)


def draw_normal(rng: Any, shape: Any, d: _dtype.dtype) -> Any:
    """Mean 0, standard deviation 1 (a complex number's two parts share it)."""
    if d is _dtype.float32 or d is _dtype.float64:
        return rng.standard_normal(shape, d.numpy)
    if d.category == _dtype.FLOAT:
        return np.asarray(rng.standard_normal(shape, np.float32)).astype(d.numpy)
    if d.is_complex:
        real = d.to_real()
        both = _pair(draw_normal(rng, shape, real), draw_normal(rng, shape, real), d)
        both *= math.sqrt(0.5)
        return both
    raise not_for("normal_kernel_cpu", d)


def _pair(real: Any, imag: Any, d: _dtype.dtype) -> Any:
    both = np.empty(np.shape(real), d.numpy)
    both.real = real
    both.imag = imag
    return both


def draw_integers(rng: Any, low: int, high: int, shape: Any, d: _dtype.dtype) -> Any:
    """From low up to but without high, as values of any dtype."""
    if d.category == _dtype.INT:
        return np.asarray(rng.integers(low, high, shape, d.numpy if high <= 2**63 or not d.is_signed else np.int64))
    return np.asarray(rng.integers(low, high, shape, np.int64)).astype(d.numpy)


def check_range(low: int, high: int, d: _dtype.dtype) -> None:
    """PyTorch's refusals of [low, high) for a dtype."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for what, value in (("from", low), ("to - 1", high - 1)):
        smallest, largest = limits(d)
        if not smallest <= value <= largest:
            raise RuntimeError(f"{what} is out of bounds for {_dtype.cpp_name(d)}")
        digits = DIGITS.get(d.name)
        if digits is not None and abs(value) > 2**digits:
            warnings.warn(
                f"{what} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{_dtype.cpp_name(d)} can support discrete uniform distribution only within this range. This warning "
                "will become an error in version 1.7 release, please fix the code in advance",
                stacklevel=4,
            )


DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def limits(d: _dtype.dtype) -> tuple[float, float]:
    if d is _dtype.bool_:
        return 0, 1
    info = _dtype.iinfo(d) if d.category == _dtype.INT else _dtype.finfo(d)
    return info.min, info.max
