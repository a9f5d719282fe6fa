"""Names in files: what facula has is written under the name that PyTorch gives it, and found under it again."""

from __future__ import annotations

import importlib
from typing import Any

from .._core import dtypes
from .._core.class_homes import HOMES

STORAGE_NAMES = {
    "FloatStorage": dtypes.float32, "DoubleStorage": dtypes.float64, "HalfStorage": dtypes.float16,
    "BFloat16Storage": dtypes.bfloat16, "LongStorage": dtypes.int64, "IntStorage": dtypes.int32,
    "ShortStorage": dtypes.int16, "CharStorage": dtypes.int8, "ByteStorage": dtypes.uint8,
    "BoolStorage": dtypes.bool_, "ComplexFloatStorage": dtypes.complex64, "ComplexDoubleStorage": dtypes.complex128,
}  # fmt: skip
"""The dtype that a storage's class stands for. Those of other dtypes are written as bytes."""

STORAGE_OF = {d: name for name, d in STORAGE_NAMES.items()}

class Foreign:
    """A name that a file mentions but that need not exist here."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.module}.{self.name} is only a name here")

    def __repr__(self) -> str:
        return f"{self.module}.{self.name}"


class StorageType:
    """Stands for a class of storages, as ``torch.FloatStorage``, in a file's program."""

    _dtypes = STORAGE_NAMES

    def __init__(self, name: str) -> None:
        self.dtype = self._dtypes[name]

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"

    __repr__ = __str__


def torch_name(module: str, name: str) -> tuple[str, str] | None:
    """Under which module and name PyTorch has something of facula's; None if it is not facula's, or internal."""
    if module != "facula" and not module.startswith("facula."):
        return None
    if (home := HOMES.get(f"{module}.{name}")) is not None:
        place, _, name = home.rpartition(".")
        return place, name
    if module.startswith("facula.ops."):
        return _home_of_operator(name)
    return "torch" + module.removeprefix("facula"), name


def _home_of_operator(name: str) -> tuple[str, str] | None:
    functional = importlib.import_module("facula.nn.functional")
    return ("torch.nn.functional", name) if hasattr(functional, name) else None


def find(module: str, name: str) -> Any:
    """What facula has under one of PyTorch's names; AttributeError or ImportError if it has nothing."""
    if name in STORAGE_NAMES and module in ("torch", "torch.cuda"):
        return StorageType(name)
    if module == "torch" and name in dtypes.dtype._by_name:
        return dtypes.dtype._by_name[name]
    if (module, name) in _REBUILDERS:
        from . import _rebuild  # loaded when first used

        return getattr(_rebuild, _REBUILDERS[module, name])
    home = "facula" + module.removeprefix("torch")
    places = [home, *_ELSEWHERE.get(module, ())]
    for place in places:
        try:
            return _attribute(importlib.import_module(place), name)
        except (ImportError, AttributeError):
            continue
    if module.startswith("torch.nn.modules."):
        return _attribute(importlib.import_module("facula.nn"), name)
    raise AttributeError(f"Can't get attribute '{name}' on module '{module}': facula has no such thing")


def _attribute(owner: Any, name: str) -> Any:
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


_REBUILDERS = {
    ("torch._utils", "_rebuild_tensor"): "tensor",
    ("torch._utils", "_rebuild_tensor_v2"): "tensor_v2",
    ("torch._utils", "_rebuild_tensor_v3"): "tensor_v3",
    ("torch._utils", "_rebuild_sparse_tensor"): "sparse_tensor",
    ("torch._utils", "_rebuild_parameter"): "parameter",
    ("torch._utils", "_rebuild_parameter_with_state"): "parameter_with_state",
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): "meta_tensor",
    ("torch._utils", "_rebuild_device_tensor_from_numpy"): "device_tensor_from_numpy",
    ("torch._utils", "_rebuild_device_tensor_from_cpu_tensor"): "device_tensor_from_cpu_tensor",
    ("torch._tensor", "_rebuild_from_type_v2"): "from_type_v2",
    ("torch.serialization", "_get_layout"): "layout",
    ("torch.storage", "_load_from_bytes"): "load_from_bytes",
    ("torch._C", "_VariableFunctionsClass"): "functions",
    ("torch._C", "TensorBase"): "tensor_class",
    ("torch.nn.modules.module", "_WrappedHook"): "WrappedHook",
}
"""PyTorch's functions that make tensors of what is in a file, and their counterparts in ``_rebuild``."""

_ELSEWHERE = {
    "torch._C": ("facula",),
    "torch._C._nn": ("facula.nn.functional",),
    "torch.storage": ("facula._core.storage",),
}
