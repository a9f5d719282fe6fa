"""How a gamma or beta sample moves with its parameter while its quantile stays.

With F the distribution function and p the density, dx/da = -(dF/da) / p(x). Both F and 1 - F are integrals of p times a
score from x outwards, and of the two the one that starts on its own side of the mean has a decreasing integrand. In the
logarithm (gamma) or the log-odds (beta) of the variable that integrand is log-concave and smooth, so one Gauss-Legendre
rule, stretched to where it has fallen to rounding error, gives the integral at every parameter. A tail that would be
long because the parameter is small is made short by F's recurrence in that parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .special.special_functions import special_function

_SHIFTS = 16
"""How far a small parameter is raised by recurrence; from there on no tail is long."""

_NODES = 64
_CHUNK = 1 << 10
_NEGLIGIBLE = -42.0
"""The logarithm of what is left out of an integral."""


@cache
def _rule() -> tuple[Any, Any]:
    """Nodes and weights on [0, 1], as columns."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes[:, None] + 1) / 2, weights[:, None] / 2


def _integral(log_weight: Callable[[Any], Any], factor: Callable[[Any], Any], size: int) -> Any:
    """The integral over s > 0 of factor(s) exp(log_weight(s)); log_weight falls from 0 and is concave."""
    low, high = np.full(size, -40.0), np.full(size, 4.0)
    for _ in range(12):
        middle = (low + high) / 2
        is_beyond = log_weight(10**middle) < _NEGLIGIBLE
        high = np.where(is_beyond, middle, high)
        low = np.where(is_beyond, low, middle)
    end = 10**high
    nodes, weights = _rule()
    s = end * nodes
    return end * (weights * factor(s) * np.exp(log_weight(s))).sum(0)


def _in_parts(fn: Callable[..., Any], *arrays: Any) -> Any:
    """Apply to flat arrays, a piece at a time, so that the nodes of all fit into the cache."""
    size = arrays[0].size
    return np.concatenate([fn(*(a[i : i + _CHUNK] for a in arrays)) for i in range(0, size, _CHUNK)] or [arrays[0]])


def _two_sided(is_lower: Any, lower: Any, upper: Any, *arrays: Any) -> Any:
    result = np.empty(is_lower.shape)
    for where, side in ((is_lower, lower), (~is_lower, upper)):
        result[where] = _in_parts(side, *(a[where] for a in arrays))
    return result


def gamma_gradient(a: Any, x: Any) -> Any:
    """The derivative with respect to ``a`` of a sample ``x`` of the standard gamma distribution of shape ``a``."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(x))
    dtype = np.result_type(a, x)
    a, x = (np.broadcast_to(v, shape).astype(np.float64).ravel() for v in (a, x))
    x = np.maximum(x, np.finfo(np.float64).tiny)
    return _two_sided(x <= a, _gamma_lower, _gamma_upper, a, x).reshape(shape).astype(dtype)


def _gamma_lower(a: Any, x: Any) -> Any:
    psi, log_x = special_function("psi")(a), np.log(x)
    total, ratio = np.zeros_like(x), x.copy()
    is_small = a < _SHIFTS
    if is_small.any():
        for _ in range(_SHIFTS):
            total += np.where(is_small, ratio / a * (psi + 1 / a - log_x), 0)
            ratio = np.where(is_small, ratio * (x / a), ratio)
            psi = np.where(is_small, psi + 1 / a, psi)
            a = np.where(is_small, a + 1, a)
    return total + ratio * _integral(lambda s: -a * s - x * np.expm1(-s), lambda s: psi - log_x + s, x.size)


def _gamma_upper(a: Any, x: Any) -> Any:
    excess = np.log(x) - special_function("psi")(a)
    return x * _integral(lambda s: a * s - x * np.expm1(s), lambda s: excess + s, x.size)


def dirichlet_gradient(x: Any, a: Any, total: Any) -> Any:
    """dx/da / (1 - x) of a component ``x`` of a Dirichlet sample, whose concentration is ``a`` of ``total``."""
    shape = np.broadcast_shapes(np.shape(x), np.shape(a), np.shape(total))
    dtype = np.result_type(x, a, total)
    x, a, total = (np.broadcast_to(v, shape).astype(np.float64).ravel() for v in (x, a, total))
    info = np.finfo(np.float64)
    x = np.clip(x, info.tiny, 1 - info.epsneg)
    b = total - a
    return _two_sided(x * total <= a, _beta_lower, _beta_upper, x, a, b).reshape(shape).astype(dtype)


def _beta_lower(x: Any, a: Any, b: Any) -> Any:
    psi = special_function("psi")
    psi_a, psi_total = psi(a), psi(a + b)
    log_x, log_rest = np.log(x), np.log1p(-x)
    y = log_x - log_rest
    total, ratio = np.zeros_like(x), x.copy()
    is_small = a < _SHIFTS
    if is_small.any():
        for _ in range(_SHIFTS):
            total += np.where(is_small, ratio / a * (psi_a + 1 / a - psi_total - log_x), 0)
            ratio = np.where(is_small, ratio * (x * (a + b) / a), ratio)
            psi_a = np.where(is_small, psi_a + 1 / a, psi_a)
            psi_total = np.where(is_small, psi_total + 1 / (a + b), psi_total)
            a = np.where(is_small, a + 1, a)

    def log_weight(s: Any) -> Any:
        return a * (-np.logaddexp(0, s - y) - log_x) + b * (-np.logaddexp(0, y - s) - log_rest)

    return total + ratio * _integral(log_weight, lambda s: psi_a - psi_total + np.logaddexp(0, s - y), x.size)


def _beta_upper(x: Any, a: Any, b: Any) -> Any:
    psi = special_function("psi")
    psi_a, psi_total = psi(a), psi(a + b)
    log_x, log_rest = np.log(x), np.log1p(-x)
    y = log_x - log_rest
    total, ratio = np.zeros_like(x), x.copy()
    is_small = b < _SHIFTS
    if is_small.any():
        for _ in range(_SHIFTS):
            total += np.where(is_small, ratio / b * (log_x - psi_a + psi_total), 0)
            ratio = np.where(is_small, ratio * ((1 - x) * (a + b) / b), ratio)
            psi_total = np.where(is_small, psi_total + 1 / (a + b), psi_total)
            b = np.where(is_small, b + 1, b)

    def log_weight(s: Any) -> Any:
        return a * (-np.logaddexp(0, -y - s) - log_x) + b * (-np.logaddexp(0, y + s) - log_rest)

    return total + ratio * _integral(log_weight, lambda s: psi_total - psi_a - np.logaddexp(0, -y - s), x.size)
