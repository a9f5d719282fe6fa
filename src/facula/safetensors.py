"""The safetensors format: a length, a header in JSON, and the tensors' bytes. The functions of ``safetensors.torch``.

The header is checked to the last byte before any memory is taken for tensors: they lie behind each other without holes
or overlaps, and fill the file.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._core import devices, dtypes
from ._core.storage import untyped_storage
from ._tensor import Tensor
from .ops.creation.factories import finish

__all__ = [
    "SafetensorError", "load", "load_file", "load_model", "safe_open", "save", "save_file", "save_model",
]  # fmt: skip

_MAX_HEADER = 100_000_000

_DTYPES = {
    "F64": dtypes.float64, "F32": dtypes.float32, "F16": dtypes.float16, "BF16": dtypes.bfloat16,
    "I64": dtypes.int64, "I32": dtypes.int32, "I16": dtypes.int16, "I8": dtypes.int8, "U64": dtypes.uint64,
    "U32": dtypes.uint32, "U16": dtypes.uint16, "U8": dtypes.uint8, "BOOL": dtypes.bool_, "C64": dtypes.complex64,
}  # fmt: skip
_NAMES = {d: name for name, d in _DTYPES.items()}


class SafetensorError(Exception):
    """The file is not a sound safetensors file, or cannot hold what it is given."""


# ---- writing


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """Tensors as the bytes of a safetensors file."""
    header, ordered = _header(tensors, metadata)
    return b"".join((struct.pack("<Q", len(header)), header, *(_bytes(t) for t in ordered)))


def save_file(
    tensors: dict[str, Tensor], filename: str | os.PathLike[str], metadata: dict[str, str] | None = None
) -> None:
    """Write tensors into a file."""
    header, ordered = _header(tensors, metadata)
    with open(filename, "wb") as file:
        file.write(struct.pack("<Q", len(header)))
        file.write(header)
        for t in ordered:
            file.write(_bytes(t))


def _header(tensors: Any, metadata: Any) -> tuple[bytes, list[Tensor]]:
    _check_tensors(tensors)
    _check_metadata(metadata)
    names = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    told: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    at = 0
    for name in names:
        t = tensors[name]
        end = at + t.numel() * t.element_size()
        told[name] = {"dtype": _NAMES[t.dtype], "shape": list(t.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()
    return text + b" " * (-len(text) % 8), [tensors[name] for name in names]


def _check_tensors(tensors: Any) -> None:
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    shared: dict[int, list[str]] = {}
    for name, t in tensors.items():
        if not isinstance(t, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(t)}")
        if type(name) is not str or name == "__metadata__":
            raise SafetensorError(f"{name!r} cannot be a tensor's name")
        if t.is_meta:
            raise RuntimeError(f"You are trying to save the tensor `{name}`, which is on the meta device, without data")
        if t.dtype not in _NAMES:
            raise SafetensorError(f"dtype {t.dtype} of `{name}` is not in the safetensors format")
        if not t.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you "
                "are trying to save tensors which are reference of each other in which case it's recommended to save "
                "only the full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to "
                "pack it before saving."
            )
        if t.numel():
            shared.setdefault(untyped_storage(t).data_ptr(), []).append(name)
    groups = [set(names) for names in shared.values() if _overlap([tensors[n] for n in names])]
    if groups:
        raise RuntimeError(
            "Some tensors share memory, this will lead to duplicate memory on disk and potential differences when "
            f"loading them again: {groups}. A potential way to correctly save your model is to use `save_model`."
        )


def _overlap(group: list[Tensor]) -> bool:
    spans = sorted((t.data_ptr(), t.data_ptr() + t.nbytes) for t in group)
    return any(a[1] > b[0] for a, b in itertools.pairwise(spans))


def _check_metadata(metadata: Any) -> None:
    if metadata is not None and not (
        isinstance(metadata, dict) and all(type(k) is str and type(v) is str for k, v in metadata.items())
    ):
        raise TypeError("metadata must be a dict of strings")


def _bytes(t: Tensor) -> bytes:
    return t._array.astype(t._array.dtype.newbyteorder("<"), copy=False).tobytes()


# ---- reading


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors in the bytes of a safetensors file."""
    view = memoryview(data)
    entries, _, begin = _entries(bytes(view[:8]), lambda length: bytes(view[8 : 8 + length]), len(view))
    return {
        name: _tensor(np.frombuffer(view, np.uint8, entry.end - entry.begin, begin + entry.begin).copy(), entry)
        for name, entry in entries.items()
    }


def load_file(filename: str | os.PathLike[str], device: Any = "cpu") -> dict[str, Tensor]:
    """The tensors of a file."""
    with safe_open(filename, "pt", device) as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  it is no dict


class safe_open:
    """A file, of which tensors are read one by one."""

    def __init__(self, filename: str | os.PathLike[str], framework: str = "pt", device: Any = "cpu") -> None:
        if framework not in ("pt", "torch", "pytorch", "facula"):
            raise SafetensorError(f"framework {framework} is invalid")
        self._device = devices.parse(device)
        self._file = open(filename, "rb")  # noqa: SIM115  closed by __exit__
        try:
            size = self._file.seek(0, 2)
            self._file.seek(0)
            self._entries, self._metadata, self._begin = _entries(self._file.read(8), self._file.read, size)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()

    def keys(self) -> list[str]:
        return sorted(self._entries)

    def offset_keys(self) -> list[str]:
        return sorted(self._entries, key=lambda name: self._entries[name].begin)

    def metadata(self) -> dict[str, str] | None:
        return self._metadata

    def get_tensor(self, name: str) -> Tensor:
        entry = self._entries.get(name)
        if entry is None:
            raise SafetensorError(f"File does not contain tensor {name}")
        data = np.empty(entry.end - entry.begin, np.uint8)
        self._file.seek(self._begin + entry.begin)
        if data.size and self._file.readinto(data.data) != data.size:
            raise SafetensorError("Error while reading: the file has become shorter")
        t = _tensor(data, entry)
        return t if self._device.type == "cpu" else t.to(self._device)

    def get_slice(self, name: str) -> Slice:
        return Slice(self, name)


class Slice:
    """A tensor of a file, to be cut before it is used."""

    def __init__(self, file: safe_open, name: str) -> None:
        if name not in file._entries:
            raise SafetensorError(f"File does not contain tensor {name}")
        self._of = file
        self._name = name

    def get_shape(self) -> list[int]:
        return list(self._of._entries[self._name].shape)

    def get_dtype(self) -> str:
        return _NAMES[self._of._entries[self._name].dtype]

    def __getitem__(self, key: Any) -> Tensor:
        return self._of.get_tensor(self._name)[key].clone()


class _Entry:
    """What the header tells of one tensor."""

    __slots__ = ("begin", "dtype", "end", "shape")

    def __init__(self, name: str, told: Any) -> None:
        if not isinstance(told, dict) or told.keys() != {"dtype", "shape", "data_offsets"}:
            raise SafetensorError(f"Error while deserializing header: invalid JSON in header: wrong fields of {name!r}")
        shape, offsets = told["shape"], told["data_offsets"]
        if not isinstance(told["dtype"], str) or told["dtype"] not in _DTYPES:
            raise SafetensorError(f"Error while deserializing header: facula has no dtype {told['dtype']!r}")
        for numbers in (shape, offsets):
            if not isinstance(numbers, list) or any(type(n) is not int or not 0 <= n < 2**63 for n in numbers):
                raise SafetensorError(f"Error while deserializing header: invalid numbers in {name!r}")
        if len(offsets) != 2:
            raise SafetensorError(f"Error while deserializing header: InvalidOffset({name})")
        self.dtype = _DTYPES[told["dtype"]]
        self.shape = tuple(shape)
        self.begin, self.end = offsets
        if math.prod(shape) * self.dtype.itemsize != self.end - self.begin:
            raise SafetensorError(f"Error while deserializing header: TensorInvalidInfo: {name!r}")
        if len(shape) > 64 or math.prod(max(n, 1) for n in shape) * self.dtype.itemsize >= 2**63:
            raise SafetensorError(f"Error while deserializing header: facula cannot hold the sizes of {name!r}")


def _entries(prefix: bytes, read: Any, size: int) -> tuple[dict[str, _Entry], dict[str, str] | None, int]:
    """The checked header: entries by name, metadata, and where the data begins."""
    if len(prefix) != 8:
        raise SafetensorError("Error while deserializing header: HeaderTooSmall")
    length = struct.unpack("<Q", prefix)[0]
    if length > _MAX_HEADER:
        raise SafetensorError("Error while deserializing header: HeaderTooLarge")
    if 8 + length > size:
        raise SafetensorError("Error while deserializing header: InvalidHeaderLength")
    told = _parsed(read(length))
    metadata = told.pop("__metadata__", None)
    try:
        _check_metadata(metadata)
    except TypeError as error:
        raise SafetensorError(f"Error while deserializing header: {error}") from None
    entries = {name: _Entry(name, entry) for name, entry in told.items()}
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)):
        if entry.begin != at:
            raise SafetensorError(f"Error while deserializing header: InvalidOffset({name})")
        at = entry.end
    if 8 + length + at != size:
        raise SafetensorError("Error while deserializing header: MetadataIncompleteBuffer")
    return entries, metadata, 8 + length


def _parsed(header: bytes) -> dict[str, Any]:
    if not header.startswith(b"{"):
        raise SafetensorError("Error while deserializing header: InvalidHeaderStart")
    try:
        found = json.loads(header.decode("utf-8"), object_pairs_hook=_without_repetition, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise SafetensorError("Error while deserializing header: InvalidHeader: it is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise SafetensorError(f"Error while deserializing header: InvalidHeaderDeserialization: {error}") from None
    return dict(found)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is used twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _tensor(data: np.ndarray[Any, Any], entry: _Entry) -> Tensor:
    stored = entry.dtype.numpy.newbyteorder("<")
    array = data.view(stored).astype(entry.dtype.numpy, copy=False)
    if entry.dtype is dtypes.bool_ and (data > 1).any():
        array = data != 0
    return finish(array.reshape(entry.shape))


# ---- whole models


def save_model(
    model: Any, filename: str, metadata: dict[str, str] | None = None, force_contiguous: bool = True
) -> None:
    """Write a module's state, of tensors that share memory only one; the metadata tells the names of the others."""
    kept: dict[str, Tensor] = {}
    metadata = dict(metadata or {})
    for name, first, t in _by_first_name(model):
        if first == name:
            kept[name] = t.contiguous() if force_contiguous else t
        else:
            metadata[name] = first
    save_file(kept, filename, metadata or None)


def load_model(
    model: Any, filename: str | os.PathLike[str], strict: bool = True, device: Any = "cpu"
) -> tuple[set[str], list[str]]:
    """Read what ``save_model`` wrote into a module: the names that are missing, and those that are too many."""
    state = load_file(filename, device)
    missing, unexpected = model.load_state_dict(state, strict=False)
    shared = {name for name, first, _ in _by_first_name(model) if first != name and first in state}
    lacking = set(missing) - shared
    if strict and (lacking or unexpected):
        lines = [f"Error(s) in loading state_dict for {type(model).__name__}:"]
        for kind, names in (("Missing", lacking), ("Unexpected", unexpected)):
            if names:
                lines.append(f"    {kind} key(s) in state_dict: {', '.join(map(repr, sorted(names)))}")
        raise RuntimeError("\n".join(lines))
    return lacking, list(unexpected)


def _by_first_name(model: Any) -> Iterator[tuple[str, str, Tensor]]:
    """Each name in a module's state, and the first name of the same tensor."""
    seen: dict[tuple[Any, ...], str] = {}
    for name, t in sorted(model.state_dict().items()):
        key = (t.data_ptr() or id(t), tuple(t.shape), t.stride(), t.dtype)
        yield name, seen.setdefault(key, name), t
