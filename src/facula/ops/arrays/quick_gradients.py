"""Rules of common primitives once more, for small real arrays: the fewest NumPy calls, into one buffer.

A quick rule takes (g, saved value), some of them also where to write the result, and must equal the primitive's rule; a
test holds them together. For NumPy scalars (NOTE [scalars] in the engine) those that are more than one ufunc have a
form without a buffer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import F32, F64

_ONE: dict[Any, Any] = {F32: np.ones((), F32), F64: np.ones((), F64)}
_TWO: dict[Any, Any] = {F32: np.full((), 2, F32), F64: np.full((), 2, F64)}


def fits(g: Any, x: Any) -> bool:
    """Whether a gradient and a saved value are what quick rules are for, in operators that compute gradients."""
    dt = x.dtype
    return g.dtype is dt and (dt is F32 or dt is F64) and g.shape == x.shape


def times_cos(g: Any, x: Any) -> Any:
    r: Any = np.cos(x)
    return np.multiply(g, r, r) if g.ndim else g * r


def times_minus_sin(g: Any, x: Any) -> Any:
    r: Any = np.sin(x)
    if not g.ndim:
        return g * -r
    np.negative(r, r)
    return np.multiply(g, r, r)


def tanh(g: Any, out: Any, r: Any = None) -> Any:
    if not g.ndim:
        out = out[()]
        return g * (1 - out * out)
    r = np.multiply(out, out, r)
    np.subtract(_ONE[r.dtype], r, r)
    return np.multiply(g, r, r)


def sigmoid(g: Any, out: Any, r: Any = None) -> Any:
    if not g.ndim:
        out = out[()]
        return g * ((1 - out) * out)
    r = np.subtract(_ONE[out.dtype], out, r)
    np.multiply(r, out, r)
    return np.multiply(g, r, r)


def sqrt(g: Any, out: Any) -> Any:
    if not g.ndim:
        return g / (2 * out[()])
    r: Any = np.multiply(_TWO[out.dtype], out)
    return np.true_divide(g, r, r)
