"""``torch._vmap_internals``: the old ``vmap``, which some packages still take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .func import vmap as _vmap_of

__all__: list[str] = []


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    return _vmap_of(func, in_dims, out_dims)


vmap = _vmap
