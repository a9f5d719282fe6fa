"""Names that programs reach into PyTorch's core for."""

from __future__ import annotations

from ._generator import Generator
from .autograd.grad_mode import is_grad_enabled as _is_grad_enabled
from .overrides import DisableTorchFunction, DisableTorchFunctionSubclass, _disabled_torch_function_impl

__all__ = [
    "DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "_disabled_torch_function_impl",
    "_is_grad_enabled",
]  # fmt: skip
