"""The two namespaces that derivative rules compute in.

``ARRAYS``: each primitive's NumPy kernel; gradients are ndarrays (or NumPy scalars in place of 0-d ones).
``TENSORS``: the primitives themselves; gradients are Tensors and what the rules do is recorded.

Both are filled by the registration of primitives: ``xp.name`` is the kernel or the primitive called ``name``. If it is
not there yet, its module is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
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


def show(name: str, shown: Callable[..., Any], general: Callable[..., Any] | None = None) -> None:
    """Let ``xp.name`` be on plain Tensors what PyTorch's graphs show: ``shown``, a function of other operators.

    On arrays and inside transforms it is the primitive of that name, or ``general(..., xp)``: transforms know how to
    batch these, and little of what writes to places in zeros.
    """
    if general is not None:
        setattr(ARRAYS, name, lambda *args: general(*args, ARRAYS))
        whole: Any = lambda *args: general(*args, TENSORS)  # noqa: E731
    else:
        whole = getattr(TENSORS, name)

    def call(*args: Any) -> Any:
        return (whole if _any_wraps(args) else shown)(*args)

    setattr(TENSORS, name, call)


def _any_wraps(values: Any) -> bool:
    """Whether any of these stands for others, inside a transform."""
    return any(getattr(v, "wraps", False) or (isinstance(v, (tuple, list)) and _any_wraps(v)) for v in values)
