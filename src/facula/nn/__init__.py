"""PyTorch's ``torch.nn``: parameters, modules, layers, losses, and their initial values.

Layers are loaded by family, when first asked for: see ``nn.modules``.
"""

# ruff: noqa: F401
from __future__ import annotations

from importlib import import_module
from typing import Any

from ..docstrings import document_class as _document_class
from ..docstrings import document_classes as _document_classes
from . import functional, parameter
from .modules import LAYERS as _LAYERS
from .modules import layer as _layer
from .modules.module import Module
from .parameter import Buffer, Parameter

_SUBMODULES = ("_reduction", "attention", "common_types", "grad", "init", "modules", "parallel", "utils")

__all__ = sorted(
    {*_LAYERS, "Buffer", "Module", "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional", "init",
     "parameter"}
)  # fmt: skip

_document_classes("nn", globals())


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The keyword arguments for functions that make tensors: those among ``kwargs``, and its ``factory_kwargs``."""
    given = dict(kwargs or {})
    found = dict(given.pop("factory_kwargs", {}))
    if unexpected := given.keys() - {"device", "dtype", "memory_format"}:
        raise TypeError(f"unexpected kwargs {unexpected}")
    for name in given.keys() & found.keys():
        raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
    return found | given


def __getattr__(name: str) -> Any:
    if name in _LAYERS:
        value = globals()[name] = _layer(name)
        return value
    if name in ("UninitializedBuffer", "UninitializedParameter"):
        return _document_class(getattr(parameter, name), f"nn.{name}")
    if name == "DataParallel":
        return import_module(f"{__name__}.parallel").DataParallel
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAYERS, *_SUBMODULES, *__all__, "DataParallel"})
