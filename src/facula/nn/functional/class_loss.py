"""Losses of scores of classes."""

from __future__ import annotations

from typing import Any

from ..._core import state
from ..._tensor import Tensor
from ...ops.activations.smooth import logsigmoid
from ...ops.losses import ctc, nll
from ...ops.losses import margin as margin_losses
from ...ops.machine.autocast import in_full
from .loss import READY, look, reduction_number, reduction_of

NOT_LOGARITHMS = READY | {"AddmmBackward0"}


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log likelihood of target classes."""
    if state.special:
        input, weight = in_full(input, weight)
    if type(input._node).__name__ in NOT_LOGARITHMS:
        look("nll_loss", input)
    return nll.nll_loss(input, target, weight, reduction_number(size_average, reduce, reduction), ignore_index)


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """The cross entropy of the softmax of ``input`` with target classes, or with target probabilities."""
    if state.special:
        input, target, weight = in_full(input, target, weight)
    if type(input._node).__name__ in READY:
        look("cross_entropy", input)
    how = reduction_number(size_average, reduce, reduction)
    return nll.cross_entropy(input, target, weight, how, ignore_index, label_smoothing)


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Connectionist temporal classification: see ``facula.ops.ctc``."""
    if state.special:
        (log_probs,) = in_full(log_probs)
    how = reduction_number(None, None, reduction)
    return ctc.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity)


def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How far other classes come within a margin of the target's."""
    if state.special:
        input, weight = in_full(input, weight)
    how = reduction_number(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return margin_losses.multi_margin_loss(input, target, p, margin, weight, how)


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """How far classes that are no targets come within 1 of those that are."""
    if state.special:
        (input,) = in_full(input)
    return margin_losses.multilabel_margin_loss(input, target, reduction_number(size_average, reduce, reduction))


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The binary cross entropy of each class, averaged over the classes."""
    if state.special:
        input, target, weight = in_full(input, target, weight)
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    found: Any = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        found = found * weight
    at = input.dim() - 1
    found = found.sum(dim=at) / input.size(at)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    result: Tensor = found if reduction == "none" else found.mean() if reduction == "mean" else found.sum()
    return result
