"""Tensors from what a file says of them: nothing is believed before it has been checked.

A file gives a storage, and for each tensor over it an offset, sizes and strides. PyTorch's own words are used where it
has an error for the same thing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import facula

from .._core import devices, dtypes, layouts
from .._core.size import Size
from .._core.storage import TypedStorage, UntypedStorage
from .._core.unresolved import CONJ, NEG, seen_by
from .._tensor import Tensor
from ..nn.parameter import Parameter
from ..ops.creation.exchange import slots_of
from ..ops.creation.factories import finish
from ._shown import all_shown, shown

_MAX_NUMEL = 2**63 - 1


class _Functions:
    """Operators by name."""

    def __getattr__(self, name: str) -> Any:
        return getattr(facula, name)


class WrappedHook:
    """A hook of a module as PyTorch pickles it: perhaps with the module that it wants for its first argument."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook = state["hook"]
        self.module = state["module"] if state["with_module"] else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.hook(*args, **kwargs) if self.module is None else self.hook(self.module, *args, **kwargs)


functions = _Functions()
tensor_class = Tensor


def tensor_v2(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor over a storage of elements of its dtype."""
    if not isinstance(storage, TypedStorage):
        raise RuntimeError(f"a tensor's storage must be a TypedStorage, but got {type(storage)}")
    return _tensor(storage.untyped(), storage.dtype, storage_offset, size, stride, requires_grad, metadata)


def tensor_v3(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any, dtype: Any,
    metadata: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor over a storage of bytes."""
    if not isinstance(storage, (UntypedStorage, TypedStorage)) or not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"a tensor needs a storage and a dtype, but got {type(storage)} and {type(dtype)}")
    return _tensor(storage.untyped(), dtype, storage_offset, size, stride, requires_grad, metadata)


def tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Tensor:
    return tensor_v2(storage, storage_offset, size, stride, False, None)


def parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Parameter:
    if not isinstance(data, Tensor):
        raise RuntimeError(f"a Parameter is made of a tensor, not of {type(data)}")
    made: Parameter = Parameter(data, bool(requires_grad))
    return made


def parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any, state: Any) -> Parameter:
    made = parameter(data, requires_grad, backward_hooks)
    set_state(made, state)
    return made


def meta_tensor(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Tensor:
    sizes = _whole_numbers(size, "size")
    if math.prod(sizes) > _MAX_NUMEL:
        raise RuntimeError("numel: integer multiplication overflow")
    t = finish(devices.empty_meta(sizes, dtype.numpy))
    return t.requires_grad_() if requires_grad else t


def device_tensor_from_numpy(data: Any, dtype: Any, device: Any, requires_grad: Any) -> Tensor:
    t = finish(np.ascontiguousarray(data, dtype.numpy))
    return t.requires_grad_() if requires_grad else t


def device_tensor_from_cpu_tensor(data: Any, dtype: Any, device: Any, requires_grad: Any) -> Tensor:
    if not isinstance(data, Tensor) or not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"a tensor of a dtype is made of a tensor, but got {type(data)} and {type(dtype)}")
    if data.numel() * data.itemsize > data.untyped_storage().nbytes():
        raise RuntimeError("a tensor that shows its memory several times over cannot be given another dtype here")
    t: Tensor = data.to(dtype)
    return t.requires_grad_() if requires_grad else t


def from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """A tensor of a subclass, or one with attributes."""
    made = func(*args)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    own = getattr(type(made), "__setstate__", None)
    if own is not getattr(Tensor, "__setstate__", None):
        made.__setstate__(state)
        return made
    return set_state(made, state)


def set_state(made: Any, state: Any) -> Any:
    """Give a tensor the attributes that were written with it: past properties, so that no code of theirs runs."""
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    known = slots_of(type(made)) if slots else {}
    for values in (attributes, slots):
        if values:
            if not isinstance(values, dict) or not all(type(name) is str for name in values):
                raise RuntimeError(f"Invalid serialized state: {type(values)}")
            vars(made).update({name: value for name, value in values.items() if name not in known})
            for name in known.keys() & values.keys():
                known[name].__set__(made, values[name])
    return made


def sparse_tensor(layout: Any, data: Any) -> Tensor:
    """A sparse tensor of places, values and a size. Places are looked at before they are believed."""
    if layout is not layouts.sparse_coo:
        raise NotImplementedError(f"rebuilding sparse tensor for layout {shown(layout)}")
    indices, values, size, *is_coalesced = data
    plain = isinstance(indices, Tensor) and isinstance(values, Tensor) and indices._array.dtype == np.int64
    if not plain or len(is_coalesced) > 1 or indices._array.ndim != 2 or not values._array.ndim:
        raise RuntimeError(f"no sparse tensor can be made of {all_shown(data)}")
    made: Tensor = facula.sparse_coo_tensor(
        indices, values, _whole_numbers(size, "size"), check_invariants=True, is_coalesced=is_coalesced == [True]
    )
    if _made.since is not None:
        _made.since.append(made)
    return made


class _Made(threading.local):
    since: list[Tensor] | None = None


_made = _Made()


@contextmanager
def sparse_tensors_checked() -> Iterator[None]:
    """Look at the places of sparse tensors made within once more: in old files storages follow what is made of them."""
    _made.since = []
    try:
        yield
        for t in _made.since:
            facula.sparse_coo_tensor(t._indices(), t._values(), t.size(), check_invariants=True)
    finally:
        _made.since = None


def layout(name: Any) -> Any:
    known = {"torch.strided": layouts.strided, "torch.sparse_coo": layouts.sparse_coo}
    if type(name) is not str or name not in known:
        raise RuntimeError(f"facula has no layout {shown(name)}")
    return known[name]


def load_from_bytes(data: bytes) -> Any:
    """A storage as PyTorch puts it into plain pickles."""
    import io  # loaded when first used

    from ._load import load  # it imports this module

    return load(io.BytesIO(data), weights_only=False)


# ---- the checks


def _tensor(
    storage: UntypedStorage, dtype: dtypes.dtype, offset: Any, size: Any, stride: Any, requires_grad: Any, metadata: Any
) -> Tensor:
    sizes, strides = _whole_numbers(size, "size"), _strides(size, stride)
    if type(offset) is not int or not 0 <= offset <= _MAX_NUMEL:
        raise RuntimeError(f"Tensor: invalid storage offset {shown(offset)}")
    numel = math.prod(sizes)
    if numel > _MAX_NUMEL:
        raise RuntimeError("numel: integer multiplication overflow")
    needed = 0
    if numel:
        needed = (offset + sum((n - 1) * s for n, s in zip(sizes, strides)) + 1) * dtype.itemsize
    if needed > storage.nbytes():
        raise RuntimeError(
            f"setStorage: sizes {all_shown(sizes)}, strides {all_shown(strides)}, storage offset {offset}, and "
            f"itemsize {dtype.itemsize} requiring a storage size of {shown(needed)} are out of bounds for storage of "
            f"size {storage.nbytes()}"
        )
    t = finish(_array(storage, dtype, offset, sizes, strides))
    if metadata:
        t = _with_bits(t, metadata)
    if requires_grad:
        if not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad_()
    return t


def _array(storage: UntypedStorage, dtype: dtypes.dtype, offset: int, sizes: Any, strides: Any) -> Any:
    if storage.device.type == "meta":
        return devices.empty_meta(sizes, dtype.numpy)
    step = dtype.itemsize
    if 0 in sizes:
        return np.empty(sizes, dtype.numpy)
    try:
        return np.ndarray(sizes, dtype.numpy, storage._bytes, offset * step, tuple(s * step for s in strides))
    except (ValueError, OverflowError) as error:
        raise RuntimeError(f"facula cannot hold a tensor of sizes {all_shown(sizes)}: {error}") from None


def _with_bits(t: Tensor, metadata: Any) -> Tensor:
    """A tensor that shows conjugates, or negatives, of what lies in memory."""
    if not isinstance(metadata, dict):
        raise RuntimeError(f"a tensor's metadata must be a dict, but got {type(metadata)}")
    if metadata.get("conj") and not t.is_complex():
        raise RuntimeError(f"a tensor of {t.dtype} has no conjugate")
    bits = CONJ * bool(metadata.get("conj")) | NEG * bool(metadata.get("neg"))
    return finish(seen_by(t._array, bits))


def _strides(size: Any, stride: Any) -> tuple[int, ...]:
    if isinstance(stride, (tuple, Size)) and isinstance(size, (tuple, Size)):
        if len(size) != len(stride):
            raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
        if any(type(s) is int and s < 0 for s in stride):
            raise RuntimeError(
                f"Storage size calculation overflowed with sizes={all_shown(size)} and strides={all_shown(stride)}"
            )
    return _whole_numbers(stride, "stride")


def _whole_numbers(values: Any, what: str) -> tuple[int, ...]:
    if not isinstance(values, (tuple, list)) or any(type(n) is not int or not 0 <= n <= _MAX_NUMEL for n in values):
        if isinstance(values, (tuple, list)) and all(type(n) is int for n in values):
            if min(values) >= 0:
                raise RuntimeError("numel: integer multiplication overflow")
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {shown(min(values))}: {all_shown(values)}"
            )
        raise RuntimeError(f"a tensor's {what} must be a tuple of whole numbers, but got {type(values)}")
    return tuple(values)
