"""Losses of pairs of values: smooth L1, Huber, soft margin, binary cross entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.dtypes import not_for, promote_types, widened
from ..._core.looks import passes
from ..._core.strides import laid_out
from ..._tensor import Tensor, check_elements
from ..activations.smooth import softplus_array
from ..arrays.meta import by_zeros
from ..arrays.sums import add_up
from ..arrays.types import Array
from ..machine.namespaces import ARRAYS, TENSORS
from ..machine.operands import broadcast_error
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.refusals import in_function_transform, refuse_gradient, scalar_type
from ..machine.rule import Gradient
from ..machine.rules import fit, in_dtype
from ..machine.write import check_result_type, output_shape_error
from ..pointwise.transcendental import sigmoid_op
from .items import loss_backward_of_items, loss_of_items
from .mse import MEAN, NONE, in_one_dtype

logistic = sigmoid_op.kernel

# ---- what losses share


_HIDDEN = {"grad_output_shape": ""}


def reduced(losses: Any, reduction: int, dtype: Any) -> Any:
    """All losses, their mean or their sum."""
    if reduction == NONE:
        return losses if losses.dtype == dtype else losses.astype(dtype)
    found = add_up(np.ascontiguousarray(losses), None)
    if reduction == MEAN:
        found = found / losses.dtype.type(losses.size) if losses.size else losses.dtype.type(np.nan)
    return np.asarray(found, dtype)


_TILE = 32768


def tiled(kernel: Any) -> Any:
    """A kernel (input, target, ..., reduction) of elementwise losses, summed tile by tile if only their sum is wanted.

    It is called without reduction, and gives the losses.
    """

    def run(input: Any, target: Any, reduction: int, *more: Any) -> Any:
        if reduction == NONE or input.size <= _TILE or input.__class__ is not np.ndarray or input.shape != target.shape:
            found = reduced(kernel(widened(input), widened(target), *more), reduction, input.dtype)
            return laid_out(found, input, target)
        x, t = input.reshape(-1), target.reshape(-1)
        sums = [
            add_up(kernel(widened(x[i : i + _TILE]), widened(t[i : i + _TILE]), *more), None)
            for i in range(0, x.size, _TILE)
        ]
        found = np.add.reduce(np.asarray(sums))
        return np.asarray(found / found.dtype.type(x.size) if reduction == MEAN else found, input.dtype)

    return run


def tiled_product(slope: Any, g: Any, x: Any, t: Any) -> Any:
    """``slope(x, t) * g``, tile by tile; g is one number or as many as x has elements."""
    g = np.asarray(g)
    if x.size <= _TILE or x.__class__ is not np.ndarray or x.shape != t.shape:
        return slope(x, t) * g
    out = np.empty(x.shape, x.dtype)
    flat, a, b, many = out.reshape(-1), x.reshape(-1), t.reshape(-1), g.reshape(-1)
    for i in range(0, flat.size, _TILE):
        tile = slice(i, i + _TILE)
        np.multiply(slope(a[tile], b[tile]), many[tile] if g.ndim else g, out=flat[tile])
    return out


def share(reduction: int, shape: tuple[int, ...]) -> float:
    """How much of the gradient of the result is that of each loss."""
    return 1.0 / (math.prod(shape) or 1) if reduction == MEAN else 1.0


def written(losses: str, reduction: int) -> str:
    """An expression of losses, reduced."""
    return losses if reduction == NONE else f"{'mean' if reduction == MEAN else 'sum'}({losses})"


def together(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in one shape."""
    if input._array.shape != target._array.shape:
        try:
            shape = np.broadcast_shapes(input._array.shape, target._array.shape)
        except ValueError:
            raise broadcast_error(input._array.shape, target._array.shape) from None
        input, target = input.expand(shape), target.expand(shape)
    return input, target


# ---- squares of small differences, absolute values of large ones


def _bounded(name: str, node: str, parameter: str, divided: bool) -> Primitive:
    """``d * d / 2`` up to a bound, beyond it straight on; everything ``divided`` by the bound."""

    @tiled
    def losses(x: Any, t: Any, bound: float) -> Any:
        away = np.asarray(x - t)
        np.absolute(away, out=away)
        inside = np.asarray(np.clip(away, None, away.dtype.type(bound)))
        away *= away.dtype.type(2)
        away -= inside
        away *= inside
        away *= away.dtype.type(0.5 / bound if divided else 0.5)
        return away

    def in_words(reduction: int, bound: float) -> str:
        inside = f"minimum(abs(input - target), {bound!r})"
        factor = 0.5 / bound if divided else 0.5
        return written(f"(abs(input - target) * 2 - {inside}) * {inside} * {factor!r}", reduction)

    def gradient_in_words(reduction: int, bound: float, input_shape: tuple[int, ...]) -> str:
        slope = f"minimum(maximum(input - target, {-bound!r}), {bound!r})"
        return f"{slope} * (grad_output * {_factor(reduction, input_shape, bound)!r})"

    @primitive(
        f"{node}Backward0", name=name, batch=loss_of_items, saved_names={"bound": parameter}, lowering=in_words
    )
    @by_zeros
    def loss(input: Array, target: Array, reduction: int, bound: float) -> Any:
        found = losses(*in_one_dtype(input, target), reduction, bound)
        return found if divided else found.astype(input.dtype, copy=False)

    @primitive(
        f"{node}BackwardBackward0", name=f"{name}_backward", batch=loss_backward_of_items,
        saved_names={"bound": parameter, **_HIDDEN}, lowering=gradient_in_words,
    )  # fmt: skip
    @by_zeros
    def backward(grad_output: Array, input: Array, target: Array, reduction: int, bound: float) -> Any:
        x, t = map(widened, in_one_dtype(input, target))
        low, high = x.dtype.type(-bound), x.dtype.type(bound)
        g = grad_output * x.dtype.type(_factor(reduction, x.shape, bound))
        return tiled_product(lambda x, t: np.clip(x - t, low, high), g, x, t).astype(input.dtype, "C", copy=False)

    def _factor(reduction: int, shape: tuple[int, ...], bound: float) -> float:
        return share(reduction, shape) / (bound if divided else 1.0)

    @loss.vjp("input")
    def loss_gradient_of_input(g: Any, input: Any, target: Any, reduction: int, bound: float, xp: Any) -> Any:
        return getattr(xp, f"{name}_backward")(g, input, target, reduction, bound)

    @loss.vjp("target")
    def loss_gradient_of_target(g: Any, input: Any, target: Any, reduction: int, bound: float, xp: Any) -> Any:
        return getattr(xp, f"{name}_backward")(g, target, input, reduction, bound)

    @backward.vjp("grad_output")
    def backward_gradient_of_grad_output(
        g: Any, grad_output_shape: Any, input: Any, target: Any, reduction: int, bound: float, xp: Any
    ) -> Any:
        slope = xp.clamp_numbers(input - target, -bound, bound)
        return xp.sum_to(g * slope * _factor(reduction, input.shape, bound), grad_output_shape)

    def curve(g: Any, grad_output: Any, input: Any, target: Any, reduction: int, bound: float, xp: Any) -> Any:
        scaled = g * grad_output * _factor(reduction, input.shape, bound)
        return xp.keep(scaled, abs(input - target) < bound)

    @backward.vjp("input")
    def backward_gradient_of_input(
        g: Any, grad_output: Any, input: Any, target: Any, reduction: int, bound: float, input_dtype: Any, xp: Any
    ) -> Any:
        return in_dtype(curve(g, grad_output, input, target, reduction, bound, xp), input_dtype, xp)

    @backward.vjp("target")
    def backward_gradient_of_target(
        g: Any, grad_output: Any, input: Any, target: Any, reduction: int, bound: float, target_dtype: Any, xp: Any
    ) -> Any:
        return in_dtype(-curve(g, grad_output, input, target, reduction, bound, xp), target_dtype, xp)

    return loss


smooth_l1_op = _bounded("smooth_l1_loss", "SmoothL1Loss", "beta", divided=True)
huber_op = _bounded("huber_loss", "HuberLoss", "delta", divided=False)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: int = MEAN, beta: float = 1.0) -> Tensor:
    if not beta >= 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        losses = (input - target).abs()
        return losses if reduction == NONE else losses.mean() if reduction == MEAN else losses.sum()
    input, target = together(input, target)
    dtype = promote_types(input.dtype, target.dtype)
    if not dtype.is_floating_point:
        raise not_for("smooth_l1_cpu", dtype)
    return smooth_l1_op(input, target, reduction, beta)


def huber_loss(input: Tensor, target: Tensor, reduction: int = MEAN, delta: float = 1.0) -> Tensor:
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = together(input, target)
    dtype = promote_types(input.dtype, target.dtype)
    check_result_type(dtype, input.dtype)
    if not dtype.is_floating_point:
        raise not_for("huber_cpu", dtype)
    return huber_op(input, target, reduction, delta)


# ---- soft margin


@primitive("SoftMarginLossBackward0", name="soft_margin_loss", batch=loss_of_items)
@by_zeros
def soft_margin_op(input: Array, target: Array, reduction: int) -> Any:
    return reduced(softplus_array(widened(input) * -widened(target)), reduction, input.dtype)


@primitive(
    "SoftMarginLossBackwardBackward0", name="soft_margin_loss_backward", batch=loss_backward_of_items,
    saved_names=_HIDDEN,
)  # fmt: skip
@by_zeros
def soft_margin_backward_op(grad_output: Array, input: Array, target: Array, reduction: int) -> Any:
    x, t = widened(input), widened(target)
    slope = t / (1 + np.exp(x * t))
    return (slope * (widened(np.asarray(grad_output)) * x.dtype.type(-share(reduction, x.shape)))).astype(
        input.dtype, copy=False
    )


@soft_margin_op.vjp("input")
def soft_margin_gradient_of_input(g: Any, input: Any, target: Any, reduction: int, xp: Any) -> Any:
    return xp.soft_margin_loss_backward(g, input, target, reduction)


@soft_margin_backward_op.vjp("grad_output")
def soft_margin_backward_gradient_of_grad_output(
    g: Any, grad_output_shape: Any, input: Any, target: Any, reduction: int, xp: Any
) -> Any:
    slope = target * xp.sigmoid(-(input * target)) * -share(reduction, input.shape)
    return xp.sum_to(g * slope, grad_output_shape)


@soft_margin_backward_op.vjp("input")
def soft_margin_backward_gradient_of_input(
    g: Any, grad_output: Any, input: Any, target: Any, reduction: int, xp: Any
) -> Any:
    s = xp.sigmoid(-(input * target))
    return g * grad_output * (target * target * s * (1 - s) * share(reduction, input.shape))


def soft_margin_loss(input: Tensor, target: Tensor, reduction: int = MEAN) -> Tensor:
    """``log(1 + exp(-target * input))``."""
    refuse_gradient("soft_margin_loss", target=target)
    if input._array.dtype.kind == "b":
        return -input  # refused
    target = target.to(input.dtype)
    try:
        shape = np.broadcast_shapes(input._array.shape, target._array.shape)
    except ValueError:
        raise broadcast_error(input._array.shape, target._array.shape) from None
    if input._array.shape != shape:
        raise RuntimeError(
            f"output with shape {list(input._array.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    if input._array.dtype.kind in "iu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {scalar_type(input)}")
    return soft_margin_op(input, target, reduction)


# ---- binary cross entropy

_TINY = 1e-12


@primitive("BinaryCrossEntropyBackward0", name="binary_cross_entropy", batch=loss_of_items)
@by_zeros
def binary_cross_entropy_op(input: Array, target: Array, weight: Array | None, reduction: int) -> Any:
    x, t = widened(input), widened(target)
    low = x.dtype.type(-100)
    losses = (t - 1) * np.maximum(np.log1p(-x), low)
    losses = losses - t * np.maximum(np.log(x), low)
    if weight is not None:
        losses = losses * widened(weight)
    return reduced(losses, reduction, input.dtype)


@primitive(
    "BinaryCrossEntropyBackwardBackward0", name="binary_cross_entropy_backward", batch=loss_backward_of_items,
    saved_names=_HIDDEN,
)  # fmt: skip
@by_zeros
def binary_cross_entropy_backward_op(
    grad_output: Array, input: Array, target: Array, weight: Array | None, reduction: int
) -> Any:
    slope = (input - target) / np.maximum((1 - input) * input, input.dtype.type(_TINY))
    if weight is not None:
        slope = slope * weight
    return slope * (grad_output * input.dtype.type(share(reduction, input.shape)))


@binary_cross_entropy_op.vjp("input")
def binary_cross_entropy_gradient_of_input(
    g: Any, input: Any, target: Any, weight: Any, reduction: int, xp: Any
) -> Any:
    return xp.binary_cross_entropy_backward(g, input, target, weight, reduction)


@binary_cross_entropy_op.vjp("target")
def binary_cross_entropy_gradient_of_target(g: Any, input: Any, weight: Any, reduction: int, xp: Any) -> Any:
    found = -xp.logit(input, None) * g
    if weight is not None:
        found = found * weight
    return _shared(found, reduction, input.shape, xp)


def _shared(g: Any, reduction: int, shape: tuple[int, ...], xp: Any) -> Any:
    return xp.over(g, math.prod(shape) or 1) if reduction == MEAN else g


def _weighted(g: Any, weight: Any, reduction: int, shape: tuple[int, ...]) -> Any:
    return (g if weight is None else g * weight) * share(reduction, shape)


@binary_cross_entropy_backward_op.vjp("grad_output")
def binary_cross_entropy_backward_gradient_of_grad_output(
    g: Any, grad_output_shape: Any, input: Any, target: Any, weight: Any, reduction: int, xp: Any
) -> Any:
    slope = (input - target) / xp.clamp_min_number((1 - input) * input, _TINY)
    return xp.sum_to(_weighted(g, weight, reduction, input.shape) * slope, grad_output_shape)


@binary_cross_entropy_backward_op.vjp("input")
def binary_cross_entropy_backward_gradient_of_input(
    g: Any, grad_output: Any, input: Any, target: Any, weight: Any, reduction: int
) -> Any:
    width = (input + _TINY) * (1 - input + _TINY)
    curve = (input * input - 2 * input * target + target) / (width * width)
    return _weighted(g * grad_output, weight, reduction, input.shape) * curve


@binary_cross_entropy_backward_op.vjp("target")
def binary_cross_entropy_backward_gradient_of_target(
    g: Any, grad_output: Any, input: Any, weight: Any, reduction: int
) -> Any:
    width = (input + _TINY) * (1 - input + _TINY)
    return _weighted(g * grad_output, weight, reduction, input.shape) / -width


@passes("(numbers >= 0) & (numbers <= 1)")
def _check_input(numbers: Array) -> None:
    _check_probabilities(numbers, "input")


@passes("(numbers >= 0) & (numbers <= 1)")
def _check_target(numbers: Array) -> None:
    _check_probabilities(numbers, "target")


def _check_probabilities(numbers: Array, what: str) -> None:
    if numbers.size and not (numbers.min() >= 0 and numbers.max() <= 1):
        raise RuntimeError(f"all elements of {what} should be between 0 and 1")


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = MEAN
) -> Tensor:
    """``-(t * log(x) + (1 - t) * log(1 - x))``, with logarithms no less than -100."""
    refuse_gradient("binary_cross_entropy", weight=weight)
    x = input._array
    for t in (target, weight):
        if t is not None and t.dtype is not input.dtype:
            raise RuntimeError(f"Found dtype {scalar_type(t)} but expected {scalar_type(input)}")
    if x.dtype.kind not in "fV":
        raise not_for("binary_cross_entropy", input.dtype)
    if not input.wraps:
        check_elements(input, _check_input)
    if not target.wraps:
        check_elements(target, _check_target)
    return binary_cross_entropy_op(input, target, weight, reduction)


# ---- binary cross entropy with logits


def _with_logits_in_words(weight: Any, pos_weight: Any, reduction: int) -> str | None:
    if weight is not None or pos_weight is not None:
        return None
    return written("log1p(exp(-abs(input))) + maximum(-input, 0) + (1 - target) * input", reduction)


def _with_logits_gradient_in_words(
    weight: Any, pos_weight: Any, reduction: int, input_shape: tuple[int, ...], target_shape: tuple[int, ...]
) -> str | None:
    if weight is not None or pos_weight is not None or tuple(input_shape) != tuple(target_shape):
        return None
    return f"(sigmoid(input) - target) * (grad_output * {share(reduction, input_shape)!r})"


@primitive(
    "BinaryCrossEntropyWithLogitsBackward0", name="binary_cross_entropy_with_logits",
    saved_names={"input_shape": "", "target_shape": ""}, batch=loss_of_items, lowering=_with_logits_in_words,
)  # fmt: skip
@by_zeros
def binary_cross_entropy_with_logits_op(
    input: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: int
) -> Any:
    if pos_weight is None and weight is None:
        return _plain_cross_entropy(*in_one_dtype(input, target), reduction).astype(target.dtype, copy=False)
    x, t = widened(input), widened(target)
    losses = softplus_array(-x)
    if pos_weight is not None:
        losses = losses * (1 + (widened(pos_weight) - 1) * t)
    losses = losses + (1 - t) * x
    if weight is not None:
        losses = losses * widened(weight)
    return reduced(losses, reduction, target.dtype)


@tiled
def _plain_cross_entropy(x: Any, t: Any) -> Any:
    return softplus_array(-x) + (1 - t) * x


@primitive(name="binary_cross_entropy_with_logits_backward", lowering=_with_logits_gradient_in_words)
def binary_cross_entropy_with_logits_backward_op(
    grad_output: Array, input: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: int,
    input_shape: tuple[int, ...], input_dtype: np.dtype[Any],
) -> Any:  # fmt: skip
    if pos_weight is None and weight is None and input_dtype.itemsize > 2:
        scaled = grad_output * input_dtype.type(share(reduction, input_shape))
        return tiled_product(lambda x, t: logistic(x) - t, scaled, input, target)
    given = (weight, pos_weight, reduction, input_shape, input_dtype)
    return _with_logits_gradient(grad_output, input, target, *given, ARRAYS)


@binary_cross_entropy_with_logits_backward_op.compose
def _with_logits_gradient(
    g: Any, input: Any, target: Any, weight: Any, pos_weight: Any, reduction: int, input_shape: Any, input_dtype: Any,
    xp: Any = TENSORS,
) -> Any:  # fmt: skip
    if pos_weight is None:
        slope = xp.sigmoid(input) - target
    else:
        positive = pos_weight * target
        slope = (positive + 1 - target) * xp.sigmoid(input) - positive
    found = slope * g if weight is None else slope * g * weight
    return fit(_shared(found, reduction, input_shape, xp), input_shape, input_dtype, xp)


binary_cross_entropy_with_logits_op.vjp(input=Gradient(binary_cross_entropy_with_logits_backward_op))


@binary_cross_entropy_with_logits_op.vjp("target")
def binary_cross_entropy_with_logits_gradient_of_target(
    g: Any, input: Any, weight: Any, pos_weight: Any, reduction: int, target_shape: Any, target_dtype: Any, xp: Any
) -> Any:
    slope = -input if pos_weight is None else xp.logsigmoid(-input) - xp.logsigmoid(input) * pos_weight
    found = slope * g if weight is None else slope * g * weight
    return fit(_shared(found, reduction, target_shape, xp), target_shape, target_dtype, xp)


@public("binary_cross_entropy_with_logits", autocast="full")
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
    reduction: int = NONE,
) -> Tensor:  # fmt: skip
    """Binary cross entropy of the sigmoid of ``input``; positive targets may weigh more."""
    is_composed = in_function_transform() and (weight is not None or pos_weight is not None)
    if not is_composed:
        refuse_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if input._array.dtype.kind not in "fV":
        raise not_for("log_sigmoid_cpu", input.dtype)
    if target._array.dtype.kind in "iu":
        raise RuntimeError(
            f"result type {scalar_type(input)} can't be cast to the desired output type {scalar_type(target)}"
        )
    input, target = together(input, target)
    shape = input._array.shape
    for p, error in ((pos_weight, broadcast_error), (weight, output_shape_error)):
        if p is None:
            continue
        try:
            both = np.broadcast_shapes(p._array.shape, shape)
        except ValueError:
            raise broadcast_error(p._array.shape, shape) from None
        if both != shape:
            raise error(shape, both)
    if is_composed:
        return _composed_with_logits(input, target, weight, pos_weight, reduction)
    return binary_cross_entropy_with_logits_op(input, target, weight, pos_weight, reduction)


def _composed_with_logits(input: Any, target: Any, weight: Any, pos_weight: Any, reduction: int) -> Tensor:
    """As PyTorch has it in its transforms, where weights have derivatives, too."""
    likely = TENSORS.logsigmoid(input)
    if pos_weight is not None:
        likely = likely * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * input - likely
    if weight is not None:
        losses = losses * weight
    result: Tensor = losses if reduction == NONE else losses.mean() if reduction == MEAN else losses.sum()
    return result
