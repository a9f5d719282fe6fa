"""Logarithms of sums of complex numbers that are given by their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np


def log_sum(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)). The imaginary part is that of the larger summand (or b) plus a turn, as in PyTorch."""
    swap = a.real > b.real
    high, low = np.where(swap, a, b), np.where(swap, b, a)
    both_gone = np.isneginf(high.real) & np.isneginf(low.real)
    both_infinite = np.isposinf(high.real) & np.isposinf(low.real)
    apart = np.where(both_gone | both_infinite, 0, low - high)
    found = np.where(both_gone, high, high + np.log(1 + np.exp(apart)))
    if both_infinite.any():
        found = np.where(both_infinite, np.log(_infinite_power(high) + _infinite_power(low)), found)
    return np.where(np.isnan(a) | np.isnan(b), complex(np.nan, np.nan), found)


def _infinite_power(x: Any) -> Any:
    """``exp`` of numbers with an infinite real part: a part along whose axis they do not point is 0, not nan."""
    real, imaginary = np.cos(x.imag), np.sin(x.imag)
    power = np.empty_like(x)
    power.real = np.where(real == 0, 0, np.inf * real)
    power.imag = np.where(imaginary == 0, 0, np.inf * imaginary)
    return power
