"""``torch.autograd.profiler``: see ``torch.profiler``."""

from __future__ import annotations

from ..profiler import record_function

__all__ = ["record_function"]
