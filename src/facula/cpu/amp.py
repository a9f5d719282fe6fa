"""``torch.cpu.amp``: the older names of ``torch.amp`` for the CPU."""

from __future__ import annotations

import warnings

from .. import amp as _amp
from .._core.dtypes import bfloat16
from .._core.dtypes import dtype as _dtype


class autocast(_amp.autocast):
    """``torch.amp.autocast("cpu")``."""

    def __init__(self, enabled: bool = True, dtype: _dtype = bfloat16, cache_enabled: bool = True) -> None:
        _deprecated("autocast")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    """``torch.amp.GradScaler("cpu")``."""

    def __init__(
        self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
        growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        _deprecated("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )
