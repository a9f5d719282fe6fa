"""Values that left a graph as Python numbers or NumPy arrays: known again when a tensor is made of them.

A number is known by its value, an array by its memory. Only the latest are remembered. ``0``, ``1`` and the like come
from anywhere and are not.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from .._core import state
from .._core.strides import address
from .graph import warn_user
from .meta import Cut

LATEST = 64
"""How many numbers, and how many arrays, a thread remembers."""
_COMMON = frozenset((0.0, 1.0, -1.0, 2.0, 0.5))
left = False
"""Whether any value ever left a graph."""


def cut_at_exit(t: Any, how: str) -> Cut | None:
    """How a tensor's history ends where its values leave: by what cut it off before, or just here."""
    meta = t._meta
    if meta is not None and meta.cut is not None:
        found: Cut = meta.cut
        return found
    if t._node is not None or (meta is not None and meta.requires_grad):
        return Cut(how, t, 4)
    return None


def _remember(key: Any, what: Any) -> None:
    global left
    left = True
    known = state.modes.exits
    if known is None:
        known = state.modes.exits = {}
    elif len(known) >= LATEST:
        del known[next(iter(known))]
    known.pop(key, None)
    known[key] = what


def leave_as_numbers(t: Any, value: Any, how: str) -> None:
    """A tensor's values go out as numbers: one, or nested lists of them."""
    cut = cut_at_exit(t, how)
    if cut is not None:
        if state.watch is not None:
            state.watch.left(cut)
        for each in islice(_leaves(value), LATEST // 4):
            if each.__class__ is float and each not in _COMMON:
                _remember(each, cut)


def leave_as_array(t: Any, array: Any) -> Any:
    """A tensor's memory goes out as an array, which is returned."""
    cut = cut_at_exit(t, "numpy()")
    if cut is not None and array.size:
        owner = array if array.base is None else array.base
        if isinstance(owner, np.ndarray):
            _remember((address(array),), (weakref.ref(owner), cut))
        if state.watch is not None:
            return state.watch.leave(array, cut)
    return array


def enter(t: Any, data: Any, how: str = "torch.tensor()") -> Any:
    """A tensor made of ``data``: if values of it left a graph before, it is cut off there, or here."""
    cut = None
    if isinstance(data, np.ndarray):
        cut = getattr(data, "left_by", None)
        if cut is None and left and data.size:
            known = state.modes.exits or {}
            owner, cut = known.get((address(data),), (None, None))
            cut = None if owner is None or owner() is None else cut
            if cut is None and data.dtype.kind == "f" and data.size <= LATEST:
                cut = next((known[value] for value in data.ravel().tolist() if value in known), None)
    else:
        known = state.modes.exits or {}
        for each in islice(_leaves(data), LATEST):
            if each.__class__ is float:
                cut = known.get(each)
            elif hasattr(each, "_meta"):
                cut = cut_at_exit(each, how)
            elif isinstance(each, np.ndarray):
                cut = getattr(each, "left_by", None)
            if cut is not None:
                break
    if cut is not None:
        meta = t._own_meta()
        meta.cut = cut
    return t


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


_warned = False


def warn_of_conversion(t: Any) -> None:
    """PyTorch's warning, once, for a tensor in a graph that becomes a number without being asked to."""
    global _warned
    if (_warned and not state.warns_always) or not t.requires_grad or not state.grad_enabled():
        return
    _warned = True
    warn_user(
        "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
        "Consider using tensor.detach() first."
    )
