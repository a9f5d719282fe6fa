"""Casting for ``torch.autocast``: what operators do while it is on.

NOTE [autocast]: while it is on, ``state.modes.autocast`` is a dtype and the state is not plain, so that operators
leave their hot path; only there do they ask. Products and convolutions call ``lowered`` before they compare dtypes.
Public functions are cast by ``public``, by the class that their declaration names; losses cast for themselves.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..._core import state
from ..._core.dtypes import F32, F64, float32
from ..._tensor import Tensor


def is_on() -> bool:
    return bool(state.special) and state.modes.autocast is not None


def lowered(*tensors: Any) -> Any:
    """Tensors in autocast's dtype; what is not a float32 or half tensor stays."""
    to = state.modes.autocast
    return [_cast(t, to, cached=True) for t in tensors]


def in_full(*tensors: Any) -> Any:
    """Tensors in float32 while autocast is on; float64, integers and other things stay."""
    if not is_on():
        return tensors
    return [_cast(t, float32) for t in tensors]


def prepared(which: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a public function of one of the classes as autocast wants them."""
    to, cached = (float32, False) if which == "full" else (state.modes.autocast, True)
    if which == "widest" and _any_full((*args, *kwargs.values())):
        to = float32
    return (
        tuple([_cast(v, to, cached) for v in args]),
        {key: _cast(v, to, cached) for key, v in kwargs.items()},
    )


def _any_full(values: Any) -> bool:
    """Whether a float32 tensor is among those that are joined, which are all cast to it then."""
    for value in values:
        if isinstance(value, (list, tuple)):
            if _any_full(value):
                return True
        elif isinstance(value, Tensor) and value.dtype.is_floating_point:
            dt = value._array.dtype
            if dt == F32:
                return True
            if dt not in (F64, state.modes.autocast.numpy):
                raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return False


def _cast(value: Any, to: Any, cached: bool = False) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        return type(value)([_cast(v, to, cached) for v in value])
    if not isinstance(value, Tensor):
        return value
    dt = value._array.dtype
    if dt == to.numpy or dt == F64 or not value.dtype.is_floating_point:
        return value
    if cached and dt == F32 and state.modes.autocast_cache and value._is_leaf_requiring_grad():
        return _cached(value, to)
    return value.to(to)


def _cached(leaf: Tensor, to: Any) -> Tensor:
    """A leaf is cast once within the outermost autocast, so that its gradients are added before they are cast."""
    kept = state.modes.autocast_kept
    found = kept.get(id(leaf))
    if found is not None and found[0]() is leaf and found[1] is to and found[2].requires_grad == state.grad_enabled():
        result: Tensor = found[2]
        return result
    result = leaf.to(to)
    kept[id(leaf)] = (weakref.ref(leaf), to, result)
    return result
