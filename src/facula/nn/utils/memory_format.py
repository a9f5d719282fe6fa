"""The order in memory of the weights of convolutions."""

from __future__ import annotations

from typing import Any, TypeVar

_M = TypeVar("_M")


def convert_conv2d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """Bring the weights of 2-d convolutions, here and below, into a memory format."""
    from ..modules.conv import Conv2d, ConvTranspose2d  # loaded when first used

    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: _M, memory_format: Any) -> _M:
    """Bring the weights of 3-d convolutions, here and below, into a memory format."""
    from ..modules.conv import Conv3d, ConvTranspose3d  # loaded when first used

    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))


def _convert(module: _M, memory_format: Any, kinds: tuple[type, ...]) -> _M:
    m: Any = module
    if any(isinstance(m, kind) for kind in kinds):
        m.weight.data = m.weight.detach().clone().contiguous(memory_format=memory_format)
    for child in m.children():
        _convert(child, memory_format, kinds)
    return module
