"""Losses by margins between classes: multi-margin and multilabel margin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.dtypes import not_for
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.types import Array
from ..machine.primitive import primitive
from ..machine.refusals import refuse_gradient, scalar_type
from ..machine.rules import in_both_namespaces
from .items import loss_of_samples
from .mse import MEAN, NONE
from .pairwise import reduced


def _rows(x: Any) -> Any:
    """A matrix: one row if it was a vector or a number."""
    return x.reshape(1, -1) if x.ndim < 2 else x


def _class_checks(input: Tensor) -> None:
    shape = input._array.shape
    if len(shape) > 2 or math.prod(shape[-1:]) == 0:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )


# ---- multi-margin


def _others(target: Any, classes: int) -> Any:
    """Where the classes are that a row's target is not."""
    return target.reshape(-1, 1) != np.arange(classes)


in_both_namespaces(
    "classes_other_than", _others, lambda target, classes: Tensor._wrap(_others(target._array, classes))
)


@primitive(
    "MultiMarginLossBackward0", name="multi_margin_loss", batch=loss_of_samples,
    saved_names={"input_shape": "", "target_shape": ""},
)  # fmt: skip
@by_zeros
def multi_margin_op(
    input: Array, target: Array, weight: Array | None, p: float, margin: float, reduction: int
) -> Any:
    x, y = _rows(input), target.reshape(-1)
    n = x.shape[1]
    gaps = x - x[np.arange(y.size), y][:, None] + x.dtype.type(margin)
    gaps = np.where(gaps > 0, gaps, x.dtype.type(0)) * _others(y, n)  # a gap that is NaN is none
    if p == 2:
        gaps *= gaps
    losses = gaps.sum(1) / x.dtype.type(n)
    if weight is not None:
        losses = losses * weight[y]
    if reduction == MEAN and not y.size:
        return np.zeros((), input.dtype)
    return reduced(losses.reshape(target.shape if input.ndim < 2 else y.shape), reduction, input.dtype)


@multi_margin_op.vjp("input")
def multi_margin_gradient_of_input(
    g: Any, input: Any, target: Any, weight: Any, p: float, margin: float, reduction: int, input_shape: Any,
    target_shape: Any, xp: Any,
) -> Any:  # fmt: skip
    rows, classes = math.prod(target_shape), input_shape[-1] if input_shape else 1
    x, y = xp.view(input, (rows, classes)), xp.view(target, (rows, 1))
    gaps = x - xp.pick(x, y, 1, True, True) + margin
    active = (gaps > 0) & xp.classes_other_than(y, classes)
    scale = 1.0 / classes / ((rows or 1) if reduction == MEAN else 1)
    g = xp.expand(g, (rows, 1)) if reduction != NONE else xp.view(g, (rows, 1))
    if weight is not None:
        g = g * xp.view(xp.index_select(weight, xp.view(y, (rows,)), 0), (rows, 1))
    g = g * scale
    pushed = xp.keep(g * (gaps * 2.0), active) if p == 2 else xp.keep(xp.expand(g, (rows, classes)), active)
    pulled = xp.unpick(xp.sum_dim(pushed, (1,), True), y, 1, True, True, (rows, classes))
    return xp.view(pushed - pulled, input_shape)


def multi_margin_loss(
    input: Tensor, target: Tensor, p: float = 1, margin: float = 1.0, weight: Tensor | None = None,
    reduction: int = MEAN,
) -> Tensor:  # fmt: skip
    """How far other classes come within a margin of the target's."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    x, y = input._array, target._array
    _class_checks(input)
    rows = x.shape[0] if x.ndim == 2 else 1
    classes = x.shape[-1] if x.ndim else 1
    if y.ndim > 1 or y.size != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{rows}], but got {list(y.shape)}. Input has shape {list(x.shape)}."
        )
    if weight is not None and (weight._array.ndim != 1 or weight._array.size != classes):
        raise RuntimeError(
            f"inconsistent weight size, expected {classes} but got {list(weight._array.shape)}"
        )
    refuse_gradient("multi_margin_loss", weight=weight)
    if x.dtype.kind != "f" or x.itemsize < 4:
        raise not_for("multi_margin_loss_cpu_kernel", input.dtype)
    if y.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_type(target)}")
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(input)} but found {scalar_type(weight)}")
    if y.size and (y.min() < 0 or y.max() >= classes):
        raise RuntimeError("target out of range")
    found: Tensor = multi_margin_op(input, target, weight, p, margin, reduction)
    return found


# ---- multilabel margin


def _counts(target: Any) -> Any:
    """How often each class is among a row's targets, which end at the first negative number."""
    rows = _rows(target)
    named = np.logical_and.accumulate(rows >= 0, axis=1)
    found = np.zeros(rows.shape, np.int64)
    at = np.nonzero(named)
    np.add.at(found, (at[0], rows[at]), 1)
    return found


def _gaps(x: Any, counts: Any) -> tuple[Any, Any]:
    """(how far class j comes within 1 of target i, how often that counts), both of shape (rows, i, j)."""
    gaps = 1 - x[:, :, None] + x[:, None, :]
    return gaps, (counts[:, :, None] * (counts == 0)[:, None, :]).astype(x.dtype)


@primitive(
    "MultilabelMarginLossBackward0", name="multilabel_margin_loss", outputs=2, differentiable_outputs="first",
    saved_names={"out1": "is_target"}, batch=loss_of_samples,
)  # fmt: skip
@by_zeros
def multilabel_margin_op(input: Array, target: Array, reduction: int) -> tuple[Array, ...]:
    x, counts = _rows(input), _counts(target)
    gaps, weights = _gaps(x, counts)
    losses = (np.where(gaps > 0, gaps, x.dtype.type(0)) * weights).sum((1, 2)) / x.dtype.type(x.shape[1])
    marks = (counts > 0).astype(input.dtype).reshape(target.shape)
    return reduced(losses.reshape(() if input.ndim < 2 else losses.shape), reduction, input.dtype), marks


def _slopes(input: Any, target: Any) -> Any:
    """The derivative of each row's loss, which is constant between its kinks."""
    x = _rows(input)
    gaps, weights = _gaps(x, _counts(target))
    weights *= gaps > 0
    return ((weights.sum(1) - weights.sum(2)) / x.dtype.type(x.shape[1])).reshape(input.shape)


in_both_namespaces(
    "multilabel_margin_slopes", _slopes, lambda input, target: Tensor._wrap(_slopes(input._array, target._array))
)


@multilabel_margin_op.vjp("input")
def multilabel_margin_gradient_of_input(g: Any, input: Any, target: Any, out1: Any, reduction: int, xp: Any) -> Any:
    slopes = xp.multilabel_margin_slopes(input, target)
    if len(input.shape) < 2:
        return g * slopes
    if reduction == NONE:
        return xp.view(g, (-1, 1)) * slopes
    return g * slopes * (1.0 / (input.shape[0] or 1) if reduction == MEAN else 1.0)


def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: int = MEAN) -> Tensor:
    """How far classes that are no targets come within 1 of those that are."""
    x, y = input._array, target._array
    _class_checks(input)
    if x.shape != y.shape and not (x.ndim < 2 and x.size == y.size and y.ndim < 2):
        raise RuntimeError(f"inconsistent target size: {list(y.shape)} for input of size: {list(x.shape)}")
    if x.dtype.kind != "f" or x.itemsize < 4:
        raise not_for("multilabel_margin_loss_forward_out_frame", input.dtype)
    if y.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_type(target)}")
    if y.size and (y.min() < -1 or y.max() >= (x.shape[-1] if x.ndim else 1)):
        raise RuntimeError("argument #2 'target' is out of range")
    found: Tensor = multilabel_margin_op(input, target, reduction)[0]
    return found
