"""The container: a zip file with uncompressed records, read with suspicion and written as PyTorch does.

Nothing that the file says of itself is believed. Before a record is read it is known that all records lie within the
file, behind each other and in front of the directory, under one folder, once each, and not compressed; so nothing can
unfold into more memory than the file has bytes.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_END64, _LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
_ALIGNMENT = 64
_U32, _U16 = 0xFFFFFFFF, 0xFFFF

_CORRUPT = (
    "If you are seeing this error, there is a high likelihood that your checkpoint file is corrupted. This can happen "
    "if the checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving."
)


def _failed(doing: str, why: str) -> RuntimeError:
    return RuntimeError(f"PytorchStreamReader failed {doing}: {why}. This is an internal miniz error. {_CORRUPT}")


class Reader:
    """The records of an open, seekable file."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.size = file.seek(0, 2)
        where, count, length = self._find_directory()
        self._spans: dict[str, tuple[int, int, int]] = {}
        """By name: where the local header is, how many bytes the record has, and their checksum."""
        self._read_directory(where, count, length)
        self._check_overlap(where)
        folders = {name.partition("/")[0] for name in self._spans}
        if not self._spans:
            raise _failed("reading zip archive", "it has no records")
        for name in self._spans:
            if "/" not in name:
                raise RuntimeError(f"file in archive is not in a subdirectory: {name}")
        if len(folders) != 1:
            raise _failed("reading zip archive", f"its records are in several folders: {sorted(folders)[:5]}")
        self.folder = folders.pop()

    def names(self) -> list[str]:
        return [name.removeprefix(self.folder + "/") for name in self._spans]

    def has(self, name: str) -> bool:
        return f"{self.folder}/{name}" in self._spans

    def length(self, name: str) -> int:
        return self._span(name)[1]

    def read(self, name: str) -> bytes:
        """A small record."""
        return self.array(name).tobytes()

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """A record, as bytes of memory of its own."""
        _, length, checksum = self._span(name)
        found = np.empty(length, np.uint8)
        self.file.seek(self.begin(name))
        if _read_into(self.file, found) != length:
            raise _failed(f"reading file {name}", "file read failed")
        if checksum and zlib.crc32(found.data) != checksum:  # a writer that does not compute it writes zero
            raise _failed(f"reading file {name}", "CRC-32 check failed")
        return found

    def begin(self, name: str) -> int:
        """Where a record's bytes begin in the file."""
        offset, length, _ = self._span(name)
        name_length, extra_length = struct.unpack("<HH", self._at(offset + 26, 4))
        if self._at(offset + 30, name_length) != f"{self.folder}/{name}".encode():
            raise _failed(f"reading file {name}", "its two names differ")
        begin: int = offset + 30 + name_length + extra_length
        if begin + length > self._limits[offset]:
            raise _failed(f"reading file {name}", "it overlaps what follows it")
        return begin

    def _span(self, name: str) -> tuple[int, int, int]:
        found = self._spans.get(f"{self.folder}/{name}")
        if found is None:
            raise _failed(f"locating file {name}", "file not found")
        return found

    def _at(self, offset: int, length: int) -> bytes:
        if offset < 0 or length < 0 or offset + length > self.size:
            raise _failed("reading zip archive", "it points outside of itself")
        self.file.seek(offset)
        data: bytes = self.file.read(length)
        if len(data) != length:
            raise _failed("reading zip archive", "file read failed")
        return data

    def _find_directory(self) -> tuple[int, int, int]:
        if self.size < 22:
            raise _failed("reading zip archive", "not a ZIP archive")
        tail_at = max(0, self.size - 22 - _U16)
        tail = self._at(tail_at, self.size - tail_at)
        found = tail.rfind(_END)
        if found < 0 or found + 22 > len(tail):
            raise _failed("reading zip archive", "failed finding central directory")
        disk, first, here, count, length, where, _ = struct.unpack("<HHHHIIH", tail[found + 4 : found + 22])
        end = tail_at + found
        if _U16 in (here, count) or _U32 in (length, where):
            end, count, length, where = self._find_directory64(end)
        elif disk or first or here != count:
            raise _failed("reading zip archive", "it is a part of a multi-part archive")
        if where + length > end or count * 46 > length:
            raise _failed("reading zip archive", "invalid header or archive is corrupted")
        return where, count, length

    def _find_directory64(self, end: int) -> tuple[int, int, int, int]:
        locator = self._at(end - 20, 20)
        if locator[:4] != _LOCATOR64:
            raise _failed("reading zip archive", "failed finding central directory")
        at = struct.unpack("<Q", locator[8:16])[0]
        record = self._at(at, 56)
        if record[:4] != _END64 or at + 56 > end:
            raise _failed("reading zip archive", "failed finding central directory")
        here, count, length, where = struct.unpack("<QQQQ", record[24:56])
        if here != count:
            raise _failed("reading zip archive", "it is a part of a multi-part archive")
        return at, count, length, where

    def _read_directory(self, where: int, count: int, length: int) -> None:
        data = self._at(where, length)
        at = 0
        for _ in range(count):
            if data[at : at + 4] != _CENTRAL or at + 46 > length:
                raise _failed("reading zip archive", "invalid header or archive is corrupted")
            (flags, method, checksum, packed, unpacked, name_n, extra_n, comment_n, offset) = struct.unpack(
                "<8xHH4xIIIHHH8xI", data[at : at + 46]
            )
            name_at, extra_at = at + 46, at + 46 + name_n
            at = extra_at + extra_n + comment_n
            if at > length:
                raise _failed("reading zip archive", "invalid header or archive is corrupted")
            name = _checked_name(data[name_at:extra_at])
            unpacked, packed, offset = _wide(data[extra_at : extra_at + extra_n], unpacked, packed, offset)
            if flags & 1:
                raise _failed(f"reading file {name}", "it is encrypted")
            if method != 0 or packed != unpacked:
                raise _failed(f"reading file {name}", "it is compressed, which records of checkpoints never are")
            if name in self._spans:
                raise _failed("reading zip archive", f"it has two records of the name {name}")
            if offset + 30 + name_n + unpacked > where:
                raise _failed(f"reading file {name}", "its announced size goes beyond the file's records")
            self._spans[name] = (offset, unpacked, checksum)

    def _check_overlap(self, end: int) -> None:
        spans = sorted((offset, length, name) for name, (offset, length, _) in self._spans.items())
        self._limits: dict[int, int] = {}
        """By where a record's header is: where the next thing begins."""
        for (offset, length, name), following in zip(spans, [s[0] for s in spans[1:]] + [end]):
            if offset + 30 + len(name.encode()) + length > following:
                raise _failed("reading zip archive", f"its records overlap at {name}")
            self._limits[offset] = following
            if self._at(offset, 4) != _LOCAL:
                raise _failed(f"reading file {name}", "invalid header or archive is corrupted")


def _checked_name(raw: bytes) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _failed("reading zip archive", f"invalid filename {raw!r}") from None
    if not name or name.startswith("/") or "\\" in name or "\0" in name or ".." in name.split("/"):
        raise _failed("reading zip archive", f"invalid filename {name!r}")
    return name


def _wide(extra: bytes, unpacked: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Sizes and offset from the field that holds them when 32 bits do not."""
    at = 0
    values = [unpacked, packed, offset]
    while at + 4 <= len(extra):
        kind, length = struct.unpack("<HH", extra[at : at + 4])
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
            wide = [i for i, v in enumerate(values) if v == _U32]
            if len(field) < 8 * len(wide):
                raise _failed("reading zip archive", "invalid header or archive is corrupted")
            for k, i in enumerate(wide):
                values[i] = struct.unpack("<Q", field[8 * k : 8 * k + 8])[0]
        at += 4 + length
    return values[0], values[1], values[2]


def _read_into(file: Any, array: np.ndarray[Any, Any]) -> int:
    view = array.data
    done = 0
    while done < len(view):
        if hasattr(file, "readinto"):
            count = file.readinto(view[done:])
        else:
            data = file.read(len(view) - done)
            count = len(data)
            view[done : done + count] = data
        if not count:
            break
        done += count
    return done


class Writer:
    """Writes records, each at a multiple of 64 bytes, into anything that has ``write``."""

    def __init__(self, file: Any, folder: str, checksums: bool = True) -> None:
        self.file = file
        self.folder = folder
        self.checksums = checksums
        self.position = 0
        self.directory: list[tuple[bytes, int, int, int]] = []

    def write(self, name: str, data: Any) -> None:
        """``data``: bytes, or an array of bytes."""
        length = data.nbytes if isinstance(data, np.ndarray) else len(data)
        checksum = zlib.crc32(data) if self.checksums and length else 0
        raw = f"{self.folder}/{name}".encode()
        wide = struct.pack("<HHQQ", 1, 16, length, length) if length >= _U32 else b""
        before = self.position + 30 + len(raw) + len(wide) + 4
        padding = -before % _ALIGNMENT
        extra = wide + b"FB" + struct.pack("<H", padding) + b"Z" * padding
        shown = _U32 if wide else length
        header = struct.pack(
            "<4sHHHHHIIIHH", _LOCAL, 45 if wide else 0, 0x0800, 0, 0, 0x21, checksum, shown, shown, len(raw), len(extra)
        )
        self.directory.append((raw, self.position, length, checksum))
        self._put(header + raw + extra)
        self._put(data)

    def close(self) -> None:
        """Write the directory; the file itself is the caller's."""
        where = self.position
        for raw, offset, length, checksum in self.directory:
            wide = [v for v in (length, length, offset) if v >= _U32]
            extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
            shown = min(length, _U32)
            self._put(
                struct.pack(
                    "<4sHHHHHHIIIHHHHHII", _CENTRAL, 0, 45 if wide else 0, 0x0800, 0, 0, 0x21, checksum, shown, shown,
                    len(raw), len(extra), 0, 0, 0, 0, min(offset, _U32),
                ) + raw + extra
            )  # fmt: skip
        length, count = self.position - where, len(self.directory)
        if count >= _U16 or where >= _U32 or length >= _U32:
            at = self.position
            self._put(struct.pack("<4sQHHIIQQQQ", _END64, 44, 45, 45, 0, 0, count, count, length, where))
            self._put(struct.pack("<4sIQI", _LOCATOR64, 0, at, 1))
        few = min(count, _U16)
        self._put(struct.pack("<4sHHHHIIH", _END, 0, 0, few, few, min(length, _U32), min(where, _U32), 0))

    def _put(self, data: Any) -> None:
        length = data.nbytes if isinstance(data, np.ndarray) else len(data)
        if length:
            self.file.write(data.data if isinstance(data, np.ndarray) else data)
        self.position += length
