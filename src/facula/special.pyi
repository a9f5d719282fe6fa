# Written by python -m tests.stubs.
# ruff: noqa
from facula._tensor import Tensor
from typing import Any

def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Airy function Ai."""
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 0."""
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 1."""
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 0."""
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 1."""
def chebyshev_polynomial_t(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The chebyshev polynomial, of degree ``n``, at ``x``."""
def chebyshev_polynomial_u(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The chebyshev polynomial, of degree ``n``, at ``x``."""
def chebyshev_polynomial_v(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The chebyshev polynomial, of degree ``n``, at ``x``."""
def chebyshev_polynomial_w(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The chebyshev polynomial, of degree ``n``, at ``x``."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of ``lgamma``."""
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``-x * log(x)``, 0 at 0, minus infinity below."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: twice the integral of exp(-t**2) from 0 on, over sqrt(pi)."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(x)``, exact also where that is tiny."""
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``erfc(x) * exp(x**2)``."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``erf``."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element."""
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``: any number as one between 0 and 1."""
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x) - 1``, exact also for tiny ``x``."""
def gammainc(input: Tensor, other: Tensor | complex, *, out: Tensor | None = None) -> Tensor:
    """The lower incomplete gamma function of ``input`` up to ``other``, divided by the complete one."""
def gammaincc(input: Tensor, other: Tensor | complex, *, out: Tensor | None = None) -> Tensor:
    """``1 - igamma``."""
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function's absolute value."""
def hermite_polynomial_h(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The hermite polynomial, of degree ``n``, at ``x``."""
def hermite_polynomial_he(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The hermite polynomial , of degree ``n``, at ``x``."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``i0(x) * exp(-|x|)``."""
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``i1(x) * exp(-|x|)``."""
def laguerre_polynomial_l(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The laguerre polynomial, of degree ``n``, at ``x``."""
def legendre_polynomial_p(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The legendre polynomial, of degree ``n``, at ``x``."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + x)``, exact also for tiny ``x``."""
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of ``ndtr``, exact also far below 0."""
def log_softmax(input: Tensor, dim: int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of ``softmax``, without overflow."""
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(x / (1 - x))``; with ``eps``, of x clamped to [eps, 1 - eps]."""
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of exponentials, without overflow."""
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0."""
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1."""
def multigammaln(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function."""
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The distribution function of the standard normal distribution."""
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``ndtr``: the quantiles of the standard normal distribution."""
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma."""
def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of ``lgamma``."""
def round(input: Tensor, *, decimals: int = 0, out: Any = None) -> Tensor:
    """``round`` to so many decimals, none unless they are asked for."""
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``modified_bessel_k0`` times ``exp(x)``."""
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``modified_bessel_k1`` times ``exp(x)``."""
def shifted_chebyshev_polynomial_t(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The shifted chebyshev polynomial, of degree ``n``, at ``x``."""
def shifted_chebyshev_polynomial_u(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The shifted chebyshev polynomial, of degree ``n``, at ``x``."""
def shifted_chebyshev_polynomial_v(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The shifted chebyshev polynomial, of degree ``n``, at ``x``."""
def shifted_chebyshev_polynomial_w(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
    """The shifted chebyshev polynomial, of degree ``n``, at ``x``."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi * x) / (pi * x)``, and 1 at 0."""
def softmax(input: Tensor, dim: int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Exponentials scaled to sum to 1 along ``dim``."""
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The spherical Bessel function of the first kind, of order 0: ``sin(x) / x``."""
def xlog1py(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * log(1 + other)``, 0 where ``input`` is 0."""
def xlogy(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, 0 where ``input`` is 0."""
def zeta(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The Hurwitz zeta function: the sum of ``1 / (k + other)**input`` over k from 0 on."""
