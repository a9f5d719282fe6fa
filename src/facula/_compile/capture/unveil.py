"""What was made while a program was captured gets plain arrays again, wherever it is.

Python's collector knows all objects. Those that were there before are frozen meanwhile, which takes no time and hides
them, so that only the new ones are looked through; see ``gc.freeze``. Where somebody else has frozen objects they are
left so, and all are looked through.
"""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ...autograd.graph import Node
from ...autograd.views import mark_view_of_view
from .traced import Traced

_lock = threading.Lock()
_captures = 0
_is_frozen = False


def begin() -> None:
    """From now on objects are new."""
    global _captures, _is_frozen
    with _lock:
        _captures += 1
        if _captures == 1 and not gc.get_freeze_count():
            gc.freeze()
            _is_frozen = True


def end(edges: dict[Any, Any], views: dict[int, Tensor]) -> None:
    """Give new tensors and nodes of the graph plain arrays, and nodes the ``edges`` they lacked.

    ``views``: tensors of before, by their id, that did not show that they are views.
    """
    global _captures, _is_frozen
    new = gc.get_objects()
    with _lock:
        _captures -= 1
        if _captures == 0 and _is_frozen:
            gc.unfreeze()
            _is_frozen = False
    for thing in new:
        kind = type(thing)  # some objects, asked for their class, answer with warnings
        if issubclass(kind, Tensor):
            _unveil_tensor(thing, views)
        elif issubclass(kind, Node):
            _unveil_node(thing, edges)


def _unveil_tensor(t: Any, views: dict[int, Tensor]) -> None:
    try:
        array, meta = t._array, t._meta
    except AttributeError:
        return
    if type(array) is Traced:
        t._array = plain_of(array)
        if views and meta is not None and id(meta.base) in views:
            mark_view_of_view(t, meta.base)


def _unveil_node(node: Any, edges: dict[Any, Any]) -> None:
    if edges and type(getattr(node, "next", None)) is tuple and any(e in edges for e in node.next):
        node.next = tuple([edges.get(e, e) for e in node.next])
    held = getattr(node, "saved", None)
    if type(held) is Traced:
        node.saved = plain_of(held)
    elif type(held) is tuple and any(type(v) is Traced for v in held):
        node.saved = tuple([plain_of(v) if type(v) is Traced else v for v in held])


def plain_of(array: Traced) -> Any:
    plain = getattr(array, "plain", None)
    return array.view(np.ndarray) if plain is None else plain
