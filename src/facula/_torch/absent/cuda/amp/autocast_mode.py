"""``torch.cuda.amp.autocast_mode``."""

from __future__ import annotations

import warnings
from typing import Any

from facula import amp
from facula._core.dtypes import dtype as _dtype
from facula._core.dtypes import float16

__all__ = ["autocast", "custom_bwd", "custom_fwd"]


class autocast(amp.autocast):
    """``torch.amp.autocast("cuda")``."""

    def __init__(self, enabled: bool = True, dtype: _dtype = float16, cache_enabled: bool = True) -> None:
        warnings.warn(
            "`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` "
            "instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Any) -> Any:
    return amp.custom_bwd(bwd, device_type="cuda")
