"""Dropout in all its forms, and rrelu: units that draw random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import not_for
from ..._core.generator import stream_of
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ..arrays.draws import doubles, draw_bernoulli
from ..arrays.types import Array
from ..creation.create import empty_like
from ..creation.factories import like_array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONALS, public
from ..machine.rules import no_gradient
from ..machine.write import change
from .forms import leaky_slope_is_lost

_SELU_LIMIT = 1.7580993408473766
"""What SELU tends to for ever smaller inputs, without its sign: the value that alpha dropout drops to."""


# ---- multiplication by noise


def dropped(
    input: Tensor, p: float, train: bool, inplace: bool, features: bool = False, alpha: bool = False
) -> Tensor:
    """Dropout in all its forms: the noise lies in memory as the input does, which decides what is dropped."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not input._array.size:
        return input
    if p == 1:
        zero = input.new_zeros(())
        return input.mul_(zero) if inplace else input * zero
    if features:
        shape = input._array.shape
        if len(shape) < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        noise = input.new_empty(shape[:2] + (1,) * (len(shape) - 2))
    else:
        noise = empty_like.public(input)  # type: ignore[attr-defined]
    if state.modes.levels:
        noise = _for_each_item(noise)
    noise.bernoulli_(1 - p)
    if not alpha:
        noise.div_(1 - p)
        return input.mul_(noise) if inplace else input * noise
    scale = 1 / math.sqrt((_SELU_LIMIT * _SELU_LIMIT * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_SELU_LIMIT * scale).add_(_SELU_LIMIT * scale * p)
    noise.mul_(scale)
    return input.mul_(noise).add_(shift) if inplace else input * noise + shift


def _for_each_item(noise: Tensor) -> Tensor:
    """Memory for noise of each item where a ``vmap`` has other random numbers for each."""
    from ..._levels.batched import batch, is_batched  # loaded when first used

    for level in state.modes.levels:
        if level.randomness == "different" and not is_batched(noise, level):
            noise = batch(noise.new_empty((level.size, *noise.shape)), level)
    return noise


_FORMS = {
    "dropout": {}, "feature_dropout": {"features": True}, "alpha_dropout": {"alpha": True},
    "feature_alpha_dropout": {"features": True, "alpha": True},
}  # fmt: skip


def _low_level(name: str, options: dict[str, bool], inplace: bool) -> None:
    @public(name + "_" * inplace)
    def drop(input: Tensor, p: float, train: bool) -> Tensor:
        """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
        return dropped(input, p, train, inplace, **options)


for _name, _options in _FORMS.items():
    _low_level(_name, _options, False)
    _low_level(_name, _options, True)


# ---- nn.functional


def _check(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _channels(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    """Whole channels dropped; without a batch dimension one is put in front."""
    if batched:
        return dropped(input, p, training, inplace, features=True)
    if inplace:
        return dropped(input.unsqueeze_(0), p, training, True, features=True).squeeze_(0)
    return dropped(input.unsqueeze(0), p, training, False, features=True).squeeze(0)


def _warn_of_dimensions(n: int, ndim: int) -> None:
    warn_user(
        f"dropout{n}d: Received a {ndim}-D input to dropout{n}d, which is deprecated and will result in an error in a future "  # noqa: E501
        "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"dropout{n}d exists to provide channel-wise dropout on inputs with {n} spatial dimensions, a channel dimension, and "  # noqa: E501
        f"an optional batch dimension (i.e. {n + 1}D or {n + 2}D inputs).",
    )


@public()
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of signals dropped."""
    _check(p)
    ndim = input._array.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "  # noqa: E501
            "(i.e. 2D or 3D inputs)."
        )
    return _channels(input, p, training, inplace, ndim == 3)


@public()
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of images dropped."""
    _check(p)
    ndim = input._array.ndim
    if ndim not in (3, 4):
        _warn_of_dimensions(2, ndim)
    if ndim == 3:
        warn_user(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - "  # noqa: E501
            "input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future "  # noqa: E501
            "release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
            "channel-wise dropout behavior, please switch to using dropout1d instead.",
        )
    return _channels(input, p, training, inplace, True)


@public()
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of volumes dropped."""
    _check(p)
    ndim = input._array.ndim
    if ndim not in (4, 5):
        _warn_of_dimensions(3, ndim)
    return _channels(input, p, training, inplace, ndim == 5)


@public()
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of what SELU gives."""
    _check(p)
    return dropped(input, p, training, inplace, alpha=True)


@public()
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """``alpha_dropout`` of whole channels."""
    _check(p)
    return dropped(input, p, training, inplace, features=True, alpha=True)


# ---- native_dropout


@primitive(
    "NativeDropoutBackward0", name="native_dropout", outputs=2, differentiable_outputs="first", batch=batching.broadcast
)
def native_dropout_op(input: Array, mask: Array, p: float) -> tuple[Array, ...]:
    """The mask comes out as it went in: an output beside the result."""
    return _scaled(input, mask, 0.0 if p == 1 else 1 / (1 - p)), mask


def _scaled(input: Any, mask: Any, scale: float) -> Any:
    dtype = input.dtype if input.dtype.kind in "fcV" else dtypes.default.numpy
    return (input * mask * np.asarray(scale, dtype)).astype(dtype, copy=False)


@native_dropout_op.vjp("input")
def native_dropout_gradient_of_input(g: Any, mask: Any, p: float, xp: Any) -> Any:
    return xp.native_dropout_backward(g, mask, 0.0 if p == 1 else 1 / (1 - p))


@primitive(
    "NativeDropoutBackwardBackward0", name="native_dropout_backward", kind="linear", batch=batching.broadcast,
    lowering="input * mask * scale",
)  # fmt: skip
def native_dropout_backward_op(input: Array, mask: Array, scale: float) -> Any:
    return _scaled(input, mask, scale)


native_dropout_backward_op.vjp(input=lambda g, mask, scale, xp: xp.native_dropout_backward(g, mask, scale))


@public("native_dropout")
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Dropout, and the mask of what was kept."""
    if train is False:
        return tuple(native_dropout_op(input, Tensor._wrap(np.ones(input._array.shape, bool)), 0.0))
    kept = like_array(input._array, dtypes.bool_, None, None)
    if kept.__class__ is not MetaArray:
        draw_bernoulli(stream_of(None), kept, 1 - p)
    return tuple(native_dropout_op(input, Tensor._wrap(kept), p))


# ---- rrelu


@primitive("RreluWithNoiseBackward0", name="rrelu_with_noise", batch=batching.broadcast)
def rrelu_op(input: Array, noise: Array, lower: float, upper: float, training: bool) -> Any:
    """``noise``: the slope at each element, 1 where it is positive."""
    return input * noise


@primitive("RreluWithNoiseBackwardBackward0", name="rrelu_backward", kind="elementwise", saved_names={"other": "self"})
def rrelu_backward_op(
    input: Array, other: Array, noise: Array, lower: float, upper: float, training: bool
) -> Any:
    return input * noise


@rrelu_op.vjp("input")
def rrelu_gradient_of_input(g: Any, input: Any, noise: Any, lower: float, upper: float, training: bool, xp: Any) -> Any:
    return xp.rrelu_backward(g, input, noise, lower, upper, training)


@rrelu_backward_op.vjp("input")
def rrelu_backward_gradient_of_input(
    g: Any, other: Any, noise: Any, lower: float, upper: float, training: bool, xp: Any
) -> Any:
    return xp.rrelu_backward(g, other, noise, lower, upper, training)


rrelu_backward_op.vjp(other=no_gradient)


@primitive("RreluWithNoiseBackward1", name="rrelu_with_noise_inplace", batch=batching.item_by_item)
def rrelu_in_place_op(input: Array, noise: Array, slope: float = 1.0) -> Any:
    return input * noise


@rrelu_in_place_op.vjp("input")
def _rrelu_in_place_gradient(g: Any, noise: Any, slope: float, xp: Any) -> Any:
    if slope < 0:
        raise leaky_slope_is_lost()
    return xp.mul(g, noise)


def _rrelu(input: Tensor, lower: float, upper: float, training: bool, inplace: bool) -> Tensor:
    for what, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {what} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    x = input._array
    if x.dtype.kind not in "fV":
        raise not_for("leaky_relu_cpu", input.dtype)
    if training and input.dtype is dtypes.float16:
        raise not_for("rrelu_with_noise_out_cpu", input.dtype)
    if training:
        batching.check_own_draws(input)
    noise = Tensor._wrap(np.ones(x.shape, x.dtype))
    negative = ~(x > 0)
    if x.__class__ is MetaArray:
        noise = Tensor._wrap(empty_meta(x.shape, x.dtype))
    elif training:
        noise._array[negative] = lower + (upper - lower) * doubles(stream_of(None), int(np.count_nonzero(negative)))
    else:
        noise._array[negative] = (lower + upper) / 2
    if not inplace:
        return rrelu_op(input, noise, lower, upper, training)
    slope = 1.0 if training else (lower + upper) / 2
    return change(rrelu_in_place_op, input, (noise,), lambda target, by: np.multiply(target, by, target), (slope,))


@public("rrelu")
def rrelu(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """Leaky relu with a slope drawn for each element, or the mean one."""
    return _rrelu(input, lower, upper, training, False)


@public("rrelu_")
def rrelu_(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """``rrelu`` in place."""
    return _rrelu(input, lower, upper, training, True)


@public(name="rrelu")
def _functional_rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Leaky relu with a slope drawn for each element, or the mean one."""
    return _rrelu(input, lower, upper, training, inplace)



for _fn in (dropout1d, dropout2d, dropout3d, alpha_dropout, feature_alpha_dropout, _functional_rrelu):
    FUNCTIONALS[_fn.__name__.removeprefix("_functional_")] = _fn.public  # type: ignore[attr-defined]
FUNCTIONALS["rrelu_"] = rrelu_.public  # type: ignore[attr-defined]
