"""Losses as modules."""

from __future__ import annotations

from .._tensor import Tensor
from . import functional as F
from .functional.loss import reduction_of
from .module import Module


class _Loss(Module):
    reduction: str

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        given = size_average is not None or reduce is not None
        self.reduction = reduction_of(size_average, reduce, reduction) if given else reduction


class MSELoss(_Loss):
    """The mean of the squared differences."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """The mean of the absolute differences."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)
