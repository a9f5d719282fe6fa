"""``torch.utils.deterministic``: whether memory that nobody has set is filled, for deterministic algorithms."""

from __future__ import annotations

import sys
from types import ModuleType

from .._core import new_memory


class _Deterministic(ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether ``empty`` and its kind give NaN, True or the largest integer then."""
        return new_memory.fills

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"expected a bool, but got {type(mode)}")
        new_memory.fills = mode


sys.modules[__name__].__class__ = _Deterministic
