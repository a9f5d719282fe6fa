"""Max and average pooling of planes, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.arrays.strides import is_channels_last, lying_as
from ...ops.images.sizes import per_dim, windows_of
from ..kernels import pooling as kernels
from ..kernels.convolution import Sizes

_NOTHING = np.zeros((), np.uint8)


def _lies_plainly(x: Any) -> bool:
    return x.__class__ is np.ndarray and x.size > 0 and not is_channels_last(x)


def _geometry(
    shape: Sizes, spatial: int, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Sizes, Sizes, Sizes, Sizes, Sizes]:
    """Sizes of the result; kernel, stride, padding and dilation for each dimension."""
    windows = windows_of(shape[-spatial:], kernel, stride, padding, dilation, ceil_mode)
    return (
        tuple([w.outputs for w in windows]), per_dim(kernel, spatial), per_dim(stride or kernel, spatial),
        per_dim(padding, spatial), per_dim(dilation, spatial),
    )  # fmt: skip


class Max:
    def __init__(self, spatial: int) -> None:
        self.spatial = spatial

    def __call__(
        self, input: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool,
        want: bool,
    ) -> Any:  # fmt: skip
        if not _lies_plainly(input) or (max(dilation) > 1 and max(padding) > 0):  # a window may see nothing but padding
            return None
        found = kernels.max_pool(
            input, *_geometry(input.shape, self.spatial, kernel_size, stride, padding, dilation, ceil_mode)
        )
        return found if found is None or want else (found[0], _NOTHING)

    def backward(
        self, grad_output: Any, input: Any, which: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes,
        dilation: Sizes, ceil_mode: bool,
    ) -> Any:  # fmt: skip
        if not _lies_plainly(grad_output) or which.__class__ is not np.ndarray:
            return None
        shape = input.shape
        geometry = _geometry(shape, self.spatial, kernel_size, stride, padding, dilation, ceil_mode)
        found = kernels.max_pool_backward(grad_output, which, shape, *geometry[1:])
        return None if found is None else lying_as(found, input)


class Average:
    def __init__(self, spatial: int) -> None:
        self.spatial = spatial

    def __call__(
        self, input: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool, count_include_pad: bool,
        divisor_override: int | None,
    ) -> Any:  # fmt: skip
        if not _lies_plainly(input):
            return None
        geometry = _geometry(input.shape, self.spatial, kernel_size, stride, padding, (1,), ceil_mode)
        return kernels.average_pool(input, *geometry[:4], count_include_pad, divisor_override)

    def backward(
        self, input: Any, like: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool,
        count_include_pad: bool, divisor_override: int | None,
    ) -> Any:  # fmt: skip
        if not _lies_plainly(input):
            return None
        geometry = _geometry(like.shape, self.spatial, kernel_size, stride, padding, (1,), ceil_mode)
        found = kernels.average_pool_backward(input, like.shape, *geometry[1:4], count_include_pad, divisor_override)
        return found if found is None or self.spatial == 3 else lying_as(found, like)


max_pool2d, max_pool3d = Max(2), Max(3)
max_pool2d_backward, max_pool3d_backward = max_pool2d.backward, max_pool3d.backward
average_pool2d, average_pool3d = Average(2), Average(3)
average_pool2d_backward, average_pool3d_backward = average_pool2d.backward, average_pool3d.backward
