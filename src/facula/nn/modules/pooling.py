"""Pooling as modules: each calls the function of ``nn.functional`` that has its name."""

from __future__ import annotations

from typing import Any

from ..._core.own_methods import own
from ..._tensor import Tensor
from .. import functional as F
from .module import Module
from .utils import _each


class _Pool(Module):
    """``function`` is called with the input and the attributes of ``settings``; ``shown`` are those in its repr."""

    function: str
    settings: tuple[str, ...]
    shown: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "function" in vars(cls):
            own("forward", cls)

    def _slide(self, kernel_size: Any, stride: Any, **others: Any) -> None:
        """Settings of a window, which goes on by its own size unless told otherwise."""
        vars(self).update(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, **others)

    def forward(self, input: Tensor) -> Any:
        return getattr(F, self.function)(input, *(getattr(self, name) for name in self.settings))

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)


# ---- windows that slide


class _MaxPoolNd(_Pool):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    settings = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self._slide(
            kernel_size, stride, padding=padding, dilation=dilation, return_indices=return_indices, ceil_mode=ceil_mode
        )


class MaxPool1d(_MaxPoolNd):
    """The greatest element of each window."""

    function = "max_pool1d"


class MaxPool2d(_MaxPoolNd):
    """The greatest element of each window."""

    function = "max_pool2d"


class MaxPool3d(_MaxPoolNd):
    """The greatest element of each window."""

    function = "max_pool3d"


class _AvgPoolNd(_Pool):
    """What average pooling shares."""


class _AvgPool(_AvgPoolNd):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]
    settings = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override")
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._slide(
            kernel_size, stride, padding=padding, ceil_mode=ceil_mode, count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )  # fmt: skip


class AvgPool1d(_AvgPoolNd):
    """The average of each window."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]
    function = "avg_pool1d"
    settings = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        kernel, step, around = (None if size is None else _each(size, 1) for size in (kernel_size, stride, padding))
        self._slide(kernel, step, padding=around, ceil_mode=ceil_mode, count_include_pad=count_include_pad)


class AvgPool2d(_AvgPool):
    """The average of each window."""

    function = "avg_pool2d"


class AvgPool3d(_AvgPool):
    """The average of each window."""

    function = "avg_pool3d"


class _LPPoolNd(_Pool):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    settings = shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        pool = getattr(F, self.function)
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The p-norm of each window."""

    function = "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """The p-norm of each window."""

    function = "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """The p-norm of each window."""

    function = "lp_pool3d"


# ---- windows that adapt


class _AdaptiveAvgPoolNd(_Pool):
    __constants__ = ["output_size"]
    settings = shown = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Averages of as many windows as are wanted."""

    function = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Averages of as many windows as are wanted."""

    function = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Averages of as many windows as are wanted."""

    function = "adaptive_avg_pool3d"


class _AdaptiveMaxPoolNd(_Pool):
    __constants__ = ["output_size", "return_indices"]
    settings = ("output_size", "return_indices")
    shown = ("output_size",)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The greatest elements of as many windows as are wanted."""

    function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The greatest elements of as many windows as are wanted."""

    function = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The greatest elements of as many windows as are wanted."""

    function = "adaptive_max_pool3d"


# ---- windows at random places


class _FractionalMaxPoolNd(_Pool):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    settings = ("kernel_size", "output_size", "output_ratio", "return_indices", "_random_samples")
    shown = ()
    dimensions: int

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        n = self.dimensions
        self.kernel_size = _each(kernel_size, n)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = _each(output_size, n) if output_size is not None else None
        self.output_ratio = _each(output_ratio, n) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{type(self).__name__} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The greatest elements of windows at random places."""

    function = "fractional_max_pool2d"
    dimensions = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The greatest elements of windows at random places."""

    function = "fractional_max_pool3d"
    dimensions = 3


# ---- and back


class _MaxUnpoolNd(_Pool):
    shown = ("kernel_size", "stride", "padding")
    dimensions: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        n = self.dimensions
        self.kernel_size = _each(kernel_size, n)
        self.stride = _each(stride if stride is not None else kernel_size, n)
        self.padding = _each(padding, n)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Any:  # type: ignore[override]
        return getattr(F, self.function)(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """What MaxPool1d took, put back to where it was."""

    function = "max_unpool1d"
    dimensions = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """What MaxPool2d took, put back to where it was."""

    function = "max_unpool2d"
    dimensions = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """What MaxPool3d took, put back to where it was."""

    function = "max_unpool3d"
    dimensions = 3
