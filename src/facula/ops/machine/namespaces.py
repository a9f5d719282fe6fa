"""The two namespaces that derivative rules compute in.

``ARRAYS``: each primitive's NumPy kernel; gradients are ndarrays (or NumPy scalars in place of 0-d ones).
``TENSORS``: the primitives themselves; gradients are Tensors and what the rules do is recorded.

Both are filled by the registration of primitives: ``xp.name`` is the kernel or the primitive called ``name``. If it is
not there yet, its module is loaded.
"""

from __future__ import annotations

from typing import Any

from ... import _lazy


class Namespace:
    def __init__(self, is_raw: bool) -> None:
        self.is_raw = is_raw

    def __getattr__(self, name: str) -> Any:
        if name in _lazy.PRIMITIVES:
            _lazy.load(_lazy.PRIMITIVES[name])
        if name not in vars(self):
            raise AttributeError(f"there is no primitive called {name!r}")
        return vars(self)[name]


ARRAYS = Namespace(True)
TENSORS = Namespace(False)
