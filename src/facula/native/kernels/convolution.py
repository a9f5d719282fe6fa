"""Convolution of one to three dimensions, and its gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..library import kernel

_SIZES = "nnnn" + "n" * 18
_convolution = kernel("convolution", "ffFw" + _SIZES, 1.0)
_input_gradient = kernel("convolution_input_gradient", "ffw" + _SIZES, 1.0)
_weight_gradient = kernel("convolution_weight_gradient", "ffw" + _SIZES, 1.0)

Sizes = tuple[int, ...]


def _three(sizes: Any, missing: int) -> list[int]:
    return [missing] * (3 - len(sizes)) + list(sizes)


def output_size(size: Sizes, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    return tuple(
        [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel_size, stride, padding, dilation)]
    )


def _numbers(
    x_shape: Sizes, weight_shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> tuple[list[int], Sizes] | None:
    """(what the kernels are told, the output's shape); None if it is no such convolution, or empty."""
    n = len(x_shape) - 2
    if not 1 <= n <= 3 or len(weight_shape) != n + 2 or groups < 1 or {*map(len, (stride, padding, dilation))} != {n}:
        return None
    if x_shape[1] != weight_shape[1] * groups or weight_shape[0] % groups:
        return None
    if min(*stride, *dilation) < 1 or min(padding) < 0:
        return None
    out = output_size(x_shape[2:], weight_shape[2:], stride, padding, dilation)
    if min(*x_shape, *weight_shape, *out) < 1:
        return None
    numbers = [x_shape[0], x_shape[1], weight_shape[0], groups]
    for sizes, missing in ((x_shape[2:], 1), (out, 1), (weight_shape[2:], 1), (stride, 1), (padding, 0), (dilation, 1)):
        numbers += _three(sizes, missing)
    return numbers, (x_shape[0], weight_shape[0], *out)


def convolution(x: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    numbers = _numbers(x.shape, weight.shape, stride, padding, dilation, groups)
    if numbers is None or (bias is not None and bias.shape != weight.shape[:1]):
        return None
    out = np.empty(numbers[1], x.dtype)
    return out if _convolution(x, weight, bias, out, *numbers[0]) else None


def convolution_input_gradient(
    g: Any, weight: Any, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """``shape``: of the input."""
    numbers = _numbers(shape, weight.shape, stride, padding, dilation, groups)
    if numbers is None or g.shape != numbers[1]:
        return None
    # Planes of the gradient get a border as wide as the windows: with windows wider than images that is most of them.
    if math.prod([d * (k - 1) for k, d in zip(weight.shape[2:], dilation)]) > 64 * math.prod(shape[2:]):
        return None
    out = np.empty(shape, g.dtype)
    return out if _input_gradient(g, weight, out, *numbers[0]) else None


def convolution_weight_gradient(
    g: Any, x: Any, shape: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """``shape``: of the weight."""
    numbers = _numbers(x.shape, shape, stride, padding, dilation, groups)
    if numbers is None or g.shape != numbers[1]:
        return None
    out = np.empty(shape, g.dtype)
    return out if _weight_gradient(g, x, out, *numbers[0]) else None
