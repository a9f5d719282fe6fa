"""Memory that several processes see: a file without a name, mapped.

A forked process has it from the start. To another one the descriptor of the file is sent; each process maps a file
once, so that tensors that share memory do so there, too.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from typing import Any

import numpy as np

from .strides import bytes_of, root_of


class SharedMemory(mmap.mmap):
    """A mapped file, and its descriptor."""

    fd: int

    def __del__(self) -> None:
        os.close(self.fd)


_mapped: weakref.WeakValueDictionary[tuple[int, int], SharedMemory] = weakref.WeakValueDictionary()


def mapped(fd: int) -> SharedMemory:
    """The memory of a file, which now belongs to it."""
    facts = os.fstat(fd)
    key = facts.st_dev, facts.st_ino
    found = _mapped.get(key)
    if found is not None:
        os.close(fd)
        return found
    found = _mapped[key] = SharedMemory(fd, facts.st_size)
    found.fd = fd
    return found


def _new_file(size: int) -> int:
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("facula")
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, max(size, 1))
    return fd


def memory_of(array: Any) -> SharedMemory | None:
    """The shared memory that an array lies in, if it does."""
    base = root_of(array).base
    return base if isinstance(base, SharedMemory) else None


def shared_copy(root: Any) -> Any:
    """All of a storage in shared memory: an array of the same shape, strides and elements."""
    source = bytes_of(root)
    memory = mapped(_new_file(source.size))
    np.ndarray(source.shape, np.uint8, memory)[...] = source
    return np.ndarray(root.shape, root.dtype, memory, 0, root.strides)
