"""The error function, the gamma function and their relatives, for where SciPy is not installed.

Everything is computed in float64 and then rounded to the dtype that was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import numpy as np

_ROOT_PI = math.sqrt(math.pi)


def _in_double(kernel: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(kernel)
    def call(*arrays: Any) -> Any:
        with np.errstate(all="ignore"):
            found = kernel(*(np.asarray(a, np.float64) for a in arrays))
            return found.astype(np.result_type(*arrays))[()]

    return call


def _one_by_one(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of Python's math, which is that of C, on an array."""

    def call(x: Any) -> Any:
        return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)

    return call


_erf, _erfc, _lgamma = (_one_by_one(f) for f in (math.erf, math.erfc, math.lgamma))

erf, erfc = _in_double(_erf), _in_double(_erfc)


@_in_double
def gammaln(x: Any) -> Any:
    is_pole = (x <= 0) & (x == np.floor(x))
    is_huge = np.abs(x) > 1e305
    found = _lgamma(np.where(is_pole | is_huge, 1.0, x))
    return np.where(is_pole, math.inf, np.where(is_huge, x * (np.log(np.abs(x)) - 1), found))


# ---- inverses of the error function


_GILES = (
    (2.5, (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
           -0.00417768164, 0.246640727, 1.50140941)),
    (3.0, (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
           0.00943887047, 1.00167406, 2.83297682)),
)  # fmt: skip
"""Giles, Approximating the erfinv function (2010): centres and coefficients, for single precision."""


def _beginning(q: Any) -> Any:
    """About where erfc is ``q``, for q up to 1."""
    w = -np.log(q * (2 - q))
    (low, near), (high, far) = _GILES
    guess = np.where(w < 5, np.polyval(near, w - low), np.polyval(far, np.sqrt(w) - high)) * (1 - q)
    outside = np.sqrt(w)
    for _ in range(3):
        outside = np.sqrt(-np.log(q * _ROOT_PI * outside))
    return np.where(w < 16, guess, outside)


def _closer(x: Any, excess: Any) -> Any:
    """One step of Halley's method to where erfc is less by ``excess``."""
    half = np.exp(x * x / 2)  # the whole may overflow
    step = excess * half * (_ROOT_PI / 2) * half
    return x + step / (1 - x * step)


def _erfcinv(q: Any) -> Any:
    """For q up to 1."""
    x = _beginning(q)
    for _ in range(2):
        x = _closer(x, _erfc(x) - q)
    return np.where(q == 0, math.inf, x)


def _erfinv(y: Any, rest: Any) -> Any:
    """``rest`` is 1 - |y|, which the caller may know better than by subtraction."""
    near = np.abs(y) < 0.5
    x = np.copysign(_beginning(np.where(near, rest, 0.5)), y)
    found = np.where(near, _closer(x, y - _erf(x)), np.copysign(_erfcinv(np.where(near, 0.5, rest)), y))
    return np.where(y == 0, y, found)


@_in_double
def erfinv(y: Any) -> Any:
    return np.where(np.abs(y) <= 1, _erfinv(y, 1 - np.abs(y)), math.nan)


@_in_double
def ndtri(p: Any) -> Any:
    found = math.sqrt(2) * _erfinv(2 * (p - 0.5), 2 * np.minimum(p, 1 - p))
    return np.where((p >= 0) & (p <= 1), found, math.nan)


# ---- scaled and logarithmic forms


def _erfcx(x: Any) -> Any:
    """exp(x²) erfc(x); x² as a sum, because what it loses to rounding would be multiplied by its size."""
    far = x > 10
    inside = np.where(far, 0.0, x)
    upper = np.round(inside * 2**20) / 2**20
    near = np.exp(upper * upper) * np.exp((inside - upper) * (inside + upper)) * _erfc(inside)
    series, term, inverse = np.ones_like(x), np.ones_like(x), 1 / (2 * x * x)
    for odd in range(1, 28, 2):
        term = -term * odd * inverse
        series = series + term
    return np.where(far, series / (x * _ROOT_PI), np.where(x < -27, math.inf, near))


erfcx = _in_double(_erfcx)


@_in_double
def log_ndtr(x: Any) -> Any:
    scaled = x * math.sqrt(0.5)
    left = np.log(_erfcx(-np.minimum(scaled, 0)) / 2) - scaled * scaled
    return np.where(x < -1, left, np.log1p(-_erfc(scaled) / 2))


@_in_double
def entr(x: Any) -> Any:
    return np.where(x > 0, -x * np.log(x), np.where(x == 0, 0, np.where(x < 0, -math.inf, math.nan)))


@_in_double
def xlog1py(x: Any, y: Any) -> Any:
    return np.where((x == 0) & ~np.isnan(y), 0, x * np.log1p(y))


# ---- derivatives of the logarithm of the gamma function


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
_LARGE = 10.0
"""From here on the series of Euler and Maclaurin is exact to rounding."""


_ROOT = 1.4616321449683622
_ROOT_REST = 9.549995429965697e-17
"""Where digamma is 0, as a sum of two numbers."""


@cache
def _series_at_root() -> list[float]:
    """The Taylor series of digamma there, the last term first: zeta functions of whole order."""
    slopes = [(-1) ** (n + 1) * float(_zeta(np.array(n + 1.0), np.array(_ROOT))) for n in range(1, 32)]
    return [*slopes[::-1], 0.0]


@_in_double
def psi(x: Any) -> Any:
    reflected = x < 0
    fraction = x - np.round(x)
    z = np.where(reflected, 1 - x, x)
    total = np.where(reflected, -math.pi / np.tan(math.pi * fraction), 0.0)
    for _ in range(int(_LARGE)):
        small = z < _LARGE
        total = np.where(small, total - 1 / np.where(small, z, 1), total)
        z = np.where(small, z + 1, z)
    power, series = 1 / (z * z), np.zeros_like(z)
    for k in range(len(_BERNOULLI), 0, -1):
        series = (series + _BERNOULLI[k - 1] / (2 * k)) * power
    result = total + np.log(z) - 0.5 / z - np.where(np.isinf(z), 0, series)
    near = np.abs(x - _ROOT) < 0.4
    if near.any():
        distance = np.where(near, (x - _ROOT) - _ROOT_REST, 0)
        result = np.where(near, np.polyval(_series_at_root(), distance), result)
    return result


def _zeta(s: Any, q: Any) -> Any:
    """The sum of (q + k) ** -s: its beginning term by term, the rest by Euler and Maclaurin."""
    s, q = np.broadcast_arrays(s, q)
    z, total = q, np.zeros(q.shape)
    while (small := z < _LARGE + s).any():
        total = np.where(small, total + np.where(small, z, 1) ** -s, total)
        z = np.where(small, z + 1, z)
    power = z**-s
    total = total + z ** (1 - s) / (s - 1) + power / 2
    factor = s * power / z
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + bernoulli / math.factorial(2 * k) * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (z * z)
    return total


@_in_double
def zeta(s: Any, q: Any) -> Any:
    s, q = np.broadcast_arrays(s, q)
    is_pole = (q <= 0) & (q == np.floor(q))
    is_known = (s > 1) & ((q > 0) | (s == np.floor(s)))
    safe = is_known & ~is_pole & np.isfinite(s) & np.isfinite(q)
    found = _zeta(np.where(safe, s, 2.0), np.where(safe, q, 1.0))
    at_limits = np.where(np.isinf(q) & (q > 0), 0.0, np.where(q == 1, 1.0, np.where(q > 1, 0.0, math.inf)))
    found = np.where(safe, found, np.where(np.isnan(s + q), math.nan, at_limits))
    return np.where(s == 1, math.inf, np.where(is_pole & ~(s < 1), math.inf, np.where(is_known, found, math.nan)))


def polygamma(n: int, x: Any) -> Any:
    """From n = 1 on."""
    return _in_double(lambda q: (-1.0) ** (n + 1) * math.gamma(n + 1.0) * zeta(n + 1.0, q))(x)


# ---- the incomplete gamma function


_NEARLY_NORMAL = 1e8
"""From this ``a`` on a sum would take long, and the normal distribution is right to four digits."""


def _gamma_density(a: Any, x: Any) -> Any:
    """x ** a exp(-x) / gamma(a + 1); for large ``a`` by Stirling, where powers would overflow."""
    excess = (x - a) / a
    correction = 1 / (12 * a) - 1 / (360 * a**3) + 1 / (1260 * a**5) - 1 / (1680 * a**7) + 1 / (1188 * a**9)
    large = a * (np.log1p(excess) - excess) - 0.5 * np.log(2 * math.pi * a) - correction
    is_large = a > _LARGE
    small = a * np.log(x) - x - _lgamma(np.where(is_large, 1, a) + 1)
    return np.exp(np.where(is_large, large, small))


def _lower(a: Any, x: Any) -> Any:
    """P by its power series, whose terms fall from the first for x < a + 1."""
    term = total = np.ones_like(x)
    n = a
    while (term > total * 1e-17).any():
        n = n + 1
        term = term * x / n
        total = total + term
    return total * _gamma_density(a, x)


def _upper(a: Any, x: Any) -> Any:
    """Q by its continued fraction, for x > a + 1, evaluated from the front (Lentz)."""
    b = x + 1 - a
    c, d = np.full_like(x, 1e300), 1 / b
    value, i = d, 0
    goes_on = np.ones(x.shape, bool)
    while goes_on.any():
        i += 1
        factor = -i * (i - a)
        b = b + 2
        d, c = 1 / (factor * d + b), b + factor / c
        value = np.where(goes_on, value * (c * d), value)
        goes_on &= np.abs(c * d - 1) > 4e-16
    return value * a * _gamma_density(a, x)


def _regularized(a: Any, x: Any, is_upper: bool) -> Any:
    a, x = np.broadcast_arrays(a, x)
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    huge = inside & (a > _NEARLY_NORMAL)
    by_series = inside & ~huge & (x < a + 1)
    result = np.empty(a.shape)
    result[by_series] = _lower(a[by_series], x[by_series])
    by_fraction = inside & ~huge & ~by_series
    result[by_fraction] = _upper(a[by_fraction], x[by_fraction])
    is_other = by_fraction if not is_upper else by_series
    result[is_other] = 1 - result[is_other]
    result[huge] = _erfc((x - a)[huge] / np.sqrt(2 * a[huge]) * (1 if is_upper else -1)) / 2
    at_limits = np.where(np.isinf(x) | (a == 0), 1.0, 0.0)
    unknown = (a < 0) | (x < 0) | np.isnan(a + x) | ((a == 0) & (x == 0)) | (np.isinf(a) & np.isinf(x))
    at_limits = np.where(unknown, math.nan, 1 - at_limits if is_upper else at_limits)
    return np.where(inside, result, at_limits)


gammainc = _in_double(lambda a, x: _regularized(a, x, is_upper=False))
gammaincc = _in_double(lambda a, x: _regularized(a, x, is_upper=True))


# ---- the modified Bessel function


def _i0e(x: Any) -> Any:
    """exp(-|x|) I0(x): its power series, and far out its asymptotic one."""
    size = np.abs(x)
    far = size > 30
    half = np.where(far, 1.0, size) / 2
    term = near = np.ones_like(x)
    for k in range(1, 70):
        term = term * (half / k) ** 2
        near = near + term
    large = np.where(far, size, 1e3)
    term = series = np.ones_like(x)
    for k in range(1, 25):
        term = term * (2 * k - 1) ** 2 / (8 * k * large)
        series = series + term
    return np.where(far, series / (math.sqrt(2 * math.pi) * np.sqrt(large)), near * np.exp(-2 * half))


i0e = _in_double(_i0e)


@_in_double
def i0(x: Any) -> Any:
    half = np.exp(np.abs(x) / 2)  # the whole may overflow before the product does
    return _i0e(x) * half * half
