"""Orthogonal polynomials of ``facula.special``: Chebyshev, Hermite, Laguerre, Legendre. They have no derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import FLOAT, not_for, of_array
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine.elementwise import elementwise
from ..machine.errors import NoOverload
from ..machine.public import public

POLYNOMIALS: dict[str, Any] = {}
"""What ``facula.special`` takes from here."""

_MANY = 6
"""Up to this degree a recurrence is as good as a formula."""


def _by_recurrence(x: Any, n: Any, first: Any, step: Any) -> Any:
    """Polynomials of degree ``n`` for each element; ``step(x, k, p, q)`` makes the k-th of the two before it."""
    degree = _degree(n)
    with np.errstate(all="ignore"):
        result = np.where(degree < 0, 0, 1).astype(x.dtype)
        before, here = np.ones_like(x), first(x)
        last = int(degree.max(initial=0))
        for k in range(1, last + 1):
            if k > 1:
                before, here = here, step(x, k, here, before)
            result = np.where(degree == k, here, result)
            if not k % _MANY and np.isnan(here[degree > k]).all():  # and will be
                return np.where(degree > k, np.nan, result).astype(x.dtype)
    return result.astype(x.dtype, copy=False)


def _degree(n: Any) -> Any:
    """The whole part; there are no polynomials of a degree that is no 64-bit integer."""
    return np.trunc(np.where(np.abs(n) < 2.0**63, n, -1))


def _double(x: Any, k: int, p: Any, q: Any) -> Any:
    return (x + x) * p - q


def _chebyshev(first: Any, by_angle: Any, at_ends: Any) -> Any:
    """Polynomials by their value at the cosine of an angle, and at 1 and -1 (there but for the sign of odd ones)."""

    def evaluate(x: Any, n: Any) -> Any:
        x, n = np.broadcast_arrays(x, n)
        degree = _degree(n)
        many = (degree > _MANY) & (np.abs(x) <= 1)
        result = _by_recurrence(x, np.where(many, 0, n), first, _double)
        if many.any():
            angle = np.arccos(np.where(many, x, 0))
            sign = np.where((x < 0) & (degree % 2 == 1), -1, 1)
            with np.errstate(all="ignore"):
                inside = by_angle(angle, degree)
                ends = sign * at_ends(x < 0, degree)
            result = np.where(many, np.where(np.abs(x) == 1, ends, inside), result).astype(result.dtype)
        return result

    return evaluate


_T = _chebyshev(lambda x: x, lambda angle, n: np.cos(n * angle), lambda low, n: 1)
_U = _chebyshev(lambda x: x + x, lambda angle, n: np.sin((n + 1) * angle) / np.sin(angle), lambda low, n: n + 1)
_V = _chebyshev(
    lambda x: x + x - 1, lambda angle, n: np.cos((n + 0.5) * angle) / np.cos(angle / 2),
    lambda low, n: np.where(low, 2 * n + 1, 1),
)  # fmt: skip
_W = _chebyshev(
    lambda x: x + x + 1, lambda angle, n: np.sin((n + 0.5) * angle) / np.sin(angle / 2),
    lambda low, n: np.where(low, 1, 2 * n + 1),
)  # fmt: skip


def _shifted(evaluate: Any) -> Any:
    return lambda x, n: evaluate(x + x - 1, n)


def _recurrent(first: Any, step: Any) -> Any:
    def evaluate(x: Any, n: Any) -> Any:
        x, n = np.broadcast_arrays(x, n)
        return _by_recurrence(x, n, first, step)

    return evaluate


_FAMILIES = {
    "chebyshev_polynomial_t": _T,
    "chebyshev_polynomial_u": _U,
    "chebyshev_polynomial_v": _V,
    "chebyshev_polynomial_w": _W,
    "shifted_chebyshev_polynomial_t": _shifted(_T),
    "shifted_chebyshev_polynomial_u": _shifted(_U),
    "shifted_chebyshev_polynomial_v": _shifted(_V),
    "shifted_chebyshev_polynomial_w": _shifted(_W),
    "hermite_polynomial_h": _recurrent(lambda x: x + x, lambda x, k, p, q: 2 * (x * p - (k - 1) * q)),
    "hermite_polynomial_he": _recurrent(lambda x: x, lambda x, k, p, q: x * p - (k - 1) * q),
    "laguerre_polynomial_l": _recurrent(
        lambda x: 1 - x, lambda x, k, p, q: ((2 * k - 1 - x) * p - (k - 1) * q) / x.dtype.type(k)
    ),
    "legendre_polynomial_p": _recurrent(
        lambda x: x, lambda x, k, p, q: ((2 * k - 1) * x * p - (k - 1) * q) / x.dtype.type(k)
    ),
}


def single_or_double(label: str) -> Any:
    """A check that lets float32 and float64 pass."""

    def check(*arrays: Any) -> None:
        d = of_array(arrays[0])
        if d.category != FLOAT or d.itemsize < 4:
            raise not_for(label, d)

    return check


def _declare(name: str, evaluate: Any) -> None:
    def kernel(input: Array, other: Array) -> Any:
        return evaluate(input, other)

    op = elementwise(name, kernel, promote="float", check=single_or_double(f"{name}_cpu"), fast=False)

    def polynomial(x: Any, n: Any) -> Tensor:
        if not isinstance(x, Tensor) and not isinstance(n, Tensor):
            raise NoOverload
        result: Tensor = op.call(x, n)
        return result

    polynomial.__name__ = polynomial.__qualname__ = name
    polynomial.__doc__ = f"The {name.replace('_', ' ')[:-2]}, of degree ``n``, at ``x``."
    public("", name=f"special_{name}", out=True, overloads=True)(polynomial)
    POLYNOMIALS[name] = polynomial.public  # type: ignore[attr-defined]


for _name, _evaluate in _FAMILIES.items():
    _declare(_name, _evaluate)
