"""The negative log likelihood of classes, and cross entropy."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..._core import state
from ..._core.dtypes import F32, F64, not_for, widened
from ..._core.looks import passes
from ..._tensor import Tensor, check_elements, learned
from ...autograd.saved import PLAIN
from ..activations.softmax import log_softmax, log_softmax_op
from ..arrays.meta import by_zeros
from ..arrays.sums import add_up
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import type_of
from ..machine.primitive import primitive
from ..machine.refusals import refuse_gradient, scalar_type
from ..machine.rules import no_gradient
from ..pointwise.with_numbers import div_number_op, mul_number_op
from .mse import MEAN, NONE

# The loss is linear in its input: its derivative's derivative is the loss again.


def _places(target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any, Any]:
    """(classes, with 0 for ignored ones; where they are ignored; what they weigh): None for nowhere, and for 1."""
    ignored = None
    if ignore_index >= 0 or not target.size or target.item(target.argmin()) < 0:
        ignored = target == ignore_index
        if not ignored.any():
            ignored = None
        else:
            target = np.where(ignored, 0, target)
    if target.dtype != np.int64:
        target = target.astype(np.int64)
    if weight is None:
        return target, ignored, None
    return target, ignored, widened(weight)[target] if weight.size else np.zeros(target.shape, widened(weight).dtype)


@lru_cache(64)
def starts(rows: int, width: int) -> Any:
    """Where the rows of a dense matrix begin."""
    return np.arange(0, rows * width, width)


def _index(shape: tuple[int, ...], places: Any) -> tuple[Any, ...]:
    """The index of one class for each sample and position of an input of this shape."""
    if len(shape) == 1:
        return (places,)
    if len(shape) == 2:
        return np.arange(shape[0]), places
    first, *rest = np.ogrid[tuple(slice(n) for n in places.shape)]
    return first, places, *rest


@by_zeros
def _nll(input: Array, target: Array, weight: Array, reduction: int, ignore_index: int) -> tuple[Array, ...]:
    places, ignored, weights = _places(target, weight, ignore_index)
    if not input.size:  # no samples, or no classes, and all is ignored
        losses = widened(np.zeros(target.shape, input.dtype))
    elif input.ndim == 2 and input.flags.c_contiguous:
        losses = np.negative(widened(input.reshape(-1).take(np.add(starts(*input.shape), places))))
    else:
        losses = -widened(input[_index(input.shape, places)])
    if weights is not None:
        losses = losses * weights
    if ignored is not None:
        losses = np.where(ignored, losses.dtype.type(0), losses)
    if reduction == NONE and input.ndim > 1:
        return losses.astype(input.dtype, copy=False), np.zeros((), input.dtype)
    if weights is None:
        total = losses.dtype.type(target.size if ignored is None else target.size - np.count_nonzero(ignored))
    else:
        total = add_up(weights if ignored is None else np.where(ignored, weights.dtype.type(0), weights), None)
    found = add_up(losses, None) + 0  # of -0 alone it is 0
    if reduction == MEAN:
        found = np.true_divide(found, total)
    return np.asarray(found, input.dtype), np.asarray(total, input.dtype)


@by_zeros
def _nll_backward(
    grad_output: Array, input: Array, target: Array, weight: Array, total_weight: Array, reduction: int,
    ignore_index: int,
) -> Any:  # fmt: skip
    shape = input.shape
    places, ignored, weights = _places(target, weight, ignore_index)
    values = -grad_output
    dtype = values.dtype
    if reduction == MEAN:
        values = np.true_divide(values, total_weight)
    if weights is not None:
        values = values * weights.astype(dtype, copy=False)
    if ignored is not None:
        values = np.where(ignored, dtype.type(0), values)
    result = np.zeros(shape, dtype)
    if not result.size:
        return result
    if len(shape) == 2:
        result.reshape(-1)[starts(*shape) + places] = values
    else:
        result[_index(shape, places)] = values if len(shape) > 1 else values.reshape(places.shape)
    return result


_SAVED = {"out1": "total_weight"}
nll_loss_op = primitive(
    "NllLossBackward0", name="nll_loss", kind="linear", outputs=2, differentiable_outputs="first", saved_names=_SAVED,
    native=("losses:nll_loss", 64), lowering="library",
)(_nll)  # fmt: skip
nll_loss2d_op = primitive(
    "NllLoss2DBackward0", name="nll_loss2d", kind="linear", outputs=2, differentiable_outputs="first",
    saved_names=_SAVED,
)(_nll)  # fmt: skip

nll_loss_backward_op = primitive(
    "NllLossBackwardBackward0", name="nll_loss_backward", kind="linear", batch=batching.item_by_item,
    native=("losses:nll_loss_backward", 64, "input"), lowering="library",
)(_nll_backward)  # fmt: skip
nll_loss2d_backward_op = primitive(
    "NllLoss2DBackwardBackward0", name="nll_loss2d_backward", kind="linear", batch=batching.item_by_item
)(_nll_backward)


@nll_loss_op.vjp("input")
def nll_loss_gradient_of_input(
    g: Any, input: Any, target: Any, weight: Any, out1: Any, reduction: int, ignore_index: int, xp: Any
) -> Any:
    return xp.nll_loss_backward(g, input, target, weight, out1, reduction, ignore_index)


@nll_loss2d_op.vjp("input")
def nll_loss2d_gradient_of_input(
    g: Any, input: Any, target: Any, weight: Any, out1: Any, reduction: int, ignore_index: int, xp: Any
) -> Any:
    return xp.nll_loss2d_backward(g, input, target, weight, out1, reduction, ignore_index)


@nll_loss_backward_op.vjp("grad_output")
def nll_loss_backward_gradient_of_grad_output(
    g: Any, target: Any, weight: Any, reduction: int, ignore_index: int, xp: Any
) -> Any:
    return xp.nll_loss(g, target, weight, reduction, ignore_index)[0]


@nll_loss2d_backward_op.vjp("grad_output")
def nll_loss2d_backward_gradient_of_grad_output(
    g: Any, target: Any, weight: Any, reduction: int, ignore_index: int, xp: Any
) -> Any:
    return xp.nll_loss2d(g, target, weight, reduction, ignore_index)[0]


nll_loss_backward_op.vjp(input=no_gradient)
nll_loss2d_backward_op.vjp(input=no_gradient)


@nll_loss_op.batch
@nll_loss2d_op.batch
def nll_loss_batched(call: batching.Call) -> Any:
    """The loss of each element of each item first, then what the reduction makes of each item's."""
    reduction, ignore_index = call.attributes
    weight = call.values[2]
    if call.flags[2]:
        return None
    x, target = call.full(0), call.full(1)
    single = call.ndim(0) == 1
    if single:
        x, target = x.unsqueeze(1), target.unsqueeze(1)
    shape = target.shape
    op = nll_loss2d_op if len(x.shape) > 3 else nll_loss_op
    each, _ = op(batching.joined(x), batching.joined(target), weight, 0, ignore_index)
    each = each.reshape(shape)
    dims = tuple(range(1, len(shape)))
    if reduction and weight is None and type(target) in PLAIN and not learned(target, _has, ignore_index):
        n = math.prod(shape[1:])
        found = each.reshape(shape[:1]) if n == 1 else each.mean(dims) if reduction == 1 else each.sum(dims)
        return [found, each.new_full(shape[:1], n)]
    counted = (target != ignore_index).to(each.dtype)
    if weight is not None:
        counted = counted * weight[target.clamp(0, weight.shape[0] - 1)]
    total = counted.sum(dims)
    if reduction == 0:
        return [each.squeeze(1) if single else each, total * 0]
    summed = each.sum(dims)
    return [summed / total if reduction == 1 else summed, total]


@passes("target != ignore_index")
def _has(target: Array, ignore_index: int) -> bool:
    return bool((target == ignore_index).any())


# ---- arguments


def _check_target_dtype(target: Tensor) -> None:
    if target._array.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_type(target)}")


def _check_common(input: Tensor, target: Tensor, weight: Tensor | None, classes: int, ignore_index: int) -> None:
    _check_target_dtype(target)
    if input._array.dtype.kind not in "fV":
        raise not_for("nll_loss_out_frame", input.dtype)
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(input)} but found {scalar_type(weight)}")
    check_elements(target, _check_classes, classes, ignore_index)


@passes("((numbers >= 0) & (numbers < classes)) | (numbers == ignore_index)")
def _check_classes(numbers: Any, classes: int, ignore_index: int) -> None:
    if numbers.__class__ is not np.ndarray or not numbers.size:
        return
    if numbers.item(numbers.argmin()) < 0 or numbers.item(numbers.argmax()) >= classes:
        wrong = numbers[((numbers < 0) | (numbers >= classes)) & (numbers != ignore_index)]
        if wrong.size:
            raise IndexError(f"Target {wrong.flat[0]} is out of bounds.")


def _nll_loss(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    x, t = input._array, target._array
    refuse_gradient("nll_loss_forward", weight=weight)
    if t.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    _check_target_dtype(target)
    if x.ndim == 1 and t.ndim == 1 and t.size != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t.size}")
    classes = x.shape[-1]
    if weight is not None and (weight._array.ndim != 1 or weight._array.size != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight._array.shape)}"
        )
    _check_common(input, target, weight, classes, ignore_index)
    found: Tensor = nll_loss_op(input, target, weight, reduction, ignore_index)[0]
    return found


def _nll_loss2d(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    x, t = input._array, target._array
    refuse_gradient("nll_loss2d_forward", weight=weight)
    if t.ndim != 3:
        raise RuntimeError(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: " + str(t.ndim)
        )
    if x.shape[2:] != t.shape[1:]:
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(t.shape)}")
    if weight is not None and weight._array.size != x.shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    _check_common(input, target, weight, x.shape[1], ignore_index)
    found: Tensor = nll_loss2d_op(input, target, weight, reduction, ignore_index)[0]
    return found


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = MEAN, ignore_index: int = -100
) -> Tensor:
    """Minus the input at the target's class, for inputs of any number of dimensions after the classes."""
    shape, wanted = input._array.shape, target._array.shape
    if not shape:
        raise ValueError(f"Expected 1 or more dimensions (got {len(shape)})")
    if len(shape) != 1 and shape[0] != (wanted[0] if wanted else 1):
        raise ValueError(
            f"Expected input batch_size ({shape[0]}) to match target batch_size ({wanted[0] if wanted else 1})."
        )
    if len(shape) < 3:
        return _nll_loss(input, target, weight, reduction, ignore_index)
    if len(shape) == 4:
        return _nll_loss2d(input, target, weight, reduction, ignore_index)
    n, classes, rest = shape[0], shape[1], shape[2:]
    if wanted[1:] != rest:
        raise RuntimeError(f"Expected target size {[n, *rest]}, got {list(wanted)}")
    size = math.prod(rest)
    flat_input = input.contiguous().view(n, classes, 1, size)
    found = _nll_loss2d(flat_input, target.contiguous().view(n, 1, size), weight, reduction, ignore_index)
    return found.view(n, *rest) if reduction == NONE else found


# ---- cross entropy


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = MEAN, ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """The cross entropy of the softmax over the classes with target classes, or with target probabilities."""
    if not isinstance(target, Tensor):
        raise TypeError(
            f"cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not {type_of(target)}"
        )
    if weight is None and not label_smoothing and _is_plain(input, target):
        found: Tensor = nll_loss_op(log_softmax_op(input, 1), target, None, reduction, ignore_index)[0]
        return found
    shape = input._array.shape
    at = 0 if len(shape) == 1 else 1
    if shape == target._array.shape:
        if target._array.dtype.kind not in "fV":
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {scalar_type(target)}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        logs = log_softmax(input, at, input.dtype)
        return _with_probabilities(logs, target, weight, reduction, at, label_smoothing)
    if label_smoothing > 0.0:
        if label_smoothing > 1.0:
            raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
        logs = log_softmax(input, at, input.dtype)
        return _smoothed(logs, target, weight, reduction, ignore_index, at, label_smoothing)
    return nll_loss(log_softmax(input, at, input.dtype), target, weight, reduction, ignore_index)


def _is_plain(input: Any, target: Any) -> bool:
    """Whether this is a matrix of scores with a class for each row, about which no question is left."""
    if type(input) not in PLAIN or type(target) not in PLAIN or state.how() == state.GENERAL:
        return False
    x, y = input._array, target._array
    return (
        x.ndim == 2
        and y.shape == x.shape[:1]
        and y.size > 0
        and (x.dtype is F32 or x.dtype is F64)
        and y.dtype == np.int64
        and y.__class__ is np.ndarray is x.__class__
        and y.item(y.argmin()) >= 0
        and y.item(y.argmax()) < x.shape[1]
    )


def _by_class(weight: Tensor, ndim: int, at: int) -> Tensor:
    shape = [1] * ndim
    shape[at] = weight._array.shape[0]
    return weight.view(shape)


def _with_probabilities(
    logs: Tensor, target: Tensor, weight: Tensor | None, reduction: int, at: int, label_smoothing: float
) -> Tensor:
    classes = logs._array.shape[at]
    if weight is not None and (weight._array.ndim != 1 or weight._array.size != classes):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight._array.shape)}"
        )
    if label_smoothing > 0.0:
        if label_smoothing > 1.0:
            raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
        target = target * (1 - label_smoothing) + label_smoothing / classes
    products = logs * target
    if weight is not None:
        products = products * _by_class(weight, logs._array.ndim, at)
    if reduction == NONE:
        return -products.sum(at)
    if reduction == MEAN:
        if 0 in logs._array.shape:
            return -products.sum().fill_(math.nan)
        return div_number_op(-products.sum(), math.prod(logs._array.shape) // classes)
    return -products.sum()


def _smoothed(
    logs: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, at: int,
    label_smoothing: float,
) -> Tensor:  # fmt: skip
    """A mixture of the loss with the target classes and that with all classes alike."""
    exact = nll_loss(logs, target, weight, reduction, ignore_index)
    weighted = logs if weight is None else logs * _by_class(weight, logs._array.ndim, at)
    alike = -weighted.sum(at)
    ignored: Any = target == ignore_index
    alike.masked_fill_(ignored, 0.0)
    if reduction == MEAN:
        if weight is None:
            alike = alike.sum() / ignored.logical_not().sum().to(logs.dtype)
        else:
            heavy = weight[target.masked_fill(ignored, 0)].masked_fill_(ignored, 0)
            alike = alike.sum() / heavy.sum()
    elif reduction != NONE:
        alike = alike.sum()
    classes = logs._array.shape[at]
    rest = label_smoothing / classes if classes else math.inf
    return mul_number_op(exact, 1 - label_smoothing) + mul_number_op(alike, rest)
