"""``save`` and ``load``: tensors (and what is around them) in a file.

A file is a pickle. Tensors that share memory share it after loading, because the memory is an object of its own in it;
see ``ops/exchange.py``.
"""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from typing import Any

from ._device import parse
from ._tensor import Tensor

DEFAULT_PROTOCOL = 5


def save(
    obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL, **_: Any
) -> None:
    """Write an object to a file, given by name or open."""
    with open(f, "wb") if not hasattr(f, "write") else nullcontext(f) as file:
        pickle_module.dump(obj, file, protocol=pickle_protocol)


def load(
    f: Any, map_location: Any = None, pickle_module: Any = pickle, *, weights_only: bool | None = None, **_: Any
) -> Any:
    """Read what ``save`` wrote. As with any pickle: only from sources you trust."""
    with open(f, "rb") if not hasattr(f, "read") else nullcontext(f) as file:
        found = pickle_module.load(file)
    return found if map_location is None else _moved(found, map_location)


def _moved(value: Any, location: Any) -> Any:
    if isinstance(value, Tensor):
        device = parse(location) if not callable(location) and not isinstance(location, dict) else parse("cpu")
        return value if value.device == device else value.to(device)
    if isinstance(value, dict):
        for key, item in value.items():
            value[key] = _moved(item, location)
        return value
    if isinstance(value, list):
        return [_moved(item, location) for item in value]
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(_moved(item, location) for item in value)
    return value
