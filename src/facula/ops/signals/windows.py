"""Window functions of signal processing."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._tensor import Tensor
from ..creation.factories import checked_dtype, creator, finish, place


def _window(name: str, values: Any, length: int, periodic: bool, options: dict[str, Any]) -> Tensor:
    """``values(t)`` for t from 0 to 1; a periodic window leaves out the last point."""
    dtype = checked_dtype(name, options.get("dtype")) or dtypes.default
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype!r}")
    length = index(length)
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length < 2:
        array = np.ones(length)
    else:
        array = values(np.arange(length) / (length if periodic else length - 1))
    return finish(place(array.astype(dtype.numpy), options.get("device")), options.get("requires_grad", False))


@creator()
def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Half a cosine wave, raised to begin at 0."""
    return _window("hann_window", lambda t: 0.5 - 0.5 * np.cos(2 * np.pi * t), window_length, periodic, options)


@creator()
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **options: Any
) -> Tensor:
    """``alpha - beta * cos``."""
    return _window("hamming_window", lambda t: alpha - beta * np.cos(2 * np.pi * t), window_length, periodic, options)


@creator()
def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Two cosines."""

    def values(t: Any) -> Any:
        return 0.42 - 0.5 * np.cos(2 * np.pi * t) + 0.08 * np.cos(4 * np.pi * t)

    return _window("blackman_window", values, window_length, periodic, options)


@creator()
def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A triangle."""
    return _window("bartlett_window", lambda t: 1 - np.abs(2 * t - 1), window_length, periodic, options)


@creator()
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any) -> Tensor:
    """By a Bessel function."""

    def values(t: Any) -> Any:
        return np.i0(beta * np.sqrt(np.maximum(0, 1 - (2 * t - 1) ** 2))) / np.i0(np.array(beta))

    return _window("kaiser_window", values, window_length, periodic, options)
