"""Weights as a direction and a length: g · v / |v|, the length taken over all dimensions but one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import F32, cast, is_half, widened
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import in_dtype, raw


def _others(ndim: int, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(ndim) if d != dim % ndim)


@primitive("WeightNormInterfaceBackward0", saved_names={"direction": "v", "length": "g"}, batch=batching.item_by_item)
def weight_norm_interface_op(direction: Array, length: Array, dim: int) -> Any:
    v, g = widened(direction), widened(length)
    norm = np.sqrt(np.square(v).sum(_others(v.ndim, dim), keepdims=True))
    return cast(v * (g / norm), direction.dtype)


def _wide(x: Any, xp: Any) -> Any:
    """Half precision as float32, in which it is computed."""
    return xp.cast(x, F32) if is_half(raw(x).dtype) else x


def _norm(direction: Any, dim: int, xp: Any) -> Any:
    return xp.sqrt(xp.sum_dim(direction * direction, _others(direction.ndim, dim), True))


@weight_norm_interface_op.vjp("direction")
def weight_norm_interface_gradient_of_direction(g: Any, direction: Any, length: Any, dim: int, xp: Any) -> Any:
    g, v, wide = (_wide(each, xp) for each in (g, direction, length))
    norm = _norm(v, dim, xp)
    unit = v / norm
    along = xp.sum_dim(g * unit, _others(v.ndim, dim), True)
    return in_dtype((g - unit * along) * (wide / norm), raw(direction).dtype, xp)


@weight_norm_interface_op.vjp("length")
def weight_norm_interface_gradient_of_length(g: Any, direction: Any, dim: int, xp: Any) -> Any:
    wide, v = _wide(g, xp), _wide(direction, xp)
    return in_dtype(xp.sum_dim(wide * (v / _norm(v, dim, xp)), _others(v.ndim, dim), True), raw(g).dtype, xp)


@public("norm_except_dim")
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one; over all for dim -1."""
    if dim == -1:
        return v.norm(pow)
    if dim == 0:
        return v.contiguous().view(v.size(0), -1).norm(pow, 1).view(v.size(0), *(1,) * (v.dim() - 1))
    if dim == v.dim() - 1:
        return v.contiguous().view(-1, v.size(dim)).norm(pow, 0).view(*(1,) * (v.dim() - 1), v.size(dim))
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


@public("_weight_norm")
def _weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """``v``, with its length over all dimensions but one replaced by ``g``."""
    v, g = v.contiguous(), g.contiguous()
    found: Tensor
    if dim in (0, v.dim() - 1):
        found = weight_norm_interface_op(v, g, dim)
    else:
        found = v * (g / norm_except_dim(v, 2, dim))
    return found
