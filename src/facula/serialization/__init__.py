"""``torch.serialization``: checkpoints in PyTorch's format, read without trust."""

from __future__ import annotations

import tempfile as _tempfile
from collections.abc import Iterator as _Iterator
from contextlib import contextmanager as _contextmanager
from typing import Any as _Any

from ._config import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from ._load import UNSAFE_MESSAGE, get_unsafe_globals_in_checkpoint, load
from ._locations import default_restore_location, location_tag, register_package
from ._names import StorageType
from ._safe_globals import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from ._save import DEFAULT_PROTOCOL, MAGIC_NUMBER, PROTOCOL_VERSION, save

__all__ = [
    "DEFAULT_PROTOCOL", "MAGIC_NUMBER", "PROTOCOL_VERSION", "UNSAFE_MESSAGE", "LoadEndianness", "SourceChangeWarning",
    "StorageType", "add_safe_globals", "clear_safe_globals", "default_restore_location", "get_crc32_options",
    "get_default_load_endianness", "get_default_mmap_options", "get_safe_globals",
    "get_unsafe_globals_in_checkpoint", "load", "location_tag", "mkdtemp", "normalize_storage_type",
    "register_package", "safe_globals", "save",
    "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options",
    "skip_data",
]  # fmt: skip

MAP_LOCATION = _Any
"""What ``map_location`` may be, for annotations."""


class SourceChangeWarning(Warning):
    """A class whose source differs from when a file was written."""


def normalize_storage_type(storage_type: type) -> type:
    """The public class of storages that has the name of one."""
    import facula  # which loads this module

    found: type = getattr(facula, storage_type.__name__)
    return found


def _is_zipfile(file: _Any) -> bool:
    """Whether an archive begins where the file is read next, which stays that place."""
    start = file.tell()
    begins = file.read(4) == b"PK\x03\x04"
    file.seek(start)
    return begins


@_contextmanager
def mkdtemp() -> _Iterator[str]:
    """A folder that is gone after the ``with`` block."""
    with _tempfile.TemporaryDirectory() as path:
        yield path
