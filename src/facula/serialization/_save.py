"""``save``: objects as a pickle in which tensors are told in PyTorch's words, and their storages as records."""

from __future__ import annotations

import io
import os
import pickle
import struct
import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from .._core import dtypes, layouts, strides
from .._core.devices import device
from .._core.storage import TypedStorage, UntypedStorage, untyped_storage
from .._tensor import Tensor
from ..nn.modules._tables import Table
from ..nn.parameter import Parameter
from ..ops.creation.exchange import state_of
from ..utils.hooks import warn_if_has_hooks
from ._archive import Writer
from ._config import get_crc32_options, skips_data
from ._locations import location_tag
from ._names import STORAGE_OF, Foreign, torch_name

DEFAULT_PROTOCOL = 2
MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def save(
    obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False,
) -> None:  # fmt: skip
    """Write an object to a file, given by name or open, so that PyTorch can read it, too."""
    is_path = isinstance(f, (str, os.PathLike))
    if not is_path and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if is_path and _use_new_zipfile_serialization:
        parent = Path(f).resolve().parent
        if not parent.is_dir():
            raise RuntimeError(f"Parent directory {parent} does not exist.")
    elif skips_data() and not _use_new_zipfile_serialization:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    write = _write_archive if _use_new_zipfile_serialization else _write_legacy
    program = io.BytesIO()
    pickler = _pickler(pickle_module, program, pickle_protocol, _use_new_zipfile_serialization)
    pickler.dump(obj)
    with open(f, "wb") if is_path else nullcontext(f) as file:
        write(file, _folder(f), program.getvalue(), pickler.storages, pickle_protocol, not _disable_byteorder_record)
        if hasattr(file, "flush"):
            file.flush()


def _folder(f: Any) -> str:
    return Path(f).stem if isinstance(f, (str, os.PathLike)) else "archive"


Storages = dict[str, tuple[np.ndarray[Any, Any], int]]
"""By key: bytes, and how many of them an element has."""


def _write_archive(
    file: Any, folder: str, program: bytes, storages: Storages, protocol: int, byteorder: bool
) -> None:
    import zlib  # loaded when first used

    out = Writer(file, folder, get_crc32_options())
    out.write("data.pkl", program)
    out.write(".format_version", b"1")
    out.write(".storage_alignment", b"64")
    if byteorder:
        out.write("byteorder", sys.byteorder.encode())
    for key, (data, _) in storages.items():
        out.write(f"data/{key}", np.zeros_like(data) if skips_data() else data)
    out.write("version", b"3\n")
    sums = (zlib.crc32(program), sum(c for _, _, _, c in out.directory) % 2**64)
    out.write(".data/serialization_id", f"{sums[0]:020d}{sums[1]:020d}".encode())
    out.close()


def _write_legacy(
    file: Any, folder: str, program: bytes, storages: Storages, protocol: int, byteorder: bool
) -> None:
    """The form before zip files: pickles behind each other, then the storages."""
    system = {
        "protocol_version": PROTOCOL_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    for value in (MAGIC_NUMBER, PROTOCOL_VERSION, system):
        pickle.dump(value, file, protocol)
    file.write(program)
    pickle.dump(sorted(storages), file, protocol)
    for key in sorted(storages):
        data, itemsize = storages[key]
        file.write(struct.pack("<q", data.nbytes // itemsize))
        file.write(data.data)


# ---- the pickler


class _Named:
    """What the picklers here do that Python's do not. ``save_global`` needs one that is written in Python."""

    storages: Storages
    _legacy: bool
    _of: dict[Any, tuple[str, Any]]

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, TypedStorage):
            return self._storage(obj.untyped(), obj.dtype)
        if isinstance(obj, UntypedStorage):
            return self._storage(obj, None)
        return None

    def _storage(self, storage: UntypedStorage, dtype: dtypes.dtype | None) -> Any:
        data = storage._bytes
        where = storage.data_ptr() or id(data)
        key, seen = self._of.setdefault(where, (str(len(self._of)), dtype))
        if seen is not dtype and data.nbytes:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types"
            )
        itemsize = 1 if dtype is None else dtype.itemsize
        self.storages[key] = (data, itemsize)
        kind = Foreign("torch.storage", "UntypedStorage") if dtype is None else Foreign("torch", STORAGE_OF[dtype])
        pid = ("storage", _unique(kind), key, location_tag(storage), data.nbytes // itemsize)
        return (*pid, None) if self._legacy else pid

    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        if isinstance(obj, Tensor):
            if kind.__reduce_ex__ not in (Tensor.__reduce_ex__, Parameter.__reduce_ex__):
                return NotImplemented  # a class with its own ways
            return _reduced_parameter(obj) if kind is Parameter else _reduced(obj)
        if kind is device:
            return device, (obj.type,) if obj.index is None else (obj.type, obj.index)
        if kind is layouts.layout:
            return _GET_LAYOUT, (str(obj),)
        return NotImplemented


_foreign: dict[tuple[str, str], Foreign] = {}


def _unique(name: Foreign) -> Foreign:
    """One object a name, so that a pickle spells it once."""
    return _foreign.setdefault((name.module, name.name), name)


_GET_LAYOUT = Foreign("torch.serialization", "_get_layout")
_TENSOR_V2 = Foreign("torch._utils", "_rebuild_tensor_v2")
_TENSOR_V3 = Foreign("torch._utils", "_rebuild_tensor_v3")
_META_TENSOR = Foreign("torch._utils", "_rebuild_meta_tensor_no_storage")
_PARAMETER = Foreign("torch._utils", "_rebuild_parameter")
_PARAMETER_WITH_STATE = Foreign("torch._utils", "_rebuild_parameter_with_state")
_FROM_TYPE = Foreign("torch._tensor", "_rebuild_from_type_v2")


def _reduced_parameter(p: Tensor) -> Any:
    hooks: OrderedDict[int, Any] = OrderedDict()
    state = dict(p.__dict__)
    if state:
        return _PARAMETER_WITH_STATE, (p.data, p.requires_grad, hooks, state)
    return _PARAMETER, (p.data, p.requires_grad, hooks)


def _reduced(t: Tensor) -> Any:
    warn_if_has_hooks(t)
    func, args = _plain(t)
    if type(t) is Tensor and not t.__dict__:
        return func, args
    return _FROM_TYPE, (func, type(t), args, state_of(t))


def _plain(t: Tensor) -> Any:
    size, stride = tuple(t.shape), strides.element_strides(t._array)
    if t.is_meta:
        return _META_TENSOR, (t.dtype, size, stride, t.requires_grad)
    hooks: OrderedDict[int, Any] = OrderedDict()
    storage, dtype = untyped_storage(t), t.dtype
    offset = strides.storage_offset(t._array) if t._array.size else 0
    metadata = {name: True for name, is_set in (("conj", t.is_conj()), ("neg", t.is_neg())) if is_set}
    last = (metadata,) if metadata else ()
    if dtype in STORAGE_OF:
        typed = TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)
        return _TENSOR_V2, (typed, offset, size, stride, t.requires_grad, hooks, *last)
    return _TENSOR_V3, (storage, offset, size, stride, t.requires_grad, hooks, dtype, *last)


def _pickler(module: Any, file: Any, protocol: int, new: bool) -> Any:
    base: Any = pickle._Pickler if module is pickle else module.Pickler
    body: dict[str, Any] = {}
    if hasattr(base, "save_global"):
        body["save_global"] = save = _save_global(base)
        body["dispatch"] = base.dispatch | {
            FunctionType: save, Foreign: _save_foreign, dtypes.dtype: _save_dtype, Table: base.save_dict
        }  # fmt: skip
    made = type("Pickler", (_Named, base), body)(file, protocol)
    made.storages, made._of, made._legacy = {}, {}, not new
    return made


def _save_global(base: Any) -> Callable[..., None]:
    def save_global(self: Any, obj: Any, name: Any = None) -> None:
        found = torch_name(getattr(obj, "__module__", None) or "", name or getattr(obj, "__qualname__", ""))
        if found is None:
            base.save_global(self, obj, name)
        else:
            self.write(_global(*found))
            self.memoize(obj)

    return save_global


def _global(module: str, name: str) -> bytes:
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def _save_foreign(self: Any, obj: Foreign) -> None:
    self.write(_global(obj.module, obj.name))
    self.memoize(obj)


def _save_dtype(self: Any, obj: dtypes.dtype) -> None:
    self.write(_global("torch", obj.name))
    self.memoize(obj)
