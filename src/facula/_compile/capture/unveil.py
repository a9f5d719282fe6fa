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


def end(edges: dict[Any, Any]) -> None:
    """Give new tensors and nodes of the graph plain arrays, and nodes the ``edges`` they lacked."""
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
            _unveil_tensor(thing)
        elif issubclass(kind, Node):
            _unveil_node(thing, edges)


def _unveil_tensor(t: Any) -> None:
    try:
        array = t._array
    except AttributeError:
        return
    if type(array) is Traced:
        t._array = plain_of(array)


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
