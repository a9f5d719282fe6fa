"""Files from before PyTorch 1.6: a magic number, a few pickles, and then the storages, without any container."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from .._core import devices, dtypes
from .._core.storage import TypedStorage, UntypedStorage
from . import _locations
from ._load import Job, as_text, check_name
from ._rebuild import sparse_tensors_checked
from ._save import MAGIC_NUMBER, PROTOCOL_VERSION
from ._shown import shown


def load_legacy(job: Job, file: Any) -> Any:
    """What the file holds from here on; whatever follows that is left to be read."""
    start = file.tell()
    data = memoryview(_rest_of(file))
    if not len(data):
        raise EOFError("Ran out of input")
    if bytes(data[257:262]) == b"ustar":
        raise RuntimeError("facula does not read the tar files of PyTorch before 0.1.10; save them anew with PyTorch")
    magic, at = job.run(data, _refuse)
    if magic != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version, at = job.run(data, _refuse, at)
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {shown(version)}")
    _, at = job.run(data, _refuse, at)
    storages = _Storages(job, len(data))
    with sparse_tensors_checked():
        loaded, at = job.run(data, storages.persistent_load, at)
        keys, at = job.run(data, _refuse, at)
        at = storages.fill(data, keys, at)
    file.seek(start + at)
    return loaded


def _rest_of(file: Any) -> Any:
    """All that follows; with ``readinto``, if a file has that and can tell how much there is."""
    if not hasattr(file, "readinto"):
        return file.read()
    start = file.tell()
    size = file.seek(0, 2) - start
    file.seek(start)
    data = bytearray(size)
    done = 0
    while done < size and (count := file.readinto(memoryview(data)[done:])):
        done += count
    return data[:done]


def _refuse(pid: Any) -> Any:
    raise RuntimeError("a storage is named where there can be none; corrupt file?")


def _too_short(missing: int) -> RuntimeError:
    return RuntimeError(f"unexpected EOF, expected {missing} more bytes. The file might be corrupted.")


class _Storages:
    """The storages that a program names: made empty when it runs, filled from what follows it."""

    def __init__(self, job: Job, available: int) -> None:
        self.job = job
        self.available = available
        self.taken = 0
        self.found: dict[str, tuple[UntypedStorage, UntypedStorage, int]] = {}
        """By key: what was read into, what ``map_location`` made of it, size of an element."""

    def persistent_load(self, pid: Any) -> Any:
        if type(pid) is not tuple or not pid:
            raise RuntimeError("a storage's name must be a tuple; corrupt file?")
        pid = tuple(map(as_text, pid))
        if pid[0] == "module" and len(pid) > 1:
            return pid[1]
        if len(pid) not in (5, 6) or pid[0] != "storage":
            raise RuntimeError(f"Unknown saved id type: {shown(pid[0])}")
        _, kind, key, location, numel = pid[:5]
        part = pid[5] if len(pid) == 6 else None
        dtype = self.job.storage_type(kind)
        check_name(key, location, numel)
        if key not in self.found:
            self._make(key, dtype, numel, location)
        storage = self.found[key][1]
        if part is not None:
            storage = _part(storage, part, dtype.itemsize)
        return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)

    def _make(self, key: str, dtype: dtypes.dtype, numel: int, location: str) -> None:
        nbytes = numel * dtype.itemsize
        self.taken += nbytes
        if self.taken > self.available:
            raise _too_short(self.taken - self.available)
        if _locations.is_meta(self.job.map_location, location):
            read = UntypedStorage(devices.empty_meta((nbytes,), np.uint8))
        else:
            read = UntypedStorage(np.zeros(nbytes, np.uint8))
        self.found[key] = (read, self.job.restore(read, location), dtype.itemsize)

    def fill(self, data: memoryview, keys: Any, at: int) -> int:
        """Where the last one ends."""
        keys = [as_text(key) for key in keys] if isinstance(keys, list) else None
        if keys is None or any(type(key) is not str for key in keys) or set(keys) != set(self.found):
            raise RuntimeError("the file's storages are not those that its tensors need; corrupt file?")
        for key in keys:
            storage, _, itemsize = self.found[key]
            if at + 8 > len(data):
                raise _too_short(at + 8 - len(data))
            numel = struct.unpack("<q", data[at : at + 8])[0]
            at += 8
            nbytes = numel * itemsize
            if nbytes != storage.nbytes():
                raise RuntimeError(f"storage has wrong byte size: expected {storage.nbytes()} got {nbytes}")
            if at + nbytes > len(data):
                raise _too_short(at + nbytes - len(data))
            if storage.device.type != "meta":
                storage._bytes[...] = np.frombuffer(data, np.uint8, nbytes, at)
            at += nbytes
        return at


def _part(storage: UntypedStorage, part: Any, itemsize: int) -> UntypedStorage:
    """A storage within a storage, as files of long ago have them."""
    if type(part) is not tuple or len(part) != 3 or not all(type(n) is int and n >= 0 for n in part[1:]):
        raise RuntimeError("a part of a storage is described wrongly; corrupt file?")
    begin, end = part[1] * itemsize, (part[1] + part[2]) * itemsize
    if end > storage.nbytes():
        raise RuntimeError(f"a part of a storage ends at {end}, beyond its {storage.nbytes()} bytes")
    return UntypedStorage(storage._bytes[begin:end])
