"""``PyTorchFileReader``: the records of a checkpoint one by one, for those who load lazily."""

from __future__ import annotations

import os
from typing import Any
from weakref import finalize

import facula

from .._core.storage import UntypedStorage
from .._tensor import Tensor
from ._archive import Reader


class PyTorchFileReader:
    """The archive that ``save`` writes, by the names of its records. Takes a path, or an open file."""

    def __init__(self, file: Any) -> None:
        if isinstance(file, (str, os.PathLike)):
            try:
                file = open(file, "rb")  # noqa: SIM115  read from later
            except OSError as e:
                why = f"open file failed because of errno {e.errno} on fopen: {e.strerror}, file path: {e.filename}"
                raise RuntimeError(why) from None
            finalize(self, file.close)
        elif not hasattr(file, "tell"):
            raise AttributeError(f"'{type(file).__name__}' object has no attribute 'tell'")
        self._reader = Reader(file)

    def get_all_records(self) -> list[str]:
        """The names of all records."""
        return self._reader.names()

    def has_record(self, name: str) -> bool:
        """Whether there is a record of this name."""
        return self._reader.has(name)

    def get_record(self, name: str) -> bytes:
        """The bytes of a record."""
        return self._reader.read(name)

    def get_record_size(self, name: str) -> int:
        """How many bytes a record has."""
        return self._reader.length(name)

    def get_record_offset(self, name: str) -> int:
        """Where in the file the bytes of a record begin."""
        return self._reader.begin(name)

    def get_storage_from_record(self, name: str, numel: int, dtype: Any) -> Tensor:
        """A tensor without elements whose storage is the record."""
        found: Tensor = facula.empty(0, dtype=dtype).set_(UntypedStorage(self._reader.array(name)), 0, (0,))
        return found

    def serialization_id(self) -> str:
        """What tells this file from others; empty if it says nothing."""
        name = ".data/serialization_id"
        return self._reader.read(name).decode() if self.has_record(name) else ""
