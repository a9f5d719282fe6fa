"""Whether classes are what they were, by the numbers that CPython gives them: see ``c/versions.c``."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

from . import functions, library

NOTE, SURE = 0, 1


class _Versions(ctypes.Structure):
    _fields_ = [
        ("count", ctypes.c_int64), ("is_sure", ctypes.c_int64), ("now", ctypes.c_void_p), ("before", ctypes.c_void_p)
    ]  # fmt: skip


def watch(classes: list[type]) -> Callable[..., int] | None:
    """A function that tells whether no class, and no base of one, has been changed since it was told ``SURE``.

    ``NOTE`` goes before that, and before the look at what is to be sure. None where there is no way to know.
    """
    loaded = library.load()
    at = _place() if loaded is not None and loaded.is_direct else None
    if loaded is None or at is None:
        return None
    now = (ctypes.c_void_p * len(classes))(*[id(cls) + at for cls in classes])
    before = (ctypes.c_uint32 * len(classes))()
    entry = _Versions(len(classes), 0, ctypes.addressof(now), ctypes.addressof(before))
    return functions.function("versions", loaded.dll.facula_versions, entry, now, before, classes)


@functools.cache
def _place() -> int | None:
    """Where in a class its number lies, found by changing one; None if there is no such place, or more than one."""

    size: int = type.__dict__["__basicsize__"].__get__(type) // 4

    class Base:
        pass

    class Probe(Base):
        mark = 0

    def words() -> list[int]:
        return [*(ctypes.c_uint32 * size).from_address(id(Probe))]

    def looked_up() -> list[int]:
        assert Probe.mark >= 0
        return words()

    seen: list[list[int]] = [looked_up()]
    places = {i for i, word in enumerate(seen[0]) if word and looked_up()[i] == word}
    for cls, value in ((Probe, 1), (Base, 1), (Base, 2), (Probe, 2)):
        cls.mark = value  # type: ignore[attr-defined]
        places = {i for i in places if not words()[i]}
        found = looked_up()
        places = {i for i in places if found[i] and all(found[i] != before[i] for before in seen)}
        seen.append(found)
    return 4 * places.pop() if len(places) == 1 else None
