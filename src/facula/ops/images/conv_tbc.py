"""``conv_tbc``: a convolution along time, for (time, batch, channels)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import widened
from ..._tensor import Tensor
from ..arrays.images.convolution import convolve
from ..arrays.meta import by_zeros
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import WrongArgument
from ..machine.primitive import primitive
from ..machine.public import public

# As conv1d has it: (batch, channels, time), weights (out, in, kernel). Weights of conv_tbc are (kernel, in, out).
_IN, _WEIGHT = (1, 2, 0), (2, 1, 0)
_BACK = (2, 0, 1)


@primitive("ConvTbcBackward0", name="conv_tbc", batch=batching.item_by_item)
@by_zeros
def conv_tbc_op(input: Array, weight: Array, bias: Array, pad: int) -> Any:
    x, w = widened(input).transpose(_IN), widened(weight).transpose(_WEIGHT)
    y = convolve(x, w, (1,), (pad,), (1,), 1).transpose(_BACK) + widened(bias)
    return np.ascontiguousarray(y, input.dtype)


@conv_tbc_op.vjp("input")
def conv_tbc_gradient_of_input(g: Any, input: Any, weight: Any, bias: Any, pad: int, xp: Any) -> Any:
    w = xp.permute(xp.conj(weight), _WEIGHT)
    sizes = (input.shape[0],)
    return xp.permute(xp.convolution_input(xp.permute(g, _IN), w, sizes, (1,), (pad,), (1,), 1), _BACK)


@conv_tbc_op.vjp("weight")
def conv_tbc_gradient_of_weight(g: Any, input: Any, weight: Any, bias: Any, pad: int, xp: Any) -> Any:
    x = xp.permute(xp.conj(input), _IN)
    kernel = (weight.shape[0],)
    return xp.permute(xp.convolution_weight(xp.permute(g, _IN), x, kernel, (1,), (pad,), (1,), 1), _WEIGHT)


@conv_tbc_op.vjp("bias")
def conv_tbc_gradient_of_bias(g: Any, input: Any, weight: Any, bias: Any, xp: Any) -> Any:
    return xp.sum_to(g, tuple(bias.shape))


@public("conv_tbc", autocast="low", functionals="conv_tbc")
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Sums of products of (kernel, in, out) and the patches along time that it is moved over."""
    for name, value in (("weight", weight), ("bias", bias)):
        if not isinstance(value, Tensor):
            raise WrongArgument(name, value, "Tensor")
    x, w, b = input._array.shape, weight._array.shape, bias._array.shape
    if len(x) != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if len(w) != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if len(b) != 1:
        raise RuntimeError("Bias must be 1-D")
    if x[2] != w[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if w[2] != b[0]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    if x[0] + 2 * pad - w[0] + 1 < 0:
        raise RuntimeError("Input sequence is shorter than the kernel")
    return conv_tbc_op(input, weight, bias, pad)
