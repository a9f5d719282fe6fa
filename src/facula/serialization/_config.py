"""Settings of ``save`` and ``load``: byte order of old files, memory maps, checksums, bytes left out."""

from __future__ import annotations

import mmap
import threading
from enum import Enum
from typing import Any


class LoadEndianness(Enum):
    """The byte order to believe in where a file does not tell its own."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_endianness: LoadEndianness | None = None
_checksums = True
_mmap_flags: int = getattr(mmap, "MAP_PRIVATE", 2)


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order that files without a mark are read in; None for that of this machine."""
    return _endianness


def set_default_load_endianness(endianness: Any) -> None:
    """Set the byte order that files without a mark are read in."""
    global _endianness
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _endianness = endianness


def get_crc32_options() -> bool:
    """Whether ``save`` computes the checksum of each record."""
    return _checksums


def set_crc32_options(compute_crc32: bool) -> None:
    """Say whether checksums of files are computed."""
    global _checksums
    _checksums = compute_crc32


def get_default_mmap_options() -> int:
    """How ``load(mmap=True)`` maps a file: ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED``."""
    return _mmap_flags


class set_default_mmap_options:
    """Set it: for good, or for the length of a ``with`` block."""

    def __init__(self, flags: int) -> None:
        global _mmap_flags
        if flags not in (getattr(mmap, "MAP_PRIVATE", 2), getattr(mmap, "MAP_SHARED", 1)):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        self.before = _mmap_flags
        _mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        global _mmap_flags
        _mmap_flags = self.before


class _Data(threading.local):
    skipped = False


_data = _Data()


def skips_data() -> bool:
    """Whether ``save`` leaves room for the bytes of storages, and ``load`` does not read them."""
    return _data.skipped


class skip_data:
    """Within it ``save`` writes zeros in place of the bytes of storages, and ``load`` leaves storages unfilled.

    There are no fake tensors to materialize: ``materialize_fake_tensors`` changes nothing."""

    __module__ = "facula.serialization"

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self.before = _data.skipped
        _data.skipped = True

    def __exit__(self, *exc: object) -> None:
        _data.skipped = self.before
