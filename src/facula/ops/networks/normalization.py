"""Layer, batch, group, instance and RMS norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import not_for, widened
from ..._tensor import Tensor
from ..arrays.normalization import (
    channel_products,
    channel_sums,
    channels,
    deviation_inverse,
    gradient_of_normalized,
    normalize_rows,
    normalized,
    row_gradients,
)  # fmt: skip
from ..arrays.sums import add_up
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import WrongArgument
from ..machine.meta import by_zeros
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.refusals import refuse_gradient
from ..pointwise.with_numbers import add_number_op

_MIXED = "mixed dtype (CPU): "


def _like(x: Any, dtype: Any) -> Any:
    return x if x.dtype == dtype else x.astype(dtype)


def _check_dtypes(input: Tensor, parameters: tuple[Tensor | None, ...]) -> bool:
    """Whether float32 parameters go with an input of half precision; PyTorch's error if dtypes differ otherwise."""
    given = [p for p in parameters if p is not None]
    strangers = [p for p in given if p.dtype is not input.dtype]
    if not strangers:
        return False
    if not dtypes.is_half(input._array.dtype):
        if given[0].dtype is input.dtype or input.dtype is dtypes.float32:
            raise RuntimeError(f"{_MIXED}expect parameter to have scalar type of Float")
        raise RuntimeError(f"{_MIXED}all inputs must share same datatype.")
    if any(p.dtype is not dtypes.float32 for p in given):
        raise RuntimeError(f"{_MIXED}expect parameter to have scalar type of Float")
    return True


def wrap_any(*tensors: Any) -> bool:
    """Whether any of these stands for others: then rules are made of primitives that transforms know well."""
    return any(isinstance(t, Tensor) and t.wraps for t in tensors)


# ---- layer norm


@primitive(
    "NativeLayerNormBackward0", name="native_layer_norm", outputs=3, differentiable_outputs="first",
    saved_names={
        "input": "input", "out1": "result1", "out2": "result2", "normalized_shape": "normalized_shape", "eps": "",
    },
)  # fmt: skip
@by_zeros
def layer_norm_op(
    input: Array, weight: Array, bias: Array, normalized_shape: tuple[int, ...], eps: float, mixed: bool
) -> tuple[Array, ...]:
    lead = input.shape[: input.ndim - len(normalized_shape)]
    rows = np.ascontiguousarray(widened(input)).reshape(math.prod(lead), math.prod(normalized_shape))
    scale, shift = (None if p is None else widened(p).reshape(-1) for p in (weight, bias))
    out, mean, inverse = normalize_rows(rows, eps, scale, shift)
    kept = lead + (1,) * len(normalized_shape)
    moments = inverse.dtype if mixed else input.dtype
    return (
        _like(out, input.dtype).reshape(input.shape),
        _like(mean, moments).reshape(kept),
        _like(inverse, moments).reshape(kept),
    )


def last(n: int) -> tuple[int, ...]:
    return tuple(range(-n, 0))


@layer_norm_op.joint_vjp("input", "weight", "bias")
def _(
    g: Any, needs: Any, input: Any, weight: Any, bias: Any, out1: Any, out2: Any, normalized_shape: Any, eps: float,
    xp: Any,
) -> Any:  # fmt: skip
    if wrap_any(g, input, weight, bias):
        shape = normalized_shape
        rules = (
            lambda: _to_layer_input(g, input, weight, shape, eps, xp),
            lambda: _to_layer_weight(g, input, shape, eps, xp),
            lambda: xp.sum_to(g, shape),
        )  # fmt: skip
        return [rule() if need else None for rule, need in zip(rules, needs)]
    found = xp.native_layer_norm_backward(g, input, out1, out2, weight, bias, normalized_shape, eps, needs)
    return [x if need else None for x, need in zip(found, needs)]


@layer_norm_op.vjp("input")
def _to_layer_input(g: Any, input: Any, weight: Any, normalized_shape: Any, eps: float, xp: Any) -> Any:
    dims = last(len(normalized_shape))
    normal, inverse = normalized(input, dims, eps, xp)
    return gradient_of_normalized(g if weight is None else g * weight, normal, inverse, dims, xp)


@layer_norm_op.vjp("weight")
def _to_layer_weight(g: Any, input: Any, normalized_shape: Any, eps: float, xp: Any) -> Any:
    normal, _ = normalized(input, last(len(normalized_shape)), eps, xp)
    return xp.sum_to(g * normal, normalized_shape)


layer_norm_op.vjp(bias=lambda g, normalized_shape, xp: xp.sum_to(g, normalized_shape))


@layer_norm_op.raw_vjp
def layer_gradients(
    g: Any, needs: Any, input: Any, weight: Any, bias: Any, out1: Any, out2: Any, normalized_shape: Any
) -> Any:
    n = math.prod(normalized_shape)
    wide = widened(g).reshape(math.prod(g.shape[: g.ndim - len(normalized_shape)]), n)
    to_input, to_weight, to_bias = needs
    found: list[Any] = [None, None, None]
    if to_bias:
        found[2] = _like(add_up(np.ascontiguousarray(wide), (0,)), bias.dtype).reshape(normalized_shape)
    if to_input or to_weight:
        mean, inverse = (widened(m).reshape(-1, 1) for m in (out1, out2))
        scale = None if weight is None else widened(weight).reshape(-1)
        rows = widened(input).reshape(wide.shape)
        by_input, by_weight = row_gradients(wide, rows, mean, inverse, scale, to_input, to_weight)
        if to_weight:
            found[1] = _like(by_weight, weight.dtype).reshape(normalized_shape)
        if to_input:
            found[0] = _like(by_input, input.dtype).reshape(input.shape)
    return found


@layer_norm_op.batch
def layer_norm_batched(call: batching.Call) -> Any:
    if not call.flags[1] and not call.flags[2]:
        return call.run(call.values)
    plain, mean, scale = call.run([call.full(0), None, None])
    ndim = call.ndim(0)
    return [_affine(plain, call, lambda v, flag: batching.padded(v, ndim) if flag else v), mean, scale]


def _affine(result: Any, call: batching.Call, shape: Any) -> Any:
    """``result * weight + bias``, of which some are batched; ``shape`` makes each item broadcast."""
    _, weight, bias = call.values
    if weight is not None:
        result = result * shape(weight, call.flags[1])
    return result if bias is None else result + shape(bias, call.flags[2])


def _checked_shape(normalized_shape: Any) -> tuple[int, ...]:
    if not isinstance(normalized_shape, (tuple, list)):
        raise WrongArgument("normalized_shape", normalized_shape, "tuple of ints")
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    return shape


def _check_normalized(
    input: Tensor, shape: tuple[int, ...], parameters: dict[str, Tensor | None], separator: str = ", "
) -> None:
    for name, p in parameters.items():
        if p is not None and p._array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(p._array.shape)} and normalized_shape = {list(shape)}"
            )
    if input._array.shape[max(input._array.ndim - len(shape), 0) :] != shape:
        rest = "".join(f"{separator}{n}" if i == 0 else f", {n}" for i, n in enumerate(shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{rest}], but got input of size"
            f"{list(input._array.shape)}"
        )


@public("native_layer_norm")
def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Any:
    """(normalized, mean, 1 / deviation) over the last dimensions."""
    shape = _checked_shape(normalized_shape)
    _check_normalized(input, shape, {"weight": weight, "bias": bias})
    if input._array.dtype.kind not in "fV":
        raise not_for("LayerNormKernelImpl", input.dtype)
    mixed = _check_dtypes(input, (weight, bias))
    return tuple(layer_norm_op(input, weight, bias, shape, eps, mixed))


@public("layer_norm")
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:  # fmt: skip
    """Mean 0 and variance 1 over the last dimensions, then scaled and shifted element by element."""
    found: Tensor = native_layer_norm(input, normalized_shape, weight, bias, eps)[0]
    return found


# ---- batch norm


@primitive(
    "NativeBatchNormBackward0", name="native_batch_norm", outputs=3, differentiable_outputs="first",
    saved_names={"input": "input", "out1": "result1", "out2": "result2", "bias": ""},
)  # fmt: skip
@by_zeros
def batch_norm_op(
    input: Array, weight: Array | None, bias: Array | None, running_mean: Array | None, running_var: Array | None,
    training: bool, momentum: float, eps: float,
) -> tuple[Array, ...]:  # fmt: skip
    x = channels(input)
    dtype = x.dtype
    n = x.shape[0] * x.shape[2]
    if training:
        mean = channel_sums(x) / dtype.type(n or 1)
        out = x - mean[:, None]
        variance = channel_products(out, out) / dtype.type(n or 1)
        inverse = deviation_inverse(variance, eps)
        if running_mean is not None and n:
            _move(running_mean, mean, momentum)
        if running_var is not None and n:
            with np.errstate(all="ignore"):
                _move(running_var, variance * (n / np.float64(n - 1)), momentum)
    else:
        out = x - widened(running_mean)[:, None]
        mean = None
        inverse = deviation_inverse(widened(running_var), eps)
    scale = inverse if weight is None else inverse * widened(weight)
    out *= scale[:, None]
    if bias is not None:
        out += widened(bias)[:, None]
    out = _like(out, input.dtype).reshape(input.shape)
    like = next((p for p in (weight, bias, running_mean, running_var) if p is not None), input).dtype
    if mean is None:
        return out, np.empty(0, like), np.empty(0, like)
    return out, _like(mean, like), _like(inverse, like)


def _move(running: Any, new: Any, momentum: float) -> None:
    """A running mean, moved towards a new value."""
    wide = widened(running)
    running[...] = wide * wide.dtype.type(1 - momentum) + new * wide.dtype.type(momentum)


def across(ndim: int) -> tuple[int, ...]:
    """All dimensions but that of channels."""
    return (0, *range(2, ndim))


def per_channel(x: Any, ndim: int, xp: Any) -> Any:
    return xp.view(x, (1, -1) + (1,) * (ndim - 2))


def batch_normalized(x: Any, running_mean: Any, running_var: Any, training: bool, eps: float, xp: Any) -> Any:
    if training:
        return normalized(x, across(x.ndim), eps, xp)
    inverse = xp.rsqrt(per_channel(running_var, x.ndim, xp) + eps)
    return (x - per_channel(running_mean, x.ndim, xp)) * inverse, inverse


@batch_norm_op.joint_vjp("input", "weight", "bias")
def _(
    g: Any, needs: Any, input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, out1: Any, out2: Any,
    training: bool, eps: float, xp: Any,
) -> Any:  # fmt: skip
    if wrap_any(g, input, weight, bias, running_mean, running_var):
        moments = (running_mean, running_var, training, eps, xp)
        rules = (
            lambda: _to_batch_input(g, input, weight, *moments), lambda: _to_batch_weight(g, input, *moments),
            lambda: xp.sum_dim(g, across(g.ndim), False),
        )  # fmt: skip
        return [rule() if need else None for rule, need in zip(rules, needs)]
    found = xp.native_batch_norm_backward(
        g, input, weight, running_mean, running_var, out1, out2, training, eps, needs
    )
    return [x if need else None for x, need in zip(found, needs)]


@batch_norm_op.vjp("input")
def _to_batch_input(
    g: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, training: bool, eps: float, xp: Any
) -> Any:
    normal, inverse = batch_normalized(input, running_mean, running_var, training, eps, xp)
    if weight is not None:
        g = g * per_channel(weight, input.ndim, xp)
    if not training:
        return g * inverse
    return gradient_of_normalized(g, normal, inverse, across(input.ndim), xp)


@batch_norm_op.vjp("weight")
def _to_batch_weight(
    g: Any, input: Any, running_mean: Any, running_var: Any, training: bool, eps: float, xp: Any
) -> Any:
    normal, _ = batch_normalized(input, running_mean, running_var, training, eps, xp)
    return xp.sum_dim(g * normal, across(input.ndim), False)


batch_norm_op.vjp(bias=lambda g, xp: xp.sum_dim(g, across(g.ndim), False))


@batch_norm_op.raw_vjp
def batch_gradients(
    g: Any, needs: Any, input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, out1: Any, out2: Any,
    training: bool, eps: float,
) -> Any:  # fmt: skip
    to_input, to_weight, to_bias = needs
    found: list[Any] = [None, None, None]
    up = channels(g)
    sums = channel_sums(up) if to_bias or (to_input and training) else None
    if to_bias:
        found[2] = _like(sums, input.dtype if bias is None else bias.dtype)
    mean = widened(out1 if training else running_mean)
    inverse = widened(out2) if training else deviation_inverse(widened(running_var), eps)
    scale = inverse if weight is None else inverse * widened(weight)
    away = products = None
    if to_weight or (to_input and training):
        away = channels(input) - mean[:, None]
        products = channel_products(up, away)
    if to_weight:
        found[1] = _like(products * inverse, weight.dtype)
    if to_input and not training:
        found[0] = _like(up * scale[:, None], input.dtype).reshape(input.shape)
    elif to_input:
        n = up.dtype.type(up.shape[0] * up.shape[2] or 1)
        away *= (products * inverse * inverse / n)[:, None]
        np.subtract(up, away, out=away)
        away -= (sums / n)[:, None]
        away *= scale[:, None]
        found[0] = _like(away, input.dtype).reshape(input.shape)
    return found


@batch_norm_op.batch
def batch_norm_batched(call: batching.Call) -> Any:
    """Each item has channels of its own."""
    training = call.attribute("training")
    if training and any(call.values[i] is not None and not call.flags[i] for i in (3, 4)):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched.\nIf you are using a module and do not need eval mode, please set "
            "`track_running_stats` to be False.If you are using a prebuilt module and do not need eval mode, please "
            "see the functorch website for resources on how to patch your module to work with vmap"
        )
    x = batching.grouped(call.full(0))
    per_channel: list[Any] = [None if v is None else call.full(i).reshape(-1) for i, v in enumerate(call.values) if i]
    out, mean, scale = call.run([x, *per_channel])
    for i in (3, 4):
        v = call.values[i]
        if training and v is not None:
            v.copy_(per_channel[i - 1].reshape(v.shape))
    return [batching.ungrouped(out, call.size), *[m.reshape(call.size, -1) for m in (mean, scale)]]


def _check_batch(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: bool,
) -> None:  # fmt: skip
    shape = input._array.shape
    n = shape[1] if len(shape) > 1 else 0
    for name, p in (
        ("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)
    ):  # fmt: skip
        if p is None:
            if name.startswith("running") and not training:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif p._array.size != n:
            raise RuntimeError(f"{name} should contain {n} elements not {p._array.size}")
    if (running_mean is None) is not (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if input._array.dtype.kind not in "fV":
        raise not_for("batch_norm", input.dtype)
    _check_dtypes(input, (weight, bias, running_mean, running_var))
    refuse_gradient("native_batch_norm", running_mean=running_mean, running_var=running_var)


@public("native_batch_norm", out=True)
def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
) -> Any:  # fmt: skip
    """(normalized, mean, 1 / deviation) of each channel; the last two are empty in evaluation."""
    _check_batch(input, weight, bias, running_mean, running_var, training)
    return tuple(batch_norm_op(input, weight, bias, running_mean, running_var, bool(training), momentum, eps))


@public("batch_norm")
def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """Mean 0 and variance 1 over each channel, then scaled and shifted.

    In training by the batch's own statistics, which move the running ones; else by those.
    """
    _check_batch(input, weight, bias, running_mean, running_var, training)
    if not input._array.size:
        nothing = input.clone()
        if weight is not None:
            nothing = nothing * weight[0]
        return nothing if bias is None else nothing + bias[0]
    found: Tensor = batch_norm_op(
        input, weight, bias, running_mean, running_var, bool(training), momentum, eps
    )[0]  # fmt: skip
    return found


@public("instance_norm")
def instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """Batch norm of each channel of each sample alone."""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    n, c = input.shape[:2]
    weight, bias, mean, var = (
        None if p is None else p.repeat(n) for p in (weight, bias, running_mean, running_var)
    )
    flat = input.contiguous().view(1, n * c, *input.shape[2:])
    out = batch_norm(flat, weight, bias, mean, var, use_input_stats, momentum, eps, cudnn_enabled)
    for running, each in ((running_mean, mean), (running_var, var)):
        if running is not None and each is not None:
            running.detach().copy_(each.view(n, c).mean(0))
    return out.view(input.shape)


# ---- group norm


@primitive(
    "NativeGroupNormBackward0", name="native_group_norm", outputs=3,
    saved_names={"input": "input", "out1": "result1", "out2": "result2", "bias": ""},
)  # fmt: skip
@by_zeros
def group_norm_op(
    input: Array, weight: Array | None, bias: Array | None, N: int, C: int, HxW: int, group: int, eps: float,
    mixed: bool,
) -> tuple[Array, ...]:  # fmt: skip
    rows = widened(input).reshape(N * group, C // group * HxW)
    out, mean, inverse = normalize_rows(rows, eps)
    cubes = out.reshape(N, C, HxW)
    if weight is not None:
        cubes *= widened(weight)[:, None]
    if bias is not None:
        cubes += widened(bias)[:, None]
    moments = inverse.dtype if mixed else input.dtype
    return (
        _like(out, input.dtype).reshape(input.shape),
        _like(mean, moments).reshape(N, group),
        _like(inverse, moments).reshape(N, group),
    )


def _grouped(input: Any, mean: Any, inverse: Any, xp: Any) -> tuple[Any, Any]:
    """(normalized values in rows of groups, inverse deviations), by the moments among the outputs."""
    shape = (*mean.shape, math.prod(input.shape) // max(math.prod(mean.shape), 1))
    column = (*mean.shape, 1)
    inverse = xp.view(inverse, column)
    return (xp.reshape(input, shape) - xp.view(mean, column)) * inverse, inverse


@group_norm_op.vjp("input")
def group_norm_gradient_of_input(
    g: Any, input: Any, weight: Any, out1: Any, out2: Any, N: int, C: int, HxW: int, group: int, eps: float, xp: Any
) -> Any:
    up, to_mean, to_inverse = g
    normal, inverse = _grouped(input, out1, out2, xp)
    n = normal.shape[-1] or 1
    found = None
    if up is not None:
        if weight is not None:
            up = xp.reshape(up, (N, C, HxW)) * xp.view(weight, (C, 1))
        found = gradient_of_normalized(xp.reshape(up, normal.shape), normal, inverse, (2,), xp)
    if to_mean is not None:
        part = xp.expand(xp.view(to_mean, inverse.shape) / n, normal.shape)
        found = part if found is None else found + part
    if to_inverse is not None:
        part = xp.view(to_inverse, inverse.shape) * inverse * inverse * normal / -n
        found = part if found is None else found + part
    return None if found is None else xp.reshape(found, input.shape)


@group_norm_op.vjp("weight")
def group_norm_gradient_of_weight(g: Any, input: Any, out1: Any, out2: Any, N: int, C: int, HxW: int, xp: Any) -> Any:
    if g[0] is None:
        return None
    normal, _ = _grouped(input, out1, out2, xp)
    return xp.sum_dim(xp.reshape(g[0], (N, C, HxW)) * xp.reshape(normal, (N, C, HxW)), (0, 2), False)


@group_norm_op.vjp("bias")
def group_norm_gradient_of_bias(g: Any, N: int, C: int, HxW: int, xp: Any) -> Any:
    return None if g[0] is None else xp.sum_dim(xp.reshape(g[0], (N, C, HxW)), (0, 2), False)


@group_norm_op.raw_vjp
def _(
    g: Any, needs: Any, input: Any, weight: Any, bias: Any, out1: Any, out2: Any, N: int, C: int, HxW: int, xp: Any
) -> Any:
    up = g[0]
    if up is None or g[1] is not None or g[2] is not None:
        taken = {"g": g, "input": input, "weight": weight, "out1": out1, "out2": out2, "N": N, "C": C, "HxW": HxW}
        return _by_rules(group_norm_op, needs, {**taken, "group": 0, "eps": 0.0, "xp": xp})
    to_input, to_weight, to_bias = needs
    found: list[Any] = [None, None, None]
    cubes = widened(up).reshape(N, C, HxW)
    mean, inverse = (widened(m).reshape(-1, 1) for m in (out1, out2))
    rows = widened(input).reshape(mean.shape[0], input.size // max(mean.shape[0], 1))
    if to_bias:
        found[2] = _like(channel_sums(np.ascontiguousarray(cubes)), bias.dtype)
    if to_weight:
        normal = rows - mean
        normal *= inverse
        found[1] = _like(channel_products(cubes, normal.reshape(N, C, HxW)), weight.dtype)
    if to_input:
        if weight is not None:
            cubes = cubes * widened(weight)[:, None]
        by_input, _ = row_gradients(cubes.reshape(rows.shape), rows, mean, inverse, None, True, False)
        found[0] = _like(by_input, input.dtype).reshape(input.shape)
    return found


@group_norm_op.batch
def group_norm_batched(call: batching.Call) -> Any:
    n, *rest = call.attributes
    attributes = (n * call.size, *rest)
    x = batching.joined(call.full(0))
    if not call.flags[1] and not call.flags[2]:
        return [batching.parted(r, call.size) for r in call.run([x, *call.values[1:]], attributes)]
    plain, mean, scale = (batching.parted(r, call.size) for r in call.run([x, None, None], attributes))
    spatial = plain.dim() - 3

    def shape(v: Any, flag: bool) -> Any:
        return v.reshape(v.shape[0] if flag else 1, 1, -1, *[1] * spatial)

    return [_affine(plain, call, shape), mean, scale]


def _by_rules(op: Primitive, needs: Any, taken: dict[str, Any]) -> list[Any]:
    """Gradients by the rules of the inputs."""
    found = []
    for i, need in zip(op.differentiable, needs):
        rule = op.rules[op.tensor_names[i]]
        found.append(rule.fn(taken["g"], *[taken[name] for name in rule.sources]) if need else None)
    return found


@public("native_group_norm")
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> Any:
    """(normalized, mean, 1 / deviation) of groups of channels."""
    shape = input._array.shape
    if C % group:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(shape)} "
            f"and num_groups={group}"
        )
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and p._array.shape != (C,):
            told = p if name == "weight" or weight is None else weight
            size = list(told._array.shape) if name == "weight" or weight is not None else [0]
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {size} and input of shape {list(shape)}"
            )
    if input._array.dtype.kind not in "fV":
        raise not_for("GroupNormKernelImpl", input.dtype)
    mixed = _check_dtypes(input, (weight, bias))
    return tuple(group_norm_op(input, weight, bias, N, C, HxW, group, eps, mixed))


@public("group_norm")
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:  # fmt: skip
    """Mean 0 and variance 1 over groups of channels of each sample, then scaled and shifted by channel."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    n, c = shape[:2]
    if not input._array.flags.c_contiguous:
        input = input.contiguous()
    found: Tensor = native_group_norm(input, weight, bias, n, c, math.prod(shape[2:]), num_groups, eps)[0]
    return found


# ---- RMS norm


@public("rms_norm")
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Divided by the root of the mean of the squares over the last dimensions, then scaled element by element."""
    shape = _checked_shape(normalized_shape)
    _check_normalized(input, shape, {"weight": weight}, separator="")
    dtype = input.dtype
    if dtype.category < dtypes.FLOAT:
        raise not_for("rms_norm", dtype)
    if eps is None:
        eps = float(np.finfo(np.float64 if dtype.itemsize == (16 if dtype.is_complex else 8) else np.float32).eps)
    x = input.to(dtypes.float32) if dtypes.is_half(input._array.dtype) else input
    found = x * add_number_op(x.pow(2).mean(last(len(shape)), keepdim=True), eps).rsqrt()
    if weight is not None:
        found = found * weight
    return found.to(dtype)
