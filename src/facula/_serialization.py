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
    """Read what ``save`` wrote.

    A pickle can run any code. Unless ``weights_only=False`` is given, as it may be for files that you trust, nothing is
    loaded but tensors, numbers, strings and containers of them.
    """
    with open(f, "rb") if not hasattr(f, "read") else nullcontext(f) as file:
        found = pickle_module.load(file) if weights_only is False else _WeightsUnpickler(file).load()
    return found if map_location is None else _moved(found, map_location)


class _WeightsUnpickler(pickle.Unpickler):
    """Knows only what tensors are made of."""

    def find_class(self, module: str, name: str) -> Any:
        if name in _HARMLESS.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"Weights only load failed. The file asks for {module}.{name}, which is no part of a tensor. If you trust "
            "its source, load it with weights_only=False."
        )


_HARMLESS = {
    "collections": ("OrderedDict",),
    "facula._device": ("device",),
    "facula._dtype": ("_dtype_by_name",),
    "facula._tensor": ("Size", "Tensor"),
    "facula.nn.parameter": ("Buffer", "Parameter", "_rebuild_parameter", "_rebuild_parameter_with_state"),
    "facula.ops.exchange": ("_rebuild", "_rebuild_meta"),
    "ml_dtypes": ("bfloat16",),
    "numpy": ("dtype", "ndarray"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.numeric": ("_frombuffer",),
}


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
