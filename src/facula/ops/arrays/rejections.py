"""Poisson, binomial and gamma numbers: draws that try until they succeed.

Each begins where the last one ended, which is why they are drawn one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .draws import doubles, with_waiting
from .types import Array

Uniform = Callable[[], float]
_FEW = 64


class Uniforms:
    """Uniform doubles of a stream, one by one. Many are made ahead; the stream ends behind the last one taken."""

    def __init__(self, stream: Any, expected: float) -> None:
        self._stream, self._expected = stream, expected

    def __enter__(self) -> Uniform:
        if self._expected <= _FEW:
            return self._next
        self._ahead = self._stream.clone_state()
        self._made = 0
        self._left: list[float] = []
        return self._from_many

    def __exit__(self, *_: Any) -> None:
        if self._expected > _FEW:
            self._stream.words(2 * (self._made - len(self._left)))

    def _next(self) -> float:
        return float(doubles(self._stream, 1)[0])

    def _from_many(self) -> float:
        if not self._left:
            n = min(int(self._expected), 1 << 16)
            self._left = doubles(self._ahead, n)[::-1].tolist()
            self._made += n
        return self._left.pop()


# ---- Poisson


def draw_poisson(stream: Any, rates: Array) -> Array:
    rates = rates.astype(np.float64)
    out = np.empty(rates.size)
    if stream.natively("poisson", rates, out, out.size):
        return out
    with Uniforms(stream, float(np.minimum(rates + 1, 3).sum())) as uniform:
        return np.array([_poisson(rate, uniform) for rate in rates.tolist()])


def _poisson(rate: float, uniform: Uniform) -> float:
    if rate >= 10:
        return _poisson_by_rejection(rate, uniform)
    if rate == 0:
        return 0.0
    limit, product, count = math.exp(-rate), uniform(), 0.0
    while product > limit:
        product *= uniform()
        count += 1
    return count


def _poisson_by_rejection(rate: float, uniform: Uniform) -> float:
    """Hörmann, The transformed rejection method for generating Poisson random variables (1993): PTRS."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    surely = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = uniform() - 0.5, uniform()
        distance = 0.5 - abs(u)
        k = math.floor((2 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= surely:
            return k
        if k < 0 or (distance < 0.013 and v > distance):
            continue
        density = k * math.log(rate) - rate - math.lgamma(k + 1)
        if _log(v) + math.log(inverse_alpha) - math.log(a / (distance * distance) + b) <= density:
            return k


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


# ---- binomial


def draw_binomial(stream: Any, counts: Array, probabilities: Array) -> Array:
    out = np.empty(counts.size, counts.dtype)
    if stream.natively("binomial", counts, probabilities, out, out.size):
        return out
    with Uniforms(stream, 3 * counts.size) as uniform:
        drawn = [_binomial(n, p, uniform, counts.dtype) for n, p in zip(counts.tolist(), probabilities.tolist())]
    return np.array(drawn, counts.dtype)


def _binomial(n: float, p: float, uniform: Uniform, dtype: Any) -> float:
    if n <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return n
    if math.isnan(p):
        return math.nan
    if p <= 0.5:
        return _rare_successes(n, p, uniform, dtype)
    return n - _rare_successes(n, float(dtype.type(1 - p)), uniform, dtype)


def _rare_successes(n: float, p: float, uniform: Uniform, dtype: Any) -> float:
    if float(dtype.type(n) * dtype.type(p)) >= 10:
        return _binomial_by_rejection(n, p, uniform)
    failure, trials, successes = math.log1p(-p), 0.0, 0.0
    while True:
        trials += math.ceil(_log(uniform()) / failure)
        if trials > n:
            return successes
        successes += 1


def _binomial_by_rejection(n: float, p: float, uniform: Uniform) -> float:
    """Hörmann, The generation of binomial random variates (1993): BTRS."""
    deviation = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    surely = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = math.floor((n + 1) * p)
    while True:
        u, v = uniform() - 0.5, uniform()
        distance = 0.5 - abs(u)
        k = math.floor((2 * a / distance + b) * u + n * p + 0.5)
        if distance >= 0.07 and v <= surely:
            return k
        if k < 0 or k > n:
            continue
        density = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
            + _stirling_error(mode) + _stirling_error(n - mode) - _stirling_error(k) - _stirling_error(n - k)
        )  # fmt: skip
        if _log(v * alpha / (a / (distance * distance) + b)) <= density:
            return k


def _stirling_error(k: float) -> float:
    """What Stirling's formula lacks of log(k!)."""
    if k <= 9:
        return math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + (k + 1) - 0.5 * math.log(2 * math.pi)
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


# ---- gamma


_THIRD = float(np.float32(1) / np.float32(3))
_SQUEEZE = float(np.float32(0.0331))


def draw_gamma(stream: Any, shapes: Array) -> tuple[Array, Array, Array]:
    """Three arrays of float64, a ** b * c: gammas of scale 1. What shapes alone decide is computed in their dtype."""
    type_of = shapes.dtype.type
    boosted = np.where(shapes < 1, shapes + type_of(1), shapes) - type_of(_THIRD)
    with np.errstate(divide="ignore"):
        powers = np.where(shapes < 1, type_of(1) / shapes, type_of(0))
    given = boosted.astype(np.float64), powers.astype(np.float64)
    bases, factors = np.empty(shapes.size), np.empty(shapes.size)
    if with_waiting(stream, "gamma", *given, bases, factors, shapes.size):
        return bases, given[1], factors
    with Uniforms(stream, 3 * shapes.size) as uniform:
        drawn = [
            (0.0, 0.0) if power == math.inf else _gamma(d, power, stream, uniform)
            for d, power in zip(boosted.tolist(), powers.tolist())
        ]
    bases, factors = np.array(drawn, np.float64).reshape(-1, 2).T
    return bases, given[1], factors


def _gamma(d: float, power: float, stream: Any, uniform: Uniform) -> tuple[float, float]:
    """Marsaglia and Tsang, A simple method for generating gamma variables (2000)."""
    base = 1 - uniform() if power else 1.0
    c = 1 / math.sqrt(9 * d) if d > 0 else math.nan
    while True:
        x, y = 0.0, 0.0
        while y <= 0:
            x = _normal(stream, uniform)
            y = 1 + c * x
        v = y * y * y
        u = 1 - uniform()
        square = x * x
        if u < 1 - _SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return base, d * v


def _normal(stream: Any, uniform: Uniform) -> float:
    if stream.next_normal is not None:
        x: float = stream.next_normal
        stream.next_normal = None
        return x
    angle = 2 * math.pi * uniform()
    radius = math.sqrt(-2 * math.log1p(-uniform()))
    stream.next_normal = radius * math.sin(angle)
    return radius * math.cos(angle)
