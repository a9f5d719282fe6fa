"""The gradients of a convolution as an operator of its own: one node with all three, as PyTorch has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import empty_meta
from ..arrays.patches import Sizes
from ..arrays.types import Array
from ..machine import batching
from ..machine.namespaces import ARRAYS
from ..machine.primitive import primitive
from .convolution import NO_BIAS, any_meta, to_bias, to_input, to_weight


@primitive(
    "ConvolutionBackwardBackward0", name="convolution_backward", outputs=3,
    saved_names={"input": "input", "wanted": ""}, batch=batching.item_by_item,
)  # fmt: skip
def convolution_backward_op(
    grad_output: Array, input: Array, weight: Array, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    output_padding: Sizes, groups: int, wanted: tuple[bool, ...],
) -> Any:  # fmt: skip
    how = (stride, padding, dilation, transposed)
    nothing = empty_meta((0,), input.dtype) if any_meta(input, weight) else np.empty(0, input.dtype)
    return [
        to_input(grad_output, input, weight, *how, output_padding, groups, NO_BIAS, ARRAYS) if wanted[0] else nothing,
        to_weight(grad_output, input, weight, *how, groups, ARRAYS) if wanted[1] else nothing,
        to_bias(grad_output, input, weight, ARRAYS) if wanted[2] else nothing,
    ]


@convolution_backward_op.vjp("grad_output")
def convolution_backward_gradient_of_grad_output(
    g: Any, grad_output: Any, input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int, wanted: Any, xp: Any,
) -> Any:  # fmt: skip
    by_input, by_weight, by_bias = (x if want else None for x, want in zip(g, wanted))
    how = (None, stride, padding, dilation, transposed, output_padding, groups, NO_BIAS)
    found = None if by_input is None else xp.convolution(by_input, weight, *how)
    if by_weight is not None:
        part = xp.convolution(input, by_weight, *how)
        found = part if found is None else found + part
    if by_bias is not None:
        part = xp.expand(xp.view(by_bias, (1, -1, *[1] * len(stride))), tuple(grad_output.shape))
        found = part if found is None else found + part
    return found


@convolution_backward_op.vjp("input")
def convolution_backward_gradient_of_input(
    g: Any, grad_output: Any, input: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    output_padding: Sizes, groups: int, wanted: Any, xp: Any,
) -> Any:  # fmt: skip
    if g[1] is None or not wanted[1]:
        return None
    return to_input(
        grad_output, input, g[1], stride, padding, dilation, transposed, output_padding, groups, NO_BIAS, xp
    )


@convolution_backward_op.vjp("weight")
def convolution_backward_gradient_of_weight(
    g: Any, grad_output: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    groups: int, wanted: Any, xp: Any,
) -> Any:  # fmt: skip
    if g[0] is None or not wanted[0]:
        return None
    return to_weight(grad_output, g[0], weight, stride, padding, dilation, transposed, groups, xp)
