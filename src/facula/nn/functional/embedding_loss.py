"""Losses of distances and angles between vectors."""

from __future__ import annotations

from collections.abc import Callable

import facula

from ..._core import state
from ..._tensor import Tensor
from ...ops.losses import distance as distance_losses
from ...ops.machine.autocast import in_full
from .loss import reduction_number


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cosine for targets of 1; for those of -1, the cosine as far as it is above a margin."""
    if state.special:
        input1, input2, target = in_full(input1, input2, target)
    how = reduction_number(size_average, reduce, reduction)
    return distance_losses.cosine_embedding_loss(input1, input2, target, margin, how)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The input for targets of 1; for those of -1, what it lacks to a margin."""
    if state.special:
        input, target = in_full(input, target)
    how = reduction_number(size_average, reduce, reduction)
    return distance_losses.hinge_embedding_loss(input, target, margin, how)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How much of a margin input1 lacks to be above input2 (target 1) or below (-1)."""
    if state.special:
        input1, input2, target = in_full(input1, input2, target)
    how = reduction_number(size_average, reduce, reduction)
    if not input1.dim() == input2.dim() == target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return distance_losses.margin_ranking_loss(input1, input2, target, margin, how)


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How much farther than the positive, with a margin, the negative should be from the anchor."""
    if state.special:
        anchor, positive, negative = in_full(anchor, positive, negative)
    how = reduction_number(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return distance_losses.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, how)


def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The same with any distance."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ranks = (anchor.ndim, positive.ndim, negative.ndim)
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    distance = distance_losses.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = facula.minimum(far, distance(positive, negative))
    found = (near + margin - far).clamp_min(0)
    return distance_losses.reduce_losses(found, reduction_number(None, None, reduction))
