"""The negative log likelihood of a class for each row, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.losses.mse import MEAN, NONE
from ..kernels import losses as kernels


def nll_loss(input: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    found = kernels.nll(input, target, weight, ignore_index) if input.ndim == 2 and reduction != NONE else None
    if found is None:
        return None
    loss, total = found[0], found[1]
    if reduction == MEAN:
        loss = np.true_divide(loss, total)
    return np.asarray(loss), np.asarray(total)


def nll_loss_backward(
    grad_output: Any, input: Any, target: Any, weight: Any, total_weight: Any, reduction: int, ignore_index: int
) -> Any:
    if grad_output.ndim or grad_output.dtype != input.dtype:
        return None
    scale = np.true_divide(grad_output, total_weight) if reduction == MEAN else grad_output
    return kernels.nll_backward(input.shape, input.dtype, target, float(scale), weight, ignore_index)
