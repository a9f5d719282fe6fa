"""Convolution, and its gradients."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...ops.arrays.strides import convolved_as
from .. import presence
from ..kernels.convolution import Sizes, convolution_input_gradient, convolution_weight_gradient
from ..kernels.convolution import convolution as convolve

dense = np.ascontiguousarray


def _pays(weight_shape: Sizes, groups: int, fewest: int) -> bool:
    """Where a window has one place or fewer elements than this, a product of matrices by NumPy is as quick."""
    few = weight_shape[1] * prod(weight_shape[2:]) < fewest or max(weight_shape[2:]) == 1
    return groups > 1 or not few or presence.always


def convolution(
    input: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    output_padding: Sizes, groups: int, bias_sym_sizes_opt: Sizes,
) -> Any:  # fmt: skip
    if transposed or input.__class__ is not np.ndarray or not _pays(weight.shape, groups, 2):
        return None
    found = convolve(dense(input), dense(weight), bias, stride, padding, dilation, groups)
    return None if found is None else convolved_as(found, input, weight)


def input_gradient(
    input: Any, weight: Any, sizes: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    if input.__class__ is not np.ndarray or not _pays(weight.shape, groups, 17):
        return None
    shape = (input.shape[0], weight.shape[1] * groups, *sizes)
    return convolution_input_gradient(
        dense(input), dense(weight), shape, stride, padding, dilation, groups
    )


def weight_gradient(
    input: Any, other: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    shape = (input.shape[1], other.shape[1] // groups, *kernel)
    if input.__class__ is not np.ndarray or not _pays(shape, groups, 17):
        return None
    return convolution_weight_gradient(dense(input), dense(other), shape, stride, padding, dilation, groups)
