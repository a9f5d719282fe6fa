"""Layer, batch and group norm, and their gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...ops.arrays.strides import lying_as
from ..kernels import norms as kernels

Needs = tuple[bool, bool, bool]


def _flat(x: Any) -> Any:
    return None if x is None else x.reshape(-1)


def _channels(x: Any) -> Any:
    return x.reshape(*x.shape[:2], -1) if x.ndim > 1 and x.size else None


def layer_norm(input: Any, weight: Any, bias: Any, normalized_shape: tuple[int, ...], eps: float, mixed: bool) -> Any:
    lead = input.shape[: input.ndim - len(normalized_shape)]
    if mixed or not input.size or not input.flags.c_contiguous:
        return None
    rows = input.reshape(math.prod(lead), math.prod(normalized_shape))
    found = kernels.layer_norm(rows, _flat(weight), _flat(bias), eps)
    if found is None:
        return None
    kept = lead + (1,) * len(normalized_shape)
    return found[0].reshape(input.shape), found[1].reshape(kept), found[2].reshape(kept)


def layer_norm_backward(
    grad_out: Any, input: Any, mean: Any, rstd: Any, weight: Any, bias: Any, normalized_shape: tuple[int, ...],
    eps: float, needs: Needs,
) -> Any:  # fmt: skip
    if not input.size or not input.flags.c_contiguous or not grad_out.flags.c_contiguous:
        return None
    needs = (needs[0], needs[1] and weight is not None, needs[2] and bias is not None)
    n = math.prod(normalized_shape)
    rows = (input.size // n, n)
    found = kernels.layer_norm_backward(
        grad_out.reshape(rows), input.reshape(rows), mean.reshape(-1), rstd.reshape(-1), _flat(weight), needs
    )
    return None if found is None else _given(found, input, normalized_shape)


def batch_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, eps: float
) -> Any:
    x = _channels(input) if input.flags.c_contiguous else None
    if x is None or any(p is not None and p.dtype != x.dtype for p in (weight, bias, running_mean, running_var)):
        return None
    moments = kernels.batch_moments(x) if training else (running_mean, running_var)
    if moments is None:
        return None
    mean, variance = moments
    inverse = _deviation_inverse(variance, eps)
    out = kernels.batch_norm(x, mean, inverse, weight, bias)
    if out is None:
        return None
    out = out.reshape(input.shape)
    if not training:
        nothing = np.empty(0, x.dtype)
        return out, nothing, nothing.copy(), nothing, nothing
    return out, mean, inverse, mean, variance


def batch_norm_backward(
    grad_out: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, save_mean: Any, save_invstd: Any,
    train: bool, eps: float, needs: Needs,
) -> Any:  # fmt: skip
    dense = input.flags.c_contiguous and grad_out.flags.c_contiguous
    x, g = (_channels(input), _channels(grad_out)) if dense else (None, None)
    if x is None or g is None:
        return None
    mean = save_mean if train else running_mean
    inverse = save_invstd if train else _deviation_inverse(running_var, eps)
    needs = (needs[0], needs[1] and weight is not None, needs[2])
    found = kernels.batch_norm_backward(g, x, mean, inverse, weight, train, needs)
    return None if found is None else _given(found, input, x.shape[1:2])


def group_norm(
    input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float, mixed: bool
) -> Any:
    if mixed or not input.size or not input.flags.c_contiguous:
        return None
    found = kernels.group_norm(input.reshape(N, C, HxW), group, weight, bias, eps)
    return None if found is None else (lying_as(found[0].reshape(input.shape), input), *found[1:])


def group_norm_backward(
    grad_out: Any, grad_mean: Any, grad_rstd: Any, input: Any, weight: Any, mean: Any, rstd: Any, N: int, C: int,
    HxW: int, group: int, eps: float, needs: Needs,
) -> Any:  # fmt: skip
    if grad_mean is not None or grad_rstd is not None or not input.size:
        return None
    if not input.flags.c_contiguous or not grad_out.flags.c_contiguous:
        return None
    needs = (needs[0], needs[1] and weight is not None, needs[2])
    cubes = (N, C, HxW)
    found = kernels.group_norm_backward(
        grad_out.reshape(cubes), input.reshape(cubes), mean, rstd, group, weight, needs
    )
    return None if found is None else [None if found[0] is None else found[0].reshape(input.shape), *found[1:]]


def _deviation_inverse(variance: Any, eps: float) -> Any:
    return variance.dtype.type(1) / np.sqrt(variance + variance.dtype.type(eps))


def _given(found: Any, input: Any, shape: tuple[int, ...]) -> list[Any]:
    """The gradients of input, weight and bias as an operator gives them: an empty one for each that is not wanted."""
    shapes = (input.shape, shape, shape)
    return [np.empty(0, input.dtype) if x is None else x.reshape(s) for x, s in zip(found, shapes)]
