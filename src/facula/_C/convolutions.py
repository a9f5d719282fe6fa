"""Which of PyTorch's ways to convolve a call would take in a build without oneDNN and NNPACK, as this is one."""

from __future__ import annotations

import enum
from typing import Any

from .._core.devices import MetaArray
from .._tensor import Tensor

__all__ = ["_ConvBackend", "_select_conv_backend"]


class _ConvBackend(enum.Enum):
    """The ways, with PyTorch's numbers."""

    CudaDepthwise2d = 0
    CudaDepthwise3d = 1
    Cudnn = 2
    CudnnTranspose = 3
    Empty = 4
    Miopen = 5
    MiopenDepthwise = 6
    MiopenTranspose = 7
    Mkldnn = 8
    MkldnnEmpty = 10
    NnpackSpatial = 11
    Overrideable = 12
    Slow2d = 13
    Slow3d = 14
    SlowDilated2d = 15
    SlowDilated3d = 16
    SlowTranspose2d = 17
    SlowTranspose3d = 18
    Winograd3x3Depthwise = 19
    Xnnpack2d = 20
    Mps = 21
    MpsTranspose = 22

    def __int__(self) -> int:
        return int(self.value)


def _select_conv_backend(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int, bias_sizes: Any = None,
) -> _ConvBackend:  # fmt: skip
    from ..ops.images.convolution_checks import check_shapes, expanded  # loaded when first used

    spatial = weight.dim() - 2
    if spatial not in (1, 2, 3):
        raise RuntimeError("unsupported ConvNd parameters")
    lists = {"stride": stride, "padding": padding, "dilation": dilation}
    stride, padding, dilation = (expanded(name, tuple(given), spatial) for name, given in lists.items())
    output_padding = expanded("output_padding", tuple(output_padding), spatial)
    check_shapes(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    if input._array.__class__ is MetaArray:
        return _ConvBackend.Overrideable
    if 0 in input.shape[:2]:
        return _ConvBackend.Empty
    kind = "Transpose" if transposed else "Dilated" if max(dilation) > 1 else ""
    return _ConvBackend[f"Slow{kind}{max(spatial, 2)}d"]
