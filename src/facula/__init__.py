"""facula: PyTorch's autograd, API and semantics, on NumPy alone. ``import facula as torch``."""

from __future__ import annotations

from . import _dtype as _dtypes
from ._dtype import (
    bfloat16, complex64, complex128, dtype, finfo, float16, float32, float64, get_default_dtype, iinfo, int8, int16,
    int32, int64, promote_types, set_default_dtype, uint8, uint16, uint32, uint64,
)  # fmt: skip
from ._device import device
from ._tensor import Size, Tensor
from .ops import _basic, create, pointwise, reduce, shape
from .ops._forms import FUNCTIONS as _FUNCTIONS
from . import autograd, overrides
from .autograd.grad_mode import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled,
)  # fmt: skip

globals().update(_FUNCTIONS)
globals().update(_dtypes.ALIASES)
