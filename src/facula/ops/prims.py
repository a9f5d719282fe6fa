"""facula's primitives, as ``torch.ops.prims`` has them: what programs that were traced with gradients are made of."""

from __future__ import annotations

from functools import cache
from typing import Any

from .. import _lazy
from .aten import Overloads
from .machine.primitive import REGISTRY, Primitive


class Primitives(Overloads):
    """One primitive."""

    namespace = "prims"


@cache
def __getattr__(name: str) -> Any:
    if name in _lazy.PRIMITIVES:
        _lazy.load(_lazy.PRIMITIVES[name])
    if name not in REGISTRY:
        raise AttributeError(f"'_OpNamespace' 'prims' object has no attribute '{name}'")
    return Primitives(name, REGISTRY[name])


def of(op: Primitive) -> Any:
    """A primitive by its name; None if that has become another one's."""
    return __getattr__(op.name).default if REGISTRY.get(op.name) is op else None
