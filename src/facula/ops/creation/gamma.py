"""Gamma and Dirichlet samples whose gradient follows the sample's quantile (see ``arrays.implicit_gradients``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import not_for
from ..._core.generator import stream_of
from ..._tensor import Tensor
from ..arrays.implicit_gradients import dirichlet_gradient, gamma_gradient
from ..arrays.meta import without_draws
from ..arrays.rejections import draw_gamma
from ..arrays.types import Array
from ..machine import batching
from ..machine.elementwise import elementwise
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, public
from ..machine.refusals import no_aten_derivative, no_derivative, only


def _require_float(name: str, array: Any) -> None:
    if array.dtype not in (np.float32, np.float64):
        raise not_for(name, dtypes.of_array(array))


@primitive("StandardGammaBackward0", random=True, batch=batching.different_draws)
@without_draws
def standard_gamma_op(input: Array, generator: object) -> Any:
    _require_float("gamma_cpu", input)
    bases, powers, factors = draw_gamma(stream_of(generator), input.ravel())
    small = np.flatnonzero(powers)
    if small.size:
        factors[small] *= bases[small] ** powers[small]
    draws = factors.astype(input.dtype).reshape(input.shape)
    return np.fmax(draws, np.finfo(input.dtype).tiny)


standard_gamma_op.vjp(input=lambda g, input, out, xp: g * xp.standard_gamma_grad(input, out))


def _gamma_grad(input: Array, output: Array) -> Any:
    return gamma_gradient(input, output)


_no_second = no_derivative("_standard_gamma_grad")
standard_gamma_grad_op = elementwise(
    "standard_gamma_grad", _gamma_grad, "StandardGammaGradBackward0", numbers=False,
    check=only("_standard_gamma_grad_cpu", "f"), input=_no_second, output=_no_second,
)  # fmt: skip
FUNCTIONS["_standard_gamma_grad"] = standard_gamma_grad_op.call


@public("_standard_gamma", "_standard_gamma")
def _standard_gamma(input: Tensor, generator: Any = None) -> Tensor:
    """A sample of the gamma distribution of rate 1 for each shape parameter."""
    return standard_gamma_op(input, generator)


@primitive("NotImplemented", random=True, batch=batching.different_draws)
@without_draws
def sample_dirichlet_op(input: Array, generator: object) -> Any:
    """Gammas, normalised. That is done with logarithms: gammas of small shape are too small for floats."""
    _require_float("dirichlet", input)
    bases, powers, factors = draw_gamma(stream_of(generator), input.ravel().astype(np.float64))
    logs = (powers * np.log(bases) + np.log(factors)).reshape(input.shape)
    draws = np.exp(logs - logs.max(-1, keepdims=True))
    draws = (draws / draws.sum(-1, keepdims=True)).astype(input.dtype)
    info = np.finfo(input.dtype)
    return np.clip(draws, info.tiny, 1 - info.epsneg)


sample_dirichlet_op.vjp(input=no_aten_derivative("_sample_dirichlet"))


@public("_sample_dirichlet")
def _sample_dirichlet(input: Tensor, generator: Any = None) -> Tensor:
    """A sample of the Dirichlet distribution for each vector of concentrations."""
    return sample_dirichlet_op(input, generator)


@primitive(None, batch=batching.item_by_item)
def dirichlet_grad_op(x: Array, alpha: Array, total: Array) -> Any:
    return dirichlet_gradient(x, alpha, total)


@public("_dirichlet_grad")
def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """The part of a Dirichlet sample's derivative that belongs to one component."""
    return dirichlet_grad_op(x, alpha, total)
