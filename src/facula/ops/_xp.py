"""The two worlds that derivative rules are interpreted in.

``RAW``: each primitive's NumPy kernel; gradients are ndarrays (or NumPy scalars in place of 0-d ones).
``TENSOR``: the primitives themselves; gradients are Tensors and what the rules do is recorded.

Both are filled by the registration of primitives: ``xp.name`` is the kernel or the primitive called ``name``.
"""

from __future__ import annotations

from typing import Any


class World:
    def __init__(self, is_raw: bool) -> None:
        self.is_raw = is_raw

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no primitive called {name!r}")


RAW = World(True)
TENSOR = World(False)
