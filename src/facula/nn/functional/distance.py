"""Lengths and angles."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """``input`` divided by its norm along ``dim``."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    if out is None:
        return input / length
    from ... import div

    result: Tensor = div(input, length, out=out)
    return result


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along ``dim``."""
    from ..._dtype import promote_types

    dtype = promote_types(x1.dtype, x2.dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        from ..._dtype import SCALAR_TYPE_NAMES

        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {SCALAR_TYPE_NAMES[dtype]}"
        )

    def unit(x: Tensor) -> Tensor:
        x = x.to(dtype)
        length: Any = x.norm(2, dim, keepdim=True).clone()
        with no_grad():
            length.clamp_min_(eps)
        return x / length

    return (unit(x1) * unit(x2)).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of the difference of vectors in the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)
