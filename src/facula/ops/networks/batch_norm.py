"""Batch norm and instance norm, and batch norm under the names of the operators behind it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import state
from ..._core.devices import MetaArray
from ..._core.dtypes import not_for, widened
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..arrays.meta import by_zeros
from ..arrays.normalization import channel_products, channel_sums, channels, deviation_inverse
from ..arrays.strides import is_dense_channels_last, lying_as, with_channels_last
from ..arrays.types import Array
from ..machine import batching
from ..machine.namespaces import TENSORS
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.refusals import refuse_gradient
from .normalization import (
    SecondDerivative,
    added,
    check_dtypes,
    given,
    gradient_of_normalized,
    like,
    no_derivative,
    normalized,
)

_SHOWN = {"input": "input", "out1": "result1", "out2": "result2"}


@primitive(
    "NativeBatchNormBackward0", name="native_batch_norm", outputs=5, differentiable_outputs="first", saved_names=_SHOWN,
    native=("norms:batch_norm", 64), lowering="library",
)  # fmt: skip
@by_zeros
def batch_norm_op(
    input: Array, weight: Array | None, bias: Array | None, running_mean: Array | None, running_var: Array | None,
    training: bool, eps: float,
) -> tuple[Array, ...]:  # fmt: skip
    """(normalized, mean, 1 / deviation, and mean and variance in full precision); moments are empty in evaluation."""
    x = channels(input)
    dtype = x.dtype
    n = x.shape[0] * x.shape[2]
    if training:
        mean = channel_sums(x) / dtype.type(n or 1)
        out = x - mean[:, None]
        variance = channel_products(out, out) / dtype.type(n or 1)
        inverse = deviation_inverse(variance, eps)
    else:
        assert running_mean is not None and running_var is not None
        out = x - widened(running_mean)[:, None]
        inverse = deviation_inverse(widened(running_var), eps)
    scale = inverse if weight is None else inverse * widened(weight)
    out *= scale[:, None]
    if bias is not None:
        out += widened(bias)[:, None]
    out = like(out, input.dtype).reshape(input.shape)
    if is_dense_channels_last(input):
        out = with_channels_last(out)
    elif not input.flags.c_contiguous:
        out = lying_as(out, input)
    moments = next((p for p in (weight, bias, running_mean, running_var) if p is not None), input).dtype
    if not training:
        nothing = np.empty(0, moments)
        return out, nothing, nothing.copy(), nothing, nothing
    return out, like(mean, moments), like(inverse, moments), mean, variance


def _across(ndim: int) -> tuple[int, ...]:
    """All dimensions but that of channels."""
    return (0, *range(2, ndim))


def _per_channel(x: Any, ndim: int, xp: Any) -> Any:
    return xp.view(x, (1, -1) + (1,) * (ndim - 2))


def _normalized(x: Any, running_mean: Any, running_var: Any, training: bool, eps: float, xp: Any) -> Any:
    if training:
        return normalized(x, _across(x.ndim), eps, xp)
    inverse = xp.rsqrt(_per_channel(running_var, x.ndim, xp) + eps)
    return (x - _per_channel(running_mean, x.ndim, xp)) * inverse, inverse


@primitive(
    "NativeBatchNormBackwardBackward0", name="native_batch_norm_backward", outputs=3, saved_names={"input": "input"},
    native=("norms:batch_norm_backward", 64), lowering="library",
)  # fmt: skip
@by_zeros
def batch_norm_backward_op(
    grad_out: Array, input: Array, weight: Array | None, running_mean: Array | None, running_var: Array | None,
    save_mean: Array, save_invstd: Array, train: bool, eps: float, needs: tuple[bool, ...],
) -> list[Array]:  # fmt: skip
    to_input, to_weight, to_bias = needs
    found: list[Any] = [None, None, None]
    up = channels(grad_out)
    sums = channel_sums(up) if to_bias or (to_input and train) else None
    if to_bias:
        found[2] = like(sums, save_mean.dtype)
    mean = widened(save_mean if train else running_mean)
    inverse = widened(save_invstd) if train else deviation_inverse(widened(running_var), eps)
    scale = inverse if weight is None else inverse * widened(weight)
    away = products = None
    if to_weight or (to_input and train):
        away = channels(input) - mean[:, None]
        products = channel_products(up, away)
    if weight is not None and to_weight:
        found[1] = like(products * inverse, weight.dtype)
    if to_input and not train:
        found[0] = lying_as(like(up * scale[:, None], input.dtype).reshape(input.shape), input)
    elif to_input:
        n = up.dtype.type(up.shape[0] * up.shape[2] or 1)
        away *= (products * inverse * inverse / n)[:, None]
        np.subtract(up, away, out=away)
        away -= (sums / n)[:, None]
        away *= scale[:, None]
        found[0] = lying_as(like(away, input.dtype).reshape(input.shape), input)
    return given(found, input)


batch_norm_op.gradient(
    batch_norm_backward_op, "input", "weight", "bias", save_mean="out1", save_invstd="out2", train="training"
)


@batch_norm_backward_op.compose
def batch_norm_gradients(
    grad_out: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, save_mean: Any, save_invstd: Any,
    train: bool, eps: float, needs: Any,
) -> list[Any]:  # fmt: skip
    xp, dims = TENSORS, _across(input.ndim)
    to_input, to_weight, to_bias = needs
    by_input = by_weight = None
    if to_input or to_weight:
        normal, inverse = _normalized(input, running_mean, running_var, train, eps, xp)
        if to_weight:
            by_weight = xp.sum_dim(grad_out * normal, dims, False)
        if to_input:
            scaled = grad_out if weight is None else grad_out * _per_channel(weight, input.ndim, xp)
            by_input = gradient_of_normalized(scaled, normal, inverse, dims, xp) if train else scaled * inverse
    return [by_input, by_weight, xp.sum_dim(grad_out, dims, False) if to_bias else None]


def _second(
    g: Any, needs: Any, input: Any, running_mean: Any, running_var: Any, train: bool, eps: float, xp: Any
) -> SecondDerivative:
    normal, inverse = _normalized(input, running_mean, running_var, train, eps, xp)
    p = SecondDerivative(g, needs, normal, inverse, _across(input.ndim), xp, not train)
    p.to_weight, p.to_bias = (
        None if x is None else _per_channel(x, input.ndim, xp) for x in (p.to_weight, p.to_bias)
    )
    return p


@batch_norm_backward_op.vjp("grad_out")
def batch_norm_backward_gradient_of_grad_out(
    g: Any, grad_out: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, save_mean: Any,
    save_invstd: Any, train: bool, eps: float, needs: Any, xp: Any,
) -> Any:  # fmt: skip
    p = _second(g, needs, input, running_mean, running_var, train, eps, xp)
    by_input = None if p.to_input is None else p.pulled(p.to_input)
    if by_input is not None and weight is not None:
        by_input = by_input * _per_channel(weight, input.ndim, xp)
    by_bias = None if p.to_bias is None else xp.expand(p.to_bias, tuple(input.shape))
    return added(by_input, None if p.to_weight is None else p.to_weight * p.normal, by_bias)


@batch_norm_backward_op.vjp("input")
def batch_norm_backward_gradient_of_input(
    g: Any, grad_out: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, train: bool, eps: float,
    needs: Any, xp: Any,
) -> Any:  # fmt: skip
    p = _second(g, needs, input, running_mean, running_var, train, eps, xp)
    scaled = grad_out if weight is None else grad_out * _per_channel(weight, input.ndim, xp)
    by_input = None if p.to_input is None else p.curved(scaled)
    return added(by_input, None if p.to_weight is None else p.pulled(p.to_weight * grad_out))


@batch_norm_backward_op.vjp("weight")
def batch_norm_backward_gradient_of_weight(
    g: Any, grad_out: Any, input: Any, running_mean: Any, running_var: Any, train: bool, eps: float, needs: Any,
    xp: Any,
) -> Any:  # fmt: skip
    p = _second(g, needs, input, running_mean, running_var, train, eps, xp)
    if p.to_input is None:
        return None
    return xp.sum_dim(grad_out * p.pulled(p.to_input), _across(input.ndim), False)


batch_norm_backward_op.vjp(save_mean=no_derivative, save_invstd=no_derivative)


@batch_norm_op.tangent
def batch_norm_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    training, _ = attributes
    if not training and any(t is not None for t in tangents[3:]):
        raise RuntimeError(
            "batch_norm is not differentiable wrt running_mean and running_var, they cannot have forward grad defined"
        )
    return NotImplemented


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
    out, *moments = call.run([x, *per_channel])
    return [batching.ungrouped(out, call.size), *[m.reshape(call.size, -1) for m in moments]]


# ---- the public functions


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
    if input._array.size:
        check_dtypes(input, (weight, bias, running_mean, running_var))
    refuse_gradient("native_batch_norm", running_mean=running_mean, running_var=running_var)


def _run(
    op: Primitive, input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
) -> list[Tensor]:  # fmt: skip
    """(normalized, mean, 1 / deviation); in training the running statistics move towards the batch's."""
    *found, mean, variance = op(input, weight, bias, running_mean, running_var, training, eps)
    shape = input._array.shape
    if training and shape[1]:
        n = input._array.size // shape[1]
        if running_mean is not None and n:
            _move(running_mean, mean, 1, momentum)
        if running_var is not None and n:
            _move(running_var, variance, n / (n - 1) if n > 1 else np.inf, momentum)
    return found


def _move(running: Tensor, new: Tensor, factor: float, momentum: float) -> None:
    """Move a running mean towards a new value. It keeps its version, as in PyTorch: no gradient depends on it."""
    if running.wraps:
        with no_grad():
            running.copy_(running * (1 - momentum) + new * (factor * momentum))
    elif state.special and state.modes.capture is not None:
        version = running._version
        with no_grad():
            running.copy_(running * (1 - momentum) + (new * factor if factor != 1 else new) * momentum)
        running._shared_counter()[0] = version
    elif running._array.__class__ is not MetaArray:
        wide = widened(running._array)
        number = wide.dtype.type
        with np.errstate(all="ignore"):
            moved = new._array * np.float64(factor) if factor != 1 else new._array
            running._array[...] = wide * number(1 - momentum) + moved * number(momentum)


@public("native_batch_norm", out=True)
def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
) -> Any:  # fmt: skip
    """(normalized, mean, 1 / deviation) of each channel; the last two are empty in evaluation."""
    _check_batch(input, weight, bias, running_mean, running_var, training)
    return tuple(_run(batch_norm_op, input, weight, bias, running_mean, running_var, bool(training), momentum, eps))


@public("batch_norm_update_stats")
def batch_norm_update_stats(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float
) -> tuple[Tensor, Tensor]:
    """Mean and variance of each channel, towards which the running statistics move."""
    shape = input._array.shape
    if not input._array.size:
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(shape)}")
    with no_grad():
        dims = [i for i in range(len(shape)) if i != 1]
        mean, var = input.mean(dims), input.var(dims, correction=0)
    n = input._array.size // shape[1]
    if running_mean is not None:
        _move(running_mean, mean, 1, momentum)
    if running_var is not None:
        _move(running_var, var, n / (n - 1) if n > 1 else np.inf, momentum)
    return mean, var


@public("batch_norm", looks_first=True)
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
    return _run(batch_norm_op, input, weight, bias, running_mean, running_var, bool(training), momentum, eps)[0]


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
        if use_input_stats and running is not None and each is not None:
            running.detach().copy_(each.view(n, c).mean(0))
    return out.view(input.shape)


# ---- under other names


_with_statistics_op = batch_norm_op.under("native_batch_norm_legit", "NativeBatchNormLegitBackward0")
_without_statistics_op = batch_norm_op.under(
    "native_batch_norm_legit_no_stats", "NativeBatchNormLegitBackward1",
    saved_names={**_SHOWN, "running_mean": "", "running_var": ""},
)  # fmt: skip
_with_update_op = batch_norm_op.under(
    "batch_norm_with_update", "BatchNormWithUpdateBackward0", saved_names={**_SHOWN, "training": ""}
)


@public("_native_batch_norm_legit", out=True, overloads=True)
def _native_batch_norm_legit(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, *rest: Any, **named: Any
) -> Any:
    """(normalized, mean, 1 / deviation) of each channel, with or without running statistics to move."""
    statistics = ("running_mean", "running_var")
    has_statistics = isinstance(rest[0], Tensor) if rest else statistics[0] in named
    names = (*(statistics if has_statistics else ()), "training", "momentum", "eps")
    given = {**dict(zip(names, rest)), **named}
    mean, var = given.get("running_mean"), given.get("running_var")
    training = bool(given["training"])
    _check_batch(input, weight, bias, mean, var, training)
    op = _with_statistics_op if has_statistics else _without_statistics_op
    return tuple(_run(op, input, weight, bias, mean, var, training, given["momentum"], given["eps"]))


def _batch_norm_with_update(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor, running_var: Tensor,
    momentum: float, eps: float,
) -> Any:  # fmt: skip
    """Batch norm in training; a fourth result, empty, is what other devices keep for the way back."""
    _check_batch(input, weight, bias, running_mean, running_var, True)
    found = _run(_with_update_op, input, weight, bias, running_mean, running_var, True, momentum, eps)
    return (*found, Tensor._wrap(np.empty(0, np.uint8)))
