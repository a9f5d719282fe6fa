"""The folder in which built libraries lie, and which of its files may be loaded.

A library ends with a line of its own: the key (text, flags, processor), the compiler, and a checksum of all before it.
It is written under another name first and then renamed, so that a file is there whole or not at all; processes that
build at the same time make the same file, and the last one stays.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

from . import presence

MARK = b"\nfacula-native "


class Refused(Exception):
    """Why a file is not loaded."""


def folder() -> Path:
    """``FACULA_CACHE``, or facula in ``XDG_CACHE_HOME``, or in ``~/.cache``."""
    return Path(presence.folder())


def place(key: str) -> Path:
    return folder() / f"native-{key[:32]}.so"


def signed(content: bytes, key: str, compiler: str) -> bytes:
    """The content of a library with its last line."""
    said = json.dumps({"key": key, "compiler": compiler, "sha256": hashlib.sha256(content).hexdigest()})
    return content + MARK + said.encode() + b"\n"


def checked(path: Path, key: str) -> dict[str, Any]:
    """What the last line of a file says, if the file may be loaded; raises ``Refused``, or FileNotFoundError.

    It and its folder must belong to the user or, in the package itself, to whom the package belongs.
    """
    owners = {os.geteuid()}
    if path.parent == Path(presence.prebuilt_folder()):
        owners = {os.stat(__file__).st_uid}
    _check_owner(os.lstat(path.parent), path.parent, stat.S_ISDIR, owners)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
    with os.fdopen(handle, "rb") as file:
        _check_owner(os.fstat(file.fileno()), path, stat.S_ISREG, owners)
        whole = file.read()
    content, mark, last = whole.rpartition(MARK)
    try:
        said = json.loads(last) if mark and last.endswith(b"\n") else None
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("sha256") != hashlib.sha256(content).hexdigest():
        raise Refused(f"{path} is damaged")
    if said.get("key") != key:
        raise Refused(f"{path} was built from another text, or for another processor")
    return said


def _check_owner(found: os.stat_result, path: Path, is_kind: Any, owners: set[int]) -> None:
    if not is_kind(found.st_mode):
        raise Refused(f"{path} is not what it should be")
    if found.st_uid not in owners:
        raise Refused(f"{path} belongs to another user")
    if found.st_mode & 0o022:
        raise Refused(f"{path} can be written by others")


def put(built: Path, path: Path, key: str, compiler: str) -> None:
    """Give a built library its last line and its place."""
    whole = signed(built.read_bytes(), key, compiler)
    with open(built, "wb") as file:
        file.write(whole)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(built, 0o600)
    os.replace(built, path)


def remove() -> list[Path]:
    """Delete all libraries, of other texts and processors as well."""
    gone = []
    for path in sorted(folder().glob("native-*.so")):
        with contextlib.suppress(OSError):
            path.unlink()
            gone.append(path)
    return gone
