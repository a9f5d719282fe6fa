"""Where ``torch`` is facula, its classes say so: ``<class 'torch.nn.modules.linear.Linear'>``, as PyTorch's do.

Programs print classes, look at ``__module__``, and pickle by it. A class is renamed when its module has been loaded;
what is facula's own (``facula.viz``, private modules) keeps its name.
"""

from __future__ import annotations

from types import ModuleType

from .._core.class_homes import HOMES

_OWN = [["docstrings"], ["native"], ["ops"], ["safetensors"], ["show"], ["tour"], ["viz"]]
"""Modules that PyTorch does not have."""


def rename_classes(module: ModuleType) -> set[str]:
    """Rename the classes of one of facula's modules that has been loaded; the modules that they now say."""
    return {rename(value) for value in list(vars(module).values()) if isinstance(value, type)}


def rename(cls: type) -> str:
    """Give one of facula's classes the name that PyTorch's has, and tell its module."""
    module = vars(cls).get("__module__")
    if not isinstance(module, str) or module.partition(".")[0] != "facula":
        return ""
    home = HOMES.get(f"{module}.{cls.__qualname__}")
    if home is None:
        parts = module.split(".")[1:]
        if any(part.startswith("_") for part in parts) or parts[:1] in _OWN:
            return ""
        cls.__module__ = ".".join(("torch", *parts))
    else:
        cls.__module__, _, cls.__name__ = home.rpartition(".")
        cls.__qualname__ = cls.__name__
    return cls.__module__
