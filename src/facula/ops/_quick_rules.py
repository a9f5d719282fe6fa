"""Rules of common primitives once more, for small real arrays: the fewest NumPy calls, each into the same buffer.

A quick rule takes (g, saved value) and must equal the primitive's rule; a test holds them together. The first call says ``out=...`` so
that 0-d results stay arrays, which is what makes the later calls possible and quick.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._elementwise import scalar

def times(g: Any, value: Any) -> Any:
    return np.multiply(g, value, out=...)


def minus(g: Any) -> Any:
    return np.negative(g, out=...)


def over(g: Any, value: Any) -> Any:
    return np.true_divide(g, value, out=...)


def times_cos(g: Any, x: Any) -> Any:
    r = np.cos(x, out=...)
    return np.multiply(g, r, r)


def times_minus_sin(g: Any, x: Any) -> Any:
    r = np.sin(x, out=...)
    np.negative(r, r)
    return np.multiply(g, r, r)


def tanh(g: Any, out: Any) -> Any:
    r = np.multiply(out, out, out=...)
    np.subtract(scalar(1, r.dtype), r, r)
    return np.multiply(g, r, r)


def sigmoid(g: Any, out: Any) -> Any:
    r = np.subtract(scalar(1, out.dtype), out, out=...)
    np.multiply(r, out, r)
    return np.multiply(g, r, r)


def sqrt(g: Any, out: Any) -> Any:
    r = np.multiply(scalar(2, out.dtype), out, out=...)
    return np.true_divide(g, r, r)
