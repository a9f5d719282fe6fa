"""Reading kernel sizes, strides and paddings, and refusing them in PyTorch's words."""

from __future__ import annotations

from math import prod
from typing import Any

from ..._tensor import Tensor
from ..arrays.images.windows import Windows, pooled_size, sliding
from ..machine.arguments import as_int
from ..machine.errors import WrongArgument

NUMBER = {2: "two", 3: "three"}
LETTERS = {2: "HW", 3: "THW"}


def as_ints(name: str, value: Any, n: int) -> tuple[int, ...]:
    """An int, which stands for n of them, or a sequence of ints."""
    if isinstance(value, (tuple, list)):
        try:
            return tuple(as_int(v) for v in value)
        except TypeError:
            raise WrongArgument(name, value, "tuple of ints") from None
    if isinstance(value, (bool, float, str)):
        raise WrongArgument(name, value, "tuple of ints")
    try:
        return (as_int(value),) * n
    except TypeError:
        raise WrongArgument(name, value, "tuple of ints") from None


def one_int(function: str, name: str, value: Any) -> int:
    """The argument of a 1-d operator."""
    values = as_ints(name, value, 1)
    if len(values) != 1:
        raise RuntimeError(f"{function}() argument '{name}' should contain one int (got {len(values)})")
    return values[0]


def per_dim(values: tuple[int, ...], n: int) -> tuple[int, ...]:
    return values * n if len(values) == 1 else values


def shape_list(t: Tensor) -> list[int]:
    return list(t._array.shape)


def named(letters: str, prefix: str, values: tuple[int, ...]) -> str:
    return " ".join(f"{prefix}{letter}: {v}" for letter, v in zip(letters, values))


def checked_windows(
    input: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...],
    dilation: tuple[int, ...], ceil_mode: bool, spatial: int, function: str, *, whole: bool = False,
) -> None:  # fmt: skip
    """PyTorch's checks of a pooling operator. ``whole``: an input smaller than the kernel has an error of its own."""
    shape = input._array.shape
    sizes = shape[-spatial:]
    out = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int(((k - 1) * d + 1) / 2):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
        out.append(pooled_size(n, k, s, p, d, ceil_mode))
    letters = LETTERS[spatial]
    for what, prefix, values in (
        ("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "dilation", dilation)
    ):  # fmt: skip
        if min(values) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {named(letters, prefix, values)}")
    check_dimensions(input, spatial, function)
    if whole and any(n < k for n, k in zip(sizes, kernel)):
        raise RuntimeError(
            f"input image ({named(letters, '', sizes)}) smaller than kernel size ({named(letters, 'k', kernel)})"
        )
    if any(p > k // 2 for k, p in zip(kernel, padding)):
        raise RuntimeError(
            f"pad should be smaller than or equal to half of kernel size, but got {_sizes(spatial, kernel, padding)}"
        )
    if min(out) < 1:
        planes = shape[-spatial - 1]
        given, found = ("x".join(map(str, (planes, *ns))) for ns in (sizes, out))
        raise RuntimeError(
            f"Given input size: ({given}). Calculated output size: ({found}). Output size is too small"
        )


def _sizes(spatial: int, kernel: tuple[int, ...], padding: tuple[int, ...]) -> str:
    if spatial == 2:
        return f"padW = {padding[1]}, padH = {padding[0]}, kW = {kernel[1]}, kH = {kernel[0]}"
    (kt, kh, kw), (pt, ph, pw) = kernel, padding
    return f"kT: {kt} kW: {kw} kH: {kh} padT: {pt} padW: {pw} padH: {ph}"


def check_dimensions(input: Tensor, spatial: int, function: str) -> None:
    shape = input._array.shape
    if spatial == 3:
        if 0 in shape[-4:]:
            raise RuntimeError(
                f"{function}(): Expected input's non-batch dimensions to have positive length, but input has a shape "
                f"of {list(shape)} and non-batch dimension 0 has length zero!"
            )
        return
    if len(shape) not in (3, 4) or prod(shape[-3:]) == 0:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(shape)}"
        )


def windows_of(
    shape: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...],
    dilation: tuple[int, ...], ceil_mode: bool,
) -> tuple[Windows, ...]:  # fmt: skip
    """The windows over the last dimensions of a shape; each argument has one number, or one for each dimension."""
    n = len(shape)
    return tuple(
        [
            sliding(*numbers, ceil_mode)
            for numbers in zip(
                shape, per_dim(kernel, n), per_dim(stride or kernel, n), per_dim(padding, n), per_dim(dilation, n)
            )
        ]
    )
