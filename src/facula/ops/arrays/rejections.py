"""Poisson, binomial and gamma numbers: draws that try until they succeed.

Each begins where the last one ended, which is why they are drawn one by one; or, where every attempt takes the same
share of the stream and most succeed whatever is drawn, many at once (``_in_attempts``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .draws import doubles, with_waiting
from .types import Array

Uniform = Callable[[], float]
_FEW = 64
_MANY = 256
"""From more than so many on, draws are made at once."""


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


# ---- many at once


class Attempts(NamedTuple):
    """Draws by transformed rejection, each attempt of which takes two uniform numbers."""

    surely: float
    """Up to here, the second number lets every draw accept, if the first one is not near 0 or 1."""
    accepts: Callable[[int, float, float], bool]
    """Whether a draw, by its number, accepts these two."""
    values: Callable[[Array, Array], Array]
    """What draws, by their numbers, make of the first ones."""


def _in_attempts(stream: Any, n: int, by: Attempts) -> Array:
    """One by one, only those attempts are looked at that are not sure; which draw an attempt is for is then known."""
    values, done = np.empty(n), 0
    while done < n:
        count = min((n - done) * 5 // 4 + 16, 1 << 16)
        first, second = doubles(stream.clone_state(), 2 * count).reshape(count, 2).T
        accepted = (0.5 - np.abs(first - 0.5) >= 0.07) & (second <= by.surely)
        unsure = np.flatnonzero(~accepted)
        rejected: list[int] = []
        for at, u, v in zip(unsure.tolist(), first[unsure].tolist(), second[unsure].tolist()):
            draw = done + at - len(rejected)
            if draw >= n:
                break
            if not by.accepts(draw, u, v):
                rejected.append(at)
        accepted[:] = True
        accepted[rejected] = False
        ends = done + np.cumsum(accepted)
        used = min(count, int(np.searchsorted(ends, n)) + 1)
        accepted = accepted[:used]
        draws = ends[:used][accepted] - 1
        values[draws] = by.values(draws, first[:used][accepted])
        done = int(ends[used - 1])
        stream.words(4 * used)
    return values


# ---- Poisson


def draw_poisson(stream: Any, rates: Array) -> Array:
    rates = rates.astype(np.float64)
    out = np.empty(rates.size)
    if stream.natively("poisson", rates, out, out.size):
        return out
    if out.size > _MANY and (rates >= 10).all():
        return _in_attempts(stream, out.size, _many_poissons(rates))
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
    while True:
        u = uniform()
        if _accepts_poisson(rate, u, uniform()):
            return math.floor(_poisson_of(rate, *_poisson_hat(math.sqrt(rate)), u))


def _poisson_hat(root: Any) -> tuple[Any, Any]:
    """Hörmann, The transformed rejection method for generating Poisson random variables (1993): PTRS."""
    b = 0.931 + 2.53 * root
    return -0.059 + 0.02483 * b, b


def _poisson_of(rate: Any, a: Any, b: Any, u: Any) -> Any:
    u = u - 0.5
    return (2 * a / (0.5 - abs(u)) + b) * u + rate + 0.43


def _accepts_poisson(rate: float, u: float, v: float) -> bool:
    a, b = _poisson_hat(math.sqrt(rate))
    distance = 0.5 - abs(u - 0.5)
    if distance >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
        return True
    k = math.floor(_poisson_of(rate, a, b, u))
    if k < 0 or (distance < 0.013 and v > distance):
        return False
    density = k * math.log(rate) - rate - math.lgamma(k + 1)
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    return _log(v) + math.log(inverse_alpha) - math.log(a / (distance * distance) + b) <= density


def _many_poissons(rates: Array) -> Attempts:
    a, b = _poisson_hat(np.sqrt(rates))
    listed = rates.tolist()
    return Attempts(
        float(0.9277 - 3.6224 / (b.min() - 2)),
        lambda draw, u, v: _accepts_poisson(listed[draw], u, v),
        lambda draws, u: np.floor(_poisson_of(rates[draws], a[draws], b[draws], u)),
    )


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


# ---- binomial


def draw_binomial(stream: Any, counts: Array, probabilities: Array) -> Array:
    out = np.empty(counts.size, counts.dtype)
    if stream.natively("binomial", counts, probabilities, out, out.size):
        return out
    if out.size > _MANY and ((probabilities > 0) & (probabilities < 1)).all():
        rare = np.where(probabilities <= 0.5, probabilities, 1 - probabilities)
        if (counts * rare >= 10).all():
            found = _in_attempts(stream, out.size, _many_binomials(counts.astype(np.float64), rare.astype(np.float64)))
            return np.where(probabilities <= 0.5, found, counts - found).astype(counts.dtype)
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
    while True:
        u = uniform()
        if _accepts_binomial(n, p, u, uniform()):
            return math.floor(_binomial_of(n, p, *_binomial_hat(p, math.sqrt(n * p * (1 - p))), u))


def _binomial_hat(p: Any, deviation: Any) -> tuple[Any, Any]:
    """Hörmann, The generation of binomial random variates (1993): BTRS."""
    b = 1.15 + 2.53 * deviation
    return -0.0873 + 0.0248 * b + 0.01 * p, b


def _binomial_of(n: Any, p: Any, a: Any, b: Any, u: Any) -> Any:
    u = u - 0.5
    return (2 * a / (0.5 - abs(u)) + b) * u + n * p + 0.5


def _accepts_binomial(n: float, p: float, u: float, v: float) -> bool:
    deviation = math.sqrt(n * p * (1 - p))
    a, b = _binomial_hat(p, deviation)
    distance = 0.5 - abs(u - 0.5)
    if distance >= 0.07 and v <= 0.92 - 4.2 / b:
        return True
    k = math.floor(_binomial_of(n, p, a, b, u))
    if k < 0 or k > n:
        return False
    odds, mode = p / (1 - p), math.floor((n + 1) * p)
    density = (
        (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
        + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
        + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
        + _stirling_error(mode) + _stirling_error(n - mode) - _stirling_error(k) - _stirling_error(n - k)
    )  # fmt: skip
    alpha = (2.83 + 5.1 / b) * deviation
    return _log(v * alpha / (a / (distance * distance) + b)) <= density


def _many_binomials(counts: Array, probabilities: Array) -> Attempts:
    a, b = _binomial_hat(probabilities, np.sqrt(counts * probabilities * (1 - probabilities)))
    listed = list(zip(counts.tolist(), probabilities.tolist()))
    return Attempts(
        float(0.92 - 4.2 / b.min()),
        lambda draw, u, v: _accepts_binomial(*listed[draw], u, v),
        lambda draws, u: np.floor(_binomial_of(counts[draws], probabilities[draws], a[draws], b[draws], u)),
    )


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
    if shapes.size > _MANY and shapes.dtype == np.float32 and (shapes >= 1).all() and np.isfinite(shapes).all():
        return np.ones(shapes.size), given[1], _many_gammas(stream, given[0])
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
        if _accepts_gamma(d, x, v, 1 - uniform()):
            return base, d * v


def _many_gammas(stream: Any, d: Array) -> Array:
    """The same for many at once, as exactly as float32 can tell: sines and logarithms are NumPy's.

    An attempt takes a normal number and a uniform one; two attempts take a pair of the former, and so four uniform
    numbers. As in ``_in_attempts``, only what is not sure is looked at. Normal numbers that are too low for a draw are
    rare; they are followed by another one at once, which breaks the order: there the draw is made alone.
    """
    n, done, factors = d.size, 0, np.empty(d.size)
    c = 1 / np.sqrt(9 * d)
    lowest = -1 / float(c.max())
    shapes, scales = d.tolist(), c.tolist()
    too_low = 0.5 * math.erfc(-lowest / math.sqrt(2))
    most = int(min(1 << 16, 3 / max(too_low, 1e-9))) + 16
    while done < n:
        pairs = min((n - done) * 9 // 16 + 8, most // 2)
        kept = [] if stream.next_normal is None else [stream.next_normal]
        numbers = doubles(stream.clone_state(), 4 * pairs + len(kept))
        angle, radius, *_ = fours = numbers[len(kept) :].reshape(pairs, 4).T
        radius, angle = np.sqrt(-2 * np.log1p(-radius)), 2 * math.pi * angle
        x = np.append(kept, np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1))
        u = 1 - np.append(numbers[: len(kept)], fours[2:].T)
        square = x * x
        unsure = np.flatnonzero(~((u < 1 - _SQUEEZE * square * square) & (x > lowest)))
        end, rejected = x.size, list[int]()
        for at, normal, uniform in zip(unsure.tolist(), x[unsure].tolist(), u[unsure].tolist()):
            draw = done + at - len(rejected)
            if draw >= n:
                break
            y = 1 + scales[draw] * normal
            if y <= 0:
                end = at
                break
            if not _accepts_gamma(shapes[draw], normal, y * y * y, uniform):
                rejected.append(at)
        accepted = np.ones(end, bool)
        accepted[rejected] = False
        ends = done + np.cumsum(accepted)
        used = min(end, int(np.searchsorted(ends, n)) + 1)
        draws = ends[:used][accepted[:used]] - 1
        y = 1 + c[draws] * x[:used][accepted[:used]]
        factors[draws] = d[draws] * (y * y * y)
        done += draws.size
        if used:
            whole, half = divmod(used - len(kept), 2)
            stream.words(2 * (len(kept) + 4 * whole + 3 * half))
            stream.next_normal = float(x[used]) if half else None
        if used == end < x.size and done < n:
            factors[done] = _gamma(shapes[done], 0.0, stream, Uniforms(stream, 1).__enter__())[1]
            done += 1
    return factors


def _accepts_gamma(d: float, x: float, v: float, u: float) -> bool:
    square = x * x
    return u < 1 - _SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v))


def _normal(stream: Any, uniform: Uniform) -> float:
    if stream.next_normal is not None:
        x: float = stream.next_normal
        stream.next_normal = None
        return x
    angle = 2 * math.pi * uniform()
    radius = math.sqrt(-2 * math.log1p(-uniform()))
    stream.next_normal = radius * math.sin(angle)
    return radius * math.cos(angle)
