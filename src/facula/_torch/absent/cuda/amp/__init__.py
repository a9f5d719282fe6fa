"""``torch.cuda.amp``: the older names of ``torch.amp`` for CUDA, which is not here, so that they switch nothing on."""

from __future__ import annotations

from .autocast_mode import autocast, custom_bwd, custom_fwd
from .common import amp_definitely_not_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]
