"""What convolutions refuse, with PyTorch's sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import can_cast, cpp_name, not_for
from ..._tensor import Tensor
from ..arrays.images.patches import Sizes
from ..machine.refusals import scalar_type


def transposed_sizes(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> Sizes:
    """The spatial sizes of a transposed convolution's result."""
    return tuple(
        [
            (n - 1) * s - 2 * p + d * (k - 1) + more + 1
            for n, k, s, p, d, more in zip(sizes, kernel, stride, padding, dilation, output_padding)
        ]
    )


def expanded(name: str, given: Sizes, n: int) -> Sizes:
    if len(given) == n:
        return given
    if len(given) != 1:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {n} values to match the convolution "
            f"dimensions, but got {name}={list(given)}"
        )
    return given * n


def check_shapes(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int,
) -> None:  # fmt: skip
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    for i, pad in enumerate(padding):
        if pad >= 2**62:
            raise RuntimeError(
                f"Given padding={pad} at dimension {i} , expected padding to be at most {2**62 - 1}"
            )
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError(
            "dilation should be greater than zero" if min(dilation) < 0 else "non-positive dilation is not supported"
        )
    x, w = input._array.shape, weight._array.shape
    if len(x) != len(w):
        raise RuntimeError(
            f"Expected {len(w)}-dimensional input for {len(w)}-dimensional weight {list(w)}, but got "
            f"{len(x)}-dimensional input of size {list(x)} instead"
        )
    if w[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(w)} instead"
        )
    if w[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(w)}] instead"
        )
    wanted = w[0] if transposed else w[1] * groups
    if x[1] != wanted:
        given = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {list(w)}, expected input{list(x)} to have {wanted} channels, but got "
            f"{x[1]} channels instead"
        )
    features = w[1] * groups if transposed else w[0]
    if bias is not None and bias._array.shape != (features,):
        given = "transposed=1, " if transposed else ""
        raise RuntimeError(
            f"Given {given}weight of size {list(w)}, expected bias to be 1-dimensional with {features} elements, but "
            f"got bias of size {list(bias._array.shape)} instead"
        )
    if not transposed:
        _check_kernel_size(x[2:], w[2:], padding, dilation)
    if 0 in x:
        _check_empty(x, w)
    elif 0 in w[2:]:
        kernel = (1, *w[2:])[-max(len(w) - 2, 2) :]
        told = f": {_times(kernel)} (TxHxW)"
        if len(kernel) == 2:
            told = f" kernel_height: {kernel[0]} kernel_width: {kernel[1]}"
        raise RuntimeError(f"kernel size should be greater than zero, but got{told}")
    if transposed:
        _check_transposed_sizes(x[2:], w[2:], stride, padding, dilation, output_padding)


def _check_empty(x: Sizes, w: Sizes) -> None:
    """An input without elements: PyTorch takes the first of the weights then, except where there are no channels."""
    if x[0] and x[1]:
        shape = [*x[:2], 1, x[2]] if len(x) == 3 else list(x)
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}")
    if x[1] and 0 in w:
        raise IndexError("select(): index 0 out of range for tensor of size [0] at dimension 0")


def _times(sizes: Any) -> str:
    return " x ".join(map(str, sizes))


def _check_kernel_size(sizes: Sizes, kernel: Sizes, padding: Sizes, dilation: Sizes) -> None:
    padded = [n + 2 * p for n, p in zip(sizes, padding)]
    needed = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    if any(a < b for a, b in zip(padded, needed)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({_times(padded)}). Kernel size: ({_times(needed)}). Kernel "
            "size can't be greater than actual input size"
        )


_SIDES = {1: ("height", "width"), 2: ("height", "width"), 3: ("depth", "height", "width")}


def _check_transposed_sizes(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> None:
    n = len(kernel)
    flat = n == 1  # PyTorch gives it a height of 1
    if any(more >= s and more >= d for more, s, d in zip(output_padding, stride, dilation)):
        told = []
        named = (("output_padding", output_padding, 0), ("stride", stride, 1), ("dilation", dilation, 1))
        for name, values, one in named:
            shown = (one, *values) if flat else values
            told += [f"{name}_{side}: {v}" for side, v in zip(_SIDES[n], shown)]
        raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(told)}")
    found = transposed_sizes(sizes, kernel, stride, padding, dilation, output_padding)
    if min(found) < 1 and min(sizes) > 0:
        given, out = ((1, *sizes), (1, *found)) if flat else (sizes, found)
        raise RuntimeError(
            f"Given input size per channel: ({_times(given)}). Calculated output size per channel: ({_times(out)}). "
            "Output size is too small"
        )


def check_dtypes(input: Tensor, weight: Tensor, transposed: bool) -> None:
    a, b = input._array.dtype, weight._array.dtype
    if a.kind == "b" and (a == b or transposed):
        raise not_for(_kernel_name(transposed, input.ndim - 2), input.dtype)
    if a == b:
        return
    if a.kind == "c":
        raise RuntimeError(
            f"Input type (CPU{scalar_type(input)}Type) and weight type (torch.{scalar_type(weight)}Tensor) should be "
            "the same"
        )
    if a == np.float32 and b.kind != "c":
        raise RuntimeError(
            f"Input type (torch.FloatTensor) and weight type (torch.{scalar_type(weight)}Tensor) should be the same or "
            "input should be a MKLDNN tensor and weight is a dense tensor"
        )
    raise RuntimeError(f"expected scalar type {scalar_type(input)} but found {scalar_type(weight)}")


def _kernel_name(transposed: bool, n: int) -> str:
    if transposed:
        return f"slow_conv_transpose{max(n, 2)}d_out_cpu"
    return "compute_columns3d" if n == 3 else "slow_conv2d_cpu"


def check_transposed_bias(input: Tensor, bias: Tensor) -> None:
    """Of another dtype it is added to the result, in one and two dimensions."""
    if input._array.ndim == 5:
        raise RuntimeError(f"expected scalar type {scalar_type(input)} but found {scalar_type(bias)}")
    if not can_cast(bias.dtype, input.dtype):
        raise RuntimeError(
            f"result type {scalar_type(bias)} can't be cast to the desired output type {scalar_type(input)}"
        )


def check_bias_dtype(input: Tensor, bias: Tensor | None) -> None:
    if bias is not None and bias._array.dtype != input._array.dtype:
        raise RuntimeError(
            f"Input type ({cpp_name(input.dtype)}) and bias type ({cpp_name(bias.dtype)}) should be the same"
        )
