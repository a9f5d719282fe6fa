"""PyTorch's values as facula's, with strides and shared memory kept, and the comparison of results."""

from __future__ import annotations

import dataclasses
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
import torch

import facula


class Difference(AssertionError):
    """facula and PyTorch do not agree."""


# ---- values


class Translation:
    """Takes values over. What shares memory in PyTorch shares it here; what is one object is one object."""

    def __init__(self) -> None:
        self.storages: dict[int, tuple[Any, np.ndarray[Any, Any]]] = {}
        """Each with its original, so that the memory behind the address is not used again meanwhile."""
        self.tensors: dict[int, tuple[Any, Any]] = {}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, torch.dtype):
            return dtype(value)
        if isinstance(value, torch.device):
            return facula.device(str(value))
        if isinstance(value, (torch.layout, torch.memory_format)):
            return getattr(facula, str(value).removeprefix("torch."))
        if isinstance(value, torch.Size):
            return facula.Size(value)
        if isinstance(value, torch.Generator):
            return facula.Generator()
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*[self(v) for v in value])
        if isinstance(value, (list, tuple)):
            return type(value)([self(v) for v in value])
        if isinstance(value, dict):
            return {k: self(v) for k, v in value.items()}
        if dataclasses.is_dataclass(value) and type(value).__module__.startswith("torch.nn"):
            fields = {f.name: self(getattr(value, f.name)) for f in dataclasses.fields(value)}
            return getattr(facula.nn, type(value).__name__)(**fields)
        if isinstance(value, FunctionType) or (callable(value) and _is_theirs(value)):
            return rebound(value)
        return value

    def tensor(self, t: Any) -> Any:
        found = self.tensors.get(id(t))
        if found is None:
            made = facula.Tensor._wrap(self.array(t.detach()))
            if isinstance(t, torch.nn.Parameter):
                made = facula.nn.Parameter(made, t.requires_grad)
            elif t.requires_grad:
                made.requires_grad_()
            found = self.tensors[id(t)] = (t, made)
        return found[1]

    def tensors_made(self) -> list[Any]:
        return [made for _, made in self.tensors.values()]

    def array(self, t: Any) -> Any:
        if t.layout is not torch.strided:
            raise NotImplementedError(f"a tensor of layout {t.layout}")
        if t.device.type == "meta":
            return facula.empty(tuple(t.shape), dtype=dtype(t.dtype), device="meta")._array
        t = t.resolve_conj().resolve_neg()
        d = dtype(t.dtype).numpy
        storage = t.untyped_storage()
        if storage.data_ptr() not in self.storages:
            memory = np.array(torch.tensor([], dtype=torch.uint8).set_(storage).numpy())
            self.storages[storage.data_ptr()] = storage, memory
        memory = self.storages[storage.data_ptr()][1]
        size = d.itemsize
        whole = memory[: memory.size // size * size].view(d)
        if not t.numel():
            return np.empty(tuple(t.shape), d)
        strides = tuple(s * size for s in t.stride())
        return np.ndarray(tuple(t.shape), d, whole, t.storage_offset() * size, strides)


def dtype(d: Any) -> Any:
    return getattr(facula, str(d).removeprefix("torch."))


def as_numpy(t: Any) -> Any:
    """The values of a tensor of either library, the narrow dtypes widened."""
    t = t.detach().resolve_conj().resolve_neg()
    name = str(t.dtype)
    if isinstance(t, torch.Tensor):
        return _widened(t, name, torch).numpy(force=True)  # zeros without memory need the force
    return _widened(t, name, facula).numpy()


def _widened(t: Any, name: str, library: Any) -> Any:
    if "bfloat16" in name or "float8" in name:
        return t.to(library.float32)
    return t.to(library.complex64) if "complex32" in name else t


# ---- functions


def _is_theirs(fn: Any) -> bool:
    return (getattr(fn, "__module__", "") or "").startswith("torch")


def seeded(op: Any, *args: Any, **kwargs: Any) -> Any:
    """What the database's ``wrapper_set_seed`` does, for facula."""
    facula.manual_seed(42)
    return op(*args, **kwargs)


def rebound(fn: Any) -> Any:
    """A function of the database that names ``torch`` as the same function naming facula; else what bears its name."""
    if isinstance(fn, FunctionType) and fn.__module__.startswith("torch.testing"):
        scope = {**fn.__globals__, "torch": facula, "wrapper_set_seed": seeded}
        again = FunctionType(fn.__code__, scope, fn.__name__, fn.__defaults__, fn.__closure__)
        again.__kwdefaults__ = fn.__kwdefaults__
        return again
    if isinstance(fn, partial):
        return partial(rebound(fn.func), *fn.args, **fn.keywords)
    module = getattr(fn, "__module__", "") or ""
    if isinstance(fn, FunctionType) and module.startswith("torch.nn.functional"):
        return getattr(facula.nn.functional, fn.__name__)
    if isinstance(fn, torch.nn.Module):
        return getattr(facula.nn, type(fn).__name__)()
    name = getattr(fn, "__name__", "")
    return getattr(facula, name, fn) if module.startswith("torch") or module == "" else fn


# ---- results


def tensors_of(value: Any) -> list[Any]:
    """All tensors in a result or in arguments, in order."""
    if isinstance(value, (torch.Tensor, facula.Tensor)):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_of(v)]
    return []


TOLERANCES = {
    "float64": 1e-7, "complex128": 1e-7, "float32": 2e-4, "complex64": 2e-4, "bfloat16": 2e-2, "float16": 4e-3,
}  # fmt: skip


def compare(theirs: Any, ours: Any, what: str = "", values: bool = True, loose: float = 1.0) -> None:
    """Raise a Difference unless two results have the same structure, shapes, dtypes and (nearly) the same values."""
    if isinstance(theirs, torch.Tensor):
        if not isinstance(ours, facula.Tensor):
            raise Difference(f"{what}a tensor is wanted, not {type(ours).__name__}")
        _compare_tensors(theirs, ours, what, values, loose)
    elif isinstance(theirs, (list, tuple)) and not isinstance(theirs, torch.Size):
        if not isinstance(ours, (list, tuple)) or len(theirs) != len(ours):
            raise Difference(f"{what}{len(theirs)} results are wanted, not {_short(ours)}")
        for x, y in zip(theirs, ours):
            compare(x, y, what, values, loose)
    elif isinstance(theirs, torch.dtype):
        if dtype(theirs) is not ours:
            raise Difference(f"{what}{theirs} is wanted, not {ours}")
    elif values and isinstance(theirs, (bool, int, float, complex)) and not _is_same_number(theirs, ours):
        raise Difference(f"{what}{theirs!r} is wanted, not {_short(ours)}")


def _is_same_number(x: Any, y: Any) -> bool:
    return type(x) is type(y) and bool(np.allclose(x, y, rtol=1e-6, equal_nan=True))


def _short(value: Any) -> str:
    return f"{len(value)} of them" if isinstance(value, (list, tuple)) else repr(value)[:40]


def _compare_tensors(theirs: Any, ours: Any, what: str, values: bool, loose: float) -> None:
    if tuple(theirs.shape) != tuple(ours.shape):
        raise Difference(f"{what}shape {list(theirs.shape)} is wanted, not {list(ours.shape)}")
    if str(theirs.dtype) != str(ours.dtype):
        raise Difference(f"{what}{theirs.dtype} is wanted, not {ours.dtype}")
    if not values:
        return
    x, y = as_numpy(theirs), as_numpy(ours)
    if x.dtype.kind not in "fc":
        same = bool((x == y).all())
    else:
        tolerance = loose * TOLERANCES.get(str(theirs.dtype).removeprefix("torch."), 1e-3)
        finite = np.abs(x[np.isfinite(x)])
        scale = max(1.0, float(finite.max(initial=0.0)))
        same = np.allclose(y, x, rtol=tolerance, atol=0.1 * tolerance * scale, equal_nan=True)
    if not same:
        raise Difference(f"{what}other values")
