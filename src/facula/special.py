"""``facula.special``: special functions under the names of ``torch.special``."""

from __future__ import annotations

from typing import Any

from . import _lazy
from .docstrings import document
from .ops.machine.public import FUNCTIONS
from .ops.pointwise.special import SPECIAL

_SHARED = ("log_softmax", "logsumexp", "softmax")


def __getattr__(name: str) -> Any:
    if name in SPECIAL or name in _SHARED:
        found = SPECIAL[name] if name in SPECIAL else FUNCTIONS[name]
        found = document(found, f"special.{name}", found.__name__, name)
        value = globals()[name] = _lazy.at_home(found, __name__, name)
        return value
    raise AttributeError(f"module 'facula.special' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*SPECIAL, *_SHARED])
