"""Losses."""

from __future__ import annotations

import warnings
from typing import Any

from ..._tensor import Tensor
from ...ops.loss import MEAN, NONE, SUM
from ...ops.loss import mse_loss as _mse_loss

__all__ = ["l1_loss", "mse_loss"]

_REDUCTIONS = {"none": NONE, "mean": MEAN, "elementwise_mean": MEAN, "sum": SUM}


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that PyTorch's old pair of flags means, or the given one."""
    if size_average is None and reduce is None:
        if reduction not in _REDUCTIONS:
            raise ValueError(f"{reduction} is not a valid value for reduction")
        return reduction
    meant = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.", stacklevel=3
    )
    return meant


def _same_shape(input: Tensor, target: Tensor, stacklevel: int = 3) -> tuple[Tensor, Tensor]:
    """Both broadcast to one shape and promoted to one dtype."""
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=stacklevel,
        )
        from ... import broadcast_tensors

        input, target = broadcast_tensors(input, target)
    if input.dtype != target.dtype:
        from ..._dtype import promote_types

        dtype = promote_types(input.dtype, target.dtype)
        input, target = input.to(dtype), target.to(dtype)
    return input, target


def _weighted(losses: Tensor, weight: Tensor, reduction: str) -> Tensor:
    losses = losses * weight
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / weight.sum()


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean of the squared differences (or their sum, or all of them)."""
    if size_average is not None or reduce is not None or reduction not in _REDUCTIONS:
        reduction = reduction_of(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted(_mse_loss(input, target, NONE), weight, reduction)
    loss: Tensor = _mse_loss(input, target, _REDUCTIONS[reduction])
    return loss


def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean of the absolute differences (or their sum, or all of them)."""
    if size_average is not None or reduce is not None or reduction not in _REDUCTIONS:
        reduction = reduction_of(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    losses: Any = (input - target).abs()
    if weight is not None:
        return _weighted(losses, weight, reduction)
    return losses if reduction == "none" else losses.sum() if reduction == "sum" else losses.mean()
