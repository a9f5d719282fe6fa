"""Layers of convolutions."""

from __future__ import annotations

from typing import Any

from ..._core.own_methods import own
from ..._tensor import Tensor
from .. import functional as F
from ..common_types import _size_1_t, _size_2_t, _size_3_t
from ..parameter import Parameter
from .lazy import LazyModuleMixin
from .linear import _draw_by_fan_in, _empty, _weight_and_bias
from .module import Module
from .utils import _each, _pair, _reverse_repeat_tuple, _single, _triple

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d", "_ConvNd", "_ConvTransposeNd",
    "_pair", "_reverse_repeat_tuple", "_single", "_size_1_t", "_size_2_t", "_size_3_t", "_triple",
]  # fmt: skip

_MODES = {"zeros", "reflect", "replicate", "circular"}


class _ConvNd(Module):
    """What the layers share: parameters, their initial values, and how they are shown."""

    __constants__ = [
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
        "kernel_size",
    ]  # fmt: skip
    bias: Any
    dims = 0
    """How many spatial dimensions there are."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...], padding: Any,
        dilation: tuple[int, ...], transposed: bool, output_padding: tuple[int, ...], groups: int, bias: bool,
        padding_mode: str, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {_MODES}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _as_pad(padding, kernel_size, dilation)
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = Parameter(_empty((first, second // groups, *kernel_size), device, dtype))
        if bias:
            self.bias = Parameter(_empty(out_channels, device, dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        _draw_by_fan_in(self.weight, self.bias)

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        zeros, ones = ((number,) * len(self.kernel_size) for number in (0, 1))
        usual = {
            "padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1, "bias": True,
            "padding_mode": "zeros",
        }  # fmt: skip
        for name, value in usual.items():
            given = getattr(self, name) if name != "bias" else self.bias is not None
            if given != value:
                parts.append(f"{name}={given}")
        return ", ".join(parts)


def _as_pad(padding: Any, kernel: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """The padding as ``functional.pad`` takes it: (before, after) of the last dimension, of the one before it…"""
    if padding == "valid":
        return [0, 0] * len(kernel)
    if padding != "same":
        return _reverse_repeat_tuple(padding, 2)
    found = []
    for k, d in zip(reversed(kernel), reversed(dilation)):
        needed = d * (k - 1)
        found += [needed // 2, needed - needed // 2]
    return found


class _Conv(_ConvNd):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        n = self.dims
        around = padding if isinstance(padding, str) else _each(padding, n)
        super().__init__(
            in_channels, out_channels, _each(kernel_size, n), _each(stride, n), around, _each(dilation, n), False,
            (0,) * n, groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self.dims
        convolve = getattr(F, f"conv{self.dims}d")
        found: Tensor = convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)
        return found

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, *_weight_and_bias(self))


class Conv1d(_Conv):
    """Moves learned weights along (batch, channels, length)."""

    dims = 1


class Conv2d(_Conv):
    """Moves learned weights over images (batch, channels, height, width)."""

    dims = 2


class Conv3d(_Conv):
    """Moves learned weights through volumes (batch, channels, depth, height, width)."""

    dims = 3


class _ConvTransposeNd(_ConvNd):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        n = self.dims
        super().__init__(
            in_channels, out_channels, _each(kernel_size, n), _each(stride, n), _each(padding, n), _each(dilation, n),
            True, _each(output_padding, n), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """``output_size`` chooses among the sizes that a convolution would have brought to that of ``input``."""
        convolve = getattr(F, f"conv_transpose{self.dims}d")
        more = self.output_padding if output_size is None else self._room_for(input, output_size)
        found: Tensor = convolve(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )
        return found

    def _room_for(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """The output padding that gives a result of this size."""
        n = self.dims
        others = input.dim() - n
        wanted = output_size[others:] if len(output_size) == others + n else output_size
        if len(wanted) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {others + n} elements (got "
                f"{len(output_size)})"
            )
        sizes = input.shape[others:]
        smallest = [
            (size - 1) * s - 2 * p + d * (k - 1) + 1
            for size, s, p, d, k in zip(sizes, self.stride, self.padding, self.dilation, self.kernel_size)
        ]
        largest = [low + s - 1 for low, s in zip(smallest, self.stride)]
        if any(not low <= size <= high for low, size, high in zip(smallest, wanted, largest)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {smallest} to {largest} "
                f"(for an input of {sizes!r})"
            )
        return tuple(size - low for size, low in zip(wanted, smallest))


class ConvTranspose1d(_ConvTransposeNd):
    """The adjoint of ``Conv1d`` as a layer: makes longer."""

    dims = 1


class ConvTranspose2d(_ConvTransposeNd):
    """The adjoint of ``Conv2d`` as a layer: makes images larger."""

    dims = 2


class ConvTranspose3d(_ConvTransposeNd):
    """The adjoint of ``Conv3d`` as a layer: makes volumes larger."""

    dims = 3


own("forward", Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)

# ---- with the number of channels of the first input


class _LazyConvXdMixin(LazyModuleMixin):
    groups: int
    transposed: bool
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    weight: Any
    bias: Any
    dims: int

    def _wait(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        from ..parameter import UninitializedParameter  # loaded when first used

        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        pair = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
        self._give_shapes(weight=(pair[0], pair[1] // self.groups, *self.kernel_size), bias=(self.out_channels,))

    def _get_in_channels(self, input: Tensor) -> int:
        without, with_batch = self.dims + 1, self.dims + 2
        if input.dim() not in (without, with_batch):
            raise RuntimeError(
                f"Expected {without}D (unbatched) or {with_batch}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        return input.shape[1] if input.dim() == with_batch else input.shape[0]


class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._wait(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._wait(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """Conv1d, with as many channels as the first input has."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """Conv2d, with as many channels as the first input has."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """Conv3d, with as many channels as the first input has."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """ConvTranspose1d, with as many channels as the first input has."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """ConvTranspose2d, with as many channels as the first input has."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """ConvTranspose3d, with as many channels as the first input has."""

    cls_to_become = ConvTranspose3d
