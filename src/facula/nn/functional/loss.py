"""Losses of pairs of values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import facula

from ..._core import state
from ..._core.dtypes import F32, F64
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...autograd.graph import warn_user
from ...autograd.saved import PLAIN
from ...ops.losses import distance, pairwise
from ...ops.losses.mse import MEAN, NONE, SUM, mse_loss_op
from ...ops.losses.mse import mse_loss as _mse_loss
from ...ops.machine.autocast import in_full

_REDUCTIONS = {"none": NONE, "mean": MEAN, "elementwise_mean": MEAN, "sum": SUM}


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that PyTorch's old pair of flags means, or the given one."""
    if size_average is None and reduce is None:
        if not any(reduction == known for known in _REDUCTIONS):
            raise ValueError(f"{reduction} is not a valid value for reduction")
        return reduction
    means = size_average is None or bool(size_average)
    meant = "none" if reduce is not None and not reduce else "mean" if means else "sum"
    warn_user(
        f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead."
    )
    return meant


def reduction_number(size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    """The reduction as operators take it."""
    if size_average is None and reduce is None and reduction.__class__ is str and reduction in _REDUCTIONS:
        return _REDUCTIONS[reduction]
    return _REDUCTIONS[reduction_of(size_average, reduce, reduction)]


def look(loss: str, input: Any) -> None:
    """See whether a loss is given what it makes itself."""
    from ..._explain import unasked  # loaded when something is unusual

    unasked.prepared(loss, input)


READY = frozenset((
    "SoftmaxBackward0", "SigmoidBackward0", "ViewBackward0", "SqueezeBackward0", "SqueezeBackward1",
    "UnsafeViewBackward0",
))  # fmt: skip
"""Nodes whose results are no scores as they are meant for a loss; of views it is to be seen."""


def _same_shape(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both broadcast to one shape."""
    if target.size() != input.size():
        warn_user(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
        )
        input, target = facula.broadcast_tensors(input, target)
    return input, target


def _weighted(values: Tensor, weight: Tensor, reduction: int) -> Tensor:
    if weight.size() != values.size():
        raise ValueError("Weights and input must have the same size.")
    values = values * weight
    if reduction == NONE:
        return values
    return values.sum() if reduction == SUM else values.sum() / weight.sum()


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean of the squared differences (or their sum, or all of them)."""
    if state.special:
        input, target = in_full(input, target)
    how = reduction_number(size_average, reduce, reduction)
    if weight is None and type(input) in PLAIN and type(target) in PLAIN:
        x, y = input._array, target._array
        if x.shape == y.shape and x.dtype is y.dtype and (x.dtype is F32 or x.dtype is F64):
            found: Tensor = mse_loss_op.call(input, target, how)
            return found
    input, target = _same_shape(input, target)
    if weight is not None:
        return _weighted((input - target).pow(2), weight, how)
    loss: Tensor = _mse_loss(input, target, how)
    return loss


def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The mean of the absolute differences (or their sum, or all of them)."""
    if state.special:
        input, target = in_full(input, target)
    how = reduction_number(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    values: Any = (input - target).abs()
    if weight is not None:
        return _weighted(values, weight, how)
    return distance.reduce_losses(values, how)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """Squares of differences below ``beta``, absolute values of larger ones."""
    if state.special:
        input, target = in_full(input, target)
    how = reduction_number(size_average, reduce, reduction)
    input, target = _same_shape(input, target)
    if beta == 0.0:
        return distance.reduce_losses((input - target).abs(), how)
    return pairwise.smooth_l1_loss(input, target, how, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Squares of differences below ``delta``, multiples of absolute values of larger ones."""
    if state.special:
        input, target = in_full(input, target)
    how = reduction_number(None, None, reduction)
    input, target = _same_shape(input, target)
    if weight is None:
        return pairwise.huber_loss(input, target, how, delta)
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    return distance.reduce_losses(pairwise.huber_loss(input, target, NONE, delta) * weight, how)


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """``log(1 + exp(-target * input))``."""
    if state.special:
        input, target = in_full(input, target)
    return pairwise.soft_margin_loss(input, target, reduction_number(size_average, reduce, reduction))


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The cross entropy of probabilities with targets between 0 and 1."""
    if state.special:
        input, target, weight = in_full(input, target, weight)
    how = reduction_number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = _expanded(weight, target)
    return pairwise.binary_cross_entropy(input, target, weight, how)


def _expanded(weight: Tensor, target: Tensor) -> Tensor:
    wanted, have = tuple(target.shape), tuple(weight.shape)
    for at in range(1, min(len(wanted), len(have)) + 1):
        if have[-at] not in (1, wanted[-at]) and wanted[-at] != 1:
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {have[-at]} at {-at}! Mismatching argument at index 1 "
                f"had {weight.shape}; but expected shape should be broadcastable to {list(wanted)}"
            )
    return weight.expand(np.broadcast_shapes(wanted, have))


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Binary cross entropy of the sigmoid of ``input``."""
    if state.special:
        input, target, weight, pos_weight = in_full(input, target, weight, pos_weight)
    if type(input._node).__name__ in READY:
        look("binary_cross_entropy_with_logits", input)
    how = reduction_number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return pairwise.binary_cross_entropy_with_logits(input, target, weight, pos_weight, how)


def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """The Kullback-Leibler divergence of a target distribution from one given by logarithms."""
    if state.special:
        input, target = in_full(input, target)
    if size_average is not None or reduce is not None or reduction not in ("mean", "batchmean"):
        how = reduction_number(size_average, reduce, reduction)
    else:
        how = MEAN if reduction == "mean" else SUM
        if reduction == "mean":
            warn_user(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
                "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
                "behave the same as 'batchmean' in the next major release.",
            )
    found = distance.kl_div(input, target, how, log_target=log_target)
    if reduction == "batchmean" and input.dim() and size_average is None and reduce is None:
        return found / input.size(0)
    return found


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None,
    eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log likelihood of counts by Poisson distributions."""
    if state.special:
        input, target = in_full(input, target)
    how = reduction_number(size_average, reduce, reduction)
    return distance.poisson_nll_loss(input, target, log_input, full, eps, how)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of targets by normal distributions of these means and variances."""
    spread: Any = var if isinstance(var, Tensor) else input.new_full(input.size(), var)
    if bool((spread < 0).any()):
        raise ValueError("var has negative entry/entries")
    if spread.size() != input.size():
        sizes = list(zip(input.size(), spread.size()))
        if input.size()[:-1] == spread.size():
            spread = spread.unsqueeze(-1)
        elif input.dim() != spread.dim() or sum(m == 1 for n, m in sizes if n != m) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    spread = spread.clone()
    with no_grad():
        spread.clamp_(min=eps)
    found = 0.5 * (spread.log() + (input - target) ** 2 / spread)
    if full:
        found = found + 0.5 * math.log(2 * math.pi)
    return distance.reduce_losses(found, _REDUCTIONS[reduction])
