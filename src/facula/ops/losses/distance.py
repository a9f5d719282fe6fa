"""Losses made of other operators: of distances and angles between vectors, and of counts and distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.dtypes import FLOAT, SCALAR_TYPE_NAMES, promote_types
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..creation.create import full_like, ones_like, zeros_like
from ..machine.operands import broadcast_error
from ..machine.public import public
from ..pointwise.selection import clamp_min, minimum_op, where
from ..pointwise.transcendental import xlogy
from ..pointwise.with_numbers import add_number_op, mul_number_op, sub_number_op
from ..reductions.norms import vector_norm_op
from .mse import MEAN, NONE


def reduce_losses(losses: Tensor, reduction: int) -> Tensor:
    return losses if reduction == NONE else losses.mean() if reduction == MEAN else losses.sum()


# ---- distances

norm_op = vector_norm_op.under("norm_along", "NormBackward1", saved_names={"ord": "p", "dtype": ""})


def _plain_norm(x: Tensor, p: float, keepdim: bool) -> Tensor:
    found: Tensor = norm_op(x, p, (x.dim() - 1,), keepdim, None)
    return found


@public("pairwise_distance")
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of the difference of vectors in the last dimension."""
    return _plain_norm(add_number_op(x1 - x2, eps), p, keepdim)


@public("triplet_margin_loss", autocast="full")
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: int = NONE,
) -> Tensor:  # fmt: skip
    """How much farther than the positive, with a margin, the negative should be from the anchor."""
    ranks = (anchor.dim(), positive.dim(), negative.dim())
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum_op(far, pairwise_distance(positive, negative, p, eps))
    return reduce_losses(clamp_min(add_number_op(near, margin) - far, 0), reduction)


# ---- angles

_EPS = 1e-12


@public("cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along ``dim``, after both are broadcast to one shape."""
    dtype = promote_types(x1.dtype, x2.dtype)
    if not dtype.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {SCALAR_TYPE_NAMES[dtype]}"
        )
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps}")
    shapes = x1._array.shape, x2._array.shape
    if shapes[0] != shapes[1]:
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            raise broadcast_error(*shapes) from None
        x1, x2 = x1.expand(shape), x2.expand(shape)

    both = [x.to(dtype) if x.dtype.category < FLOAT else x for x in (x1, x2)]
    lengths: list[Any] = [x.norm(2, dim, keepdim=True).clone() for x in both]
    with no_grad():
        for length in lengths:
            length.clamp_min_(eps)
    second = both[1] / lengths[1]  # PyTorch divides it first, as what is packed shows
    return (both[0] / lengths[0] * second).sum(dim)


@public("cosine_embedding_loss", autocast="full")
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE
) -> Tensor:
    """1 - cosine where the target is 1; where it is -1, the cosine as far as it is above a margin."""
    rank = target.dim()
    if rank > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.dim() != rank + 1 or input2.dim() != rank + 1:
        raise RuntimeError(
            f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    product = (input1 * input2).sum(rank)
    first = add_number_op((input1 * input1).sum(rank), _EPS)
    second = add_number_op((input2 * input2).sum(rank), _EPS)
    cosine = product / (first * second).sqrt()
    zeros = zeros_like(cosine)
    alike = where(target == 1, ones_like(cosine) - cosine, zeros)
    unlike = where(target == -1, clamp_min(sub_number_op(cosine, margin), 0), zeros)
    return reduce_losses(alike + unlike, reduction)


@public("hinge_embedding_loss", autocast="full")
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = NONE) -> Tensor:
    """The input where the target is 1; where it is -1, what it lacks to a margin."""
    zeros = zeros_like(input)
    short = clamp_min(_number_minus(margin, input), 0)
    losses = where(target != 1, short, zeros) + where(target != -1, input, zeros)
    return reduce_losses(losses, reduction)


def _number_minus(number: float, x: Tensor) -> Tensor:
    found: Tensor = full_like(x, number) - x
    return found


@public("margin_ranking_loss", autocast="full")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE
) -> Tensor:
    """How much of a margin input1 lacks to be above input2 (target 1) or below (-1)."""
    above = input1 - input2
    return reduce_losses(clamp_min(add_number_op(-target * above, float(margin)), 0), reduction)


# ---- distributions


@public("kl_div", autocast="full")
def kl_div(input: Tensor, target: Tensor, reduction: int = NONE, *, log_target: bool = False) -> Tensor:
    """``target * (log(target) - input)``; ``input`` are logarithms, with ``log_target`` the target too."""
    for kind, refused in (("complex", "c"), ("integral", "biu")):
        if input._array.dtype.kind in refused or target._array.dtype.kind in refused:
            raise RuntimeError(f"kl_div: {kind.capitalize()} inputs not supported.")
    if log_target:
        losses = target.exp() * (target - input)
    else:
        expected = target * input  # before the entropy: gradients are added up in the opposite order
        losses = xlogy(target, target) - expected
    return reduce_losses(losses, reduction)


@public("poisson_nll_loss", autocast="full")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """The negative log likelihood of counts by Poisson distributions, without or with Stirling's term."""
    if log_input:
        expected = target * input  # first: gradients are added up in the opposite order
        losses: Any = input.exp() - expected
    else:
        losses = input - target * add_number_op(input, eps).log()
    if full:
        stirling = target * target.log() - target + mul_number_op(mul_number_op(target, 2 * math.pi).log(), 0.5)
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return reduce_losses(losses, reduction)
